// A term shows its definition, a citation its reference, a source in the margin its document: on hover, on keyboard
// focus, and at the first touch.
// Without this script, the browser shows the same text as the link's title.
(function () {
  var shown, byTouch;

  function note(link) { return document.getElementById(link.getAttribute("aria-describedby")); }

  function hide() {
    if (shown) note(shown).hidden = true;
    shown = null;
  }

  function show(link) {
    if (shown === link) return;
    hide();
    shown = link;
    var box = note(link), place = link.getClientRects()[0], page = document.documentElement;
    box.hidden = false;
    var left = Math.min(place.left, page.clientWidth - box.offsetWidth - 8);
    var above = place.bottom + box.offsetHeight > page.clientHeight && place.top > box.offsetHeight;
    box.style.left = Math.max(8, left) + scrollX + "px";
    box.style.top = (above ? place.top - box.offsetHeight : place.bottom) + scrollY + "px";
  }

  // The pointer may cross to the note, which touches its link; it goes when the pointer has left both.
  function leave(event) {
    var to = event.relatedTarget;
    if (shown && to !== shown && !note(shown).contains(to) && !shown.contains(to)) hide();
  }

  function prepare(link, number) {
    var box = document.createElement("div");
    box.id = "note-" + number;
    box.className = "term-note";
    box.setAttribute("role", "tooltip");
    box.hidden = true;
    box.textContent = link.title;
    document.body.append(box);
    link.removeAttribute("title");
    link.setAttribute("aria-describedby", box.id);
    link.addEventListener("mouseenter", function () { if (!byTouch) show(link); });
    link.addEventListener("focus", function () { show(link); });
    link.addEventListener("blur", hide);
    link.addEventListener("mouseleave", leave);
    box.addEventListener("mouseleave", leave);
    link.addEventListener("pointerdown", function (event) { byTouch = event.pointerType === "touch" && shown !== link; });
    link.addEventListener("click", function (event) {
      if (!byTouch) return;  // the second touch follows the link
      event.preventDefault();
      show(link);
      byTouch = false;
    });
  }

  document.querySelectorAll("a.term[title], a.src[title], .bibtex-citation a[title]").forEach(prepare);
  addEventListener("keydown", function (event) { if (event.key === "Escape") hide(); });
})();
