"""What survived: findings of the documents L, A and G, each with its control, out of the chapters' own values.

`measure/survived.py` reads the values of the chapters' last runs and stores them, so that this page waits for none
of them; a test reads them again and says where a chapter has changed since.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import NamedTuple

import numpy as np

PASSED, PARTLY, FAILED = "passed", "in part", "failed"


class Row(NamedTuple):
    """A finding and its control. read: from a chapter's values, (found, control), two numbers of one measure.

    where: the document and its section. question: of L's research questions, or "". left: the control takes something
    away and asks what is left; else it is a rival, and the question is who has more. cosine: whether they are cosines.
    """

    name: str
    where: str
    finding: str
    control: str
    measure: str
    chapter: str
    read: Callable
    question: str = ""
    cosine: bool = False
    left: bool = False


ROWS = (
    Row("word-classes", "L 3.2.3", "A token's vector tells noun, verb and adjective apart.",
        "the last letters of the word alone", "words right", "probing",
        lambda page: (page.results["no hidden layer"].mean, page.controls["spelling"][1].mean), "1"),
    Row("thread", "L 4.2.3", "Position vectors are a curve of their own, with the text's neighbors beside each other.",
        "a table of random vectors", "nearest two are the text's", "position-vectors",
        lambda page: (page.threads["the default model"][0], page.threads["random, 384 wide, seed 0"][0]), "1"),
    Row("homonyms", "L 4.3", "The two meanings of a homonym drift apart in the layers.",
        "a noun with one sense in the same texts", "distance between the senses over within, layer 3", "evolution",
        lambda page: (page.curves["the homonym"][0][2], page.curves["a word with one sense"][0][2]), "2"),
    Row("clusters", "L 4.3", "After the last layer a homonym's vectors fall into its senses.",
        "a noun with one sense in the same texts", "of 12 words, best halved so", "senses",
        lambda page: (page.first[0][-1], page.first[1][-1]), "2"),
    Row("one-motion", "L 4.3", "In a picture the tokens' paths bend and move as one.",
        "random walks that share a fifth of each step", "cosine of two tokens' steps, in the picture", "evolution",
        lambda page: (page.in_common["this model"][1], page.in_common["random walks, shared 0.2"][1]), "2", True),
    Row("groups", "L 4.4.1", "Sentences of one meaning stand together, apart from others.",
        "counts of their words", "silhouette of four groups", "meaning",
        lambda page: (page.apart["layer 6"][0], page.apart["word counts"][0]), "3a"),
    Row("paraphrases", "L 4.4.1", "A sentence is nearer to its paraphrase than to another of the same words.",
        "a coin; counts of words are never right", "of 32 triples, share right", "meaning",
        lambda page: (page.won["mean"][-1].mean(), 0.5), "3a"),
    Row("bias", "L 4.4.2", "From doctor to nurse goes against the way from female to male.",
        "the largest of 435 swaps of two occupations", "size of the cosine", "meaning",
        lambda page: swap(page, "doctor to nurse", "female-male", "occupations", 1.0), "3b", True),
    Row("spoon", "L 4.4.2", "Other contrasts have directions in common, such as spoon to fork with doctor to nurse.",
        "19 of 20 swaps of two nouns stay below", "size of the cosine", "meaning",
        lambda page: swap(page, "spoon to fork", "doctor-nurse", "nouns", 0.95), "3b", True),
    Row("collections", "L 4.4.3", "Texts of two collections lie apart, whatever their lengths.",
        "labels dealt out by chance", "nearest text is of the same collection", "collections",
        lambda page: (page.of_equal_length["mean"][0], page.of_equal_length["mean"][1]), "3c"),
    Row("alike", "L 4.4.3", "The texts of a collection are alike: their cosines are large.",
        "the same without coordinate 99", "average cosine of [CLS]", "collections",
        lambda page: (page.in_numbers["[CLS]"][0], page.in_numbers["[CLS] without 99"][0]), "3c", True, True),
    Row("bell", "A 4.1", "In a decoder anisotropy is highest in the middle layers.",
        "the same without each text's first token", "anisotropy, middle less ends, 16 tokens", "shape-of-learning",
        lambda page: tuple(each[16][3] - np.mean([each[16][0], each[16][-1]]) for each in (page.bells, page.rest)),
        left=True),
    Row("spike", "A 4.2", "Early in training a decoder's anisotropy rises.",
        "the same without the full stop", "anisotropy at step 20", "shape-of-learning",
        lambda page: page.taken_apart[20][:2], left=True),
    Row("dimension", "A 4.3", "The intrinsic dimension grows first and shrinks later.",
        "the same without near copies", "growth of the dimension, book-bert", "shape-of-learning",
        lambda page: tuple(page.dimensions["book-bert, 1500"][i] - page.dimensions["book-bert, 0"][i] for i in (0, 1)),
        left=True),
    Row("level", "A 4.1", "In encoders the profile of anisotropy is level.",
        "a network with random weights", "lowest layer over highest", "shape",
        lambda page: tuple(min(page.side_by_side["anisotropy"][name]) / max(page.side_by_side["anisotropy"][name])
                           for name in ("default model", "random weights"))),
    Row("cone", "A 2.3, G 2", "A layer's vectors lie in a cone.",
        "the same without coordinate 223", "average cosine, layer 5", "shape",
        lambda page: tuple(values[5] for values in page.cosines.values()), "", True, True),
    Row("local", "A 3.1", "Within its clusters a cloud is isotropic.",
        "a Gaussian cloud without clusters", "1 − average cosine in clusters, own zero", "loud",
        lambda page: tuple(1 - abs(page.local[name][3]) for name in ("encyclopedia", "encyclopedia, Gaussian")),
        cosine=True),
    Row("gates", "G 1", "Heads are gates of several kinds, not only open ones.",
        "an untrained model, and maps by lot", "share of heads that are not open", "gates",
        lambda page: (1 - page.counts["open"] / sum(page.counts.values()), (page.noise != "open").mean())),
    Row("narrowing", "G 2", "Vectors align from layer to layer.",
        "the network before training", "cone index over n, last layer", "virus",
        lambda page: tuple(page.facts[name]["cones"].mean(0)[-1] for name in ("trained", "untrained"))),
    Row("variants", "G 3", "A small BERT names the variants of a virus almost always.",
        "labels by lot, one an outbreak: nothing to know", "share right, random split", "virus",
        lambda page: (page.curve["measured"]["copies"]["accuracy"],
                      page.coin_right["of the same outbreaks (a random split)"][0])),
)  # fmt: skip


def swap(page, name, contrast, words, level):
    """The size of a swap's cosine, and the one that such a share of other swaps does not pass."""
    test = page.swap_tests[name, contrast, words]["cls"]
    return abs(test.observed), np.quantile(np.abs(test.null), level)


