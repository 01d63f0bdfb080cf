// A part that is pointed at, or reached with Tab, is explained below the drawing.
function draw(view) {
  var first = view.root.querySelector(".tl-say").textContent;
  if (!document.documentElement.dataset.theme) { // in a notebook the chapters' pages are not beside
    view.picture.querySelectorAll("a").forEach(function (link) { link.replaceWith.apply(link, Array.from(link.childNodes)); });
  }
  view.picture.querySelectorAll(".tl-part").forEach(function (part) {
    var within = part.closest("a") || part;
    ["pointerenter", "focusin"].forEach(function (kind) { within.addEventListener(kind, function () { view.say(part.dataset.told); }); });
    ["pointerleave", "focusout"].forEach(function (kind) { within.addEventListener(kind, function () { view.say(first); }); });
  });
}
