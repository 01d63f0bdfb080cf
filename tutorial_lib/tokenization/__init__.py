"""From text to numbers: WordPiece as in BERT and byte-level BPE as in GPT-2, both from scratch.

Read `wordpiece` and `bpe` for the two tokenizers, `training` for how their vocabularies are learned, `encoding` for
special tokens, pairs, truncation and padding, `kinds` for what counts as a letter, `vocabulary` for what a
vocabulary is made of. Source: R 2.1, 11.1-11.5, L 3.2.2, 4.2.1.
"""

from tutorial_lib.tokenization.bpe import BPE, byte_characters, chunks
from tutorial_lib.tokenization.encoding import Encoding, Tokenizer, truncated_lengths
from tutorial_lib.tokenization.kinds import characters, words
from tutorial_lib.tokenization.training import frequency, learn_merges, likelihood_gain, merge
from tutorial_lib.tokenization.vocabulary import Anatomy, anatomy
from tutorial_lib.tokenization.wordpiece import WordPiece

__all__ = [
    "BPE", "Anatomy", "Encoding", "Tokenizer", "WordPiece", "anatomy", "byte_characters", "characters", "chunks",
    "frequency", "learn_merges", "likelihood_gain", "merge", "truncated_lengths", "words",
]
