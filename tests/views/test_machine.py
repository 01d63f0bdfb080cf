"""One sentence through the machine: what it says and draws is the model's, in Python and in the browser."""

import re

import numpy as np
import pytest

from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.vectors import embed
from tutorial_lib.views import forward_pass
from tutorial_lib.views.machine import STAGES, _strips
from tutorial_lib.views.neurons import bars

TEXTS = [("We sat on the bank of the river and fished.", "bank", 4), ("A serendipitous bear smiled.", "bear", 0)]
OTHERS = ["They caught trout from the shore.", "A loan paid for our home."]
SCRUB = """to => { const range = document.querySelector('.tl-track input');
  range.value = to; range.dispatchEvent(new Event('input')); }"""
NUMBERS = "() => [...document.querySelectorAll('.tl-rows .tl-number')].map(cell => cell.textContent)"
PATHS = "() => [...document.querySelectorAll('.tl-rows path')].map(path => path.getAttribute('d'))"
LINKS = "() => [...document.querySelectorAll('.tl-title a')].map(a => a.getAttribute('href'))"


@pytest.fixture(scope="module")
def view(bert, tok):
    return forward_pass(bert, tok, TEXTS, OTHERS)


@pytest.fixture
def tab(open_view, view):
    tab = open_view(view)
    tab.wait_for_selector(".tl-track")
    return tab


@pytest.fixture(scope="module")
def trace(bert, tok):
    trace = bert.trace(**tok.encode(TEXTS[0][0]).inputs)
    return {name: X[0].detach().numpy() for name, X in trace.items() if name != "embeddings.positions"}


def said(tab):
    return tab.locator(".tl-say").inner_text()


def numbers_at(tab, stage):
    tab.evaluate(SCRUB, stage)
    cells = [text.replace("−", "-") for text in tab.evaluate(NUMBERS)]
    return [float(text) for text in cells if text[-1].isdigit()]  # the first one may be a heading


def paths_at(tab, stage):
    tab.evaluate(SCRUB, stage)
    return tab.evaluate(PATHS)


def test_numbers_are_the_models(tab, trace, bert):
    """Products, weights and cosines; half of the way to a softmax is the softmax of half the scores."""
    scores, weights = (trace[f"layer.0.attention.{name}"] for name in ("scores", "weights"))
    half = np.exp(scores[4, 5] / 2)
    np.testing.assert_allclose(numbers_at(tab, 3.5), half / half.sum(), atol=0.00101)
    layers = embed([TEXTS[0][0]], bert, pooling="tokens", layers=range(7))[0]  # (7, n, d_model)
    np.testing.assert_allclose(numbers_at(tab, 7), cosine_matrix(layers[:, 5], layers[:1, 5])[:, 0], atol=0.00501)
    ends = embed([TEXTS[0][0], *OTHERS], bert, pooling="mean")
    np.testing.assert_allclose(numbers_at(tab, 8), np.sort(cosine_matrix(ends)[0, 1:])[::-1], atol=0.00501)
    for token, head in ((5, 4), (2, 11)):
        tab.get_by_label("Token").select_option(str(token))
        tab.get_by_label("Head").select_option(str(head))
        np.testing.assert_allclose(numbers_at(tab, 3), scores[head, token] * 32**0.5, atol=0.02)
        np.testing.assert_allclose(numbers_at(tab, 4), weights[head, token], atol=0.00101)


def test_bars_are_the_models_vectors(tab, trace):
    up_and_down = paths_at(tab, 2)[2 * 3 :]  # below its token, position and segment: all tokens
    for row, strip in enumerate(_strips(trace["embeddings.output"])):
        heights = np.array([ord(letter) - ord("K") for letter in strip])
        assert re.findall(r' d="([^"]+)"', bars(heights, 10)) == up_and_down[2 * row : 2 * row + 2]
    mixed = [[20 - int(y) for y in re.findall(r"V(-?\d+)h1", part)] for part in paths_at(tab, 5)[-2:]]
    values, weights = trace["layer.0.attention.values"][4], trace["layer.0.attention.weights"][4, 5]
    assert np.corrcoef(np.sum(mixed, 0), weights @ values)[0, 1] > 0.99


def test_each_stage_says_what_python_wrote(open_view, view, tab, tmp_path, tabs):
    written = open_view(view, javascript=False).locator(".tl-told li").all_inner_texts()
    links = []
    for stage, (title, _) in enumerate(STAGES):
        tab.evaluate(SCRUB, stage + 1)
        assert written[stage].startswith(f"{title}. {said(tab)} (")
        links.append(tab.evaluate(LINKS))
    assert f"“{OTHERS[0]}”" in said(tab)
    assert links == [[f"{name}.html" for name in names] for _, names in STAGES]
    view.save(tmp_path / "alone.html")
    alone = tabs.open((tmp_path / "alone.html").as_uri())
    alone.wait_for_selector(".tl-title b")
    assert alone.evaluate(LINKS) == []  # no chapters are beside it


def test_play_runs_to_the_end_or_pauses(tab):
    track = tab.locator(".tl-track input")
    tab.get_by_role("button", name="Play").click()
    tab.wait_for_function("+document.querySelector('.tl-track input').value > 1.2")
    tab.get_by_role("button", name="Pause").click()
    at = track.input_value()
    tab.wait_for_timeout(100)
    assert track.input_value() == at
    tab.evaluate(SCRUB, 7.9)
    tab.get_by_role("button", name="Play").click()
    tab.get_by_role("button", name="Play").wait_for()
    assert track.input_value() == "8"


def test_less_motion_plays_whole_stages(open_view, bert, tok):
    """From the stage where the view begins."""
    tab = open_view(forward_pass(bert, tok, [("The bank lent us money.", "bank", 3)], start=4), reduced_motion="reduce")
    assert tab.locator(".tl-tabs [aria-current]").inner_text() == "4"
    tab.clock.install()
    tab.reload()
    tab.get_by_role("button", name="Play").click()
    tab.clock.run_for(4100)
    assert tab.locator(".tl-track input").input_value() == "5"


def test_keys_scrub_and_choose(tab):
    tab.locator(".tl-track input").focus()
    for _ in range(20):
        tab.keyboard.press("ArrowRight")
    assert tab.locator(".tl-track input").get_attribute("aria-valuetext") == "Stage 2: Tokens become vectors"
    tab.get_by_role("button", name="6").press("Enter")
    assert tab.locator(".tl-title b").inner_text() == "6. A layer’s output"
    tab.get_by_role("button", name="3").press("Enter")
    tab.get_by_role("button", name="river").press("Enter")
    assert "the query of “river”" in said(tab)
    assert tab.evaluate("document.activeElement.textContent") == "river"
    tab.evaluate(SCRUB, 1)
    tab.get_by_label("Text").select_option("1")
    assert "cut into pieces" in said(tab) and tab.locator(".tl-chip").count() > 8
    tab.evaluate(SCRUB, 3)
    assert said(tab).startswith("Layer 0, head 0: the query of “bear”")


def test_strips_are_the_numbers():
    assert _strips(np.array([[0.0, 0.5, -1.0, 1.0]])) == ["KPAU"]
    assert _strips(np.zeros((1, 2))) == ["KK"]
    assert _strips(np.array([[1.0] * 99 + [1000.0]]))[0][-2:] == "UU"  # one coordinate does not flatten the others
