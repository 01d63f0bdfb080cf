"""What a student wrote, in a form that runs, loads and breaks nothing on the screen of the teacher who reads it.

Formgrader renders Markdown without a limit of time, follows every link and loads every picture. So Markdown is rendered
here: only the tags below leave, no address, and no picture but those in the student's own notebook.
"""

from __future__ import annotations

import collections
import re
import signal
from contextlib import contextmanager
from html import escape
from urllib.parse import unquote

import bleach
import pygments
from mistune import HTMLRenderer
from mistune.plugins.table import table
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.lexers import PythonLexer

MOST_ANSWER = 50_000  # characters of one answer
MOST_SHOWN = 100_000  # characters of one student: formgrader needs up to 6 s for them
SECONDS = 1  # to render all texts of one student; an honest one needs a hundredth of it
TAGS = set("p br hr h1 h2 h3 h4 h5 h6 strong em code pre blockquote ul ol li table thead tbody tr th td".split())
FORMULA = "tex2jax_process"  # MathJax looks at nothing else in an answer
MOST_FORMULA = 2_000  # characters
MOST_FORMULAS = 200  # in a text
MOST_SLOW = 1_000  # characters of code that may take long for its length
MOST_ADDRESS = 300  # characters of a link that are shown, each time
MOST_HTML = 6 << 20  # characters that the pictures and addresses of a text may become, and the text with them
UNSAFE = re.compile(  # TeX that links, loads, or gives a name another meaning for the rest of the page
    r"\\(?:href|url|require|unicode|style|class|cssId|bbox|mmlToken|verb|x?def|let|(?:re)?new|Declare|label|tag)"
)
# Nothing gets out of the box, over the fields for points.
BOX = '<div class="tex2jax_ignore" style="contain: paint; overflow: auto; max-height: 90vh">{}</div>'


class TooLong(Exception):
    """Rendering took longer than any honest text needs."""


@contextmanager
def at_most(seconds):
    """Raise TooLong in a block that computes longer. For the main thread."""

    def stop(_, frame):
        # Where Python calls back on its own, nothing comes of what is raised: it rings again a tenth of a second later.
        if frame is None or frame.f_code.co_name not in ("_remove", "gc_callback", "gc_cumulative_time"):
            raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)  # once more, where the block catches every exception
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def cells(texts, pictures):
    """Name -> source of a cell for formgrader, for (name, cell type, text) of one student's cells.

    pictures: name -> file name -> (type, base64). Markdown that the renderer cannot take, or not in time, is shown as
    it was typed, and so is what comes after it.
    """
    sources, room = {}, MOST_SHOWN
    for name, cell_type, text in texts:
        text = shortened(text, min(MOST_ANSWER, room))
        room = max(0, room - len(text))
        sources[name] = text if cell_type == "markdown" else colored_in_time(few_blank_lines(text))
    waiting = [name for name, cell_type, _ in texts if cell_type == "markdown"]
    html = {name: as_typed(sources[name], pictures.get(name, {})) for name in waiting}
    try:
        with at_most(SECONDS):
            for name in waiting:
                html[name] = rendered(sources[name], pictures.get(name, {}))
    except Exception:  # what somebody made up may break a renderer in any way
        pass
    return {**sources, **{name: boxed(text) for name, text in html.items()}}


def shortened(text, most=MOST_ANSWER):
    """A student's text as far as people are shown it."""
    text = text.encode("utf-8", "backslashreplace").decode()
    more = len(text) - most
    return text if more <= 0 else f"{text[:most]}\n\n... {more} more characters stand in the notebook itself"


def few_blank_lines(code):
    """Code with at most two blank lines together: pygments looks at each of them from each."""
    return re.sub(r"\n(?:[^\S\n]*\n){3,}", "\n\n\n", f"\n{code}")[1:]


def colored_in_time(code):
    """Code as far as formgrader colors it in time: some texts take pygments longer by the square of their length."""
    try:
        with at_most(SECONDS / 10):
            if len(code) > MOST_SLOW:
                collections.deque(pygments.lex(code, PythonLexer()), maxlen=0)
        return code
    except TooLong:
        return shortened(code, MOST_SLOW)


def rendered(text, pictures=None):
    """Markdown as HTML, with formulas for MathJax; the pictures that it does not show come after it."""
    renderer = _Renderer(pictures or {})
    html = MarkdownWithMath(renderer, plugins=[table]).render(text)
    if len(html) > MOST_HTML:
        raise TooLong
    left = {name: picture for name, picture in renderer.pictures.items() if name not in renderer.seen}
    return bleach.clean(html, {*TAGS, "span", "img"}, _allowed, protocols={"data"}, strip=True) + images(left)


def as_typed(text, pictures):
    """Any text as HTML, in a time that grows as the text does, and the pictures after it."""
    return f"<pre>{escape(text)}</pre>{images(pictures)}"


def images(pictures):
    """Pictures as HTML; pictures: file name -> (type, base64)."""
    return "".join(_image(name, *picture) for name, picture in pictures.items())


def boxed(html):
    """HTML as the source of a Markdown cell: in one line, for an empty one ends a block of HTML, and with no `[`.

    From each of those, nbconvert looks through all the rest for a link.
    """
    return BOX.format(html.strip().replace("\r", "").replace("\n", "&#10;").replace("[", "&#91;"))


def _image(name, mime, data):
    return f'<img src="data:{escape(mime)};base64,{escape(data)}" alt="{escape(name)}">'


def _allowed(tag, name, value):
    if tag == "img":
        return name == "alt" or name == "src" and value.startswith("data:image/")
    return tag == "span" and (name, value) == ("class", FORMULA)


class _Renderer(IPythonRenderer):
    def __init__(self, pictures):
        super().__init__(escape=True, exclude_anchor_links=True)
        self.pictures, self.seen, self.formulas, self.room = pictures, set(), 0, MOST_HTML

    def link(self, text, url, title=None):
        return self._within(f"{text} ({escape(url[:MOST_ADDRESS])})")

    def image(self, text, url, title=None):
        name = unquote(url.removeprefix("attachment:"))
        if not url.startswith("attachment:") or name not in self.pictures:
            return self._within(f"(picture {text}: {escape(url[:MOST_ADDRESS])})")
        if name in self.seen:
            return self._within(f"({escape(name)} again)")
        self.seen.add(name)
        return self._within(_image(name, *self.pictures[name]))

    def _within(self, html):
        """What stands in the text once and may be shown many times: counted before it is joined with the rest."""
        self.room -= len(html)
        if self.room < 0:
            raise TooLong
        return html

    def block_code(self, code, info=None):
        return HTMLRenderer.block_code(self, code)  # in one color: the rules of some languages need hours

    def inline_math(self, body):
        return self._formula(super().inline_math(body))

    def block_math(self, body):
        return self._formula(super().block_math(body))

    def latex_environment(self, name, body):
        return self._formula(super().latex_environment(name, body))

    def _formula(self, tex):
        self.formulas += 1
        safe = len(tex) <= MOST_FORMULA and self.formulas <= MOST_FORMULAS and not UNSAFE.search(tex)
        return f'<span class="{FORMULA}">{tex}</span>' if safe else f"<code>{tex}</code>"
