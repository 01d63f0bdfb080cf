"""L 4.2 and 4.2.2: the cloud of token vectors. Tables 2 and 3, Figures 10 to 12, recomputed."""

from functools import lru_cache

import torch
from torch import cosine_similarity

from tutorial_book.claims.claim import ARITHMETIC, claims_of
from tutorial_book.claims.tools import bert, tokenizer
from tutorial_lib import geometry
from tutorial_lib.geometry import extreme_pairs, pca_dimension

claim = claims_of("token-vectors")

NAME = "bert-base-cased"
# L's Table 2, as printed
SIMILAR = {"£1 £2": 0.9328, "northward southward": 0.9095, "197 196": 0.8891, "1986 1985": 0.8876,
           "southbound northbound": 0.8866}

ORTHOGONAL = {"island Steele": 7.4506, "J nets": 5.5879, "knee Mali": 3.7253, "bed ##nect": 0.0,
              "arms Via": -1.8626, "Southern fears": -7.4506}  # in units of 1e-9

OPPOSED = {"and Quarterfinals": -0.3134, "and vols": -0.3179, "and smirked": -0.3181, "and Nope": -0.3187}
# L's Table 3, as printed: Euclidean distance, |cosine|, |dot product|, cosine, dot product with the mean; norm
TO_MEAN = {
    "Archived": (1.64, 0.38, 0.33, 0.38, 0.33, 1.77), "versa": (1.54, 0.39, 0.33, 0.39, 0.33, 1.67),
    "facilitate": (0.87, 0.48, 0.24, 0.48, 0.24, 1.00), "innovative": (0.92, 0.44, 0.22, 0.44, 0.22, 1.02),
    "Keyboards": (1.06, 0.60, 0.38, 0.60, 0.38, 1.28), "Freyja": (1.18, 0.59, 0.41, 0.59, 0.41, 1.40),
    "ground": (1.32, 0.00, 0.00, 0.00, 0.00, 1.22), "building": (1.17, 0.00, 0.00, -0.00, -0.00, 1.05),
    "Wouldn": (1.29, 0.57, 0.43, 0.57, 0.43, 1.50), "trillion": (1.50, 0.51, 0.43, 0.51, 0.43, 1.69),
    "and": (1.20, 0.37, 0.17, -0.37, -0.17, 0.92), "the": (1.11, 0.31, 0.13, -0.31, -0.13, 0.85),
}

HALF = 0.005  # how far a printed value may be from the unrounded one


def tokens(name=NAME):
    """Return a model's token vectors, (vocab_size, d_model)."""
    return bert(name).embeddings.tokens.weight.detach()


def special(name=NAME):
    """Return the ids of the tokens that represent no text: [PAD], [CLS], [unused1], ..."""
    return [i for i, token in enumerate(tokenizer(name).tokens) if len(token) > 2 and token[0] + token[-1] == "[]"]


@lru_cache
def extremes(name=NAME, k=1000):
    """Return the k extreme pairs of a model's tokens, without the special ones."""
    return extreme_pairs(tokens(name), k, exclude=special(name))


@lru_cache
def to_mean(name=NAME):
    """Return the measures of L's Table 3, for every token."""
    return geometry.to_mean(tokens(name))


def cosines(pairs, name=NAME):
    """Return the cosines of pairs written as "token token"."""
    vocab = tokenizer(name).vocab
    E = tokens(name).double()
    return [float(cosine_similarity(*(E[vocab[token]] for token in pair.split()), dim=0)) for pair in pairs]


def mean_lengths():
    """Return the lengths of the mean vector that fit Table 3's rows, as the lowest and highest for each row.

    dot product = cosine · norm · length of the mean, and each printed value represents an interval. Rows whose cosine
    is printed as 0.00 fit any length.
    """
    lengths = {}
    for token, (_, cosine, dot, _, _, norm) in TO_MEAN.items():
        if cosine:
            lowest = (dot - HALF) / ((cosine + HALF) * (norm + HALF))
            lengths[token] = lowest, (dot + HALF) / ((cosine - HALF) * (norm - HALF))
    return lengths


def common_length():
    """Return the lengths of the mean vector that fit all rows: lowest and highest."""
    lows, highs = zip(*mean_lengths().values())
    return max(lows), min(highs)


def distances_fit():
    """Return whether each row's distance² can be norm² + length² - 2 dot product, for one length that fits all."""
    low, high = common_length()
    return all((norm - HALF) ** 2 + low**2 - 2 * (dot + HALF) <= (distance + HALF) ** 2
               and (distance - HALF) ** 2 <= (norm + HALF) ** 2 + high**2 - 2 * (dot - HALF)
               for distance, _, _, _, dot, norm in TO_MEAN.values())


# --- L 4.2 The clouds of Figures 10 and 11 --------------------------------------------------------------------------

claim("L-4.2-dimensions", "The positions' variance sits in far fewer directions than the tokens' (Figure 11b; here: "
      "half of it in less than half as many as that of as many tokens).", True,
      lambda: fewer_directions(bert(NAME).embeddings.positions.weight, tokens()), needs=NAME,
      note="On the default model 5 directions for the positions and 51 for 512 tokens; with random weights 113 for "
           "both, but 333 for all tokens: fewer points span fewer directions.")


