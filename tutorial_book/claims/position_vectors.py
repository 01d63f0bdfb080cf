"""L 4.2 and 4.2.3-4.2.5: position and segment vectors, and the three families compared, recomputed."""

from itertools import combinations
from math import erf, exp, pi, sqrt

import numpy as np
import torch

from tutorial_book.claims.claim import ARITHMETIC, claims_of
from tutorial_book.claims.tools import bert, tokenizer
from tutorial_lib.geometry import cosine, cosine_matrix, turn_period

claim = claims_of("position-vectors")

MODEL = "bert-base-cased"

TABLE_4 = {("[CLS]", 0): 0.96, ("[SEP]", 0): 0.48, ("[MASK]", 0): 0.48, ("##\u0964", 0): 0.204}

TABLE_5 = {  # maximum, minimum, average, 5th and 95th percentile
    "position": [0.2349, -0.1514, 0.0123, -0.0738, 0.1412],
    "context-free": [0.2183, -0.1899, -0.0400, -0.1081, 0.0238],
}


def tables():
    """L's three tables of vectors: tokens, positions, segments."""
    embeddings = bert(MODEL).embeddings
    return [part.weight.detach() for part in (embeddings.tokens, embeddings.positions, embeddings.segments)]


def positions(name=MODEL):
    """Return a model's position vectors, (512, d_model)."""
    return bert(name).embeddings.positions.weight.detach()


def segment_numbers():
    """Return the norms of the two segment vectors, their cosine, dot product and distance."""
    a, b = tables()[2]
    return [a.norm(), b.norm(), cosine(a, b), a @ b, (a - b).norm()]


def rounded(values, digits):
    """Return each value to as many digits as L prints of it."""
    return [round(float(value), n) for value, n in zip(values, digits, strict=True)]


# --- L 4.2 Embeddings before the encoder ---------------------------------------------------------------------------

claim("L-4.2-segment-dot", "Norms 0.70, 0.72 and cosine −0.065 of the two segment vectors give the dot product", -0.033,
      lambda: 0.70 * 0.72 * -0.065, kind=ARITHMETIC)

claim("L-4.2-segment-distance", "The same three numbers give the Euclidean distance of the two segment vectors.", 1.04,
      lambda: (0.70**2 + 0.72**2 - 2 * 0.70 * 0.72 * -0.065) ** 0.5, kind=ARITHMETIC)

# --- L 4.2.3 The positional encoding vectors -----------------------------------------------------------------------


@claim("L-4.2.3-30-percent", "The three leading principal components hold around 30 % of the positions' variance.",
       0.30, tolerance=0.05, needs=MODEL)
def _():
    variances = torch.linalg.svdvals(positions() - positions().mean(0)) ** 2
    return variances[:3].sum() / variances.sum()


def off_diagonal(C):
    """Return the cosines of different vectors in a matrix of cosines, (n, n)."""
    return C[~np.eye(len(C), dtype=bool)]


def cutoff_at_384(name=MODEL):
    """Return the mean size of the cosines of neighbors within the first 384 positions and within the last 128."""
    near = np.abs(cosine_matrix(positions(name)).diagonal(1))
    return near[:383].mean(), near[384:].mean()


def lag_cosines(name=MODEL, rows=range(1, 11), length=128):
    """Return the cosines of positions 1 to 10 with later ones, by distance: (10, length). L's Figure 17."""
    C = cosine_matrix(positions(name))
    return np.array([C[row, row : row + length] for row in rows])


@claim("L-4.2.3-phase-change", "There is a phase change in the structure of the vectors at position 384 (here: "
       "neighbors before it have a mean cosine three times as large in size as those after).", True, needs=MODEL,
       note="The default model has none: 0.85 before, 0.85 after.")
def _():
    before, after = cutoff_at_384()
    return bool(before > 3 * after)


@claim("L-4.2.3-random-values", "The last 128 vectors' cosines lie around zero, as those of random vectors do (here: "
       "their mean is within 0.02 of 0, and their spread within 0.02 of 1 / √768).", True, expected=[0.0, 0.036],
       tolerance=0.02, needs=MODEL)
