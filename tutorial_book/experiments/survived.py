"""Which findings survive: those of L, A and G, each with its control, from the chapters' own values.

`stored_numbers/survived.py` reads the values of the chapters' last runs and stores them, so that this page does not
wait for them; a test reads them again and reports chapters that have changed since.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from itertools import combinations
from typing import NamedTuple

import numpy as np

PASSED, PARTLY, FAILED = "passed", "in part", "failed"


OWN = "the book's own"


class Row(NamedTuple):
    """A finding and its control. read: from a chapter's values, (found, control), two numbers of one measure.

    where: the document and its section, or `OWN`. quote: its words there. question: one of L's research questions, or
    "". model: the measured one. left: the control removes something and asks what is left; otherwise it is a rival, and
    the question is which has more. cosine: whether they are cosines. again: another model and its results, if there is
    one.
    """

    name: str
    where: str
    quote: str
    finding: str
    control: str
    measure: str
    model: str
    chapter: str
    read: Callable
    question: str = ""
    cosine: bool = False
    left: bool = False
    again: tuple[str, Callable] | None = None


DEFAULT = "default model"

ROWS = (
    Row("word-classes", "L 3.2.3", "All of the methods achieved a 83-86% accuracy on the test set",
        "A token's vector shows whether it is a noun, a verb or an adjective.",
        "the word's last letters", "share of words right", DEFAULT, "probing",
        lambda page: (page.results["no hidden layer"].mean, page.controls["spelling"][1].mean), "1"),
    Row("thread", "L 4.2.3", "the topological structure of the positional embeddings is strongly 1-dimensional",
        "Position vectors form a thread: the two nearest to a vector are mostly those of the positions beside it.",
        "a table of random vectors", "share with both neighbors nearest", DEFAULT, "position-vectors",
        lambda page: (page.threads["the default model"][0], page.threads["random, 384 wide, seed 0"][0]), "1",
        again=("book-gpt", lambda page: (page.threads["book-gpt"][0], page.threads["random, 128 wide, seed 0"][0]))),
    Row("homonyms", "L 5", "the meaning of homonyms (computer mouse vs. an animal mouse) drifted apart",
        "The two meanings of a homonym drift apart in the layers.",
        "a noun with one sense in the same texts", "distance between the senses over distance within, layer 3", DEFAULT,
        "evolution", lambda page: (page.curves["the homonym"][0][2], page.curves["a word with one sense"][0][2]), "2"),
    Row("clusters", OWN, "", "After the last layer, a homonym's vectors fall into two groups by sense.",
        "a noun with one sense in the same texts", "of 12 words, those best split this way", DEFAULT, "senses",
        lambda page: (page.first[0][-1], page.first[1][-1]), "2"),
    Row("groups", "L 4.4.1", "within a group the sentences are similar",
        "Sentences with one meaning lie close together, and apart from others.",
        "counts of their words", "silhouette of four groups", DEFAULT, "meaning",
        lambda page: (page.apart["layer 6"][0], page.apart["word counts"][0]), "3a"),
    Row("paraphrases", OWN, "",
        "A sentence is nearer to its paraphrase than to one with the same words and another meaning.",
        "a coin; counts of words are never right", "of 32 triples, share right", DEFAULT, "meaning",
        lambda page: (page.won["mean"][-1].mean(), 0.5), "3a"),
    Row("moods", "L 4.4.2", "this sounds reasonable as these differences do seem to be strongly related",
        "The contrasts funny–sad and laugh–cry have similar directions.",
        "the largest of thirteen other pairs of contrasts", "size of the cosine", DEFAULT, "meaning",
        lambda page: against_others(page, page.ours), "3b", True,
        again=("bert-base-cased, from L's Table 7", lambda page: against_others(page, page.theirs))),
    Row("bias", "L 4.4.2", "these two differences have a strong anticorrelation",
        "The contrast doctor–nurse points partly against female–male.",
        "the largest of 435 swaps of two occupations", "size of the cosine", DEFAULT, "meaning",
        lambda page: swap(page, "doctor to nurse", "female-male", "occupations"), "3b", True),
    Row("collections", "L 4.4.3", "the different data sources seem to be quite dissimilar in the embedding space",
        "Texts of two collections lie apart, also at equal lengths.",
        "labels swapped at random", "nearest text is of the same collection", DEFAULT, "collections",
        lambda page: (page.of_equal_length["mean"][0], page.of_equal_length["mean"][1]), "3c"),
    Row("alike", "L 4.4.3", "the cosine similarities are all positive, and quite large even",
        "The texts of a collection have large cosines with each other.",
        "the same without coordinate 99", "average cosine of [CLS]", DEFAULT, "collections",
        lambda page: (page.in_numbers["[CLS]"][0], page.in_numbers["[CLS] without 99"][0]), "3c", True, True),
    Row("bell", "A 4.1", "the middle layers tend to have a higher anisotropy concentration",
        "In a decoder, anisotropy is highest in the middle layers.",
        "the same without each text's first token", "anisotropy, middle less ends, 16 tokens", "book-gpt",
        "shape-of-learning",
        lambda page: tuple(each[16][3] - np.mean([each[16][0], each[16][-1]]) for each in (page.bells, page.rest)),
        left=True),
    Row("spike", "A 4.2", "The consistent growth pattern, followed by stabilization, is observed across various models",
        "Early in training, a decoder's anisotropy rises.",
        "the same without the full stop", "rise of the anisotropy in 20 steps", "book-gpt", "shape-of-learning",
        lambda page: tuple(page.taken_apart[20][i] - page.taken_apart[0][i] for i in (0, 1)), left=True),
    Row("dimension", "A 4.3", "The initial stages exhibit a sharp rise",
        "During training, the intrinsic dimension grows at first.",
        "the same without near copies", "growth of the dimension, first to last step", "book-gpt", "shape-of-learning",
        lambda page: growth(page, "book-gpt, 0", "book-gpt, 1600"), left=True,
        again=("book-bert, an encoder", lambda page: growth(page, "book-bert, 0", "book-bert, 1500"))),
    Row("cone", "A 3.1", "global anisotropy is a common trait among all transformer-based architectures",
        "A layer's vectors lie in a cone.",
        "the same without coordinate 223", "average cosine, layer 5", DEFAULT, "shape",
        lambda page: tuple(values[5] for values in page.cosines.values()), "", True, True),
    Row("gates", "G 2", "Discovery of various patterns in the self-attention matrix",
        "Heads are gates of several kinds, not only open ones.",
        "an untrained model, and random maps", "share of heads that are not open", DEFAULT, "gates",
        lambda page: (1 - page.counts["open"] / sum(page.counts.values()), (page.noise != "open").mean())),
    Row("narrowing", "G 2", "Demonstration of global vector alignment behavior in the Transformer neural network",
        "In a network that reads a virus, the last layer's vectors are aligned.",
        "the network before training", "cone index over n, last layer", "book-virus", "virus",
        lambda page: tuple(page.facts[name]["cones"].mean(0)[-1] for name in ("trained", "untrained"))),
    Row("narrowing-texts", "G 2", "Demonstration of global vector alignment behavior in the Transformer neural network",
        "In a model that reads texts, the last layer's vectors are aligned.",
        "the model before training", "cone index over n, last layer", DEFAULT, "gates",
        lambda page: tuple(np.mean(page.measured[f"ours{which}"], 0)[-1]
                           for which in (": cone / n", ", without training"))),
    Row("variants", "G 0", "resulted in a very high accuracy",
        "A small BERT nearly always names the variant of a virus correctly.",
        "a coin per outbreak, learned by a linear model", "share right, random split", "book-virus", "virus",
        lambda page: (page.curve["measured"]["copies"]["accuracy"],
                      page.coin_right["of the same outbreaks (a random split)"][0])),
)  # fmt: skip


def against_others(page, cosines):
    """Return the size of the cosine of funny-sad with laugh-cry, and the largest of the others except the bias's."""
    sizes = dict(zip(combinations(page.six, 2), np.abs(cosines), strict=True))
    del sizes["doctor-nurse", "female-male"]
    return sizes.pop(("funny-sad", "laugh-cry")), max(sizes.values())


