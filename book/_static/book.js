// Printing is always light; afterwards the page takes its own theme again.
(function () {
  var root = document.documentElement, theme;
  addEventListener("beforeprint", function () { theme = root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", function () { if (theme) root.dataset.theme = theme; });
})();
// A full stop after a formula goes to the next line with it, never alone.
addEventListener("DOMContentLoaded", function () {
  document.querySelectorAll(".bd-article span.math").forEach(function (formula) {
    var text = formula.nextSibling, mark = text && text.nodeType === 3 && /^[.,;:!?)]+/.exec(text.data);
    if (!mark) return;
    var together = document.createElement("span");
    together.style.whiteSpace = "nowrap";
    formula.before(together);
    text.splitText(mark[0].length);
    together.append(formula, text);
  });
});
// The search's button says "Search" and its keys; a name beside them would hide the keys from who speaks what they see.
addEventListener("DOMContentLoaded", function () {
  document.querySelectorAll(".search-button-field").forEach(function (button) { button.removeAttribute("aria-label"); });
});
// The list of chapters shows the page that is open, also when the theme moves it into the menu of a phone.
(function () {
  var list = document.querySelector(".chapters"), here = list && list.querySelector('a[href="#"]');
  if (!here) return;
  function show() {
    list.scrollTop += here.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 4;
  }
  show();
  document.querySelector(".primary-toggle").addEventListener("click", function () { requestAnimationFrame(show); });
})();
// A figure or a formula that scrolls on a phone can be reached and moved with the keyboard.
(function () {
  function reach() {
    var all = [].slice.call(document.querySelectorAll('.bd-article figure, .bd-article mjx-container[display="true"]'));
    var scroll = all.map(function (wide) { return wide.scrollWidth > wide.clientWidth; }); // all at once: a page is laid out again after each change
    all.forEach(function (wide, number) {
      if (scroll[number]) wide.tabIndex = 0;
      else wide.removeAttribute("tabindex");
    });
  }
  addEventListener("load", function () {
    reach();
    if (window.MathJax && MathJax.startup) MathJax.startup.promise.then(reach);
  });
  addEventListener("resize", reach);
  // What comes out of a fold may be too wide as well: this page and the theme look again, as after a resize.
  document.addEventListener("toggle", function () { dispatchEvent(new Event("resize")); }, true);
})();
// What is folded opens where a link leads into it, and on paper.
(function () {
  function follow() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var fold = target && target.closest("details:not([open])");
    if (!fold) return;
    for (; fold; fold = fold.parentNode.closest("details")) fold.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  follow();
  addEventListener("beforeprint", function () {
    document.querySelectorAll(".proof, .lab, .exercise, .names").forEach(function (fold) { fold.open = true; });
  });
})();
