"""The live models are programs in another language: tiny ones in a real browser, held to golden traces."""

import shutil
from types import SimpleNamespace

import pytest

from tests.views.test_live import WITHOUT, stops_of
from tutorial_book.experiments.golden import INPUTS, TINY, compare_golden, golden_of, tiny, write
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.tokenization.wordpiece import SPECIAL
from tutorial_lib.views import live
from tutorial_lib.weights.rounded import rounded_model

# One token for each id, so that a text can be made whose ids are those of the golden trace.
WORDS = [*SPECIAL, *(f"w{k}" for k in range(len(SPECIAL), 50))]
LETTERS = ["<|endoftext|>", *(chr(ord("A") + k) for k in range(49))]
TOKENIZERS = {
    "tiny-bert": WordPiece(WORDS),
    "tiny-gpt": SimpleNamespace(tokens=LETTERS, merges=[], special=LETTERS[:1]),  # what write_model asks a BPE for
}


def live_model(name):
    """A tiny model as a page has it: without the pooler."""
    model = tiny(name)
    if name == "tiny-bert":
        model.pooler = None
    return model


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the tiny models as a page loads them, an empty page, and what float64 makes of their 8 bits."""
    folder = tmp_path_factory.mktemp("golden")
    live.write_worker(folder)
    shutil.copy(live.HERE / "page.js", folder)
    (folder / "empty.html").write_text('<!doctype html><meta charset="utf-8"><script src="page.js"></script>')
    for name in TINY:
        model = live_model(name)
        live.write_model(folder, name, model, TOKENIZERS[name])  # it rounds by itself, to what rounded_model gives
        write(folder, f"{name}-rounded", golden_of(rounded_model(model), INPUTS[name]))
    return folder


@pytest.fixture
def machine(browser, site):
    """Call it with a model's name, and what the worker lacks, for a function of ids and segments: the stops."""
    contexts = []

    def opened(name, without):
        context = browser.new_context(offline=True)
        contexts.append(context)
        tab = context.new_page()
        tab.goto((site / "empty.html").as_uri())
        source = """code => Object.defineProperty(tutorialLib, 'source', {
          set(source) { this.text = code + source; }, get() { return this.text; } })"""
        tab.evaluate(source, without)
        kind = tab.evaluate("name => tutorialLib.load(name)", name)["machine"]
        assert kind == ("plain JavaScript" if without else "WebAssembly")

        def run(ids, segments):
            texts = texts_of(name, ids, segments)
            theirs, stops = stops_of(tab, texts[0], model=name, pair=texts[1] if texts[1:] else None)
            assert theirs == ids
            return stops

        return run

    yield opened
    for context in contexts:
        context.close()


def texts_of(name, ids, segments):
    """The text or the pair of texts that the page turns into these ids."""
    if name == "tiny-gpt":
        return ["".join(LETTERS[i] for i in ids)]
    words = [WORDS[i] for i in ids[1:]]  # [CLS] and [SEP] are the page's
    return [text.strip() for text in " ".join(words).split("[SEP]")[:-1]]


@pytest.mark.parametrize(
    "without, most",
    [pytest.param(WITHOUT, 1e-5, id="plain JavaScript"), pytest.param("", 2e-3, id="kernel")],
)
@pytest.mark.parametrize("name", TINY)
def test_every_stop_in_the_page_is_that_of_the_golden_trace(name, without, most, machine, site):
    """The kernel rounds what it multiplies to 16 bits; plain JavaScript keeps 32."""
    shares = compare_golden(site / f"{name}-rounded.json", machine(name, without))
    assert len(shares) == 70
    assert max(shares.values()) < most, max(shares, key=shares.get)


@pytest.mark.parametrize("name", TINY)
def test_weights_that_are_not_rounded_are_another_model(name, machine, site):
    write(site, f"{name}-exact", golden_of(live_model(name), INPUTS[name]))
    shares = compare_golden(site / f"{name}-exact.json", machine(name, WITHOUT))
    assert max(shares.values()) > 1e-3
