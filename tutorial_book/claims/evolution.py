"""L 4.3: the embeddings on their way through the layers, recomputed."""

from functools import lru_cache

import numpy as np
import torch
from torch import cosine_similarity, tensor

from tutorial_book.claims.claim import claims_of
from tutorial_book.claims.tools import bert, tokenizer, trace
from tutorial_book.experiments.tokenization import cased
from tutorial_lib.geometry import cosine, cosine_matrix, pca, random_walks, step_alignment, steps
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

claim = claims_of("evolution")

CASED_MODEL = "bert-base-cased"

MICE = ("The mouse was gone. The cat sat useless.", "The mouse was gone. The computer sat useless.")


@lru_cache
def paths(name=None):
    """Return the tokens of L's two sentences in all layers, (n_layers + 1, n, d_model) each."""
    return embed(list(MICE), bert(name), pooling="tokens", layers="all", tokenizer=tokenizer(name))


def steps_of(name=None):
    """Steps of the tokens of the first sentence."""
    return steps(paths(name)[0])


# --- Checks that need no trained model ------------------------------------------------------------------------------


@claim("L-4.3-illusion", "Paths can look alike in a PCA projection although they agree in a few coordinates only "
       "(here: random walks that share one direction, with 20 % of each step's squared length; the cosine of two "
       "steps, 0.2 in full, is above 0.9 in the picture).", True,
       note="PCA shows the directions in which the points vary most. What the steps share adds up along a path; the "
            "rest hardly does.")
def _():
    still = np.zeros((12, 22, 768))  # 22 paths of 11 steps of length 6, as in L's figures without the last step
    still[1::2, :, 0] = 6
    start = 12 / 768**0.5 * np.random.default_rng(0).standard_normal((1, 22, 768))
    walks = random_walks(start + still, shared=0.2)
    picture = pca(walks.reshape(-1, 768)).coordinates.reshape(12, 22, 2)
    return bool(step_alignment(picture).mean() > 0.9)


claim("L-4.3-orthogonal", "Any two random directions in a high dimensional space are almost orthogonal (footnote 9; "
      "here: the share of random pairs with 768 coordinates whose cosine is below 0.1).", True,
      lambda: (np.abs(cosine(*torch.randn(2, 20_000, 768))) < 0.1).mean(), expected=1.0, tolerance=0.01,
      note="99.45 %: the cosines spread by 1 / √768 = 0.036.")

# --- Checks on the default model ------------------------------------------------------------------------------------


def without_skips(layer, X):
    """Return a layer's output without its two skip connections."""
    return layer.norm(layer.feed_forward(layer.attention_norm(layer.attention(X)[0])))


@claim("L-4.3-skips", "Footnote 9 conjectures that the skip connections keep an embedding's direction (here: in each "
       "layer of the default model, the cosine of input and output is above 0.5 with them, and below 0.25 in size "
       "without).", True, note="About 0.9 with them (0.63 in the last layer), between −0.1 and 0.2 without. They are "
       "taken away from the trained model, which was not trained without them.")
def _():
    for layer, X in zip(bert().layer, tensor(paths()[0])):
        kept, lost = (cosine_similarity(X, Y, dim=1).mean() for Y in (layer(X), without_skips(layer, X)))
        if kept < 0.5 or lost.abs() > 0.25:
            return False
    return True


@claim("L-4.3-connected", "The skip connections create quite a strong connection between consecutive layers (here, on "
       "the default model: a token's vector is nearest to its own after the next layer, among the sentence's, in nine "
       "of ten cases; with the layer's skip connections taken away, in less than half).", True, expected=[True, True],
       note="In all cases; without them in 7 of 100. So it is with random weights, too: it needs no training.")
def _():
    path = paths()[0]  # (n_layers + 1, n, d_model)
    after = [*path[1:]], [without_skips(layer, tensor(X)) for layer, X in zip(bert().layer, path)]
    kept, lost = (np.mean([cosine_matrix(X, Y).argmax(1) == range(len(X)) for X, Y in zip(path, some)])
                  for some in after)
    return [bool(kept >= 0.9), bool(lost < 0.5)]


