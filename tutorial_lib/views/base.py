"""What all views share: a piece of HTML that brings its own data, style and script, and asks nothing of any server.

A view shows its default state as plain HTML or SVG first, so that it can be read without JavaScript, in print and in a
notebook that is not trusted. Its script then finds that element by a key of its own (so several views fit on a page)
and adds the controls. Texts reach the page through `html.escape` here and `textContent` there: a token is shown, never
run.
"""

import base64
import hashlib
import html
import itertools
import json
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

from tutorial_lib.atomic import write_text

JS = Path(__file__).parent / "js"
_COUNT = itertools.count(1)


class View:
    """A view in a notebook or page: shown when it is a cell's last value.

    kind: the script in views/js that brings it to life, with a style sheet of the same name beside it if it needs one.
    data: what the script gets, as JSON. default: the HTML of its default state. label: what it shows, for a screen
    reader. say: a sentence that tells what the default state shows. parts: scripts in views/js that it shares with
    other kinds, each with its style sheet if it has one. folder: where the kind's own files are, if not in views/js.
    """

    def __init__(
        self, kind: str, data: dict, default: str, label: str, say: str = "", parts: Iterable[str] = (),
        folder: Path = JS,
    ):  # fmt: skip
        self.kind = kind
        self.data = data
        self.default = default
        self.label = label
        self.say = say
        self.parts = tuple(parts)
        self.folder = folder

    def __repr__(self):
        return f"{self.label} (an interactive view: it needs a notebook or a page)"

    def _repr_html_(self):
        data = to_json(self.data)
        # The number keeps two equal views on one page apart; the digest keeps views of two kernels apart.
        key = f"{self.kind}-{hashlib.sha256(data.encode()).hexdigest()[:8]}-{next(_COUNT)}"
        own = self.folder / self.kind
        files = [*(JS / part for part in self.parts), own]
        script = "\n".join(shortened(file.with_suffix(".js")) for file in [JS / "common", *files])
        sheets = [file.with_suffix(".css") for file in [JS / "view", *files]]
        style = "".join(shortened(sheet) for sheet in sheets if sheet.exists())
        return (
            f'<div class="tl-view mathjax_ignore tex2jax_ignore" data-view="{key}" role="group" '
            f'aria-label="{html.escape(self.label)}"><style>{style}</style>'
            f'<div class="tl-controls" hidden></div><div class="tl-picture">{self.default}</div>'
            f'<p class="tl-say" aria-live="polite">{html.escape(self.say)}</p>'
            f'<script type="application/json">{data}</script>'
            f"<script>(function () {{\n{script}\nTL.start({to_json(key)}, draw);\n}})();</script></div>"
        )

    def save(self, path: str | os.PathLike) -> None:
        """Write the view as a page of its own that opens in any browser; written beside and renamed."""
        page = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{html.escape(self.label)}</title><body>{self._repr_html_()}</body></html>"
        )
        write_text(path, page)


def to_json(value: object) -> str:
    """JSON that is safe inside a script element: no character of it can close the element or open another.

    >>> to_json("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "&<>\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def pack_text(text: str) -> str:
    """A long text, deflated, in base64; the browser inflates it by itself.

    >>> len(pack_text("ab" * 1000)) < 40
    True
    """
    return base64.b64encode(zlib.compress(text.encode(), level=9)).decode()


def shortened(file: Path) -> str:
    """A script or a style sheet as a view carries it: without indents and lines of comment, a quarter of a script.

    So no text in a script may go over several lines.
    """
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if not line.startswith("//"))
