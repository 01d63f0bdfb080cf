"""A view rejects anything that it cannot show, and names the argument. tests/test_bad_calls.py tries more at random."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from tests.views.examples import made_up_trace
from tutorial_lib import load, views
from tutorial_lib.tokenization import BPE, Encoding, WordPiece
from tutorial_lib.tokenization.wordpiece import SPECIAL

A = np.eye(2)
CLOUD = [
    ({"points": [["a", "b", "c"]]}, "points must be an array of real numbers"),
    ({"points": np.zeros((2, 4))}, r"points must have shape \(n, 3\) or \(n, 2\), got \(2, 4\)"),
    ({"points": np.zeros((0, 3))}, "points must be a matrix of 1 or more vectors"),
    ({"points": np.zeros((5001, 3))}, "points must have from 1 to 5,000 rows, got 5,001"),
    ({"points": [[0, 0, math.nan]] * 2}, "points must be finite, got 2 values"),
    ({"labels": ["a"]}, "labels must contain 2 texts, got 1"),
    ({"labels": "ab"}, "labels must be a list of texts"),
    ({"groups": ["a"]}, "groups must contain 2 texts, got 1"),
    ({"colors": [1]}, "colors must be 2 numbers"),
    ({"colors": [1, math.inf]}, "colors must be finite"),
    ({"colors": [1, 2], "groups": ["a", "b"]}, "groups and colors must not both be given"),
    ({"axes": ("x", "y")}, "axes must contain 3 texts, got 2"),
    ({"points": np.zeros((7, 3)), "groups": list("abcdefg")}, "groups must have at most 6 different"),
]
CALCULATOR = [
    ({"tokens": []}, "tokens must contain at least one text"),
    ({"tokens": [1, 2]}, r"tokens\[0\] must be a str"),
    ({"tokens": ["a"]}, "X must have one row for each of the 1 tokens"),
    ({"X": torch.zeros(2)}, "X must be a matrix"),
    ({"W_Q": torch.full((2, 2), float("nan"))}, "W_Q must be finite"),
    ({"W_V": torch.full((2, 2), 1e7)}, "W_V must contain finite numbers"),
    ({"W_V": torch.zeros(3, 2)}, "W_V must have 2 rows"),
    ({"W_K": torch.zeros(2, 3)}, "W_Q and W_K must have the same shape"),
]
HEADS = [
    ((A, ["a"]), r"source must have weights \(..., 1, 1\) for these tokens"),
    ((A, "ab"), "tokens must be an Encoding or a list of str"),
    ((A * 7, ["a", "b"]), "source must have weights from 0 to 1, got 0 to 7"),
    ((A, ["a", "b"], 1), "layer must be from 0 to 0, got 1"),
    ((A, ["a", "b"], 0, 3), "head must be from 0 to 0, got 3"),
    ((np.full((2, 2), np.nan), ["a", "b"]), "finite"),
    (({"x": 1}, ["a", "b"]), "layer.0.attention.weights, got one with x"),
    ((np.stack([np.eye(2)] * 3)[None, :, None], ["a", "b"]), "source must be of one text, got weights of 3"),
    ((A, Encoding([[5, 6]] * 2, [["a", "b"]] * 2, [[0, 0]] * 2, [[1, 1]] * 2)), "tokens must be of one text, got 2"),
    ((A, ["a", "b"], 0, 0, None, 2), "query must be"),
    *(((A, ["a", "b"], 0, head), "head must be from 0 to 0") for head in (True, 1.0, -1, "0", torch.tensor(1.0))),
]
OTHERS = [
    (lambda: views.softmax_explorer([], []), "labels must contain at least one text"),
    (lambda: views.softmax_explorer([1.0], [1]), r"labels\[0\] must be a str"),
    (lambda: views.softmax_explorer([1.0], ["a", "b"]), "one number per label, 2"),
    (lambda: views.softmax_explorer([math.nan], ["a"]), "scores must be finite"),
    (lambda: views.dot_product_explorer((1, 2, 3)), "a must be two numbers from -3 to 3"),
    (lambda: views.dot_product_explorer((1, 2), (0, 3.5)), "b must be two numbers"),
    (lambda: views.gaze_view(A, ["a", "b"], query=5), "query"),
    (lambda: views.gaze_view(A, ["a", "b"], layer=1), "layer"),
    (lambda: views.gaze_view(A, ["a", "b"], head=-1), "head"),
    (lambda: views.model_view(A, ["a", "b"], head=None), "head must be from 0 to 0, got None"),
    (lambda: views.neuron_view(made_up_trace(1, 1, 4, 4), list("abcd"), query=4), "query must be from 0 to 3, got 4"),
    (lambda: views.neuron_view(A, ["a", "b"]), "layer.0.attention.queries, got weights alone"),
    (lambda: views.sinusoid_explorer(7, 64), "d_model"),
    (lambda: views.sinusoid_explorer(16, 7), "n must be"),
    (lambda: views.sinusoid_explorer(16, 600), "n must be"),
    (lambda: views.try_it("no function", "x"), "answer must be"),
    (lambda: views.try_it(str.upper, 3), "text must be"),
    (lambda: views.story_view(*load("book-gpt", "cpu"), 5), "text must be a str"),
]
MODELS = [
    (lambda bert, tok: views.head_view(bert, ["a", "b"]), "tokens must be an Encoding"),
    (lambda bert, tok: views.tokenizer_explorer(BPE.train(["a b"], 260)), "tok must be a WordPiece tokenizer, got BPE"),
    (lambda bert, tok: views.tokenizer_explorer(tok, 3), "text must be a str, got int"),
    (lambda bert, tok: views.tokenizer_explorer(tok, "\ud83d"), "text must be valid Unicode"),
    (lambda bert, tok: views.tokenizer_explorer(WordPiece([*SPECIAL, "a\nb"])), "tok must have tokens without line"),
]


def calls(bert, tok):
    cloud = {"points": np.eye(3)[:2]}
    matrices = {"tokens": ["a", "b"]} | {name: torch.eye(2) for name in ("X", "W_Q", "W_K", "W_V")}
    for change, message in CLOUD:
        yield partial(views.point_cloud, **cloud | change), message
    for change, message in CALCULATOR:
        yield partial(views.attention_calculator, **matrices | change), message
    for arguments, message in HEADS:
        yield partial(views.head_view, *arguments), message
    yield from OTHERS
    for call, message in MODELS:
        yield partial(call, bert, tok), message


def test_views_name_bad_arguments(bert, tok):
    for call, message in calls(bert, tok):
        with pytest.raises((TypeError, ValueError), match=message):
            call()
