import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.training.pretraining import training_pairs


def test_sentence_makes_the_four_pairs_of_the_document():
    assert training_pairs(["Karhut", "ovat", "karvaisia", "."]) == [
        ([], "Karhut"),
        (["Karhut"], "ovat"),
        (["Karhut", "ovat"], "karvaisia"),
        (["Karhut", "ovat", "karvaisia"], "."),
    ]


@given(st.lists(st.integers(), min_size=1))
def test_each_token_is_predicted_once_from_earlier_tokens(tokens):
    pairs = training_pairs(tuple(tokens))
    assert [target for _, target in pairs] == tokens
    assert all(prefix + [target] == tokens[: len(prefix) + 1] for prefix, target in pairs)
    assert [len(prefix) for prefix, _ in pairs] == list(range(len(tokens)))


def test_bad_input_is_rejected_by_name():
    for tokens in ("Karhut", []):
        with pytest.raises(ValueError, match="tokens must be a list of one token or more"):
            training_pairs(tokens)
