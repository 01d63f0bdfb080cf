"""Built slides, read without a browser, for the tests of slides and sheets."""

from functools import cache

import pytest

source = pytest.importorskip("website.slides.source")
classroom = pytest.importorskip("website.slides")

ROOT = classroom.ROOT
SITE = ROOT / "_build" / "html"
NAMES = classroom.names(ROOT)
built = pytest.mark.skipif(not (SITE / "slides").exists(), reason="the site is not built: run `make book` first")

# Figures whose letters are smaller than 24 pixels: why, and how small they may be. Z shows a quarter of each.
SMALL = {
    "fig-bert-layer": (12, "fifteen names, each with its shape"),
    "fig-bert-neuron": (19, "twenty tokens below each other"),
    "fig-bert-training": (22, "three columns of tokens, twice, each with a heading"),
    "fig-context-cloud": (15, "twenty-eight sentences below each other"),
    "fig-decoders-layers": (21, "the names of parts, each in its box"),
    "fig-decoders-pass": (19, "sentences that stand upright in bands"),
    "fig-embeddings-two-the": (22, "ten names below each other, and five headings"),
    "fig-heads-split": (21, "what each arrow does, between seven rows"),
    "fig-learning-attention": (17, "twenty tokens below each other, and beside each other"),
    "fig-learning-kinds": (19, "curves that end close to each other, each with its name"),
}


@cache
def page(folder, name):
    return source.soup(SITE / folder / f"{name}.html")


@cache
def slides(name):
    return page("slides", name).select(".slides > section")


@cache
def chapter(name):
    return source.read_chapter(SITE, name)


def link(slide):
    """The anchor in the chapter that a slide's own number links to."""
    found = slide.select_one("figcaption a[href], .formula > a[href]")
    return found and found["href"].partition("#")[2]


def question(element):
    return source.words(element.select_one(".guess-question"))


@cache
def shown(name):
    """The chapter's name for the item on each slide; "" if the chapter does not have it."""
    guesses = {question(item.element): item.name for item in chapter(name).items if item.kind == "guess"}
    return [
        guesses[question(slide)]
        if "poll" in slide["class"]
        else source.words(slide.select_one(".says > p"))
        if "finding" in slide["class"]
        else link(slide) or ""
        for slide in slides(name)
    ]
