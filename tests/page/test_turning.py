"""The query and the key that turn: scores are the library's, and moving both changes none."""

import re

import numpy as np
import pytest
import torch

from tests.views.examples import slide_to
from tutorial_book.page.turning import turning_view
from tutorial_lib.attention import scores
from tutorial_lib.positions import Rope, rotary

VALUES = "root => [...root.querySelectorAll('b[data-value]')].map(cell => Number(cell.dataset.value))"
HANDS = """root => [...root.querySelectorAll('.tl-pair line')].map(line =>
  [Number(line.getAttribute('x2')), -Number(line.getAttribute('y2'))])"""
POINTS = torch.randn(2, 8, generator=torch.Generator().manual_seed(2))


@pytest.fixture
def root(open_view):
    return open_view(turning_view(*POINTS)).locator(".tl-view")


def score(m, j):
    """As the library computes it."""
    Q, K = (rotary(x[None], Rope().angles(torch.tensor([place]), 8)) for x, place in zip(POINTS, (m, j), strict=True))
    return scores(Q, K).item()


def dot(root):
    return [float(root.locator(".tl-distance circle").get_attribute(name)) for name in ("cx", "cy")]


def assert_shows(root, m, j):
    """The score, the hands and the sentence, and a dot on the curve."""
    assert sum(root.evaluate(VALUES)) == pytest.approx(score(m, j), abs=1e-5)
    turned = [
        rotary(x.double()[None], place * Rope().frequencies(8).double()[None])[0].view(2, 4).T
        for x, place in zip(POINTS, (m, j), strict=True)
    ]
    hands = torch.stack(turned, 1).flatten(0, 1)  # query and key of pair 0, of pair 1, ...
    unit = 40 / max(x.view(2, 4).norm(dim=0).max().item() for x in POINTS)
    np.testing.assert_allclose(root.evaluate(HANDS), unit * hands, atol=0.01)
    path = root.locator(".tl-distance path").get_attribute("d")
    curve = np.array([[float(x), float(y)] for x, y in re.findall(r"([\d.]+) ([\d.]+)", path)])
    assert np.abs(curve - dot(root)).max(1).min() < 0.11
    assert f"Query at {m}, key at {j}: {abs(m - j)} place" in root.locator(".tl-say").inner_text()
    assert root.get_by_label("query at").input_value() == str(m) and root.get_by_label("key at").input_value() == str(j)


def test_moving_both_keeps_the_score(root):
    assert_shows(root, 6, 2)
    values, place = root.evaluate(VALUES), dot(root)
    for m in (30, 40, 0, 11):
        slide_to(root, "query at", m)
        m = max(m, 4)  # the key has reached the beginning
        assert_shows(root, m, m - 4)
        np.testing.assert_allclose(root.evaluate(VALUES), values, atol=1e-9)
        np.testing.assert_allclose(dot(root), place, atol=0.06)


def test_one_moves_alone_on_request(root):
    root.get_by_label("keep their distance").uncheck()
    for m, j in ((20, 2), (20, 40), (0, 40)):
        slide_to(root, "query at", m)
        slide_to(root, "key at", j)
        assert_shows(root, m, j)
    root.get_by_label("keep their distance").check()
    for key in ("ArrowLeft", "ArrowRight"):
        root.get_by_label("key at").press(key)
        assert_shows(root, 0, 40)  # the query is at the beginning already, the key at the end


@pytest.mark.parametrize(
    "change, message",
    [
        ({"q": torch.ones(3), "k": torch.ones(3)}, "d_k must be"),
        ({"q": torch.ones(4)}, "q and k must be two vectors of the same width, got (4,) and (2,)"),
    ],
)
def test_bad_arguments_are_named(change, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        turning_view(**{"q": torch.ones(2), "k": torch.ones(2)} | change)
