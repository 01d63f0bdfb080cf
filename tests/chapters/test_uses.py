"""Row 38 on the default model: what the chapter on uses says about search, chunks, features and bias, pinned."""

import numpy as np
import pytest

from tutorial_lib.geometry import bootstrap_interval, cosine_matrix


def test_the_mean_of_the_last_layer_finds_best(page):
    mrr = {key: ranks.mean() for key, (_, ranks) in page.results.items() if key[0] in page.poolings}
    ranked = sorted(mrr, key=mrr.get, reverse=True)
    assert ranked[:2] == [("mean", 6), ("max", 6)] and mrr["mean", 6] == pytest.approx(0.72, abs=0.05)
    assert mrr["cls", 6] == pytest.approx(0.48, abs=0.05) and mrr["cls", 5] < 0.1
    assert all(mrr["mean", layer] >= mrr[name, layer] for name, layer in mrr)


def test_cls_turns_toward_the_mean_of_its_own_text_in_the_last_layer_and_not_before(page):
    before, after = page.own_mean
    assert before < 0.05 and after > 0.95
    own, of_others = page.toward[1].diagonal().mean(), page.toward[1][~np.eye(len(page.texts), dtype=bool)].mean()
    assert own > 0.4 and abs(of_others) < 0.1


def test_the_two_large_coordinates_cost_cls_some_quality_and_the_mean_of_the_last_layer_none(page):
    gains = {name: without - with_them for name, (with_them, without) in page.without_large.items()}
    assert gains["cls, layer 6"] > 0.05 and abs(gains["mean, layer 6"]) < 0.01 and abs(gains["cls, layer 5"]) < 0.02


def test_centering_alone_is_compared_with_centered_and_cut(page):
    mrr = page.mrr_of
    every = mrr[f"{page.kept[-1]}, centered"]
    center = page.X.mean(0)
    _, of_centered = page.quality(cosine_matrix(page.Q - center, page.X - center))
    assert every == pytest.approx(of_centered.mean(), abs=0.01)
    assert mrr["8, centered"] < 0.4 < 0.7 < mrr["128, centered"] and abs(mrr["128, centered"] - every) < 0.03


def test_the_bear_on_its_hind_legs_is_found_first(page):
    first, second, *_ = page.of_bears
    assert "hind legs" in first[0] and "Sloth bears" in second[0]


def test_chunks_of_128_with_overlap_bring_more_whole_answers_than_without_and_than_one_large_chunk(page):
    whole = {cut: each.mean() for cut, each in page.whole_answers.items()}
    assert whole[128, 32] > whole[128, 0] + 0.1 and whole[128, 32] > whole[510, 127] + 0.1


def test_vectors_beat_words_and_the_most_frequent_class_at_moods_and_fields(page):
    for task in ("field of a text", "mood of a post"):
        vectors, words, most = (page.judged[task, name] for name in ("vectors", "words", "most frequent"))
        assert vectors.mean() > 2 * words.mean() and vectors.mean() > 2 * most.mean()
        for seed in range(2):
            low, _ = bootstrap_interval(np.mean, vectors - words, seed=seed)
            assert low > 0.2


def test_the_womans_sentence_is_nearer_to_the_nurse_and_the_mans_to_the_doctor(page):
    leaning = dict(zip(page.jobs, page.leaning, strict=True))
    assert (leaning["nurse"] > 0).all() and (leaning["doctor"] < 0).all()
    beyond = {job: bootstrap_interval(np.mean, each) for job, each in zip(page.jobs, page.beyond, strict=True)}
    assert beyond["nurse"][0] > 0 and all(beyond[job][1] < 0 for job in ("doctor", "soldier"))
