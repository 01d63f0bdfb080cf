"""What all views share: a piece of HTML that contains its own data, style and script, and needs no server.

A view's script draws it: in the page, and before that in Python (`still`), so that its first picture is visible without
JavaScript, in print and in an untrusted notebook. In the page the script finds its element by its own key (so several
views fit on a page) and adds the controls. Texts become text nodes: a token is shown, never executed.
"""

import base64
import functools
import hashlib
import html
import itertools
import json
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

from tutorial_lib.atomic import write_text
from tutorial_lib.views import still

JS = Path(__file__).parent / "js"
_COUNT = itertools.count(1)


class View:
    """A view in a notebook or page: displayed if it is a cell's last value.

    kind: the script in views/js that draws it, with a style sheet of the same name if it needs one. data: the script's
    input, as JSON. label: what the view shows, for a screen reader. parts: scripts in views/js that it shares with
    other kinds, each with its style sheet if it has one. folder: where the kind's own files are, if not in views/js.
    picture: the HTML of the first picture and a sentence on it, for the few views whose script draws a different first
    picture.
    """

    def __init__(
        self, kind: str, data: dict, label: str, parts: Iterable[str] = (), folder: Path = JS,
        picture: tuple[str, str] | None = None,
    ):  # fmt: skip
        self.kind = kind
        self.data = data
        self.label = label
        self.parts = tuple(parts)
        self.folder = folder
        if picture is not None:
            self.first = picture

    def __repr__(self):
        return f"{self.label} (an interactive view: it needs a notebook or a page)"

    @functools.cached_property
    def first(self) -> tuple[str, str]:
        """Return the first picture as HTML, and the sentence that describes it, which is empty without mini-racer."""
        missing = f"<p>{html.escape(self.label)}: this picture is drawn by a script.</p>", ""
        return still.drawn(self._script, to_json(self.data)) or missing

    @property
    def default(self) -> str:
        """Return the HTML of the first picture."""
        return self.first[0]

    @property
    def say(self) -> str:
        """Describe the first picture in a sentence."""
        return self.first[1]

    @property
    def _files(self):
        return [*(JS / part for part in self.parts), self.folder / self.kind]

    @property
    def _script(self):
        return "\n".join(shortened(file.with_suffix(".js")) for file in [JS / "common", *self._files])

    def _repr_html_(self):
        data = to_json(self.data)
        # The number separates two equal views on one page; the digest separates views of two kernels.
        key = f"{self.kind}-{hashlib.sha256(data.encode()).hexdigest()[:8]}-{next(_COUNT)}"
        sheets = [file.with_suffix(".css") for file in [JS / "view", *self._files]]
        style = "".join(shortened(sheet) for sheet in sheets if sheet.exists())
        return (
            f'<div class="tl-view mathjax_ignore tex2jax_ignore" data-view="{key}" role="group" '
            f'aria-label="{html.escape(self.label)}"><style>{style}</style>'
            f'<div class="tl-controls" hidden></div><div class="tl-picture">{self.default}</div>'
            f'<p class="tl-say" aria-live="polite">{html.escape(self.say)}</p>'
            f'<script type="application/json">{data}</script>'
            f"<script>(function () {{\n{self._script}\nTL.start({to_json(key)}, draw);\n}})();</script></div>"
        )

    def save(self, path: str | os.PathLike) -> None:
        """Write the view as a separate page that opens in any browser; written under another name and renamed."""
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
    """Return a long text, deflated, in base64; the browser inflates it again.

    >>> len(pack_text("ab" * 1000)) < 40
    True
    """
    return base64.b64encode(zlib.compress(text.encode(), level=9)).decode()


def shortened(file: Path) -> str:
    """Return a script or a style sheet as a view contains it: without indents and comment lines, a quarter of a script.

    So a string in a script must not span several lines.
    """
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if not line.startswith("//"))
