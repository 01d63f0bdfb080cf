// Two switches of a page, kept for those that are opened next: reading without guesses, and all code in sight. It runs
// before the page is drawn: what is hidden never flashes up.
(function () {
  var root = document.documentElement;
  // How the button is called, and what the page is said to be: as it opens, and when the button is pressed.
  var SWITCHES = [
    { name: "guesses", text: "Read without guesses", off: "on", on: "off", needs: ".guess-block" },
    { name: "code", text: "Coding mode", off: "hidden", on: "shown", needs: ".cell .cell_input" },
  ];

  function kept(name, value) {
    try {
      if (value === undefined) return localStorage.getItem(name);
      localStorage.setItem(name, value);
    } catch (error) { return null; /* it lasts as long as the page */ }
  }

  SWITCHES.forEach(function (one) { root.dataset[one.name] = kept(one.name) === one.on ? one.on : one.off; });

  // Code that is folded opens with the other; a cell that is folded with its output, such as a solution, does not.
  function unfold() {
    document.querySelectorAll(".cell > details.hide.above-input:not(:has(.cell_output))").forEach(function (fold) {
      fold.open = root.dataset.code === "shown";
    });
  }

  function make(one) {
    var button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-sm switch";
    button.textContent = one.text;
    function show() { button.setAttribute("aria-pressed", root.dataset[one.name] === one.on); }
    button.addEventListener("click", function () {
      root.dataset[one.name] = root.dataset[one.name] === one.on ? one.off : one.on;
      kept(one.name, root.dataset[one.name]);
      show();
      unfold();
    });
    show();
    return button;
  }

  addEventListener("DOMContentLoaded", function () {
    var place = document.querySelector(".article-header-buttons");
    if (!place) return;
    var fitting = SWITCHES.filter(function (one) { return document.querySelector(one.needs); });
    place.prepend.apply(place, fitting.map(make));
    unfold();
  });
})();
