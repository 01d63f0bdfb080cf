"""What the chapter on the shape of learning tells: the bell, the spike, the dimension, four kinds, three phases."""

import numpy as np
import pytest

from tutorial_book.experiments import shape_of_learning as dynamics
from tutorial_book.experiments.shape_of_learning import CLOUDS, KINDS, cloud, stored
from tutorial_lib import weights
from tutorial_lib.geometry import anisotropy, cosine, mean_interval
from tutorial_lib.gpt import GPT
from tutorial_lib.vectors import layer_states

pytestmark = pytest.mark.usefixtures("one_thread")
ALL, REST, TYPES = "all tokens", "without the first", "one of each type"


@pytest.fixture(scope="module")
def kinds():
    return stored()["kinds"]


def average_layers(values):
    """Average over layers 1 to 4: (n_seeds, n_steps) of (n_seeds, n_steps, n_layers)."""
    return values[:, :, 1:5].mean(2)


@pytest.mark.parametrize(
    "n, highest, without, in_layer_4", [(64, 0.12, 0.10, 0.10), (16, 0.29, 0.105, 0.145), (8, 0.43, 0.14, 0.20)]
)
def test_the_bell_is_the_first_token_s_and_higher_the_shorter_the_texts(page, n, highest, without, in_layer_4):
    assert len(page.cuts[n]) == 2560 // n
    bell, rest = page.bells[n], page.rest[n]
    assert int(np.argmax(bell)) == 3 and bell[3] == pytest.approx(highest, abs=0.01)
    assert rest[3] == pytest.approx(without, abs=0.01) and rest[4] == pytest.approx(in_layer_4, abs=0.01)
    *layers, behind_norm = page.first_norms[n]
    assert int(np.argmax(layers)) == 3 and layers[3] > 2.1 and behind_norm == pytest.approx(0.94, abs=0.02)


def test_what_the_first_token_s_place_makes_is_a_lower_bound_and_hardly_below(page):
    assert all(share <= measured for share, measured in zip(page.bound, page.bells[16], strict=True))
    assert page.bells[16] == pytest.approx(page.bound, abs=0.03)


def test_in_a_decoder_the_first_token_has_the_same_vector_in_all_texts(page, book_gpt):
    for X in layer_states(book_gpt, page.cuts[16][:20]).values():
        assert np.ptp(X[:, 0], axis=0).max() < 1e-4


def test_anisotropy_spikes_at_step_20_and_half_of_it_is_the_full_stop(page):
    values = {step: row[0] for step, row in page.along_training.items()}
    assert values[20] == pytest.approx(0.63, abs=0.01) and max(values, key=values.get) == 20
    assert [values[step] for step in (0, 400, 1600)] == pytest.approx([0.07, 0.09, 0.10], abs=0.01)
    cosines = {step: row[1] for step, row in page.along_training.items()}
    assert cosines[20] == pytest.approx(0.69, abs=0.01) and cosines[1600] < 0.07
    assert page.taken_apart[20][1] == pytest.approx(0.31, abs=0.01)  # without full stops
    assert max(page.of_type, key=page.of_type.get) == "." and page.of_type["."] == pytest.approx(0.71, abs=0.02)


def test_the_full_stop_is_the_most_frequent_token_one_in_ten(page):
    values, counts = np.unique(page.kept, return_counts=True)
    assert values[counts.argmax()] == page.gpt_tok.vocab["."]
    assert page.stop.mean() == pytest.approx(0.1, abs=0.02)


def test_over_all_tokens_of_short_texts_anisotropy_grows_again_with_the_first_token(page):
    _, _, every, first = zip(*page.along_training.values(), strict=True)
    assert every == pytest.approx([0.14, 0.51, 0.18, 0.20, 0.29], abs=0.01)
    assert first == pytest.approx([1.23, 1.05, 1.49, 1.74, 2.34], abs=0.05)
    cut = page.cuts[16]
    early = layer_states(GPT.from_pretrained("book-gpt-100", "cpu"), cut)["3"]
    assert page.rest[16][3] < anisotropy(cloud(early, cut, REST))  # not of the others


def test_at_step_20_its_loss_is_still_above_the_unigrams():
    curve = weights.read_json(weights.resolve("book-gpt") / "curves.json")
    assert np.mean(curve["loss"][17:22]) > curve["unigram"] > curve["loss"][40]


def test_the_mean_state_says_how_frequent_tokens_are(page):
    r = {step: row[3] for step, row in page.taken_apart.items()}
    assert r[0] < 0.05
    assert [r[step] for step in (20, 100, 400)] == pytest.approx([0.63, 0.85, 0.78], abs=0.02)


