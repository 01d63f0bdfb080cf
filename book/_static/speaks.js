// A formula that explains itself: point at a letter, in the formula or below it, and one line says what it is.
addEventListener("load", function () {
  var drawn = window.MathJax && MathJax.startup ? MathJax.startup.promise : Promise.resolve();
  drawn.then(function () { document.querySelectorAll(".speaks").forEach(start); });

  function start(box) {
    var formula = box.previousElementSibling, buttons = [].slice.call(box.querySelectorAll("button"));
    var says = box.querySelectorAll(".says");

    function parts(number) { return formula.querySelectorAll(".sym-" + number); }

    function say(number) {
      buttons.forEach(function (button, i) {
        button.setAttribute("aria-pressed", String(i === number));
        says[i].hidden = i !== number;
        parts(i).forEach(function (part) { part.classList.toggle("sym-on", i === number); });
      });
    }

    function listen(element, number) {
      ["mouseenter", "focus", "click"].forEach(function (kind) {
        element.addEventListener(kind, function () { say(number); });
      });
    }

    buttons.forEach(function (button, i) {
      listen(button, i);
      parts(i).forEach(function (part) { part.classList.add("sym"); listen(part, i); });
    });
    say(-1);
    box.classList.add("ready");
  }
});
