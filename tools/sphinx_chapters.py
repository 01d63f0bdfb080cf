"""A Sphinx extension: the directive `chapters` shows the chapters as pictures with their questions, part by part.

`chapters` alone shows those of the book; `chapters lab` shows those that are entered by a question.

Each picture is drawn here, in the colors that figures and views have for the same thing: what the chapter is about, as
a sign, not as data.
"""

from __future__ import annotations

import math
import random
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

LAB = "Lab: "  # how the captions of its parts begin in _toc.yml
WIDTH, HEIGHT = 160, 100


def box(x, y, width, height, color, strength=100) -> str:
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2"'
    return f'<rect {place} style="fill:{tint(color, strength)}"/>'


def dot(x, y, color, size=3.5) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" style="fill:var(--{color})"/>'


def line(points, color, width=2, dashed=False) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashes = ";stroke-dasharray:4 3" if dashed else ""
    return f'<path d="M{path}" style="fill:none;stroke:var(--{color});stroke-width:{width}{dashes}"/>'


def bow(start, end, y, color, width) -> str:
    top = y - 12 - abs(end - start) * 0.45
    return (
        f'<path d="M{start} {y}C{start} {top:.0f} {end} {top:.0f} {end} {y}" '
        f'style="fill:none;stroke:var(--{color});stroke-width:{width};stroke-linecap:round"/>'
    )


def ring(rx, ry, x, color, width, turn=0) -> str:
    place = f'cx="{x}" cy="50" rx="{rx}" ry="{ry}" transform="rotate({turn} {x} 50)"'
    return f'<ellipse {place} style="fill:none;stroke:var(--{color});stroke-width:{width}"/>'


def word(x, y, text, size=13, color="ink") -> str:
    place = f'x="{x}" y="{y}" font-size="{size}" text-anchor="middle"'
    return f'<text {place} style="fill:var(--{color})">{escape(text)}</text>'


def tint(color, strength) -> str:
    return f"color-mix(in srgb,var(--{color}) {strength}%,var(--paper))"


def grid(rows, columns, color, strength, x=20, y=14, width=120, height=72) -> str:
    """Cells whose strength, from 0 to 1, is that of a place (row, column)."""
    w, h = width / columns, height / rows
    places = [(i, j) for i in range(rows) for j in range(columns)]
    return "".join(box(x + j * w, y + i * h, w - 1.5, h - 1.5, color, 8 + 92 * strength(i, j)) for i, j in places)


def bars(heights, color, x=24, step=16) -> str:
    return "".join(
        box(x + i * step, 84 - 68 * height, step - 5, 68 * height, color) for i, height in enumerate(heights)
    )


def cloud(seed, count, color, x=80, y=50, across=52, down=30, size=2.6) -> str:
    draw = random.Random(seed)

    def spread(width):
        return max(-1, min(1, draw.gauss(0, 0.4))) * width

    places = [(x + spread(across), y + spread(down)) for _ in range(count)]
    return "".join(dot(*place, color, size) for place in places)


def wave(color, turns, x=10, width=140, y=50, height=24, width_of_line=2) -> str:
    points = [(x + width * t / 60, y - height * math.sin(2 * math.pi * turns * t / 60)) for t in range(61)]
    return line(points, color, width_of_line)


def causal(i, j):
    return 0.25 + 0.6 * (i - j < 2) if j <= i else 0


def gate(i, j, k):
    return float([i == j, j == 0, j == i - 1, i != j][k])


