"""The sinusoid explorer: its waves are the encodings, and its clocks turn as the shift matrix says."""

import re

import numpy as np
import pytest

from tests.views.examples import slide_to
from tutorial_lib.positions import shift_matrix, sinusoidal, wavelengths
from tutorial_lib.views import sinusoid_explorer

# Of each clock its matrices, and where its two hands end.
CLOCKS = """root => Object.fromEntries([...root.querySelectorAll('.tl-clock')].map(clock => [clock.dataset.pair,
  Object.fromEntries([...clock.querySelectorAll('table')].map(table => [table.dataset.matrix,
    [...table.querySelectorAll('td')].map(cell => Number(cell.dataset.value))])
  .concat(['p', 'q'].map(hand => [hand, ['x2', 'y2'].map(end =>
    Number(clock.querySelector('.tl-' + hand).getAttribute(end)))])))]))"""


def dots(root, name):
    """The values of a wave at the positions 0, 1, 2, ..., read off the picture, where down is positive."""
    path = root.locator(f".tl-dots.tl-{name}").get_attribute("d")
    found = re.findall(r"M(\d+) (-?[\d.]+)h0", path)
    assert [int(x) for x, _ in found] == list(range(len(found)))
    return -np.array([float(y) for _, y in found])


def assert_clocks(root, d_model, p, k):
    PE, M = sinusoidal(p + k + 1, d_model), shift_matrix(k, d_model)
    for name, clock in root.evaluate(CLOCKS).items():
        pair = slice(2 * int(name), 2 * int(name) + 2)
        np.testing.assert_allclose(clock["block"], M[pair, pair].flatten(), atol=1e-6)
        for part, hand, position in (("before", "p", p), ("after", "q", p + k)):
            np.testing.assert_allclose(clock[part], PE[position, pair], atol=1e-6)
            tip = np.multiply(clock[hand], [1, -1])
            np.testing.assert_allclose(tip, 40 * PE[position, pair].numpy(), atol=0.006)  # two digits are drawn


@pytest.mark.parametrize("d_model, n, begins", [(16, 64, (1, 5)), (512, 40, (1, 5)), (2, 8, (0, 3))])
def test_waves_are_the_encodings_of_pairs(open_view, d_model, n, begins):
    root = open_view(sinusoid_explorer(d_model, n)).locator(".tl-view")
    told = re.match(r"Pair (\d+) turns .* From position (\d+) to", root.locator(".tl-say").inner_text())
    assert tuple(map(int, told.groups())) == begins  # both are there, however few pairs and positions there are
    PE = sinusoidal(n, d_model)
    for i in {0, 1, d_model // 4, d_model // 2 - 1} & set(range(d_model // 2)):
        slide_to(root, "pair i", i)
        np.testing.assert_allclose(dots(root, "sine"), PE[:, 2 * i], atol=6e-5)  # four digits are drawn
        np.testing.assert_allclose(dots(root, "cosine"), PE[:, 2 * i + 1], atol=6e-5)
        wavelength = wavelengths(d_model)[i].item()
        assert float(root.get_attribute("data-wavelength")) == pytest.approx(wavelength, rel=1e-9)
        assert f"Pair {i} turns once in {wavelength:.2f} positions." in root.locator(".tl-say").inner_text()
        bar = re.search(r"M0 1.275H([\d.]+)(.*)", root.locator(".tl-wavelength").get_attribute("d"))
        assert float(bar[1]) == pytest.approx(min(wavelength, n - 0.5))  # a long wave's bar is open


@pytest.mark.parametrize("d_model", [16, 64])
def test_clocks_turn_as_the_shift_matrix(open_view, d_model):
    root = open_view(sinusoid_explorer(d_model, 64)).locator(".tl-view")
    for p, k in ((0, 0), (0, 32), (31, 32), (17, 9)):
        slide_to(root, "position p", p)
        slide_to(root, "shift k", k)
        assert_clocks(root, d_model, p, k)
    root.get_by_label("shift k").press("ArrowRight")
    root.get_by_label("position p").press("Home")
    assert_clocks(root, d_model, 0, 10)
    root.get_by_label("pair i").press("ArrowRight")
    if d_model == 16:
        assert root.locator(".tl-clock[aria-current] b").inner_text() == "pair 2"


def test_first_clocks_need_no_script(open_view):
    assert_clocks(open_view(sinusoid_explorer(), javascript=False).locator(".tl-view"), 16, 5, 3)
