"""From text to numbers: WordPiece as in BERT and byte-level BPE as in GPT-2, their merges, encoding.

Read `wordpiece` and `bpe` for the two tokenizers, `merges` for how their vocabularies are learned, `encoding` for
special tokens, pairs, truncation and padding, `kinds` for the definition of a letter, `saved` for the files of a
tokenizer, `steps` for the steps of a tokenizer.json, `vocabulary` for the kinds of tokens in a vocabulary.
Source: R 2.1, 11.1-11.5, L 3.2.2, 4.2.1.
"""

from tutorial_lib.tokenization.bpe import BPE, OptBPE, RobertaBPE, bpe_score, byte_characters, chunks
from tutorial_lib.tokenization.encoding import Encoding, Tokenizer, truncated_lengths
from tutorial_lib.tokenization.kinds import characters, words
from tutorial_lib.tokenization.merges import learn_merges, merge
from tutorial_lib.tokenization.pretrained import tokenizer_of
from tutorial_lib.tokenization.vocabulary import Anatomy, anatomy
from tutorial_lib.tokenization.wordpiece import WordPiece, wordpiece_score

__all__ = [
    "BPE", "Anatomy", "Encoding", "OptBPE", "RobertaBPE", "Tokenizer", "WordPiece", "anatomy", "bpe_score",
    "byte_characters", "characters", "chunks", "learn_merges", "merge", "tokenizer_of", "truncated_lengths",
    "wordpiece_score", "words",
]
