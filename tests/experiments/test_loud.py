"""Words in their texts, and scores item by item: on texts that can be counted by hand, and on vectors that know."""

import numpy as np
import pytest

from tutorial_book.experiments.loud import (
    GROUPS,
    Tasks,
    Tokens,
    agreement,
    reciprocal_ranks,
    repeated_words,
    silhouettes,
    strangers,
    token_vectors,
)  # fmt: skip
from tutorial_book.experiments.uses import reciprocal_rank
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import silhouette
from tutorial_lib.geometry.controls import leave_out
from tutorial_lib.gpt import GPT
from tutorial_lib.tokenization import BPE, WordPiece
from tutorial_lib.vectors import embed

rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def bert():
    return Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained()


def test_the_vectors_are_embeds_without_the_two_marks(bert):
    texts = ["A bear.", "Two bears dance in the tundra."]
    read = token_vectors(texts, *bert)
    every = embed(texts, bert[0], "tokens", "all", tokenizer=bert[1])
    np.testing.assert_array_equal(read.vectors, np.concatenate([row[:, 1:-1] for row in every], axis=1))
    assert read.tokens[:3].tolist() == ["a", "bear", "."] and "[SEP]" not in read.tokens
    assert read.texts.tolist() == [0] * 3 + [1] * (len(read.tokens) - 3)


def test_a_gpt_reads_after_its_start_sign():
    gpt, tok = GPT.from_pretrained("book-gpt", "cpu"), BPE.from_pretrained("book-gpt")
    read = token_vectors(["Mia had a kite."], gpt, tok)
    stops = gpt.trace(tok.encode("<|endoftext|>Mia had a kite.").ids)
    assert read.tokens[0] == "Mia" and read.vectors.shape == (5, len(read.tokens), 128)
    np.testing.assert_allclose(read.vectors[-1], stops["layer.3.output"][0, 1:].detach().numpy(), atol=1e-5)


def test_whole_words_that_occur_in_enough_texts_are_kept_once_a_text():
    tokens = "a dog is a dog | a dog ##ma is . | a bear | a bear is".split(" | ")
    texts = np.repeat(range(4), [len(text.split()) for text in tokens])
    tokens = np.array(" ".join(tokens).split())
    read = Tokens(np.arange(2.0 * len(tokens)).reshape(1, -1, 2), tokens, texts)
    words = repeated_words(read, least=3)
    assert sorted(words.tokens) == ["a"] * 4 + ["is"] * 3  # "dog" stands in two texts, once as a piece of "dogma"
    assert words.places[words.tokens == "a"].tolist() == [0, 5, 10, 12] and (tokens[words.places] == words.tokens).all()


def test_strangers_of_a_group_come_from_different_texts():
    read = Tokens(np.zeros((1, 9, 2)), np.array(list("abcdefghi")), np.array([0, 0, 0, 0, 1, 2, 2, 3, 3]))
    groups = np.array(["x", "y", "x", "y", "x", "x"])
    drawn = [strangers(read, groups, seed) for seed in range(40)]
    for places in drawn:
        assert sorted(read.texts[places[groups == "x"]]) == [0, 1, 2, 3]
        assert len(set(read.texts[places[groups == "y"]])) == 2
    assert set(np.concatenate(drawn)) == set(range(9)) and (strangers(read, groups, 0) == drawn[0]).all()
    with pytest.raises(ValueError, match="at most 4 tokens, one of each text, got 5"):
        strangers(read, ["x"] * 5)


def test_reciprocal_ranks_are_those_of_the_chapter_on_uses():
    C = rng.normal(size=(20, 12))
    answers = [rng.choice(12, 3, replace=False).tolist() for _ in range(20)]
    theirs = reciprocal_rank([row.argsort()[::-1].tolist() for row in C], answers)
    np.testing.assert_allclose(reciprocal_ranks(C, answers), theirs)
    assert reciprocal_ranks(np.zeros((1, 4)), [[2]]) == 0.25  # all alike: nothing is found


def test_silhouettes_average_to_the_librarys():
    X, labels = rng.normal(size=(30, 4)), np.repeat([0, 1, 2], 10)
    assert silhouettes(X, labels).mean() == pytest.approx(silhouette(X, labels, "cosine"), abs=1e-6)


def test_differences_that_point_one_way_agree_and_others_do_not():
    contrast = np.repeat([0, 1], 50)
    one_way = np.outer(rng.random(100) + 1, rng.normal(size=200))
    np.testing.assert_allclose(agreement(one_way, contrast), 1)
    assert np.abs(agreement(rng.normal(size=(100, 200)), contrast).mean()) < 0.05


@pytest.fixture(scope="module")
def tasks(bert):
    return Tasks(lambda texts: embed(texts, bert[0], tokenizer=bert[1], layers=[5, 6]))


def test_the_items_are_56_questions_32_triples_91_sentences_and_96_pairs(tasks):
    scores = tasks.scores(-1)
    assert {name: len(values) for name, values in scores.items()} == {
        "questions": 56, "paraphrases": 32, "groups": 91, "contrasts": 96}  # fmt: skip
    assert len(GROUPS) == 4 and scores["questions"].mean() == pytest.approx(0.72, abs=0.01)
    assert tasks.vectors["background"].shape[1] == 171 + 160 + 367


def test_scores_do_not_change_with_lengths_and_turns_but_with_what_is_left_out(tasks):
    before = tasks.scores(0)
    turn = np.linalg.qr(rng.normal(size=(384, 384)))[0]
    turned = tasks.scores(0, lambda X: 3 * X @ turn)
    for name, values in before.items():
        np.testing.assert_allclose(turned[name], values, atol=1e-6)
    less = tasks.scores(0, leave_out(turn, range(300)))
    assert all(not np.allclose(less[name], values) for name, values in before.items())


def test_contrasts_do_not_see_a_shift_of_all_vectors(tasks):
    shift = rng.normal(size=384)
    np.testing.assert_allclose(tasks.scores(0, lambda X: X + shift)["contrasts"], tasks.scores(0)["contrasts"])