def fewer_directions(P, E):
    """Return whether half of P's variance takes less than half as many directions as that of as many rows of E."""
    some = E[:: len(E) // len(P)][: len(P)]
    return pca_dimension(P, 0.5) < 0.5 * pca_dimension(some, 0.5)


claim("L-4.2-separate",
      "Positional embeddings are shorter than input embeddings (here: the share of pairs, one of each, that show it).",
      True, lambda: shorter(NAME), expected=1.0, tolerance=0.02, needs=NAME,
      note="On the default model 0.95: its untrained and rare tokens are as short as its positions.")

claim("L-4.2-narrower", "The positional embeddings are much more narrowly distributed than the input embeddings "
      "(Figure 11a; here: less than a fifth of their variance).", True,
      lambda: bool(bert(NAME).embeddings.positions.weight.var(0).sum() < 0.2 * tokens().var(0).sum()), needs=NAME,
      note="On the default model 0.18 of it.")


@claim("L-4.2-two-components", "The positional embeddings have two components (Figure 11c and d; here: before 384 the "
       "nearest other of nearly all is before it, too, and from 383 to 384 it is more than 1.5 times as far as the "
       "median step before).", True, needs=NAME,
       note="On the default model 1.03 times: a single unbroken curve.")
def _():
    P = bert(NAME).embeddings.positions.weight.detach()
    D = torch.cdist(P, P).fill_diagonal_(torch.inf)
    steps = D.diagonal(1)
    return bool((D[:384].argmin(1) < 384).double().mean() > 0.95 and steps[383] > 1.5 * steps[:383].median())


def shorter(name=None):
    """Return the chance that a position's vector is shorter than a token's."""
    norms = tokens(name).norm(dim=1).sort().values
    positions = bert(name).embeddings.positions.weight.norm(dim=1)
    return 1 - torch.searchsorted(norms, positions, right=True).double().mean() / len(norms)


# --- L 4.2.2, Table 2: extreme pairs --------------------------------------------------------------------------------

for part, pairs in (("similar", SIMILAR), ("opposed", OPPOSED)):
    claim(f"L-4.2.2-{part}", f"The cosines of the most {part} pairs of tokens in Table 2: {', '.join(pairs)}.",
          list(pairs.values()), lambda pairs=pairs: cosines(pairs), needs=NAME)

claim("L-4.2.2-last", "Table 2's last four pairs are the most opposed of all.", True,
      lambda: {frozenset(tokenizer(NAME).tokens[i] for i in pair[:2]) for pair in extremes().opposed[:4]}
      == {frozenset(pair.split()) for pair in OPPOSED}, needs=NAME,
      note="We read Table 2 as a sorted list of all pairs, with dots for what is left out.")

claim("L-4.2.2-not-uniform", "The input embeddings are not uniformly distributed on the unit sphere or cube (here: "
      "the first principal component holds more than 5 times its even share of the variance, 1/768).", True,
      lambda: uneven(tokens()), needs=NAME,
      note="Chance would leave 1.35 times. In the default model it holds 7.8 times 1/384, though its average cosine is "
           "only 0.02. That average is another claim's (L 5.2).")


def uneven(E):
    """Return whether the first principal component holds more than 5 times its even share of the variance."""
    return bool(geometry.pca(E, n=1).shares[0] > 5 / E.shape[1])

claim("L-4.2.2-first", 'Of all pairs, "£1" and "£2" are the most similar.', "£1 £2",
      lambda: " ".join(sorted(tokenizer(NAME).tokens[at] for at in extremes().similar[0][:2])), needs=NAME,
      note='On the default model, which has no such tokens, "a" and "an" (0.912).')


claim("L-4.2.2-orthogonal",
      f"Table 2's most orthogonal pairs, {', '.join(ORTHOGONAL)}, have cosines of 0 up to rounding "
      "(here: in float64, the largest in size).", True, lambda: max(map(abs, cosines(ORTHOGONAL))), expected=0.0,
      tolerance=1e-7, needs=NAME,
      note="As printed they are 4, 3, 2, 0, −1 and −4 times 2^−29, steps of float32. In float64 each pair has a value "
           "of its own, and other pairs may come first.")


@claim("L-4.2.2-and-the", 'In the most negative cosines "and" and "the" dominate (here: in more than half of the 1,000 '
       "most opposed pairs).", True, needs=NAME,
       note="On the default model they are in none of these 1,000 pairs; no token is in more than six.")
def _():
    named = {tokenizer(NAME).vocab[word] for word in ("and", "the")}
    return sum(bool(named & {i, j}) for i, j, _ in extremes().opposed) > 500


# --- L 4.2.2, Table 3: tokens against the mean ----------------------------------------------------------------------

claim("L-4.2.2-mean", f"Table 3, tokens against the mean: distance, |cosine|, |dot product|, cosine, dot product; norm "
      f"({', '.join(TO_MEAN)}).", [list(row) for row in TO_MEAN.values()],
      lambda: [measured(token) for token in TO_MEAN], tolerance=HALF, needs=NAME)


def measured(token, name=NAME):
    """Return a row of L's Table 3."""
    i = tokenizer(name).vocab[token]
    measures = to_mean(name)
    cosine, dot = measures.cosines[i], measures.dots[i]
    return [measures.distances[i], abs(cosine), abs(dot), cosine, dot, measures.norms[i]]


@claim("L-4.2.2-mean-length", "Table 3's cosines, norms and dot products fit one mean vector.", True, kind=ARITHMETIC,
       note="Its length must then be between 0.491 and 0.506.")
def _():
    low, high = common_length()
    return low <= high


claim("L-4.2.2-mean-distances", "Table 3's distances fit its norms and dot products.", True, distances_fit,
      kind=ARITHMETIC)
