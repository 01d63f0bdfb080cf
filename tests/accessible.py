"""What axe finds on a page that is open in a browser: in both themes, on a narrow and on a wide screen."""

from importlib import resources

import pytest

WIDTHS = [390, 1280]
THEMES = ["light", "dark"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# Nearly all of axe's time goes into contrast. It is measured where an element is first visible in a theme: on the wide
# screen, only of what the narrow one does not show. The rules that ask for no color are not asked again in the dark.
REACHABLE = """async () => {
  const missed = () => [...document.querySelectorAll('pre[tabindex="-1"]')].some(e => e.scrollWidth > e.clientWidth);
  for (let waited = 0; waited < 5000 && missed(); waited += 100) await new Promise(done => setTimeout(done, 100));
}"""
AUDIT = """async ([parts, rules, theme]) => {
  const colors = ['color-contrast', 'link-in-text-block'], options = {preload: false, resultTypes: ['violations']};
  const all = parts.map(part => part + ', ' + part + ' *').join(', ');
  const visible = [...document.querySelectorAll(all)].filter(e => e.checkVisibility({visibilityProperty: true}));
  const fresh = new Set(visible.filter(e => !(e.audited ?? '').includes(theme)));
  const outer = [...fresh].filter(e => !fresh.has(e.parentElement)), whole = fresh.size === visible.length;
  const run = (include, more) => axe.run({include}, {...options, ...more}), found = [];
  if (theme === 'light')
    found.push(await run(parts, {runOnly: rules, rules: Object.fromEntries(colors.map(c => [c, {enabled: whole}]))}));
  if (outer.length && !(theme === 'light' && whole))
    found.push(await run(outer, {runOnly: {type: 'rule', values: colors}}));
  for (const e of fresh) e.audited = (e.audited ?? '') + theme;
  return found.flatMap(run => run.violations)
    .flatMap(v => v.nodes.map(n => v.id + ': ' + n.target.join(' ') + ' | ' + n.html.slice(0, 160)));
}"""


def turn(tab, theme):
    """Put a page of the book into the theme that the reader's system asks for."""
    tab.emulate_media(color_scheme=theme)
    tab.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)


def audit(tab, parts=("html",), rules=RULES, turn=turn):
    """Yield what axe finds in these parts of the page (CSS selectors), and where the page is wider than the screen.

    Skips the test where axe is not installed.
    """
    package = pytest.importorskip("axe_playwright_python")
    tab.add_script_tag(content=resources.files(package).joinpath("axe.min.js").read_text(encoding="utf-8"))
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.wait_for_timeout(400)  # after 300 ms, the theme makes what now scrolls reachable by keyboard,
        tab.evaluate(REACHABLE)  # on a busy machine some time later
        wide = tab.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            yield f"{width} pixels: the page is {wide} wide"
        for theme in THEMES:
            turn(tab, theme)
            problems = tab.evaluate(AUDIT, [list(parts), rules, theme])
            yield from (f"{theme}, {width} pixels: {problem}" for problem in problems)
