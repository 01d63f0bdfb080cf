"""A text moved along: the page's two decoders are Python's, rotary ones stay, and a learned table does not."""

import base64
import random
import shutil

import numpy as np
import pytest
import torch

from tests.accessible import audit
from tutorial_book.experiments.since import RotaryGPT, read_at, rotary_gpt
from tutorial_book.page.live.since import shift_view
from tutorial_lib import gpt, load
from tutorial_lib.texts.generated import stories
from tutorial_lib.views import live
from tutorial_lib.weights.rounded import rounded_model

EXAMPLE, TYPED = "Mia had a kite. She lost it in the", "Tom saw a big dog. He"
WITHOUT = "delete globalThis.WebAssembly;"  # in the worker: a browser that has none
LOGITS = """async ([model, asked]) => {
  let all = [];
  for (const [text, places] of asked) {
    const { ids, stops } = await tutorialLib.trace(text, { model, places, stops: ['logits'] });
    const { shape, values } = stops.logits, bytes = new Uint8Array(values.slice(-shape[1]).buffer);
    let letters = '';
    for (const byte of bytes) letters += String.fromCharCode(byte);
    all.push([ids, btoa(letters)]);
  }
  return all;
}"""


@pytest.fixture(scope="module")
def models():
    learned, tokenizer = load("book-gpt", "cpu")
    return learned, rotary_gpt(), tokenizer


@pytest.fixture(scope="module")
def site(tmp_path_factory, models):
    folder = tmp_path_factory.mktemp("live")
    learned, turned, tokenizer = models
    live.write_worker(folder)
    live.write_model(folder, "book-gpt", learned, tokenizer)
    live.write_model(folder, "book-gpt-rotary", turned, tokenizer)
    shutil.copy(live.HERE / "page.js", folder)
    page = (
        '<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>Live</title>'
        '<meta name="viewport" content="width=device-width"><script src="page.js"></script><body><main>'
    )
    view = shift_view(*models, EXAMPLE)._repr_html_()
    (folder / "shift.html").write_text(f"{page}{view}</main>", encoding="utf-8")
    return folder


@pytest.fixture
def open_page(open_live, site):
    def opened(without=""):
        tab = open_live(f"{site.as_uri()}/shift.html")
        if without:
            tab.evaluate(
                """code => Object.defineProperty(tutorialLib, 'source', {
                  set(source) { this.text = code + source; }, get() { return this.text; } })""",
                without,
            )
        return tab

    return opened


def asked(tokenizer):
    """50 beginnings of stories, each at places of its own: moved along, or one token moved, or all jumbled."""
    draw = random.Random(0)
    for i, story in enumerate(stories(50, seed=5)):
        text = "<|endoftext|>" + " ".join(story.text.split()[: draw.randint(1, 20)])
        n = len(tokenizer.encode(text).ids)
        places = list(range(n))
        if i % 3 == 0:
            places = [place + draw.randint(1, 128 - n) for place in places[:1]] + places[1:]
        elif i % 3 == 1:
            k = draw.randint(1, 128 - n)
            places = [place + k for place in places]
        else:
            draw.shuffle(places)
        yield text, places


@pytest.mark.parametrize(
    "without, most", [pytest.param("", 1e-2, id="kernel"), pytest.param(WITHOUT, 1e-4, id="plain JavaScript")]
)
@pytest.mark.parametrize("name", ["book-gpt", "book-gpt-rotary"])
def test_logits_at_any_places_are_those_of_pythons_model_with_the_same_rounded_weights(
    name, without, most, open_page, models
):
    tab, tokenizer = open_page(without), models[2]
    model = rounded_model(models[name == "book-gpt-rotary"])
    texts = list(asked(tokenizer))
    for (text, places), (ids, letters) in zip(texts, tab.evaluate(LOGITS, [name, texts]), strict=True):
        assert ids == tokenizer.encode(text).ids
        p, _ = read_at(model, ids, torch.tensor(places) - torch.arange(len(ids)))
        logits = torch.from_numpy(np.frombuffer(base64.b64decode(letters), "<f4").copy())
        assert (logits.softmax(-1) - p[0]).abs().max() < most, text