def _():
    cosines = off_diagonal(cosine_matrix(positions()[384:]))
    return [cosines.mean(), cosines.std()]


def shift_at_128(name=MODEL):
    """Return whether two neighbors between positions 125 and 130 have a lower cosine than thirty on either side."""
    near = cosine_matrix(positions(name)).diagonal(1)
    return bool(near[125:130].min() < min(near[95:125].min(), near[130:160].min()))


claim("L-4.2.3-shift-128", "A small phase shift shows around position 128 (here: two neighbors between positions 125 "
      "and 130 have a lower cosine than any of the thirty pairs on either side).", True, shift_at_128, needs=MODEL,
      note="By chance in 1 of 13 cases.")


@claim("L-4.2.3-first-384", "The histogram of all cosines is that of the first 384, flatter, with a sharp peak around "
       "zero on top (Figure 14; here: cosines within 0.05 of 0 are more than twice as frequent among the pairs with "
       "one of the last 128 as among those of the first 384).", True, needs=MODEL,
       note="On the default model, which has no such change, they are as frequent: 13 in 100 in both.")
def _():
    near_0 = np.abs(cosine_matrix(positions())) < 0.05  # (512, 512); a vector's cosine with itself is not
    first, last = (near_0[rows].sum() / (near_0[rows].size - n) for rows, n in ((np.s_[:384, :384], 384),
                                                                                (np.s_[384:], 128)))
    return bool(last > 2 * first)


@claim("L-4.2.3-finbert", "FinBERT has no cutoff at 384 (Figure 15; here: neighbors before it have a mean cosine less "
       "than 1.5 times as large in size as those after).", True, needs="bert-base-finnish-cased-v1")
def _():
    before, after = cutoff_at_384("bert-base-finnish-cased-v1")
    return bool(before < 1.5 * after)


claim("L-4.2.3-finbert-128", "FinBERT has a slight phase shift at the 128th position, too (here: two neighbors "
      "between positions 125 and 130 have a lower cosine than any of the thirty pairs on either side).", True,
      lambda: shift_at_128("bert-base-finnish-cased-v1"), needs="bert-base-finnish-cased-v1",
      note="So has the default model: 0.44 and 0.55 between the positions 126, 127 and 128, 0.87 before.")


@claim("L-4.2.3-position-0", "The first position has very low cosines with the rest (here: 95 in 100 of those with the "
       "others of the first 384 are below 0.2).", True, needs=MODEL,
       note="On the default model 95 in 100 are below 0.26, and the lowest is 0.09.")
def _():
    return bool(np.percentile(cosine_matrix(positions()[:384])[0, 1:], 95) < 0.2)


@claim("L-4.2.3-figure-16", "With later positions, the similarity oscillates downwards, more or less (Figure 16; "
       "here: positions 1 to 10 have a higher cosine with the next position than with the one at distance 64, and "
       "their mean curve has three peaks or more between).", True, needs=MODEL,
       note="So it does on the default model: 0.82 and more, then at most 0.35, with a peak every six positions. For "
            "“quite dissimilar” see L-4.2.3-previous.")
def _():
    curve = lag_cosines()[:, :65].mean(0)
    peaks = (curve[1:-1] > curve[:-2]) & (curve[1:-1] > curve[2:])
    return bool(lag_cosines()[:, 1].min() > lag_cosines()[:, 64].max() and peaks.sum() > 2)


claim("L-4.2.3-previous", "They are “quite dissimilar to previous positional encoding” (here: positions 2 to 10 have a "
      "cosine below 0.5 with the one before).", True,
      lambda: bool(cosine_matrix(positions()).diagonal(1)[1:10].max() < 0.5), needs=MODEL,
      note="If each is similar to the next, that cannot be: cosines are symmetric. On the default model they have 0.82 "
           "and more.")

