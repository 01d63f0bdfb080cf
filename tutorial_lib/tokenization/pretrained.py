"""The tokenizer that belongs to a model, whichever kind it is."""

import os

from tutorial_lib.tokenization.bpe import BPE
from tutorial_lib.tokenization.encoding import Tokenizer
from tutorial_lib.tokenization.wordpiece import WordPiece
from tutorial_lib.weights.find import vocabulary_folder


def tokenizer_of(name: str | os.PathLike) -> Tokenizer:
    """A model's tokenizer by its files: `WordPiece` for a vocab.txt, `BPE` (or `RobertaBPE`) for merges.

    Raises ModelNotAvailable if the name is not known or its files are not to be had, ValueError for other tokenizers,
    such as ALBERT's SentencePiece.

    >>> type(tokenizer_of("book-gpt")).__name__, type(tokenizer_of("book-bert")).__name__
    ('BPE', 'WordPiece')
    """
    folder = vocabulary_folder(name)
    for file, kind in (("vocab.txt", WordPiece), ("merges.txt", BPE), ("vocab.bpe", BPE)):
        if (folder / file).is_file():
            return kind.from_pretrained(name)
    raise ValueError(f"name must be a model with WordPiece or BPE, got {folder}, which has no vocab.txt or merges.txt")
