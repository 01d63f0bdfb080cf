"""A text moved along: the page's two decoders are Python's, rotary ones stay, and a learned table does not."""

import base64
import random

import numpy as np
import pytest
import torch

from tests.accessible import audit
from tests.views.conftest import turn
from tests.views.examples import HOSTILE, WITHOUT, ask, take_from_worker, write_pages
from tutorial_book.experiments.since import RotaryGPT, read_at, rotary_gpt
from tutorial_book.page.live.since import shift_view
from tutorial_lib import gpt, load
from tutorial_lib.texts.generated import stories
from tutorial_lib.views import engine
from tutorial_lib.weights.eight_bits import rounded_model

EXAMPLE, TYPED = "Mia had a kite. She lost it in the", "Tom saw a big dog. He"
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
def open_page(tmp_path_factory, models, live_tabs):
    folder = tmp_path_factory.mktemp("live")
    learned, turned, tokenizer = models
    engine.write_model(folder, "book-gpt", learned, tokenizer)
    engine.write_model(folder, "book-gpt-rotary", turned, tokenizer)
    write_pages(folder, {"shift": shift_view(*models, EXAMPLE)._repr_html_()})
    return lambda: live_tabs(f"{folder.as_uri()}/shift.html")


@pytest.fixture(scope="module", params=["kernel", "plain JavaScript"])
def machine(request, open_page):
    """The kind of arithmetic, a tab that all tests share, and the largest allowed error of a probability."""
    tab = open_page()
    take_from_worker(tab, WITHOUT if request.param != "kernel" else "")
    return tab, 1e-2 if request.param == "kernel" else 1e-4


def asked(tokenizer):
    """Beginnings of stories, each at places of its own: moved along, or one token moved, or all jumbled."""
    draw = random.Random(0)
    for i, story in enumerate(stories(30, seed=5)):
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


@pytest.mark.parametrize("name", ["book-gpt", "book-gpt-rotary"])
def test_logits_at_any_places_equal_pythons(name, machine, models):
    """Python's model has the same rounded weights."""
    (tab, most), tokenizer = machine, models[2]
    model = rounded_model(models[name == "book-gpt-rotary"])
    texts = list(asked(tokenizer))
    for (text, places), (ids, letters) in zip(texts, tab.evaluate(LOGITS, [name, texts]), strict=True):
        assert ids == tokenizer.encode(text).ids
        p, _ = read_at(model, ids, torch.tensor(places) - torch.arange(len(ids)))
        logits = torch.from_numpy(np.frombuffer(base64.b64decode(letters), "<f4").copy())
        assert (logits.softmax(-1) - p[0]).abs().max() < most, text


def test_only_rotary_positions_have_no_end(machine):
    tab, _ = machine
    with pytest.raises(Exception, match="The table of positions ends at 127"):
        tab.evaluate(LOGITS, ["book-gpt", [["The", [128]]]])
    assert len(tab.evaluate(LOGITS, ["book-gpt-rotary", [["The", [128]]]])) == 1


def move(tab, k):
    tab.get_by_label("places moved by").fill(str(k))
    tab.get_by_text(f" {k} place{'s' * (k != 1)} further:").wait_for()


def rows(tab, side):
    """The two charts of a side, as [[name, number], ...] each."""
    cells = "all => all.map(t => [...t.rows].map(r => [r.cells[0].textContent, +r.cells[2].textContent]))"
    return tab.locator(".tl-two section").nth(side).locator("table").evaluate_all(cells)


def assert_shows(tab, models, side, text, offset, own=-1, off=0.03):
    """The likeliest tokens and the looks of the token `own`, as the model reads the text at these places."""
    model, tokenizer = models[side], models[2]
    ids = [tokenizer.vocab[tokenizer.special[0]], *tokenizer.encode(text).ids]
    p, looks = read_at(model, ids, torch.as_tensor(offset))
    best, seen = rows(tab, side)
    np.testing.assert_allclose([number for _, number in best], p[0].topk(5).values, atol=off)
    np.testing.assert_allclose([number for _, number in seen], looks[0, own][: len(seen)], atol=off)
    assert len(seen) == (len(ids) if own < 0 else own + 1)


