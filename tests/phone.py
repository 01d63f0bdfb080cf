"""Figures of a page in a browser on a phone: all of each is visible, in readable letters."""

import re
from functools import cache
from pathlib import Path

IMAGES = Path(__file__).resolve().parents[1] / "_build" / "html" / "_images"
SMALLEST = 9  # pixels of a letter
FOLDS = """open => {
  for (const fold of document.querySelectorAll('details')) {
    if (open) fold.wasOpen ??= fold.open;
    fold.open = open || fold.wasOpen;
  }
}"""
SCROLLING = """() => [...document.querySelectorAll('figure')]
  .filter(figure => [figure, ...figure.querySelectorAll('*')].some(e => e.scrollWidth > e.clientWidth + 1 &&
    ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && !e.matches('table, .tl-scroll, input, textarea')))
  .map(figure => figure.id)"""
# The file that a picture will show is known without loading it: its first source whose condition holds.
DRAWINGS = """() => [...document.querySelectorAll('figure .drawing img')].filter(image => image.offsetParent)
  .map(image => {
    const source = [...image.parentElement.children].find(e => e === image || matchMedia(e.media).matches);
    return [image.closest('figure').id, source.srcset || source.src, image.clientWidth];
  })"""


@cache
def smallest_letter(path):
    """The smallest letter of a drawing, as a share of its width. Matplotlib draws a letter of 100 and scales it."""
    svg = path.read_text(encoding="utf-8")
    width = float(re.search(r'width="([\d.]+)pt"', svg)[1])
    sizes = re.findall(r'<g[^>]*transform="translate[^"]*scale\(([\d.]+) -', svg)
    return min((float(size) * 100 / width for size in sizes), default=1)


def too_wide_or_too_small(tab, theme, smallest=SMALLEST):
    """Yield the errors of a page's figures, folds open, in the current theme; folds close again."""
    tab.evaluate(FOLDS, True)
    yield from (f"{figure} scrolls sideways" for figure in tab.evaluate(SCROLLING))
    for figure, source, shown in tab.evaluate(DRAWINGS):
        name = source.rsplit("/", 1)[-1]
        if name.endswith("-dark.svg") != (theme == "dark"):
            yield f"{figure} shows {name} in the theme {theme}"
        letter = smallest_letter(IMAGES / name) * shown
        if letter < smallest:
            yield f"{figure}: a letter is {letter:.1f} pixels high in {name}"
    tab.evaluate(FOLDS, False)