@claim("L-5-meaning", "What drifted apart are the meanings of homonyms (here, on the default model: how many of twelve "
       "homonyms lie farther from themselves in the other sense than in the same one, after the last layer, on average "
       "of four texts for each sense).", True, expected=12,
       note="And farther than a noun of one sense in the same texts, as the chapter shows. The two mouse sentences "
            "alone could not tell: “the”, “was” and the full stop drift further there.")
def _():
    return sum(between_over_within(word, senses) > 1 for word, senses in load_texts("homonyms").items())


def between_over_within(word, senses):
    """Return the average distance 1 - cosine of a word's last vectors in two senses, over that within a sense."""
    vectors = []
    for text in sum(senses.values(), []):
        vectors.append(trace(text)["layer.5.output"][0, 1 + tokenizer().tokenize(text).index(word)])
    distances = 1 - cosine_matrix(torch.stack(vectors))  # (8, 8): four texts of each sense
    within = (distances[:4, :4].sum() + distances[4:, 4:].sum()) / 24
    return distances[:4, 4:].mean() / within


# --- Checks that need bert-base-cased -------------------------------------------------------------------------------

claim("L-4.3-single-tokens", "Each word of the two mouse sentences is a single token.",
      [sentence.replace(".", " .").split() for sentence in MICE],
      lambda: [cased()["texts"][sentence][0] for sentence in MICE],
      note="True of the default model's uncased vocabulary.")


@claim("L-4.3-last-step",
       "The change at the last block is much larger than in the other layers (here, on average: 1.5 times as large as "
       "in any of them, or more).", True, needs=CASED_MODEL,
       note="On the default model it is larger, but only 1.4 times: 8.0 against 4.8 to 5.7.")
def _():
    lengths = steps_of(CASED_MODEL).lengths.mean(1)
    return bool(lengths[-1] >= 1.5 * lengths[:-1].max())


@claim("L-4.3-step-length", "The steps have roughly the same length, around 6 (Figure 22; here, of all but the last: "
       "the median, and whether nine in ten are within a third of it).", 6, expected=[6, True], tolerance=0.5,
       needs=CASED_MODEL, note="On the default model 5.4, and 92 % are; in book-bert 8.5, and 82 %.")
def _():
    lengths = steps_of(CASED_MODEL).lengths[:-1]
    return [np.median(lengths), (np.abs(lengths / np.median(lengths) - 1) < 1 / 3).mean() >= 0.9]


claim("L-4.3-norm-growth",
      "The norms increase by about 2 per layer (Figure 22; here: from the first to the last but one, on average).", 2,
      lambda: np.diff(steps_of(CASED_MODEL).norms.mean(1))[:-1].mean(), tolerance=0.5, needs=CASED_MODEL,
      note="Not on the default model: there they grow by 2 on average in the first block, by nearly 1 in the fourth, "
           "and shrink in the last two.")

claim("L-4.3-direction",
      "The direction changes very little at almost each step (Figure 22; here: on average a cosine above 0.8 at all of "
      "the 12 steps but one at most).", True,
      lambda: int((steps_of(CASED_MODEL).cosines.mean(1) > 0.8).sum()) >= 11, needs=CASED_MODEL,
      note="On the default model at five of six, with 0.9: a turn of 27°, which is close in 384 coordinates.")


def alignments(model):
    """Return the average cosine of two tokens' steps before the last layer: in full, and in a picture of all tokens."""
    X = np.concatenate(paths(model), axis=1)[:-1]  # (n_layers, n, d_model)
    picture = pca(X.reshape(-1, X.shape[-1])).coordinates.reshape(*X.shape[:2], 2)
    return [float(step_alignment(Y).mean()) for Y in (X, picture)]


claim("L-4.3-together", "In the PCA projection without the last layer, all tokens seem to go in the same direction "
      "(Figure 20; here: the average cosine of two steps in the picture is above 0.5).", True,
      lambda: alignments(CASED_MODEL)[1] > 0.5, needs=CASED_MODEL,
      note="Not on the default model: 0.2 in the picture, 0.3 in full.")


@claim("L-4.3-less-uniform", "The movements are not quite as uniform as Figure 20 suggests (Figure 21; here: two steps "
       "agree more in the picture of all tokens than in full).", True, needs=CASED_MODEL,
       note="On the default model it is the other way round: 0.2 in the picture and 0.3 in full.")
def _():
    in_full, in_the_picture = alignments(CASED_MODEL)
    return in_the_picture > in_full
