"""The sinusoid explorer: its waves are the encodings, and its clocks turn as the shift matrix says."""

import re

import numpy as np
import pytest

from tutorial_lib.positions import shift_matrix, sinusoidal, wavelengths
from tutorial_lib.views import sinusoid_explorer

CLOCKS = """root => Object.fromEntries([...root.querySelectorAll('.tl-clock')].map(clock => [clock.dataset.pair,
  Object.fromEntries([...clock.querySelectorAll('table')].map(table => [table.dataset.matrix,
    [...table.querySelectorAll('td')].map(cell => Number(cell.dataset.value))]))]))"""


def slide(root, label, value):
    root.get_by_label(label).evaluate(
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }", value
    )


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
        np.testing.assert_allclose(clock["before"], PE[p, pair], atol=1e-6)
        np.testing.assert_allclose(clock["after"], PE[p + k, pair], atol=1e-6)
        for hand, values in (("p", PE[p, pair]), ("q", PE[p + k, pair])):
            line = root.locator(f"[data-pair='{name}'] .tl-{hand}")
            tip = [float(line.get_attribute("x2")), -float(line.get_attribute("y2"))]
            np.testing.assert_allclose(tip, 40 * values.numpy(), atol=0.006)  # Python draws two digits


@pytest.mark.parametrize("d_model, n", [(16, 64), (512, 40), (2, 8)])
def test_the_waves_are_the_encodings_of_each_pair(open_view, d_model, n):
    root = open_view(sinusoid_explorer(d_model, n)).locator(".tl-view")
    PE = sinusoidal(n, d_model)
    for i in {0, 1, d_model // 4, d_model // 2 - 1} & set(range(d_model // 2)):
        slide(root, "pair i", i)
        np.testing.assert_allclose(dots(root, "sine"), PE[:, 2 * i], atol=6e-5)  # four digits are drawn
        np.testing.assert_allclose(dots(root, "cosine"), PE[:, 2 * i + 1], atol=6e-5)
        wavelength = wavelengths(d_model)[i].item()
        assert float(root.get_attribute("data-wavelength")) == pytest.approx(wavelength, rel=1e-9)
        assert f"Pair {i} turns once in {wavelength:.2f} positions." in root.locator(".tl-say").inner_text()


@pytest.mark.parametrize("d_model", [16, 64])
def test_the_clocks_turn_as_the_shift_matrix_says(open_view, d_model):
    root = open_view(sinusoid_explorer(d_model, 64)).locator(".tl-view")
    assert_clocks(root, d_model, 5, 3)
    for p, k in ((0, 0), (0, 32), (31, 32), (17, 9)):
        slide(root, "position p", p)
        slide(root, "shift k", k)
        assert_clocks(root, d_model, p, k)


def test_sliders_move_by_keyboard(open_view):
    root = open_view(sinusoid_explorer()).locator(".tl-view")
    root.get_by_label("shift k").press("ArrowRight")
    root.get_by_label("position p").press("Home")
    assert_clocks(root, 16, 0, 4)
    root.get_by_label("pair i").press("ArrowRight")
    assert root.locator(".tl-clock[aria-current] b").inner_text() == "pair 2"


def test_python_draws_the_same_first_state(open_view):
    drawn = open_view(sinusoid_explorer(), javascript=False).locator(".tl-view")
    live = open_view(sinusoid_explorer()).locator(".tl-view")
    assert_clocks(drawn, 16, 5, 3)
    for name in ("sine", "cosine"):
        np.testing.assert_allclose(dots(drawn, name), dots(live, name), atol=1.1e-4)
    assert drawn.locator(".tl-say").inner_text() == live.locator(".tl-say").inner_text()
    assert drawn.locator(".tl-clocks").inner_text() == live.locator(".tl-clocks").inner_text()


def test_the_bar_is_one_wavelength_or_open(open_view):
    root = open_view(sinusoid_explorer(16, 64)).locator(".tl-view")
    bar = root.locator(".tl-wavelength")
    assert float(re.search(r"M0 1.275H([\d.]+)", bar.get_attribute("d"))[1]) == pytest.approx(wavelengths(16)[1].item())
    slide(root, "pair i", 5)
    assert bar.get_attribute("d").endswith("H63.5")


def test_it_is_accessible_and_fits_a_phone(assert_accessible):
    assert_accessible(sinusoid_explorer())


@pytest.mark.parametrize("arguments, message", [((7, 64), "d_model"), ((16, 7), "n must be"), ((16, 600), "n must be")])
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        sinusoid_explorer(*arguments)
