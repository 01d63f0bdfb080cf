// Printing is always light; afterwards the page takes its own theme again.
(function () {
  var root = document.documentElement, theme;
  addEventListener("beforeprint", function () { theme = root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", function () { if (theme) root.dataset.theme = theme; });
})();
// A page that was opened from a file may not read other files: the search shows titles without summaries.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
