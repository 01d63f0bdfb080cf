"""The tokenizer that belongs to a model, whichever kind it is."""

import os

from tutorial_lib.tokenization.bpe import BPE
from tutorial_lib.tokenization.saved import read
from tutorial_lib.tokenization.wordpiece import WordPiece


def tokenizer_of(name: str | os.PathLike) -> BPE | WordPiece:
    """Return a model's tokenizer, by its files: `WordPiece` or `BPE` (also `RobertaBPE`, `OptBPE`).

    Raises ModelNotAvailable if the name is not known or its files are not available, ValueError for unsupported
    tokenizers, such as ALBERT's SentencePiece, and unsupported settings; the message names them.

    >>> type(tokenizer_of("book-gpt")).__name__, type(tokenizer_of("book-bert")).__name__
    ('BPE', 'WordPiece')
    """
    saved = read(name)
    return {"WordPiece": WordPiece, "BPE": BPE}[saved.kind]._of(saved)
