// The theme of the site, light or dark, for pages that stand beside it. `turnTheme()` takes the other one.
var turnTheme = (function () {
  "use strict";
  var root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)"), chosen = "auto";
  try { chosen = localStorage.getItem("mode") || "auto"; } catch (error) { /* a file may have no storage */ }

  function show() { root.dataset.theme = chosen === "auto" ? (dark.matches ? "dark" : "light") : chosen; }
  show();
  dark.addEventListener("change", show);
  return function () {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    show();
  };
})();
