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


@pytest.fixture(scope="module")
def view(bert, tok):
    return forward_pass(bert, tok, TEXTS, OTHERS)


@pytest.fixture
def tab(open_view, view):
    tab = open_view(view)
    tab.wait_for_selector(".tl-track")
    return tab


def said(tab):
    return tab.locator(".tl-say").inner_text()


def as_numbers(texts):
    return [float(text.replace("−", "-")) for text in texts]


def test_products_and_weights_are_the_models(tab, bert, tok):
    trace = bert.trace(**tok.encode(TEXTS[0][0]).inputs)
    scores = trace["layer.0.attention.scores"][0].detach().numpy()  # (n_heads, n, n)
    weights = trace["layer.0.attention.weights"][0].detach().numpy()
    for token, head in ((5, 4), (2, 11)):
        tab.get_by_label("Token").select_option(str(token))
        tab.get_by_label("Head").select_option(str(head))
        tab.evaluate(SCRUB, 3)
        found = as_numbers(tab.evaluate(NUMBERS)[1:])
        np.testing.assert_allclose(found, scores[head, token] * 32**0.5, atol=0.02)
        tab.evaluate(SCRUB, 4)
        np.testing.assert_allclose(as_numbers(tab.evaluate(NUMBERS)[1:]), weights[head, token], atol=0.00101)


def test_bars_are_the_models_vectors_and_the_mixed_values(tab, bert, tok):
    trace = {name: value[0].detach().numpy() for name, value in bert.trace(**tok.encode(TEXTS[0][0]).inputs).items()
             if name != "embeddings.positions"}  # fmt: skip
    paths = "() => [...document.querySelectorAll('.tl-rows path')].map(path => path.getAttribute('d'))"

    def drawn(stage):
        tab.evaluate(SCRUB, stage)
        return tab.evaluate(paths)

    def heights(strip):
        return [ord(letter) - ord("K") for letter in strip]

    up_and_down = drawn(2)[2 * 3 :]  # below its token, position and segment: all tokens
    for row, strip in enumerate(_strips(trace["embeddings.output"])):
        assert re.findall(r' d="([^"]+)"', bars(np.array(heights(strip)), 10)) == up_and_down[2 * row : 2 * row + 2]
    mixed = drawn(5)[-2:]
    values, weights = trace["layer.0.attention.values"][4], trace["layer.0.attention.weights"][4, 5]
    expected = trace["layer.0.attention.heads"][4, 5]
    assert np.allclose(weights @ values, expected, atol=1e-4)
    found = np.array([[20 - int(y) for y in re.findall(r"V(-?\d+)h1", part)] for part in mixed]).sum(0)
    assert np.corrcoef(found, expected)[0, 1] > 0.99


def test_half_a_softmax_is_one_of_half_the_scores(tab, bert, tok):
    trace = bert.trace(**tok.encode(TEXTS[0][0]).inputs)
    e = np.exp(trace["layer.0.attention.scores"][0, 4, 5].detach().numpy() / 2)
    tab.evaluate(SCRUB, 3.5)
    np.testing.assert_allclose(as_numbers(tab.evaluate(NUMBERS)[1:]), e / e.sum(), atol=0.00101)


def test_cosines_are_the_models(tab, bert, tok):
    layers = embed([TEXTS[0][0]], bert, pooling="tokens", layers=range(7))[0]  # (7, n, d_model)
    tab.evaluate(SCRUB, 7)
    expected = cosine_matrix(layers[:, 5], layers[:1, 5])[:, 0]
    np.testing.assert_allclose(as_numbers(tab.evaluate(NUMBERS)), expected, atol=0.00501)
    tab.evaluate(SCRUB, 8)
    ends = embed([TEXTS[0][0], *OTHERS], bert, pooling="mean")
    expected = np.sort(cosine_matrix(ends)[0, 1:])[::-1]
    np.testing.assert_allclose(as_numbers(tab.evaluate(NUMBERS)[1:]), expected, atol=0.00501)


def test_the_script_says_what_stands_there_without_it(open_view, view, tab):
    told = open_view(view, javascript=False).locator(".tl-told li").all_inner_texts()
    for stage, (title, _) in enumerate(STAGES):
        tab.evaluate(SCRUB, stage + 1)
        assert told[stage].startswith(f"{title}. {said(tab)} (")
    assert "the nearest" not in said(tab).lower() or f"“{OTHERS[0]}”" in said(tab)