claim("L-4.2.3-figure-17", "Shifted to show relative positions, the curves have a common structure (Figure 17; here: "
      "from distance 1 on, the curves of positions 1 to 10 correlate with their mean by more than 0.8).", True,
      lambda: bool(min(np.corrcoef(row, lag_cosines()[:, 1:].mean(0))[0, 1] for row in lag_cosines()[:, 1:]) > 0.8),
      needs=MODEL, note="On the default model 0.86 and more; random vectors have 0.2 or more, since each curve is a "
      "tenth of the mean. At distance 0 all are 1.")

claim("L-4.2.3-one-dimensional", "The first 384 have a strongly 1-dimensional structure (Figure 18; here, of positions "
      "1 to 383: the nearest of nine in ten is a neighbor in the sentence).", True, lambda: neighbors_in_order() > 0.9,
      needs=MODEL, note="On the default model of all of them.")


def neighbors_in_order(name=MODEL, some=slice(1, 384)):
    """Return the share of positions whose nearest other one, by distance, is directly before or after."""
    P = positions(name)[some]
    nearest = torch.cdist(P, P).fill_diagonal_(torch.inf).argmin(1)
    return float(((nearest - torch.arange(len(P))).abs() == 1).double().mean())


claim("L-4.2.3-bad-random", "The last 128 look random in Figure 18, too (here: the nearest of less than one in ten is "
      "a neighbor in the sentence).", True, lambda: neighbors_in_order(some=slice(384, 512)) < 0.1, needs=MODEL,
      note="On the default model they are as ordered as the others.")

claim("L-4.2.3-22-tokens", "The helix of positions 1 to 383 goes round once in about every 22 positions.", 22,
      lambda: turn_period(positions()[1:384]).period, tolerance=2, needs=MODEL,
      note="The default model's positions turn faster, once in 5.9.")


@claim("L-4.2.3-not-in-figure-17", "The frequency of 22 is not mirrored in the cosines by distance (here: of the "
       "periods 4 to 40, the strongest in the mean curve of positions 1 to 10 is not one of 20 to 24).", True,
       needs=MODEL, note="On the default model it is 6, its helix's own. Noise is within 20 to 24 in 1 of 9 cases.")
def _():
    curve = lag_cosines()[:, 1:].mean(0)
    at = np.arange(len(curve))
    waves = np.exp(2j * np.pi * at / np.arange(4, 41)[:, None])  # (37, 127)
    strength = np.abs(waves @ (curve - np.polyval(np.polyfit(at, curve, 3), at)))  # without the slow fall
    return bool(not 20 <= 4 + strength.argmax() <= 24)


# --- L 4.2.4 The (two) sentence type encoding vectors --------------------------------------------------------------

claim("L-4.2.4-five-numbers",
      "Norms, cosine, dot product and distance of the two segment vectors, given a second time.",
      [0.70, 0.72, -0.065, -0.033, 1.04], lambda: rounded(segment_numbers(), [2, 2, 3, 3, 2]), needs=MODEL)

# --- L 4.2.5 The interrelations of the context-free embedding types ------------------------------------------------


def cls_and_position_0():
    """Return the two vectors that are always summed."""
    tokens, positions, _ = tables()
    return tokens[tokenizer(MODEL).vocab["[CLS]"]], positions[0]


def token_position_cosines():
    """Return the cosines of tokens with positions, (28,996, 512)."""
    return cosine_matrix(*tables()[:2])


claim("L-4.2.5-four-pairs", "Exactly four token-position pairs have a cosine outside [−0.2, 0.2].", True,
      lambda: int((abs(token_position_cosines()) > 0.2).sum()), expected=4, needs=MODEL,
      note="In the default model there are 7,542.")


@claim("L-4.2.5-table-4", "Table 4: the cosines of [CLS], [SEP], [MASK] and ##U+0964 with position 0.",
       list(TABLE_4.values()), needs=MODEL)
def _():
    C = token_position_cosines()
    vocab = tokenizer(MODEL).vocab
    return rounded([C[vocab[token], position] for token, position in TABLE_4], [2, 2, 2, 3])


@claim("L-4.2.5-cls-position-0",
       "[CLS] and position 0: norms 1.44 and 1.48, Euclidean distance 0.42, l-infinity distance 0.06.",
       [1.44, 1.48, 0.42, 0.06], needs=MODEL)
