// One switch hides or shows the code of a page, and of the pages that are opened next. It runs before the page is
// drawn: code that is hidden never flashes up.
(function () {
  var root = document.documentElement;
  try { root.dataset.code = localStorage.getItem("code") || ""; } catch (error) { root.dataset.code = ""; }

  // Code that is folded opens with the other; a cell that is folded with its output, such as a solution, does not.
  function apply() {
    document.querySelectorAll(".cell > details.hide.above-input:not(:has(.cell_output))").forEach(function (fold) {
      if (root.dataset.code) fold.open = root.dataset.code === "shown";
    });
  }

  addEventListener("DOMContentLoaded", function () {
    var place = document.querySelector(".article-header-buttons");
    if (!place || !document.querySelector(".cell .cell_input")) return;
    var button = document.createElement("button"), icon = document.createElement("i");
    button.type = "button";
    button.className = "btn btn-sm code-switch";
    icon.className = "fas fa-code";
    icon.setAttribute("aria-hidden", "true");

    function name() {
      button.replaceChildren(icon, root.dataset.code === "hidden" ? "Show code" : "Hide code");
    }

    button.addEventListener("click", function () {
      root.dataset.code = root.dataset.code === "hidden" ? "shown" : "hidden";
      try { localStorage.setItem("code", root.dataset.code); } catch (error) { /* it lasts as long as the page */ }
      apply();
      name();
    });
    name();
    apply();
    place.prepend(button);
  });
})();
