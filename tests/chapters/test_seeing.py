"""Statements of the chapter on seeing high dimensions, on different points."""

import numpy as np

from tutorial_lib.geometry import crossings, hopf_link, nearest_neighbors, tsne


def test_tsne_takes_a_link_of_fewer_points_apart():
    points, circle = hopf_link(60)
    flat = tsne(points, perplexity=20)
    assert crossings(flat[circle == 0], flat[circle == 1]) == 0


def test_tsne_forgets_how_far_other_groups_are():
    centers = np.zeros((3, 10))
    centers[1, 0], centers[2, 0] = 10, 60
    points = np.concatenate([center + np.random.default_rng(1).normal(size=(30, 10)) for center in centers])
    first, second, third = tsne(points).reshape(3, 30, 2).mean(1)
    assert np.linalg.norm(third - first) < 3 * np.linalg.norm(second - first)  # in truth 6 times


def test_lengths_of_tokens_alone_make_hubs(page):
    lengths = np.linalg.norm(page.sample, axis=1, keepdims=True)
    as_long = page.random / np.linalg.norm(page.random, axis=1, keepdims=True) * lengths
    neighbors = nearest_neighbors(as_long, k=10)[1]
    assert np.bincount(neighbors.ravel()).max() > 150
