"""The public checks, all of them alike: the right answer passes, and each usual mistake is told by its own hint."""

import importlib
import pkgutil

import numpy as np
import pytest

import tutorial_lib.coursework
from tutorial_lib.coursework import attention, bert_layer
from tutorial_lib.coursework.exercise import Case, Exercise, difference, same

MODULES = [
    importlib.import_module(f"tutorial_lib.coursework.{m.name}")
    for m in pkgutil.iter_modules(tutorial_lib.coursework.__path__)
]
EXERCISES = [value for module in MODULES for value in vars(module).values() if isinstance(value, Exercise)]
EXERCISES = list({id(exercise): exercise for exercise in EXERCISES}.values())
MISTAKES = [(exercise, hint) for exercise in EXERCISES for hint in exercise.mistakes]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_right_answer_passes(exercise, capsys):
    assert exercise.check(exercise.reference) is True
    assert f"All {len(exercise.cases)} checks" in capsys.readouterr().out


@pytest.mark.parametrize("exercise, hint", MISTAKES, ids=[f"{e.name}: {h[:40]}" for e, h in MISTAKES])
def test_each_mistake_is_told_by_its_own_hint(exercise, hint, capsys):
    assert exercise.check(exercise.mistakes[hint]) is False
    assert hint in capsys.readouterr().out


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
@pytest.mark.parametrize(
    "wrong", [lambda *a: None, lambda *a: "text", lambda *a: np.zeros((9, 9, 9)), lambda: 1, 7], ids=str
)
def test_whatever_comes_there_is_a_sentence_and_no_exception(exercise, wrong, capsys):
    assert exercise.check(wrong) is False
    assert "✗" in capsys.readouterr().out


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_work_that_is_not_begun_is_no_error(exercise, capsys):
    def blank(*_):
        raise NotImplementedError

    assert exercise.check(blank) is False
    assert "no code of yours yet" in capsys.readouterr().out


def test_a_function_that_changes_its_inputs_is_told(capsys):
    def softmax(x):
        x -= x.max(axis=-1, keepdims=True)
        return attention.softmax(x)

    assert attention.SOFTMAX.check(softmax) is False
    assert "changes its inputs" in capsys.readouterr().out
    x = attention.SOFTMAX.cases[1].arguments[0].copy()
    attention.SOFTMAX.check(softmax)
    assert (attention.SOFTMAX.cases[1].arguments[0] == x).all()  # and the next check starts with clean ones


def test_the_first_wrong_part_is_named(capsys):
    attention.ATTENTION.check(lambda Q, K, V, mask=None: (attention.attention(Q, K, V, mask)[0], 0 * K))
    assert "weights: the shape is" in capsys.readouterr().out
    attention.ATTENTION.check(lambda Q, K, V, mask=None: attention.attention(Q, K, V, mask)[0])
    assert "give back 2 things, (output, weights)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "one, other, agree",
    [
        ([1, 2], [1, 2], True), ([1, 2], (1, 2), True), ([[1], [1, 2]], [[1], [1, 2]], True), ("a", "a", True),
        (["a"], ["b"], False), ("1", 1, False),
        ({"a": 1}, {"a": 1}, True), ({"a": 1}, {"b": 1}, False), (np.array([np.nan]), np.array([np.nan]), True),
        (1, "1", False),
        (True, 1, False), (None, None, True), (np.ones(2), np.ones(3), False),
        ([["a"], ["b", "c"]], [["a"], ["b", "c"]], True),
    ],
)  # fmt: skip
def test_same(one, other, agree):
    assert same(one, other, 1e-6) is agree


def test_a_difference_is_told_in_words():
    assert difference(np.ones((2, 3)), np.ones((3, 2)), 1e-6) == "the shape is (2, 3), and (3, 2) is right"
    assert difference(["a"], ["b"], 0) == "got ['a'], and ['b'] is right"
    assert difference(None, 1.0, 0).startswith("your function gives back nothing")


def test_a_mistake_that_cannot_be_made_with_these_arguments_is_passed_over(capsys):
    exercise = Exercise("f", lambda x: x, (Case("one", (1.0,)),), {"never": lambda x: 1 / 0, "twice": lambda x: 2 * x})
    exercise.check(lambda x: 2 * x)
    assert capsys.readouterr().out.startswith("✗ one: the value is 2, and 1 is right. Hint: twice\n")


# --- the references against the library, which is held against Hugging Face's models -------------------------------


def test_assignment_2_is_the_librarys_own(capsys):
    torch = pytest.importorskip("torch")
    from tutorial_lib import attention as library
    from tutorial_lib import positions

    Q, K, V = (torch.randn(2, n, d, dtype=torch.float64) for n, d in ((3, 4), (5, 4), (5, 6)))
    mask = torch.rand(3, 5) < 0.7
    mask[:, 0] = True
    ours, theirs = attention.attention(Q.numpy(), K.numpy(), V.numpy(), mask.numpy()), library.attention(Q, K, V, mask)
    assert all(np.allclose(a, b) for a, b in zip(ours, theirs, strict=True))
    assert np.allclose(attention.softmax(Q.numpy()), torch.softmax(Q, -1))
    assert (attention.causal_mask(6) == library.causal_mask(6).numpy()).all()
    assert np.allclose(attention.sinusoidal(50, 16), positions.sinusoidal(50, 16), atol=1e-6)
    assert np.allclose(attention.shift_matrix(7, 16), positions.shift_matrix(7, 16), atol=1e-6)


def test_assignment_3_is_hugging_faces_layer(hf_bert):
    import torch

    from tutorial_lib.bert import Bert

    X = torch.randn(1, 9, 384)
    for layer in range(6):
        weights = bert_layer.weights_of(Bert.from_hf(hf_bert), layer)
        with torch.no_grad():
            right = hf_bert.encoder.layer[layer](X)
        right = right[0] if isinstance(right, tuple) else right
        assert np.allclose(bert_layer.bert_layer(X[0].numpy(), weights, 12), right.reshape(9, 384), atol=2e-5)
