"""What the chapter on shape tells about the default model."""

import numpy as np


def by_layer(page, measure, version):
    """The average of three draws."""
    return np.mean(page.profile[measure][version], axis=0)


def test_before_the_first_block_there_are_as_many_vectors_as_pairs_of_token_and_position(page):
    pairs = set(zip(page.token, page.position, strict=True))
    assert page.n_distinct[0] == len(pairs) < 0.95 * page.n_distinct[1]


def test_anisotropy_rises_and_doubles_with_one_vector_a_type_and_falls_at_the_end(page):
    *before, last = page.side_by_side["anisotropy"]["default model"]
    assert all(0.05 < value < 0.1 for value in before) and last < 0.035
    assert 1.2 < before[5] / before[0] < 1.8
    once = by_layer(page, "anisotropy", "one vector a token type")
    assert once[5] > 2 * once[0]


def test_one_coordinate_makes_the_average_cosine_rise(page):
    cosines, without = (page.of_one_coordinate[name] for name in ("average cosine", "average cosine without 223"))
    assert cosines[:-1] == sorted(cosines[:-1]) and cosines[5] > 1.6 * cosines[1] and cosines[6] < 0.05
    assert max(without[1:6]) < 1.15 * min(without[1:6]) and without[5] < 1.1 * without[1]


def test_the_hump_of_the_dimension_is_made_by_repeated_tokens(page):
    everything = by_layer(page, "intrinsic dimension", "all tokens")
    assert everything[0] < 4 and everything[3] > 8
    once = by_layer(page, "intrinsic dimension", "one vector a token type")
    assert 0.9 < once[3] / once[0] < 1.1 and once[6] > 1.1 * max(once[0], once[3])


def test_the_nearest_neighbor_is_the_same_token_and_in_the_last_layer_the_same_text(page):
    (same_token, _, same_text), (same_token_at_the_end, _, same_text_at_the_end) = page.shares[3], page.shares[6]
    assert same_token > 0.6 > 0.5 > same_token_at_the_end and same_text < 0.15 and same_text_at_the_end > 0.4
