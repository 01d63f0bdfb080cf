"""Checks that the chapter on where heads rest cannot do: the solution of its second exercise."""

from tutorial_lib.bert import Bert
from tutorial_lib.tokenization import WordPiece


def test_coordinate_99_comes_from_position_0_and_cls(page):
    bert, tok = Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained()
    assert bert.embeddings.positions.weight[:, page.loudest].abs().argmax() == 0
    assert bert.embeddings.tokens.weight[:, page.loudest].abs().argmax() == tok.vocab["[CLS]"]
