"""What the chapter on shape tells about the default model."""

import numpy as np

from tutorial_lib.geometry import intrinsic_dimension, neighbor_ratios


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


def test_the_numbers_of_tokens_texts_and_neighbors_that_the_page_tells(page, prose):
    assert f"{len(page.token):,} tokens of {len(page.texts)} built-in texts" in prose
    same, near, in_text = np.transpose(page.shares)
    assert round(same[0] * 3) == 2 and all(0.7 < share < 0.8 for share in same[1:5]) and round(same[6] * 3) == 1
    assert 0.25 < near[0] < 0.35 and 0.55 < near[1] < 0.65 and list(near[1:]) == sorted(near[1:], reverse=True)
    assert in_text[0] < 0.02 and 0.45 < in_text[6] < 0.55
    assert page.loudest == 223 and 0.145 < page.parts[-2][223] < 0.155


def test_two_nn_is_right_on_all_known_clouds_but_the_solid_cube_and_pca_on_all_that_do_not_bend():
    rng = np.random.default_rng(0)
    assert abs(intrinsic_dimension(rng.normal(size=(3000, 10))) / 10 - 1) < 0.06
    assert intrinsic_dimension(rng.random((3000, 10))) < 9
    ratios = {d: neighbor_ratios(rng.random((2000, d))) for d in (1, 10)}
    assert 0.3 < (ratios[1] > 3).mean() < 0.37 and (ratios[10] < 1.5).mean() > 0.95