def growth(page, first, last):
    """Return how much the intrinsic dimension grows between two steps, over all tokens and without near copies."""
    return tuple(page.dimensions[last][i] - page.dimensions[first][i] for i in (0, 1))


def swap(page, name, contrast, words):
    """Return the size of a swap's cosine, and the largest of all other swaps."""
    test = page.swap_tests[name, contrast, words]["cls"]
    return abs(test.observed), np.abs(test.null).max()


def verdict(row, found, control) -> str:
    """Return whether a finding passed its control.

    Against a rival it fails if the rival has 85 % or more of the found value, and passes if it has three quarters or
    less. If something is removed, it passes if two thirds are left, and fails if a third or less is. If nothing was
    found, it fails. The limits were set after the numbers were seen.

    >>> verdict(ROWS[0], 0.99, 0.66), verdict(ROWS[0], 0.5, 0.5)
    ('passed', 'failed')
    """
    if found <= 0:
        return FAILED
    share = control / found
    if row.left:
        return PASSED if share >= 2 / 3 else PARTLY if share > 1 / 3 else FAILED
    return PASSED if share <= 0.75 else PARTLY if share < 0.85 else FAILED


def computed(row, page) -> list[float]:
    """Return (found, control) of a row, and of its other model if there is one, from its chapter's values."""
    readers = [row.read, *([row.again[1]] if row.again else [])]
    return [float(value) for read in readers for value in read(page)]