def test_stories_move_whole_or_one_token(open_page, models):
    """The example before anything is loaded, then the reader's. For everyone; a hostile text is shown, not run."""
    tab = open_page()
    tab.wait_for_selector(".tl-live")
    assert "both models: 4 MB" in tab.locator(".tl-live").inner_text()
    assert list(audit(tab, [".tl-view"], turn=turn)) == []
    say, still = tab.locator(".tl-say"), rows(tab, 1)
    for k in (1, 40, 117):
        move(tab, k)
        assert_shows(tab, models, 0, EXAMPLE, [[k]], off=0.006)
        assert rows(tab, 1) == still
        assert "with rotary ones no probability moves by as much as 0.0000" in say.inner_text()
    move(tab, 118)
    assert "no row for such a place: it ends at 127" in tab.locator(".tl-two section").first.inner_text()
    assert rows(tab, 0) == [] and rows(tab, 1) == still
    assert list(audit(tab, [".tl-view"], turn=turn)) == []
    ask(tab.locator(".tl-view"), TYPED)
    what = tab.get_by_label("What moves")
    names = ["all tokens", "(start)", "Tom", "saw", "a", "big", "dog", ".", "He"]
    assert what.locator("option").all_inner_texts() == names
    move(tab, 7)
    still = rows(tab, 1)
    for k in (7, 60):
        move(tab, k)
        for side in (0, 1):
            assert_shows(tab, models, side, TYPED, [[k]])
        assert rows(tab, 1) == still
        assert "with rotary ones no probability moves by as much as 0.00" in say.inner_text()
    what.select_option(label="dog")
    tab.get_by_text("“dog” alone 60 places further").wait_for()
    for side in (0, 1):
        assert_shows(tab, models, side, TYPED, [0, 0, 0, 0, 0, 60, 0, 0], own=5)
    assert rows(tab, 1)[1] != still[1][:6]
    assert "<img" not in shift_view(*models, HOSTILE[0], most=2).default
    ask(tab.locator(".tl-view"), HOSTILE[0])
    assert tab.locator(".tl-view img").count() == 0 and "<" in tab.locator(".tl-two").inner_text()


def test_longer_texts_than_the_table_are_rejected(models):
    with pytest.raises(ValueError, match="128 rows, got position 201"):
        shift_view(*models, "a" + " bear" * 200)


@pytest.fixture(scope="module")
def decoder():
    torch.manual_seed(0)
    learned = gpt.GPT(gpt.Config(50, d_model=16, n_layers=2, n_heads=2, d_ff=32, n_positions=64))
    for parameter in learned.parameters():
        torch.nn.init.normal_(parameter, std=0.5)  # larger than a training begins with, so that scores differ
    return learned.double().eval()


def test_shifts_change_nothing_with_rotary_positions(decoder):
    """Learned positions change a lot; shifting a single token matters for both."""
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
    with pytest.raises(ValueError, match="64 rows, got position 64"):
        read_at(decoder, ids, torch.tensor(60))
    assert decoder.embeddings.offset == turned.offset == 0  # both are as they were


def test_without_turning_the_table_is_zero(decoder, monkeypatch):
    """The parts that are not replaced are gpt.GPT's: with angles of 0 both give the same."""
    turned, ids = RotaryGPT(decoder).double(), [5, 6, 7, 5, 9]
    monkeypatch.setattr(turned, "angles", lambda places: 0 * RotaryGPT.angles(turned, places))
    expected = decoder.trace([ids], keep=lambda name, X: 0 * X if name == "embeddings.positions" else X)["logits"]
    assert torch.equal(turned.trace([ids])["logits"], expected)


@pytest.mark.parametrize("cut", [1, 3, 6])
def test_cache_and_padding_change_no_logit(decoder, cut):
    turned, ids = RotaryGPT(decoder).double(), [5, 6, 7, 5, 9, 1, 2]
    whole, _ = turned([ids])
    _, cache = turned([ids[:cut]])
    rest, _ = turned([ids[cut:]], cache)
    assert torch.allclose(rest, whole[:, cut:], atol=1e-12)
    padded, _ = turned([[0, 0, *ids]], attention_mask=[[0, 0] + [1] * 7])
    assert torch.allclose(padded[:, 2:], whole, atol=1e-12)