ROOT = [(16, 50), (60, 50)]
TREE = [(96, 80), (112, 52), (124, 26), (142, 56)]
TURNS = [1.5 * math.sqrt(i) for i in range(4, 66)]
COIL = [(80 + 5 * t * math.cos(t), 50 + 3.4 * t * math.sin(t)) for t in TURNS]
PICTURES = {
    "tokenization": "".join(
        box(8 + 30 * i, 38, 27, 24, "soft", 14) + word(21.5 + 30 * i, 54, piece, 11)
        for i, piece in enumerate(["ser", "end", "ip", "ito", "us"])
    ),
    "embeddings": grid(6, 8, "embed", lambda i, j: (3 * i + 5 * j) % 7 / 9)
    + line([(18, 43.5), (142, 43.5)], "ink", 1.2),
    "attention": bow(62, 118, 72, "attention", 9)
    + bow(30, 118, 72, "attention", 1.5)
    + "".join(word(x, 88, text, 12) for x, text in ((30, "bear"), (72, "door"), (118, "open"))),
    "heads": "".join(
        grid(3, 3, "attention", lambda i, j, k=k: (i * j + k * i + k) % 4 / 3, 14 + k % 4 * 34, 8 + k // 4 * 30, 29, 26)
        for k in range(12)
    ),
    "positions": wave("query", 1) + wave("key", 2.5) + wave("value", 5, width_of_line=1.5),
    "bert": bars([0.04, 0.06, 0.03, 0.95, 0.05, 0.04, 0.06], "feed"),
    "context": line([(20, 30), (70, 34), (110, 52), (142, 80)], "query", 3)
    + line([(20, 30), (70, 31), (142, 36)], "soft", 2),
    "cost": line([(16 + 9 * t, 86 - 0.34 * t * t) for t in range(15)], "attention", 3)
    + line([(16, 86), (142, 52)], "soft", 2),
    "learning": line([(14 + 9 * t, 16 + 66 * (1 - math.exp(-t / 3))) for t in range(15)], "query", 3),
    "decoders": grid(6, 6, "attention", causal, 44, 14, 72, 72),
    "architectures": box(22, 20, 44, 60, "embed", 30)
    + box(94, 20, 44, 60, "key", 30)
    + line([(66, 40), (94, 52)], "ink"),
    "family": "".join(box(24, 16 + 12 * i, 32, 9, "feed", 45) for i in range(6))
    + "".join(box(64, 40 + 12 * i, 32, 9, "feed", 45) for i in range(3))
    + box(104, 64, 32, 9, "feed", 90),
    "since": "".join(
        f'<circle cx="{x}" cy="50" r="26" style="fill:none;stroke:var(--hair)"/>'
        + line([(x, 50), (x + 25 * math.sin(turn), 50 - 25 * math.cos(turn))], "query", 3)
        + line([(x, 50), (x + 25 * math.sin(turn + 0.9), 50 - 25 * math.cos(turn + 0.9))], "key", 3)
        for x, turn in ((46, 0.2), (114, 2.4))
    ),
    "directions": line([(20, 84), (140, 84)], "hair")
    + line([(20, 84), (120, 20)], "query", 3)
    + line([(20, 84), (130, 60)], "key", 3),
    "shape-of-learning": line([(14 + 9 * t, 84 - 60 * math.exp(-(((t - 7) / 3) ** 2))) for t in range(15)], "value", 3),
    "roles": grid(
        6, 12, "attention", lambda i, j: 1.0 if (i, j) in ((0, 2), (1, 8), (3, 11)) else 0.12, 14, 14, 132, 72
    ),
    "gates": "".join(
        grid(4, 4, "attention", lambda i, j, k=k: gate(i, j, k), 20 + 64 * (k % 2), 6 + 46 * (k // 2), 56, 42)
        for k in range(4)
    ),
    "sinks": "".join(bow(134 - 18 * i, 22, 84, "attention", 6 - 0.5 * i) for i in range(7))
    + box(14, 84, 16, 8, "ink", 100)
    + "".join(box(36 + 18 * i, 84, 10, 8, "soft", 30) for i in range(6)),
    "virus": line([*ROOT, (60, 24), (140, 24)], "ink")
    + line([(60, 50), (60, 76), (104, 76), (104, 62), (140, 62)], "ink")
    + line([(104, 76), (104, 88), (140, 88)], "key", 3),
    "seeing": ring(34, 28, 62, "query", 3) + ring(34, 12, 98, "key", 3),
    "token-vectors": cloud(3, 60, "embed", 66) + cloud(4, 16, "key", 118, 40, 20, 16),
    "probing": cloud(1, 26, "query", 52, 40, 36, 30)
    + cloud(2, 26, "key", 110, 62, 36, 30)
    + line([(52, 92), (112, 8)], "ink", 2, True),
    "position-vectors": line(
        [(80 + (14 + 0.5 * t) * math.cos(t / 5), 50 + (8 + 0.3 * t) * math.sin(t / 5)) for t in range(95)], "query", 1.8
    ),
    "evolution": line([(20, 76), (52, 60), (82, 66), (112, 34), (140, 22)], "query", 2.5)
    + line([(20, 76), (50, 68), (80, 80), (110, 76), (140, 84)], "key", 2.5)
    + "".join(dot(x, y, "ink", 2.5) for x, y in ((20, 76), (140, 22), (140, 84))),
    "meaning": line([(40, 78), (66, 30)], "key", 3)
    + line([(92, 82), (120, 36)], "key", 3)
    + "".join(dot(x, y, "ink", 3.5) for x, y in ((40, 78), (66, 30), (92, 82), (120, 36))),
    "collections": cloud(5, 34, "query", 58) + cloud(6, 34, "key", 104),
    "loud": bars([0.08, 0.12, 0.06, 0.14, 1, 0.1, 0.05, 0.12], "key", 20, 15),
    "dimension": "".join(dot(x, y, "soft", 2) for x, y in COIL)
    + "".join(
        f'<circle cx="{COIL[38][0]:.0f}" cy="{COIL[38][1]:.0f}" r="{r}" style="fill:none;stroke:var(--{color})"/>'
        for r, color in ((10, "query"), (20, "key"))
    )
    + dot(*COIL[38], "ink", 3),
    "senses": cloud(11, 12, "query", 34, 40, 16, 18)
    + cloud(12, 12, "key", 66, 66, 16, 18)
    + "".join(line(edge, "ink", 1.8) for edge in zip(TREE, TREE[1:]))
    + "".join(dot(x, y, "ink", 3.5) for x, y in TREE),
    "which": "".join(
        line([(80, 88), (80 + x, 70), (80 + 1.6 * x, 14)], "query" if x < 0 else "key", 1.6)
        for x in (-38, -31, -27, -20, 18, 26, 31, 36)
    )
    + dot(80, 88, "ink"),
    "shape": ring(58, 13, 80, "hair", 2, turn=-24)
    + "".join(dot(80 + 46 * math.cos(t), 50 + 9 * math.sin(t) - 20 * math.cos(t), "value", 2.6) for t in range(30)),
    "uses": cloud(8, 40, "soft") + dot(96, 42, "key", 6) + line([(96, 42), (112, 52), (90, 28)], "key", 2, True),
    "limits": cloud(9, 45, "soft") + dot(58, 38, "key", 6) + dot(112, 64, "key", 6) + dot(80, 50, "query", 5),
    "questions": word(80, 72, "?", 64, "soft"),
    "scale": "".join(
        box(18 + 44 * i, 22, 34, 34, "embed", 40) + line([(35 + 44 * i, 56), (79, 78)], "ink", 1.5) for i in range(3)
    )
    + box(62, 76, 34, 14, "embed", 90),
}


def picture(name: str) -> str:
    """A chapter's picture as SVG, in the colors of the page's theme."""
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" class="sign">{PICTURES[name]}</svg>'


class chapter_list(nodes.General, nodes.Element):
    """Stands where the chapters will be shown, until all pages are read."""


class Chapters(SphinxDirective):
    optional_arguments = 1

    def run(self):
        return [chapter_list(lab=self.arguments == ["lab"])]


def card(app, docname: str, page: str) -> str:
    """What stands for a chapter: its picture, its title, its question; nothing for a page that asks none."""
    ask, name = app.env.metadata.get(page, {}).get("ask"), page.rpartition("/")[2]
    if not ask or name not in PICTURES:
        return ""
    address, title = app.builder.get_relative_uri(docname, page), app.env.titles[page].astext()
    return (
        f'<li><a class="card-link" href="{escape(address)}">{picture(name)}'
        f"<b>{escape(title)}</b><span>{escape(ask)}</span></a></li>"
    )


def fill(app, doctree: nodes.document, docname: str) -> None:
    """The cards of the book's chapters, or of the lab's, part by part."""
    for place in list(doctree.findall(chapter_list)):
        toc, parts = yaml.safe_load((Path(app.srcdir) / "_toc.yml").read_text(encoding="utf-8")), []
        for part in toc["parts"]:
            caption = part["caption"]
            cards = "".join(card(app, docname, chapter["file"]) for chapter in part["chapters"])
            if cards and caption.startswith(LAB) == place["lab"]:
                name = caption.removeprefix(LAB)
                title = f'<p class="part">{escape(name[0].upper() + name[1:])}</p>'
                count = cards.count("<li>")
                parts.append(f'<div style="--cards: {count}">{title}<ul class="cards">{cards}</ul></div>')
        place.replace_self(nodes.raw("", f'<div class="parts">{"".join(parts)}</div>', format="html"))


def setup(app):
    app.add_node(chapter_list)
    app.add_directive("chapters", Chapters)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
