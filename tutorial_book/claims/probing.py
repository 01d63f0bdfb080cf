"""L 3.2.3: what the input embeddings know about word classes, recomputed."""

from functools import lru_cache

import numpy as np

from tutorial_book.claims.claim import ARITHMETIC, claims_of
from tutorial_book.claims.tools import bert, tokenizer
from tutorial_book.experiments.probing import score, single_tokens, token_vectors, train_probe
from tutorial_lib.texts import load_texts

claim = claims_of("probing")

# Table 1 as printed: adjective, noun, verb for bear, Bear (no hidden layer), bear, Bear (one hidden layer)
PREDICTIONS = [[0.163, 0.177, 0.660], [0.225, 0.374, 0.401], [0.0004, 0.004, 0.996], [0.0060, 0.283, 0.711]]


@lru_cache
def word_vectors(name=None):
    """Return the library's nouns, verbs and adjectives as a model's input embeddings (n, d_model), with classes."""
    words = single_tokens(load_texts("words"), tokenizer(name))
    return token_vectors(words.words, bert(name), tokenizer(name)), words.labels


def noun_probability(word, kind, name="bert-base-cased"):
    """Return how likely a noun this word is, by eight probes trained on all words of the library (class 1 of 3)."""
    vector = token_vectors([word], bert(name), tokenizer(name))
    probes = (train_probe(*word_vectors(name), kind, seed=seed) for seed in range(8))
    return np.mean([probe.probabilities(vector)[0, 1] for probe in probes])


claim("L-3.2.3-information", "There is statistically relevant information about word classes in the context-free "
      "embeddings (here: the default model's linear probe is right beyond chance, 95 % interval).", True,
      lambda: score(*word_vectors()).interval[0] > 1 / 3,
      note="And more than spelling holds, which is right for two words in three.")

claim("L-3.2.3-table-1-sums", "Each row of Table 1 holds probabilities: they sum to 1.", True,
      lambda: [sum(row) for row in PREDICTIONS], expected=4 * [1], tolerance=0.001, kind=ARITHMETIC)

claim("L-3.2.3-capital-again",
      "The capitalized word is much more likely a noun, in both models (here: more than 1.5 times, by the mean "
      "of eight probes trained on this library's words).", [True, True],
      lambda: [noun_probability("Bear", kind) > 1.5 * noun_probability("bear", kind) for kind in ("softmax", "hidden")],
      needs="bert-base-cased", stands_in=True)