def test_dimensions_of_the_books_models(page):
    steps = [f"book-gpt, {step}" for step in (0, 20, 100, 400, 1600)]
    every, places, types, _, same_type = np.transpose([page.dimensions[step] for step in steps])
    assert every == pytest.approx([7.1, 6.5, 6.1, 5.2, 4.35], abs=0.15)
    assert types == pytest.approx([19.1, 15.9, 10.6, 7.3, 5.8], abs=0.4)
    assert places[[0, 2, 4]] == pytest.approx([23.1, 6.4, 4.4], abs=0.4)
    assert same_type[-1] == pytest.approx(62, abs=1)
    before, after = (page.dimensions[f"book-bert, {step}"] for step in (0, 1500))
    assert before[0] < 2 and after[0] == pytest.approx(5.75, abs=0.15)
    assert [before[1], after[1]] == pytest.approx([26.8, 5.5], abs=0.4)
    assert before[2] > 18 and after[2] < 6.5


def test_an_encoder_on_short_texts_has_no_bell(page):
    """Exercise 3."""
    assert page.of_eight["first / others"] == pytest.approx(5 * [1], abs=0.04)
    assert page.of_eight[ALL] == pytest.approx([0.16, 0.15, 0.14, 0.11, 0.12], abs=0.01)
    assert page.of_eight[REST] == pytest.approx([0.12, 0.14, 0.14, 0.12, 0.11], abs=0.01)


def test_before_the_first_step_near_copies_make_the_dimension_and_post_norm_has_the_nearest(page):
    expected = np.array([[8.7, 17.5], [2.1, 20.6], [7.8, 17.7], [1.6, 20.7]])
    assert np.array([*page.at_the_start.values()]) == pytest.approx(expected, abs=0.3)


def test_all_four_kinds_learn_and_both_norms_equally_fast(kinds):
    ends = {kind: values["loss"][:, -1].mean() for kind, values in kinds.items()}
    assert list(ends.values()) == pytest.approx([1.43, 1.43, 3.82, 3.79], abs=0.01)


def test_only_pre_norm_decoders_grow_a_long_first_token_and_show_it(kinds):
    for kind, values in kinds.items():
        added = (values[ALL]["anisotropy"] - values[REST]["anisotropy"])[:, -1, 4]
        long = values["first norm"][:, -1, 1:5].mean()
        if kind == "decoder, pre-norm":
            mean, low, high = mean_interval(added)
            assert long > 1.7 and mean == pytest.approx(0.024, abs=0.001) and low > 0.015
        else:
            assert long < 1.02 and abs(added).max() < 0.006


def test_the_last_norm_takes_away_what_the_first_token_added(kinds):
    every, rest = (kinds["decoder, pre-norm"][which]["anisotropy"][:, -1, 5] for which in (ALL, REST))
    assert abs(every - rest).max() < 0.01


def test_anisotropy_spikes_in_all_kinds_at_step_40_least_with_post_norm(kinds):
    means = {kind: average_layers(values[REST]["anisotropy"]).mean(0) for kind, values in kinds.items()}
    assert all(mean.argmax() == 3 for mean in means.values())
    assert [mean[3] for mean in means.values()] == pytest.approx([0.31, 0.24, 0.39, 0.13], abs=0.01)
    assert all(mean[-1] < 0.14 for mean in means.values())


def test_the_norm_decides_whether_the_dimension_of_all_tokens_grows(kinds):
    for kind, values in kinds.items():
        change = average_layers(values[ALL]["intrinsic dimension"])[:, [0, -1]]
        _, low, high = mean_interval(change[:, 1] - change[:, 0])
        assert high < 0 if KINDS[kind][1] else low > 0


def test_over_types_only_the_post_norm_encoder_has_two_phases(kinds):
    for kind, values in kinds.items():
        found = average_layers(values[TYPES]["intrinsic dimension"])
        rise, fall = mean_interval(found[:, 5] - found[:, 0]), mean_interval(found[:, -1] - found[:, 5])
        assert (rise[1] > 1 and fall[2] < -1) == (kind == "encoder, post-norm")


def test_loud_coordinates_change_next_to_nothing(kinds):
    for values in kinds.values():
        for which in CLOUDS[::2][:2]:
            for name, limit in (("anisotropy", 0.03), ("intrinsic dimension", 0.35)):
                loud, quiet = values[which][name][:, -1, 1:], values[f"{which}, quiet"][name][:, -1, 1:]
                assert abs(loud - quiet).max() < limit, name


def test_at_first_a_post_norm_layer_changes_its_input_little(page):
    for kind, (_, norm_first) in KINDS.items():
        found = layer_states(dynamics.new_model(kind, 0, 1210), page.ids % 1210)
        moved = cosine(found["0"], found["1"]).mean()
        assert moved < 0.5 if norm_first else moved > 0.85


@pytest.mark.parametrize("layer, r", [("1", 0.87), ("4", 0.17)])
def test_the_longest_direction_at_the_end_is_the_position_in_one_layer(page, layer, r):
    assert page.r_with_position[layer] == pytest.approx(r, abs=0.03)


def test_general_training_gains_the_head_alone_is_not_enough_and_counted_words_are(page):
    assert len(page.texts) == 392
    right = {(body, plan): np.mean(draws) for body, plans in page.results.items() for plan, draws in plans.items()}
    everything = right["general training", "everything, one rate"]
    assert everything > right["random weights", "everything, one rate"] + 0.02
    assert everything > right["general training", "the head alone"] + 0.02
    assert right["no network, words counted", "the head alone"] > everything - 0.02
