"""If a document is wrong, the correct value is computed in a second way: NumPy, exact decimals, transformers, torch.

If it is right, its own number is the second way.
"""

from decimal import Decimal
from math import pi

import numpy as np
import pytest
import torch

from tutorial_book.claims.quotes import BEAR, IDS, LOVE, TOKENS
from tutorial_book.claims.tokenization import ALGEBRA
from tutorial_book.experiments import attention as toy

X = [[10, 2, 3, 1], [3, 9, 2, 4], [2, 1, 8, 3], [4, 3, 2, 9], [1, 7, 4, 2], [5, 2, 6, 3], [8, 1, 2, 5]]  # R, in tenths
STEPS = np.arange(1, 17).reshape(4, 4)
Q, K, V = np.matmul(X, [STEPS, STEPS + 1, STEPS + 2])  # in hundredths
SCORES = [Decimal(int(score)) / 10_000 for score in Q[3] @ K.T]  # of “painted”
EXPS = [(score / 2).exp() for score in SCORES]
PRINTED = [Decimal(z).exp() for z in "2.716 3.062 4.615 5.078 3.446 4.373 2.839".split()]
NUMBERS = {
    "attention/R-5.4-q-painted": [
        *(Q[3] / 100, K[2] / 100, V[2] / 100),
        *(SCORES, [score / 2 for score in SCORES], [e / sum(EXPS) for e in EXPS]),
    ],
    "attention/R-8.2-exponentials": [PRINTED, [e / sum(PRINTED) for e in PRINTED]],
    "positions/R-3.4-longest-wavelength": [[2 * pi * 10000 ** (510 / 512)]],
}


def test_worked_example_is_the_printed_one():
    assert toy.TOKENS == "[CLS] The artist painted the portrait [SEP]".split()
    for ours, tenths in ((toy.X, X), (toy.W_Q, STEPS), (toy.W_K, STEPS + 1), (toy.W_V, STEPS + 2)):
        np.testing.assert_allclose(ours, np.array(tenths) / 10, atol=1e-15)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_those_of_another_way(computed, name):
    lists = computed(name.split("/")[1])
    for ours, theirs in zip(lists if isinstance(lists, list) else [[lists]], NUMBERS[name], strict=True):
        np.testing.assert_allclose(ours, np.array(theirs, dtype=float), rtol=1e-7)


@pytest.fixture(scope="module")
def theirs(default_folder):
    from transformers import BertTokenizer

    return BertTokenizer.from_pretrained(default_folder)


def test_tokens_and_ids_are_those_of_transformers(computed, theirs):
    of_one = [computed(f"R-11.4-{field}") for field in ("ids", "mask", "types")]
    of_pair = [computed("R-11.5-ids"), *computed("R-11.5-mask")]
    for texts, lists in (([LOVE], of_one), ([LOVE, ALGEBRA], of_pair)):
        found = theirs(*texts, max_length=20, padding="max_length", truncation=True, return_token_type_ids=True)
        assert lists == [found["input_ids"], found["attention_mask"], found["token_type_ids"]]
    for id, text in (("L-3.2.2-bearness", "bearness"), ("R-11.3-tokens", LOVE)):
        assert computed(id) == theirs.tokenize(text)
    assert computed("R-2.1-learning") == theirs.decode(theirs.convert_tokens_to_ids(["learn", "##ing"]))
    words = "serendipitous", "stonger", "xqq"
    assert computed("L-3.2.2-every-character") == ["[UNK]" not in theirs.tokenize(word) for word in words]
    questions = "What is AI?", "How does machine learning work?"
    assert computed("R-11.1-what-is-ai") == [len(theirs.tokenize(text)) for text in questions]
    differ = [TOKENS[i] for i, (ours, printed) in enumerate(zip(computed("L-3.2.1-ids"), IDS)) if ours != printed]
    assert differ == ["a"] and len(TOKENS) == len(BEAR.split()) + 5  # in the cased vocabulary


def test_transformers_does_what_the_notes_say(theirs, hf_bert):
    import transformers

    assert hasattr(theirs, "encode_plus") == (int(transformers.__version__.split(".")[0]) < 5)
    assert hf_bert(torch.tensor([[101, 102]])).hidden_states is None  # they come only when asked for