def _():
    a, b = cls_and_position_0()
    return [a.norm(), b.norm(), (a - b).norm(), (a - b).abs().max()]


claim("L-4.2.5-distance", "Norms 1.44 and 1.48 with the cosine 0.96 make the distance", 0.42,
      lambda: (1.44**2 + 1.48**2 - 2 * 1.44 * 1.48 * 0.96) ** 0.5, tolerance=0.03, kind=ARITHMETIC,
      note="0.415 from the rounded numbers; what they were rounded from leaves 0.387 to 0.441.")


def distance_after_training(decay, width=768, steps=1_000_000, rate=1e-4):
    """Return how far apart two parameters end up that start as BERT's do and are only ever used as a sum.

    Both start as normal numbers with standard deviation 0.02, cut off at two of them. The learning rate rises to `rate`
    and falls to 0, both linearly, so that all rates sum up to rate * steps / 2.
    """
    density, inside = exp(-2) / sqrt(2 * pi), erf(sqrt(2))  # the normal density at 2, the mass between -2 and 2
    spread = 0.02 * sqrt(1 - 4 * density / inside)
    return spread * sqrt(2 * width) * exp(-decay * rate * steps / 2)


@claim("L-5-always-summed", "That is natural, as the two are always summed (here: the distance and the cosine of "
       "4.2.5 follow from that, BERT's published training schedule and the printed norms).", True,
       expected=[0.42, 0.96], kind=ARITHMETIC,
       note="The sum alone would leave them 0.69 apart, as they started, which makes a cosine of 0.89. Weight decay, "
            "which shrinks the difference, lifts it to 0.96. Of one coordinate it explains 0.049, not the 0.06 of "
            "4.2.5: a few had another pull. In training, [CLS]'s row is read alone, too, as one of the rows that "
            "predict hidden words.")
def _():
    distance = distance_after_training(decay=0.01)
    return [distance, cosine_at(distance)]


claim("L-5-one-vector",
      "[CLS] and position 0 are so close that they are essentially the same vector (here: the cosine, at least 0.95).",
      True, lambda: bool(cosine(*cls_and_position_0()) >= 0.95), needs=MODEL, note="L 4.2.5 prints 0.96.")

claim("L-5-families", "Positions, input embeddings and sentence types differ clearly in their cosines between the "
      "groups (here: the 95th percentile of the cosines' size is below 0.2 between each two of the groups, and more "
      "than 1.2 times as high within the positions and within every tenth token, among different vectors, as between "
      "the two).", True, lambda: families_differ(*tables()), expected=[True] * 5, needs=MODEL,
      note="On the default model 0.12 between tokens and positions, 0.32 between tokens and segments, 0.15 within "
           "tokens and 0.58 within positions. Random vectors would have the same between and within.")


def families_differ(tokens, positions, segments):
    """Return whether three groups of vectors have small cosines between, and larger ones within the first two."""
    groups = tokens[::10], positions, segments
    between = [np.percentile(np.abs(cosine_matrix(a, b)), 95) for a, b in combinations(groups, 2)]
    within = [np.percentile(np.abs(off_diagonal(cosine_matrix(a, a))), 95) for a in groups[:2]]
    return [*(bool(size < 0.2) for size in between), *(bool(size > 1.2 * between[0]) for size in within)]


def cosine_at(distance):
    """Return the cosine of two vectors with the norms that L 4.2.5 prints, at this distance."""
    return (1.44**2 + 1.48**2 - distance**2) / (2 * 1.44 * 1.48)


@claim("L-4.2.5-table-5", "Table 5, segments against positions, and against context-free vectors: maximum, minimum, "
       "average, 5th and 95th percentile.", [*TABLE_5.values()], needs=MODEL)
def _():
    tokens, positions, segments = tables()
    both = cosine_matrix(segments, positions), cosine_matrix(segments, tokens)
    return [[C.max(), C.min(), C.mean(), *np.percentile(C, [5, 95])] for C in both]
