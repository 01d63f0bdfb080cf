// Printing is always light; afterwards the page takes its own theme again.
(function () {
  var root = document.documentElement, theme;
  addEventListener("beforeprint", function () { theme = root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", function () { if (theme) root.dataset.theme = theme; });
})();