def verdict(row, found, control) -> str:
    """Whether a finding passed its control.

    Against a rival it fails where the rival has 85 % of what was found, or more, and passes where it has three quarters
    or less. Where something is taken away, it passes if two thirds are left, and fails if one third is, or less.

    >>> verdict(ROWS[0], 0.99, 0.66), verdict(ROWS[0], 0.5, 0.5)
    ('passed', 'failed')
    """
    share = control / found
    if row.left:
        return PASSED if share >= 2 / 3 else PARTLY if share > 1 / 3 else FAILED
    return PASSED if share <= 0.75 else PARTLY if share < 0.85 else FAILED


def gathered(page_of) -> dict[str, list[float]]:
    """Name of a row -> (found, control), by the chapters' values. page_of: chapter -> its values."""
    pages = {chapter: page_of(chapter) for chapter in dict.fromkeys(row.chapter for row in ROWS)}
    return {row.name: [round(float(value), 4) for value in row.read(pages[row.chapter])] for row in ROWS}


class Board:
    """Findings as a table, each with a picture of what was found and what its control gives.

    rows: some of `ROWS`. values: name -> (found, control), as stored.
    """

    def __init__(self, rows, values, caption):
        self.caption = caption
        self.lines = [(row, *values[row.name], verdict(row, *values[row.name])) for row in rows]

    def _repr_html_(self):
        heads = "".join(f'<th scope="col">{name}</th>' for name in ("finding", "found ● control □", "verdict"))
        body = ""
        for row, found, control, said in self.lines:
            name = f"{escape(row.finding)} ({escape(row.where)})<small>Against it: {escape(row.control)}.</small>"
            drawn = f"{picture(found, control)}<small>{numbers(found, control)}: {escape(row.measure)}</small>"
            body += f'<tr><th scope="row">{name}</th><td class="drawn">{drawn}</td><td>{said}</td></tr>'
        caption = f"<caption><span>{escape(self.caption)}</span></caption>"
        inside = f"{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
        inside = f'<table class="result survived mathjax_ignore tex2jax_ignore">{inside}</table>'
        return f'<style>{STYLE}</style><div class="pst-scrollable-table-container">{inside}</div>'

    def _repr_markdown_(self):
        columns = ("finding", "control", "measure", "found, and control", "verdict")
        lines = [columns, [":--"] * len(columns)]
        lines += [(f"{row.finding} ({row.where})", row.control, row.measure, numbers(found, control), said)
                  for row, found, control, said in self.lines]  # fmt: skip
        return "\n".join([f"{self.caption}\n", *(f"| {' | '.join(line)} |" for line in lines)])

    def __repr__(self):
        return "\n".join([self.caption, *(f"{said:8} {numbers(found, control):16} {row.finding}"
                                          for row, found, control, said in self.lines)])  # fmt: skip


STYLE = """.survived .found{fill:#0072B2}.survived .control{fill:none;stroke:#BF5000;stroke-width:2}
.survived .scale{stroke:currentColor;stroke-opacity:.35}
table.result.survived :is(th,td){white-space:normal;vertical-align:top}
.survived small{display:block;font-weight:normal}.survived tbody th{width:60%}.survived .drawn{min-width:7.5rem}
html[data-theme="dark"] .survived .found{fill:#7CB8FF}html[data-theme="dark"] .survived .control{stroke:#FFB077}"""


def picture(found, control, width=120) -> str:
    """A line from 0 on with a dot at what was found and a square at what the control gives.

    >>> picture(0.5, 0.25).count("<circle"), picture(0.5, 0.25).count("<rect")
    (1, 1)
    """
    low, high = min(0, found, control), max(0, found, control)

    def across(value):
        return 8 + (width - 16) * (value - low) / (high - low)

    shapes = f'<path class="scale" d="M8 11H{width - 8}M{across(0):.1f} 6V16"/>'
    shapes += f'<rect class="control" x="{across(control) - 5:.1f}" y="6" width="10" height="10"/>'
    shapes += f'<circle class="found" cx="{across(found):.1f}" cy="11" r="4"/>'
    label = f"found {numbers(found, control)} for the control"
    return f'<svg viewBox="0 0 {width} 22" width="{width}" height="22" role="img" aria-label="{label}">{shapes}</svg>'


def numbers(found, control) -> str:
    """Both numbers as they are written.

    >>> numbers(0.99, 0.6633), numbers(11.0, 11.0)
    ('0.99, and 0.66', '11, and 11')
    """
    form = "g" if found == int(found) and control == int(control) else ".2f"
    return f"{found:{form}}, and {control:{form}}".replace("-", "−")
