"""What the chapter on shape tells about the default model."""

import numpy as np
import pytest

from tutorial_lib.geometry import anisotropy, average_cosine, distinct, intrinsic_dimension, nearest_neighbors
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed


@pytest.fixture(scope="module")
def layers(bert, tok):
    """All layers of the encyclopedia's tokens, (7, n, 384), and each one's token, position and text."""
    texts = load_texts("encyclopedia")
    tokens = [tok.encode(text).tokens for text in texts]
    X = np.concatenate(embed(texts, bert, pooling="tokens", layers="all"), axis=1)
    token = np.array([t for row in tokens for t in row])
    position = np.concatenate([np.arange(len(row)) for row in tokens])
    return X, token, position, np.repeat(np.arange(len(texts)), [len(row) for row in tokens])


def test_before_the_first_block_there_are_as_many_vectors_as_pairs_of_token_and_position(layers):
    X, token, position, _ = layers
    assert len(distinct(X[0])) == len(set(zip(token, position))) < len(token)
    assert len(distinct(X[1])) == len(token)


def test_anisotropy_rises_and_doubles_with_one_vector_a_type_and_falls_at_the_end(layers):
    X, token, _, _ = layers
    found = [anisotropy(rows) for rows in X]
    assert all(0.05 < value < 0.1 for value in found[:-1]) and found[-1] < 0.035
    assert 1.2 < found[5] / found[0] < 1.8
    first = np.unique(token, return_index=True)[1]
    once = [anisotropy(X[i][first]) for i in (0, 5)]
    assert once[1] > 2 * once[0]


def test_one_coordinate_makes_the_average_cosine_rise(layers):
    X, token, _, _ = layers
    inside = X[:, ~np.isin(token, ["[CLS]", "[SEP]"])]
    cosines = [average_cosine(rows) for rows in inside]
    assert cosines[:-1] == sorted(cosines[:-1]) and cosines[5] > 1.6 * cosines[1] and cosines[6] < 0.05
    without = [average_cosine(np.delete(rows, 223, axis=1)) for rows in inside]
    assert max(without[1:6]) < 1.15 * min(without[1:6]) and without[5] < 1.1 * without[1]


def test_the_hump_of_the_dimension_is_made_by_repeated_tokens(layers):
    X, token, _, _ = layers
    everything = [intrinsic_dimension(distinct(X[i])) for i in (0, 3)]
    assert everything[0] < 4 and everything[1] > 8
    first = np.unique(token, return_index=True)[1]
    once = [intrinsic_dimension(X[i][first]) for i in (0, 3, 6)]
    assert 0.9 < once[1] / once[0] < 1.1 and once[2] > 1.1 * max(once[:2])


def test_the_nearest_neighbor_is_the_same_token_and_in_the_last_layer_the_same_text(layers):
    X, token, _, text = layers
    same_token, same_text = {}, {}
    for i in (3, 6):
        mates = nearest_neighbors(X[i], k=1)[1][:, 0]
        same_token[i], same_text[i] = (token == token[mates]).mean(), (text == text[mates]).mean()
    assert same_token[3] > 0.6 > 0.5 > same_token[6] and same_text[3] < 0.15 and same_text[6] > 0.4
