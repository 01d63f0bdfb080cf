"""Statements of the chapter "Many heads" beyond the page's own run: by hand, and in other texts."""

import numpy as np
import pytest
import torch

from tutorial_lib.texts import load_texts


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


def test_example_by_hand_needs_no_library(page):
    W_Q, W_K, W_V, W_O = (np.array(page.made_up[f"W_{letter}"]) for letter in "QKVO")
    X = page.X_tiny.numpy()
    output = np.zeros_like(X)
    for head in (slice(0, 2), slice(2, 4)):
        powers = np.exp(X @ W_Q[:, head] @ (X @ W_K[:, head]).T / 2**0.5)
        output += powers / powers.sum(1, keepdims=True) @ (X @ W_V[:, head]) @ W_O[head]
    np.testing.assert_allclose(output, page.output_tiny, atol=1e-5)


def test_head_2_looks_back_in_other_stories(bert, tok):
    before = []
    for text in load_texts("stories")[20:30]:  # the page has the first twenty
        steps = bert.trace(tok.encode(text).ids)
        A = torch.stack([steps[f"layer.{i}.attention.weights"][0] for i in range(6)])  # (6, 12, n, n)
        before.append(A.diagonal(-1, -2, -1)[..., :-1].mean(-1))
    before = torch.stack(before).mean(0)  # (6, 12)
    assert before[0, 2] > 0.99 and before[4:].max() < 0.3
