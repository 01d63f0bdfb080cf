"""The findings of axe on a page that is open in a browser: in both themes, on a narrow and on a wide screen."""

from importlib import resources

import pytest

WIDTHS = [390, 1280]
THEMES = ["light", "dark"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# Nearly all of axe's time goes into contrast. In a theme it is measured once for each look of a text: its element,
# class and colors, and its background. Rules without colors are not repeated in the dark. Scrolling parts become
# reachable by keyboard a moment after the screen's width changes: the theme waits 300 ms, a view waits to be notified,
# and a busy machine takes longer.
REACHABLE = """async () => {
  const all = 'pre, .cell_output > .output, .pst-scrollable-table-container, .tl-scroll';
  const scrolls = e => e.checkVisibility() && (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight);
  const missed = () => [...document.querySelectorAll(all)].some(e => e.tabIndex < 0 && scrolls(e));
  for (let waited = 0; waited < 5000 && missed(); waited += 50) await new Promise(done => setTimeout(done, 50));
}"""
AUDIT = """async ([parts, rules, theme]) => {
  const colors = {'color-contrast': '[data-fresh]', 'link-in-text-block': 'a[href][data-fresh]'}, grounds = new Map();
  axe.configure({rules: Object.entries(colors).map(([id, selector]) => ({id, selector}))});
  const ground = e => {  // the colors below a text, down to the first one that covers the others, and how clear all are
    if (!e) return '';
    if (!grounds.has(e)) {
      const {backgroundColor, backgroundImage, opacity} = getComputedStyle(e);
      const covers = backgroundColor.startsWith('rgb(') && opacity === '1';
      grounds.set(e, backgroundColor + backgroundImage + opacity + (covers ? '' : ground(e.parentElement)));
    }
    return grounds.get(e);
  };
  const look = e => {
    const {color, fill, fontSize, fontWeight} = getComputedStyle(e), above = e.parentElement;
    const around = [above.className.baseVal ?? above.className, getComputedStyle(above).color];
    return [e.tagName, e.className.baseVal ?? e.className, color, fill, fontSize, fontWeight, around, ground(e)].join();
  };
  const says = e => e.matches('a, input, select, textarea') ||
    [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const seen = (window.looks ??= {})[theme] ??= new Set(), fresh = [];
  for (const e of document.querySelectorAll(parts.map(part => part + ', ' + part + ' *').join(', ')))
    if (says(e) && e.checkVisibility({visibilityProperty: true}) && !seen.has(look(e))) {
      seen.add(look(e));
      fresh.push(e);
    }
  if (theme === 'dark' && !fresh.length) return [];
  for (const e of fresh) e.dataset.fresh = '';
  const runOnly = theme === 'dark' ? {type: 'rule', values: Object.keys(colors)} : rules;
  const {violations} = await axe.run({include: parts}, {preload: false, resultTypes: ['violations'], runOnly});
  for (const e of fresh) delete e.dataset.fresh;
  return violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.target.join(' ') + ' | ' + n.html.slice(0, 160)));
}"""

# axe walks through all of a page: elements that are not part of the test are removed.
ALONE = """parts => {
  for (const e of document.querySelectorAll('body *:not(script, style)'))
    if (e.isConnected && !e.closest(parts) && !e.querySelector(parts)) e.remove();
}"""
# One letter of each formula stays, as large as the formula, because all look the same.
SHORT = """() => {
  for (const math of document.querySelectorAll('mjx-math')) {
    Object.assign(math.style, {display: 'inline-block', width: math.getBoundingClientRect().width + 'px'});
    math.replaceChildren('x');
  }
}"""


def turn(tab, theme):
    """Switch a page of the book to the theme that the reader's system asks for."""
    tab.emulate_media(color_scheme=theme)
    tab.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)


def audit(tab, parts=("html",), rules=RULES, turn=turn):
    """Yield axe's findings in these parts of the page (CSS selectors), and parts that are wider than the screen.

    Skips the test if axe is not installed.
    """
    package = pytest.importorskip("axe_playwright_python")
    tab.add_script_tag(content=resources.files(package).joinpath("axe.min.js").read_text(encoding="utf-8"))
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.evaluate(REACHABLE)
        wide = tab.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            yield f"{width} pixels: the page is {wide} wide"
        for theme in THEMES:
            turn(tab, theme)
            problems = tab.evaluate(AUDIT, [list(parts), rules, theme])
            yield from (f"{theme}, {width} pixels: {problem}" for problem in problems)
