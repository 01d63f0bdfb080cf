// Below each page that the search found: the sentence that has the words. Its texts come as a script, since a page that
// was opened from a file may not read other pages.
(function () {
  if (!/\/search\.html$/.test(location.pathname)) return;
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  var asked = (new URLSearchParams(location.search).get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
  var AROUND = 90, texts = document.createElement("script");
  texts.src = "_static/excerpts.js"; // the page of the search stands at the site's root
  texts.addEventListener("load", function () {
    addEventListener("load", watch);
    if (document.readyState === "complete") watch();
  });
  document.head.append(texts);

  function watch() {
    var results = document.getElementById("search-results");
    if (!results) return;
    new MutationObserver(tell).observe(results, { childList: true, subtree: true });
    tell();
  }

  function tell() {
    document.querySelectorAll("#search-results li:not([data-told])").forEach(function (item) {
      var link = item.querySelector("a");
      if (!link) return;
      item.dataset.told = "";
      var page = new URL(link.href).pathname.replace(/\.html$/, "").split("/").slice(-2).join("/");
      var text = BOOK_TEXTS[page] || BOOK_TEXTS[page.split("/").pop()], low = text && text.toLowerCase();
      var at = low ? asked.map(function (word) { return low.indexOf(word); }).find(function (place) { return place >= 0; }) : null;
      if (at == null) return;
      item.append(excerpt(text, at));
    });
  }

  // From one space to another around a place, the words that were asked for in bold.
  function excerpt(text, at) {
    var from = at < AROUND ? 0 : text.indexOf(" ", at - AROUND) + 1, to = text.indexOf(" ", at + AROUND);
    var shown = text.slice(from, to < 0 ? text.length : to), line = document.createElement("p");
    var words = new RegExp("(" + asked.map(function (word) { return word.replace(/[^\w]/g, "\\$&"); }).join("|") + ")", "i");
    line.className = "context";
    line.append(from ? "… " : "");
    shown.split(words).forEach(function (part, i) {
      var piece = i % 2 ? document.createElement("b") : document.createTextNode(part);
      if (i % 2) piece.textContent = part;
      line.append(piece);
    });
    line.append(to < 0 ? "" : " …");
    return line;
  }
})();