def test_past_its_table_the_learned_decoder_refuses_and_the_rotary_one_reads_on(open_page):
    tab = open_page()
    with pytest.raises(Exception, match="The table of positions ends at 127"):
        tab.evaluate(LOGITS, ["book-gpt", [["The", [128]]]])
    assert len(tab.evaluate(LOGITS, ["book-gpt-rotary", [["The", [128]]]])) == 1


def ask(tab, text):
    tab.get_by_label("Begin a story").fill(text)
    tab.get_by_role("button", name="Show", exact=True).click()
    tab.get_by_role("link", name="Link to this").wait_for()


def move(tab, k):
    tab.get_by_label("places moved by").fill(str(k))
    tab.get_by_text(f" {k} place{'s' * (k != 1)} further:").wait_for()


def rows(tab, side):
    """The two charts of a side, as [[name, number], ...] each."""
    cells = "all => all.map(t => [...t.rows].map(r => [r.cells[0].textContent, +r.cells[2].textContent]))"
    return tab.locator(".tl-two section").nth(side).locator("table").evaluate_all(cells)


def expected(models, side, text, offset, own=-1):
    model, tokenizer = models[side], models[2]
    ids = [tokenizer.vocab[tokenizer.special[0]], *tokenizer.encode(text).ids]
    p, looks = read_at(model, ids, offset)
    return p[0].topk(5).values.numpy(), looks[0, own].numpy()


def test_the_example_moves_before_anything_is_loaded_and_the_table_ends(open_page, models):
    tab = open_page()
    still = rows(tab, 1)
    for k in (1, 40, 117):
        move(tab, k)
        best, looks = expected(models, 0, EXAMPLE, torch.tensor([[k]]))
        shown = rows(tab, 0)
        assert np.allclose([p for _, p in shown[0]], best, atol=0.006)
        assert np.allclose([a for _, a in shown[1]], looks, atol=0.006)
        assert rows(tab, 1) == still
        assert "with rotary ones no probability moves by as much as 0.0000" in tab.locator(".tl-say").inner_text()
    move(tab, 118)
    assert "no row for such a place: it ends at 127" in tab.locator(".tl-two section").first.inner_text()
    assert rows(tab, 0) == [] and rows(tab, 1) == still


def test_the_readers_story_is_moved_along_and_one_token_alone(open_page, models):
    tab, tokenizer = open_page(), models[2]
    ask(tab, TYPED)
    n = len(tokenizer.encode(TYPED).ids) + 1
    names = tab.get_by_label("What moves").locator("option").all_inner_texts()
    assert names == ["all tokens", "(start)", "Tom", "saw", "a", "big", "dog", ".", "He"]
    still = rows(tab, 1)
    for k in (7, 60):
        move(tab, k)
        for side in (0, 1):
            best, looks = expected(models, side, TYPED, torch.tensor([[k]]))
            shown = rows(tab, side)
            assert np.allclose([p for _, p in shown[0]], best, atol=0.03)
            assert np.allclose([a for _, a in shown[1]], looks, atol=0.02)
        assert rows(tab, 1) == still
        assert "with rotary ones no probability moves by as much as 0.00" in tab.locator(".tl-say").inner_text()
    tab.get_by_label("What moves").select_option(label="dog")
    tab.get_by_text("“dog” alone 60 places further").wait_for()
    offset = torch.zeros(n, dtype=int)
    offset[5] = 60
    for side in (0, 1):
        best, looks = expected(models, side, TYPED, offset, own=5)
        shown = rows(tab, side)
        assert np.allclose([p for _, p in shown[0]], best, atol=0.03)
        assert len(shown[1]) == 6 and np.allclose([a for _, a in shown[1]], looks[:6], atol=0.02)
    assert rows(tab, 1)[1] != still[1][:6]


