"""What the chapter on L's open questions (L 5.2) finds in the default model."""

import numpy as np
import pytest

from tutorial_lib import geometry


def test_opposites_stay_positive_in_every_layer_when_the_mean_is_removed(page):
    assert page.negative["mean removed", "opposites"] == 0 and len(page.opposites) > 40
    opposites, random_pairs = (np.array(page.panels["mean removed"][name][0]) for name in ("opposites", "random pairs"))
    assert opposites.shape == (7,) and random_pairs.max() < 0.25 < 0.4 < opposites.min()


def test_taking_the_projections_on_each_other_away_only_changes_the_sign_of_the_cosine(page):
    a, b = np.random.default_rng(0).normal(size=(2, 384)) + 1
    less = a - a @ b / (b @ b) * b, b - a @ b / (a @ a) * a
    assert geometry.cosine(*less) == pytest.approx(-geometry.cosine(a, b)) and geometry.cosine(a, b) > 0.3
    as_they_are, _, without_projections = page.synonyms_less
    assert as_they_are > 0.5 and without_projections == pytest.approx(-as_they_are, abs=1e-6)


def test_a_pair_that_was_left_out_falls_in_order_on_the_axis_of_the_others(page):
    for right, p, apart, _, _ in page.on_axis.values():
        assert right >= 0.9 and p < 0.01 and apart >= 0.9


def test_frequency_is_not_what_orders_the_pairs(page):
    """Random pairs, turned by rank in the vocabulary, are seldom in order; these are, without rank's direction too."""
    for *_, random, without_rank in page.on_axis.values():
        assert random < 0.8 and without_rank > 0.9


def test_no_two_built_in_texts_are_opposite(page):
    (lowest, _), _ = page.most_opposed
    assert -0.35 < lowest < -0.1


def test_the_positions_need_more_dimensions_the_longer_the_stretch(page):
    dimensions = dict(zip(page.windows, page.dimensions["learned positions"], strict=True))
    found = [dimensions[window] for window in (3, 9, 33, 129, 382)]
    assert found == pytest.approx([1.27, 3.16, 5.20, 7.37, 9.58], abs=0.05)
    assert geometry.intrinsic_dimension(page.learned) > 20  # TwoNN on a curve with even steps


def test_never_used_tokens_are_one_spot_and_verbs_and_names_lie_apart(page):
    plane = page.picture.coordinates[:, :2]
    unused, verbs, names = (plane[page.kinds[kind]] for kind in ("never used", "verbs", "names and places"))
    assert unused.std(0).max() < 0.1 * plane.std(0).min()
    gap = np.linalg.norm(verbs.mean(0) - names.mean(0))
    assert gap > 2 * max(verbs.std(), names.std())


@pytest.mark.parametrize(
    "name, least, most",
    [
        ("bfloat16", 0.9998, 1.0001),
        ("int8, row", 0.999, 1.0),
        ("int8, matrix", 0.95, 0.985),
        ("int4, row", 0.84, 0.92),
        ("int4, matrix", 0.1, 0.3),
    ],
)
def test_coarser_weights_move_the_vectors(page, name, least, most):
    _, mean, *_ = page.rounding[name]
    assert least < mean < most


def test_a_step_for_each_row_turns_vectors_far_less_than_one_for_the_matrix(page):
    matrix, row = (1 - page.by_layer[name][1:] for name in ("int8, matrix", "int8, row"))
    times = matrix / row
    assert 55 < times.min() and times.max() < 105  # "60 to 100 times less, in every layer's output"


def test_coarse_rounding_draws_all_texts_together(page):
    *_, exact, _ = page.rounding["float32"]
    *_, rounded, _ = page.rounding["int4, matrix"]
    assert rounded > 0.7 and exact < 0.1


def test_rounded_layers_do_more_harm_than_rounded_tables(page, bert):
    """Exercise 3, with its numbers."""
    assert list(page.of_part.values()) == pytest.approx([0.971, 0.921], abs=0.002)
    matrices = {name: weight.numel() for name, weight in bert.named_parameters() if weight.ndim == 2}
    tables = sum(size for name, size in matrices.items() if name.startswith("embeddings"))
    assert tables / 1e6 == pytest.approx(11.9, abs=0.05)
    assert (sum(matrices.values()) - tables) / 1e6 == pytest.approx(10.8, abs=0.05)


def test_the_smallest_third_costs_little_and_as_many_by_lot_nearly_all(page, prose):
    kept, i = page.kept, page.kept["shares"].index(0.3)
    smallest, *by_lot = (np.array(one)[:, 0] for one in kept["loss"]["curves"].values())
    assert smallest[i] - smallest[0] == pytest.approx(0.064, abs=0.002) and "rises by 0.06 nats of the 3.6" in prose
    assert kept["unigram"] - smallest[0] == pytest.approx(3.64, abs=0.01)
    assert min(one[i] for one in by_lot) > 4.5 and "above the dotted line from 40 %" in prose
    assert all((one > kept["unigram"]).tolist() == [share >= 0.4 for share in kept["shares"]] for one in by_lot)
    _, low, high = kept["loss"]["difference"][i]
    assert low < -3.1 < high and "cost 3.1 more" in prose
    _, low, high = kept["neighbors"]["difference"][i]
    assert 0.45 < low < high and kept["neighbors"]["curves"]["the smallest"][i][0] == pytest.approx(0.81, abs=0.01)
