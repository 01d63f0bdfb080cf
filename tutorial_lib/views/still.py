"""A view's first picture as HTML: its script, run in V8 by mini-racer instead of a browser."""

from __future__ import annotations

import json
from pathlib import Path

DOCUMENT = Path(__file__).with_suffix(".js")


def drawn(script: str, data: str) -> tuple[str, str] | None:
    """Return the HTML that a script's `draw` makes of data, and the sentence on it; None without mini-racer.

    script: JavaScript that defines `draw(view)` and everything it uses. data: `view.data`, as JSON.

    >>> drawn("function draw(view) { view.say(view.data + '!'); }", '"Bears"')
    ('', 'Bears!')
    """
    try:
        from py_mini_racer import MiniRacer
    except ModuleNotFoundError:
        return None
    engine = MiniRacer()
    try:
        engine.eval(DOCUMENT.read_text(encoding="utf-8"))
        picture, say = json.loads(engine.eval(f"(function () {{\n{script}\nreturn still({data}, draw);\n}})()"))
    finally:
        engine.close()  # otherwise the process never ends
    return picture, say