def in_theme(tab, theme):
    tab.evaluate("theme => document.documentElement.dataset.theme = theme", theme)


def test_the_view_is_accessible_before_and_after(open_page):
    tab = open_page()
    tab.wait_for_selector(".tl-live")
    assert "both models: 4 MB" in tab.locator(".tl-live").inner_text()
    assert list(audit(tab, [".tl-view"], turn=in_theme)) == []
    ask(tab, TYPED)
    move(tab, 125)
    assert list(audit(tab, [".tl-view"], turn=in_theme)) == []


def test_hostile_text_is_shown_and_never_run(open_page, models):
    text = '<img src=x onerror="alert(1)"> & "so"'
    assert "<img" not in shift_view(*models, text, most=2).default
    tab = open_page()
    ask(tab, text)
    assert tab.locator(".tl-view img").count() == 0 and "<" in tab.locator(".tl-two").inner_text()


def test_a_text_longer_than_the_table_is_refused(models):
    with pytest.raises(ValueError, match="has 128 rows, none for position 201"):
        shift_view(*models, "a" + " bear" * 200)


@pytest.fixture(scope="module")
def decoder():
    torch.manual_seed(0)
    config = gpt.Config(50, d_model=16, n_layers=2, n_heads=2, d_ff=32, n_positions=64)
    learned = gpt.GPT(config)
    for parameter in learned.parameters():
        torch.nn.init.normal_(parameter, std=0.5)  # larger than a training begins with, so that scores differ
    return learned.double().eval()


def test_a_shift_of_all_places_changes_nothing_with_rotary_positions_and_much_with_learned_ones(decoder):
    ids, moves = [5, 6, 7, 5, 9], torch.arange(50)[:, None]
    turned = RotaryGPT(decoder).double()
    p, looks = read_at(turned, ids, moves)
    assert (p - p[0]).abs().max() < 1e-12 and (looks - looks[0]).abs().max() < 1e-12
    far, _ = read_at(turned, ids, torch.tensor([[100_000]]))
    assert (far - p[:1]).abs().max() < 1e-6  # angles of float32 frequencies, in float64
    q, _ = read_at(decoder, ids, moves)
    assert (q - q[0]).abs().amax(1)[1:].min() > 1e-3
    alone, _ = read_at(turned, ids, torch.tensor([0, 0, 3, 0, 0]))
    assert (alone - p[:1]).abs().max() > 1e-3  # distances count
    with pytest.raises(ValueError, match="64 rows, none for position 64"):
        read_at(decoder, ids, torch.tensor(60))
    assert decoder.embeddings.offset == turned.layer[0].attention.offset == 0  # both are as they were


def test_without_turning_it_is_the_decoder_whose_table_is_zero(decoder, monkeypatch):
    """The parts that are not replaced are gpt.GPT's: with angles of 0 both give the same."""
    from tutorial_book.experiments import since

    turned, ids = RotaryGPT(decoder).double(), [5, 6, 7, 5, 9]
    monkeypatch.setattr(since, "rotary", lambda X, angles: X)
    expected = decoder.trace([ids], keep=lambda name, X: 0 * X if name == "embeddings.positions" else X)["logits"]
    assert torch.equal(turned.trace([ids])["logits"], expected)


@pytest.mark.parametrize("cut", range(1, 7))
def test_cached_is_uncached(decoder, cut):
    turned, ids = RotaryGPT(decoder).double(), [5, 6, 7, 5, 9, 1, 2]
    whole, _ = turned([ids])
    first, cache = turned([ids[:cut]])
    rest, _ = turned([ids[cut:]], cache)
    assert torch.allclose(torch.cat([first, rest], 1), whole, atol=1e-12)
    padded, _ = turned([[0, 0, *ids]], attention_mask=[[0, 0] + [1] * 7])
    assert torch.allclose(padded[:, 2:], whole, atol=1e-12)
