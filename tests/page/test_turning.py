"""The query and the key that turn: scores are the library's, both together change none, and Python draws the same."""

import re

import numpy as np
import pytest
import torch

from tutorial_book.page.turning import turning_view
from tutorial_lib.attention import scores
from tutorial_lib.positions import Rope, rotary

VALUES = "root => [...root.querySelectorAll('b[data-value]')].map(cell => Number(cell.dataset.value))"
HANDS = """root => [...root.querySelectorAll('.tl-pair line')].map(line =>
  [Number(line.getAttribute('x2')), -Number(line.getAttribute('y2'))])"""


@pytest.fixture(scope="module")
def vectors():
    return torch.randn(2, 8, generator=torch.Generator().manual_seed(2))


def score(vectors, m, j):
    """As the library computes it."""
    Q, K = (rotary(x[None], Rope().angles(torch.tensor([place]), 8)) for x, place in zip(vectors, (m, j), strict=True))
    return scores(Q, K).item()


def move(root, label, value):
    root.get_by_label(label).evaluate(
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }", value
    )


def assert_shows(root, vectors, m, j):
    assert sum(root.evaluate(VALUES)) == pytest.approx(score(vectors, m, j), abs=1e-5)
    assert f"Query at {m}, key at {j}: {abs(m - j)} place" in root.locator(".tl-say").inner_text()
    assert root.get_by_label("query at").input_value() == str(m) and root.get_by_label("key at").input_value() == str(j)


def test_both_move_together_and_the_score_stays(open_view, vectors):
    root = open_view(turning_view(*vectors)).locator(".tl-view")
    assert_shows(root, vectors, 6, 2)
    before, dot = root.evaluate(VALUES), root.locator(".tl-distance circle").get_attribute("cx")
    for m in (30, 40, 0, 11):
        move(root, "query at", m)
        m = max(m, 4)  # the key has reached the beginning
        assert_shows(root, vectors, m, m - 4)
        np.testing.assert_allclose(root.evaluate(VALUES), before, atol=1e-9)
        assert float(root.locator(".tl-distance circle").get_attribute("cx")) == pytest.approx(float(dot), abs=0.06)


def test_one_moves_alone_where_the_distance_is_not_kept(open_view, vectors):
    root = open_view(turning_view(*vectors)).locator(".tl-view")
    root.get_by_label("keep their distance").uncheck()
    for m, j in ((20, 2), (20, 40), (0, 40)):
        move(root, "query at", m)
        move(root, "key at", j)
        assert_shows(root, vectors, m, j)
    root.get_by_label("keep their distance").check()
    root.get_by_label("key at").press("ArrowLeft")
    assert_shows(root, vectors, 0, 40)  # the query stands at the beginning already
    root.get_by_label("key at").press("ArrowRight")
    assert_shows(root, vectors, 0, 40)


def test_the_hands_are_the_turned_vectors(open_view, vectors):
    root = open_view(turning_view(*vectors)).locator(".tl-view")
    move(root, "query at", 17)
    turned = [
        rotary(x.double()[None], place * Rope().frequencies(8).double()[None])[0].view(2, 4).T
        for x, place in zip(vectors, (17, 13), strict=True)
    ]
    expected = torch.stack(turned, 1).flatten(0, 1)  # query and key of pair 0, of pair 1, ...
    unit = 40 / max(x.view(2, 4).norm(dim=0).max().item() for x in vectors)
    np.testing.assert_allclose(root.evaluate(HANDS), unit * expected, atol=1e-4)


def test_the_dot_lies_on_the_curve(open_view, vectors):
    root = open_view(turning_view(*vectors)).locator(".tl-view")
    root.get_by_label("keep their distance").uncheck()
    path = root.locator(".tl-distance path").get_attribute("d")
    points = np.array([[float(x), float(y)] for x, y in re.findall(r"([\d.]+) ([\d.]+)", path)])
    for m in (0, 9, 40):
        move(root, "query at", m)
        dot = [float(root.locator(".tl-distance circle").get_attribute(name)) for name in ("cx", "cy")]
        assert np.abs(points - dot).max(1).min() < 0.11


def test_python_draws_the_same_first_state(open_view, vectors):
    drawn, live = (open_view(turning_view(*vectors), javascript=js).locator(".tl-view") for js in (False, True))
    move(live, "query at", 6)
    np.testing.assert_allclose(drawn.evaluate(VALUES), live.evaluate(VALUES), atol=1e-6)
    np.testing.assert_allclose(drawn.evaluate(HANDS), live.evaluate(HANDS), atol=0.01)
    assert drawn.locator(".tl-say").inner_text() == live.locator(".tl-say").inner_text()


def test_it_is_for_everyone(assert_accessible, vectors):
    assert_accessible(turning_view(*vectors))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": torch.ones(3), "k": torch.ones(3)}, "d_k must be"),
        ({"q": torch.ones(4), "k": torch.ones(2)}, "q and k must be two vectors of one width, got (4,) and (2,)"),
        ({"q": torch.ones(2), "k": torch.ones(2), "at": (50, 0)}, "at must be"),
        ({"q": torch.ones(2), "k": torch.ones(2), "most": 0}, "most must be"),
    ],
)
def test_what_does_not_fit_is_told(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        turning_view(**arguments)