def test_it_may_begin_at_another_stage(open_view, bert, tok):
    tab = open_view(forward_pass(bert, tok, [("The bank lent us money.", "bank", 3)], start=4))
    tab.wait_for_selector(".tl-tabs [aria-current]")
    assert tab.locator(".tl-tabs [aria-current]").inner_text() == "4"
    with pytest.raises(ValueError, match="start must be from 1 to 8, got 9"):
        forward_pass(bert, tok, [("The bank lent us money.", "bank", 3)], start=9)


def test_it_plays_to_the_end_and_stops_when_touched(tab):
    tab.get_by_role("button", name="Play").click()
    tab.wait_for_function("+document.querySelector('.tl-track input').value > 1.2")
    tab.get_by_role("button", name="Pause").click()
    at = tab.locator(".tl-track input").input_value()
    tab.wait_for_timeout(300)
    assert tab.locator(".tl-track input").input_value() == at
    tab.evaluate(SCRUB, 7.9)
    tab.get_by_role("button", name="Play").click()
    tab.get_by_role("button", name="Play").wait_for()
    assert tab.locator(".tl-track input").input_value() == "8"


def test_without_motion_it_plays_by_whole_stages(browser, view, tmp_path):
    context = browser.new_context(reduced_motion="reduce")
    tab = context.new_page()
    view.save(tmp_path / "view.html")
    tab.clock.install()
    tab.goto((tmp_path / "view.html").as_uri())
    tab.get_by_role("button", name="Play").click()
    tab.clock.run_for(4100)
    assert tab.locator(".tl-track input").input_value() == "2"
    context.close()


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


def test_another_text_starts_with_its_token_and_head(tab):
    tab.get_by_label("Text").select_option("1")
    assert "cut into pieces" in said(tab) and tab.locator(".tl-chip").count() > 8
    tab.evaluate(SCRUB, 3)
    assert said(tab).startswith("Layer 0, head 0: the query of “bear”")


def test_chapters_are_linked_only_where_their_pages_are(tab, browser, view, tmp_path):
    links = "() => [...document.querySelectorAll('.tl-title a')].map(a => a.getAttribute('href'))"
    found = []
    for stage in range(len(STAGES)):
        tab.evaluate(SCRUB, stage + 1)
        found.append(tab.evaluate(links))
    assert found == [[f"{name}.html" for name in names] for _, names in STAGES]
    view.save(tmp_path / "alone.html")
    alone = browser.new_page()
    alone.goto((tmp_path / "alone.html").as_uri())
    alone.wait_for_selector(".tl-title b")
    assert alone.evaluate(links) == []
    alone.close()


def test_strips_are_the_numbers():
    assert _strips(np.array([[0.0, 0.5, -1.0, 1.0]])) == ["KPAU"]
    assert _strips(np.zeros((1, 2))) == ["KK"]
    assert _strips(np.array([[1.0] * 99 + [1000.0]]))[0][-2:] == "UU"  # one coordinate does not flatten the others


def test_four_sentences_weigh_less_than_400_kb(bert, tok):
    texts = [("We sat on the bank of the river and we fished.", "bank", head) for head in range(4)]
    assert len(forward_pass(bert, tok, texts)._repr_html_().encode()) < 400_000


def test_what_does_not_fit_is_named(bert, tok):
    with pytest.raises(ValueError, match="token must be one of .*bank.*, got 'Bank'"):
        forward_pass(bert, tok, [("The bank.", "Bank", 0)])
    with pytest.raises(ValueError, match="head must be from 0 to 11, got 12"):
        forward_pass(bert, tok, [("The bank.", "bank", 12)])
    with pytest.raises(ValueError, match="at least one"):
        forward_pass(bert, tok, [])


def test_hostile_texts_are_shown(open_view, bert, tok):
    text = "</script><img src=x onerror=alert(1)> & bear"
    tab = open_view(forward_pass(bert, tok, [(text, "bear", 0)], [text]))
    tab.wait_for_selector(".tl-track")
    assert tab.locator(".tl-sentence").inner_text() == text and tab.locator("img").count() == 0
    tab.evaluate(SCRUB, 8)
    assert tab.locator(".tl-text .tl-name").inner_text() == text


def test_the_machine_is_for_everyone(assert_accessible, view):
    assert_accessible(view)
