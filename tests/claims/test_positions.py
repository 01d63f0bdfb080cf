"""Sinusoidal positions, computed a second time."""

from math import cos, pi, sin

import numpy as np
import pytest


def test_the_longest_wavelength(computed):
    assert computed("R-3.4-longest-wavelength") == pytest.approx(2 * pi * 10000 ** (510 / 512), rel=1e-7)


def test_the_encoding_of_position_1(computed):
    angles = [10000 ** (-2 * i / 6) for i in range(3)]
    np.testing.assert_allclose(computed("R-3.6-vector"), [f(a) for a in angles for f in (sin, cos)], atol=1e-6)


def test_the_formula_of_l_3_2_4_is_not_the_original_one():
    def encode(exponents):
        angles = np.arange(128)[:, None] / 10000.0**exponents
        return np.where(np.arange(512) % 2 == 0, np.sin(angles), np.cos(angles))

    def norms(PE):
        return np.linalg.norm(PE, axis=1)

    k = np.arange(512)
    printed, original = encode(2 * k / 512), encode(2 * (k // 2) / 512)
    assert np.ptp(norms(original)) < 1e-9 < 0.2 < np.ptp(norms(printed))
    assert (np.ptp(printed, axis=0) < 0.01).sum() > 256 > (np.ptp(original, axis=0) < 0.01).sum()