def gathered(page_of) -> dict[str, list[float]]:
    """Return name of a row -> the result of `computed`, rounded. page_of: chapter -> its values."""
    pages = {chapter: page_of(chapter) for chapter in dict.fromkeys(row.chapter for row in ROWS)}
    return {row.name: [round(value, 4) for value in computed(row, pages[row.chapter])] for row in ROWS}


class Board:
    """Findings as a table, each with a picture of the found value and its control's.

    rows: some of `ROWS`. values: name -> the result of `computed`, as stored.
    """

    def __init__(self, rows, values, caption):
        self.caption = caption
        self.lines = [(row, values[row.name], verdict(row, *values[row.name][:2])) for row in rows]

    def _repr_html_(self):
        heads = "".join(f'<th scope="col">{name}</th>' for name in ("finding", "found ● control □", "verdict"))
        body = ""
        for row, values, said in self.lines:
            name = f"{escape(row.finding)} ({escape(cited(row))})<small>Against it: {escape(row.control)}.</small>"
            drawn = picture(*values[:2]) + "".join(f"<small>{escape(part)}</small>" for part in measured(row, values))
            body += f'<tr><th scope="row">{name}</th><td class="drawn">{drawn}</td><td>{said}</td></tr>'
        caption = f"<caption><span>{escape(self.caption)}</span></caption>"
        inside = f"{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
        inside = f'<table class="result survived mathjax_ignore tex2jax_ignore">{inside}</table>'
        return f'<style>{STYLE}</style><div class="pst-scrollable-table-container">{inside}</div>'

    def _repr_markdown_(self):
        columns = ("finding", "control", "found, and control", "verdict")
        lines = [columns, [":--"] * len(columns)]
        lines += [(f"{row.finding} ({cited(row)})", row.control, "; ".join(measured(row, values)), said)
                  for row, values, said in self.lines]  # fmt: skip
        return "\n".join([f"{self.caption}\n", *(f"| {' | '.join(line)} |" for line in lines)])

    def __repr__(self):
        return "\n".join([self.caption, *(f"{said:8} {numbers(*values[:2]):16} {row.finding}"
                                          for row, values, said in self.lines)])  # fmt: skip


def cited(row) -> str:
    """Return where a finding comes from, with the words of the document.

    >>> cited(ROWS[3]), cited(ROWS[0])
    ("the book's own", 'L 3.2.3: “All of the methods achieved a 83-86% accuracy on the test set”')
    """
    return f"{row.where}: “{row.quote}”" if row.quote else row.where


def measured(row, values) -> list[str]:
    """Return the measurement and its model, and the same of the other model if there is one.

    >>> measured(ROWS[0], [0.99, 0.6633])
    ['0.99, and 0.66: share of words right (default model)']
    """
    lines = [f"{numbers(*values[:2])}: {row.measure} ({row.model})"]
    if row.again:
        lines.append(f"{numbers(*values[2:])} ({row.again[0]}): {verdict(row, *values[2:])}")
    return lines


STYLE = """.survived .found{fill:#0072B2}.survived .control{fill:none;stroke:#BF5000;stroke-width:2}
.survived .scale{stroke:currentColor;stroke-opacity:.35}
table.result.survived :is(th,td){white-space:normal;vertical-align:top}
.survived small{display:block;font-weight:normal}.survived tbody th{width:60%}.survived .drawn{min-width:7.5rem}
html[data-theme="dark"] .survived .found{fill:#7CB8FF}html[data-theme="dark"] .survived .control{stroke:#FFB077}"""


def picture(found, control, width=120) -> str:
    """Draw a line that begins at 0, with a dot at the found value and a square at the control's.

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
    """Return both numbers as they are written.

    >>> numbers(0.99, 0.6633), numbers(11.0, 11.0)
    ('0.99, and 0.66', '11, and 11')
    """
    form = "g" if found == int(found) and control == int(control) else ".2f"
    return f"{found:{form}}, and {control:{form}}".replace("-", "−")
