"""Tuning: which part learns when, at which rate; and the small task, predicting the next feeling."""

import copy

import pytest
import torch

from tutorial_lib import gpt
from tutorial_lib.texts.generated import stories
from tutorial_lib.training.tuning import (
    HAPPY,
    HELPERS,
    SAD,
    Classifier,
    Plan,
    accuracy,
    dialect,
    feelings,
    retold,
    tune,
)

TEXTS, LABELS = [[5, 6], [7, 8, 6], [5, 9], [7, 6]] * 3, [0, 1, 0, 1] * 3


@pytest.fixture
def body():
    torch.manual_seed(0)
    return gpt.GPT(gpt.Config(vocab_size=20, d_model=8, n_layers=2, n_heads=2, d_ff=16, n_positions=8))


def test_head_reads_last_token_and_ignores_padding(body):
    classifier = Classifier(body, 3)
    X, _ = body.hidden([[7, 8, 6]])
    expected = classifier.head(X[0, -1])
    assert torch.allclose(classifier([[7, 8, 6]])[0], expected, atol=1e-6)
    assert torch.allclose(classifier([[5, 4, 3, 2, 1], [7, 8, 6]])[1], expected, atol=1e-6)


def test_parts_contain_each_parameter_once(body):
    classifier = Classifier(body, 2)
    parts = classifier.parts()
    assert len(parts) == 4
    listed = [id(p) for part in parts for p in part]
    assert len(set(listed)) == len(listed) and set(listed) == {id(p) for p in classifier.parameters()}


def test_slanted_rate_peaks_after_a_tenth_then_falls():
    plan = Plan(n_steps=100, lr=0.32, slanted=True)
    rates = [plan.rate(step) for step in range(101)]
    assert max(rates) == rates[10] == 0.32 and rates[0] == pytest.approx(0.01) == rates[100]
    assert rates[55] == pytest.approx((0.32 + 0.01) / 2)
    assert Plan(n_steps=100, lr=0.32).rate(0) == Plan(n_steps=100, lr=0.32).rate(99) == 0.32


def test_lower_parts_learn_more_slowly_and_join_later():
    assert Plan(lr=1.0, factor=2.0).rates(0, 3) == [1.0, 0.5, 0.25]
    plan = Plan(n_steps=12, lr=1.0, gradual=True)
    assert [sum(rate > 0 for rate in plan.rates(step, 3)) for step in (0, 2, 4, 11)] == [1, 2, 3, 3]
    assert Plan(lr=1.0, head_alone=True).rates(11, 3) == [1.0, 0, 0]


@pytest.mark.parametrize("plan, moved", [(Plan(12, head_alone=True), 1), (Plan(12), 4), (Plan(7, gradual=True), 4),
                                         (Plan(3, gradual=True), 3)])  # fmt: skip
def test_parts_train_only_after_joining(body, plan, moved):
    classifier = Classifier(body, 2)
    before = copy.deepcopy(classifier.parts())
    tune(classifier, TEXTS, LABELS, plan)
    changed = [any(not torch.equal(p, q) for p, q in zip(*pair, strict=True))
               for pair in zip(before, classifier.parts(), strict=True)]  # fmt: skip
    assert changed == [True] * moved + [False] * (4 - moved)


def test_tuning_learns_and_the_seed_draws_batches(body):
    classifiers = [Classifier(copy.deepcopy(body), 2) for _ in range(2)]
    classifiers[1].load_state_dict(classifiers[0].state_dict())
    losses = [tune(classifier, TEXTS, LABELS, Plan(40, lr=0.01), seed=1) for classifier in classifiers]
    assert losses[0] == losses[1] and losses[0][-1] < 0.2
    assert accuracy(classifiers[0], TEXTS, LABELS) == 1
    with pytest.raises(ValueError, match="labels must have one label per text, 12, got 2"):
        tune(classifiers[0], TEXTS, [0, 1])
    with pytest.raises(ValueError, match="texts must contain at least one list"):
        tune(classifiers[0], [], [])


def test_dialect_changes_words_but_keeps_parts_of_speech():
    told = stories(80, seed=5)
    words = dialect(told, seed=1)
    assert words == dialect(told, seed=1) != dialect(told, seed=2)
    assert not HELPERS & set(words["verb"]) and words["noun"] != {word: word for word in words["noun"]}
    for story in told[:20]:
        new = retold(story, words)
        assert len(new) == len(story.sentences)
        old_words, new_words = story.text.split(), " ".join(new).split()
        assert len(old_words) == len(new_words)
        kept = sum(one == other for one, other in zip(old_words, new_words, strict=True)) / len(old_words)
        assert 0.4 < kept < 0.8
        for word in story.words:
            if word.pos in ("noun", "verb") and word.text in words[word.pos]:
                assert words[word.pos][word.text] in words[word.pos]


def test_texts_hide_their_labels_and_classes_are_even():
    told = stories(200, seed=5)
    texts, labels = feelings(told)
    assert labels == [0, 1] * (len(labels) // 2) and len(texts) == len(labels) > 50
    whole = [story.text for story in told]
    for text, label in zip(texts, labels, strict=True):
        named = {word.strip(".,").lower() for word in text.split()}
        assert not named & (HAPPY | SAD)
        [story] = [story for story in whole if text in story][:1]
        behind = story[story.index(text) + len(text) + 1 :].split(".")[0].lower().split()
        assert {word.strip(",") for word in behind} & (SAD if label else HAPPY)


def test_texts_have_two_or_three_sentences():
    texts, _ = feelings(stories(1000, seed=5))
    assert {sum(word.endswith((".", "!", "?")) for word in text.split()) for text in texts} == {2, 3}
