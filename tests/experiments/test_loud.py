"""Words in their texts, and scores item by item: on texts that can be counted by hand, and on known vectors."""

import re
from functools import cache

import numpy as np
import pytest

from tutorial_book.experiments import loud
from tutorial_book.experiments.loud import Tokens
from tutorial_book.experiments.uses import reciprocal_rank
from tutorial_lib.geometry.controls import leave_out
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

rng = np.random.default_rng(0)


def test_vectors_are_embeds_without_the_marks(bert, tok):
    texts = ["A bear.", "Two bears dance in the tundra."]
    read = loud.token_vectors(texts, bert, tok)
    every = embed(texts, bert, "tokens", "all", tokenizer=tok)
    np.testing.assert_array_equal(read.vectors, np.concatenate([row[:, 1:-1] for row in every], axis=1))
    assert read.tokens[:3].tolist() == ["a", "bear", "."] and "[SEP]" not in read.tokens
    assert read.texts.tolist() == [0] * 3 + [1] * (len(read.tokens) - 3)


def test_gpt_reads_after_its_start_sign(book_gpt, book_bpe):
    read = loud.token_vectors(["Mia had a kite."], book_gpt, book_bpe)
    stops = book_gpt.trace(book_bpe.encode("<|endoftext|>Mia had a kite.").ids)
    assert read.tokens[0] == "Mia" and read.vectors.shape == (5, len(read.tokens), 128)
    for i, name in ((0, "embeddings.output"), (-1, "layer.3.output")):
        np.testing.assert_allclose(read.vectors[i], stops[name][0, 1:].detach().numpy(), atol=1e-5)


def test_whole_words_of_enough_texts_are_kept():
    """Once per text; the piece "dog" of "dogma" is not a word."""
    tokens = "a dog is a dog | a dog ##ma is . | a dog | a bear is".split(" | ")
    texts = np.repeat(range(4), [len(text.split()) for text in tokens])
    tokens = np.array(" ".join(tokens).split())
    words = loud.repeated_words(Tokens(np.zeros((1, len(tokens), 2)), tokens, texts), least=3)
    assert sorted(words.tokens) == ["a"] * 4 + ["is"] * 3
    assert words.places[words.tokens == "a"].tolist() == [0, 5, 10, 12] and (tokens[words.places] == words.tokens).all()


def test_strangers_of_a_group_come_from_different_texts():
    read = Tokens(np.zeros((1, 9, 2)), np.array(list("abcdefghi")), np.array([0, 0, 0, 0, 1, 2, 2, 3, 3]))
    groups = np.array(["x", "y", "x", "y", "x", "x"])
    drawn = [loud.strangers(read, groups, seed) for seed in range(40)]
    for places in drawn:
        assert sorted(read.texts[places[groups == "x"]]) == [0, 1, 2, 3]
        assert len(set(read.texts[places[groups == "y"]])) == 2
    assert set(np.concatenate(drawn)) == set(range(9)) and (loud.strangers(read, groups, 0) == drawn[0]).all()
    with pytest.raises(ValueError, match="at most 4 tokens, one from each text, got 5"):
        loud.strangers(read, ["x"] * 5)


def test_reciprocal_ranks_are_those_of_uses():
    C = rng.normal(size=(20, 12))
    answers = [rng.choice(12, 3, replace=False).tolist() for _ in range(20)]
    theirs = reciprocal_rank([row.argsort()[::-1].tolist() for row in C], answers)
    np.testing.assert_allclose(loud.reciprocal_ranks(C, answers), theirs)
    assert loud.reciprocal_ranks(np.zeros((1, 4)), [[2]]) == 0.25  # all equal: nothing is found


@pytest.fixture(scope="module")
def tasks():
    """A text's vector adds up its words' random vectors; a question is read as the texts that answer it."""
    answers = load_texts("queries")

    @cache
    def vector(word):
        return np.random.default_rng([*word.encode()]).normal(size=64)

    def read(text):
        return sum(vector(word) for told in answers.get(text, [text]) for word in re.findall(r"\w+", told.lower()))

    return loud.Tasks(lambda texts: np.stack([read(text) for text in texts])[None])


def test_tasks_score_each_item(tasks):
    scores = tasks.scores(-1)
    items = {"questions": 56, "paraphrases": 32, "groups": 91, "contrasts": 96}
    assert {name: len(values) for name, values in scores.items()} == items
    assert scores["questions"].tolist() == [1] * 56
    assert scores["paraphrases"].tolist() == [0] * 32  # of the words that count here, the other text has more
    assert [scores[name].mean().round(3) for name in ("groups", "contrasts")] == [0.749, 0.735]
    assert len(loud.GROUPS) == 4 and tasks.vectors["background"].shape[1] == 171 + 160 + 367


def test_scores_change_with_what_is_left_out_alone(tasks):
    before = tasks.scores(0)
    turn = np.linalg.qr(rng.normal(size=(64, 64)))[0]
    turned, less = tasks.scores(0, lambda X: 3 * X @ turn), tasks.scores(0, leave_out(turn, range(50)))
    for name, values in before.items():
        np.testing.assert_allclose(turned[name], values, atol=1e-6)
        assert not np.allclose(less[name], values)
    shift = rng.normal(size=64)  # of all vectors: no difference sees it
    np.testing.assert_allclose(tasks.scores(0, lambda X: X + shift)["contrasts"], before["contrasts"])
