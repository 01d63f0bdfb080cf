"""N: token vectors as directions. Unembedding, LayerNorm, length and confidence, recomputed."""

from functools import lru_cache

import numpy as np
import torch
from torch import nn

from tutorial_book.claims.claim import ARITHMETIC, DIFFERS, FAILS, HOLDS, claims_of
from tutorial_book.claims.tools import bert, bpe, decoder, small_gpt, tokenizer
from tutorial_lib import geometry
from tutorial_lib.attention import softmax
from tutorial_lib.geometry.directions import MEASURES
from tutorial_lib.texts import load_texts

claim = claims_of("directions")

PROMPT = [3, 14, 15, 9, 26, 5]
MARY = "When Mary and John went to the store, John gave a drink to"  # the example of the work that N names


@lru_cache
def some_tokens(n=400):
    """The default model's token vectors E (vocab_size, d_model), and the numbers of n of them, drawn at random."""
    E = bert().embeddings.tokens.weight
    return E, torch.randperm(len(E), generator=torch.Generator().manual_seed(0))[:n]


@lru_cache
def overlap():
    """How often two measures name the same nearest other token, for some tokens of the default model, (3, 3)."""
    E, some = some_tokens()
    return geometry.measure_overlap(geometry.nearest_by_measure(E[some], E, k=1, leave_out=some))


def agreement(first, second):
    """How often two measures name the same one: "distance", "dot" or "cosine"."""
    return overlap()[MEASURES.index(first), MEASURES.index(second)]


@lru_cache
def inverse(kind):
    """The default model's unembedding of that kind, if it had one: (vocab_size, d_model)."""
    return geometry.inverse_unembedding(some_tokens()[0], kind)


def peaks(kind):
    """The values of some tokens, embedded and unembedded again, at their own places."""
    E, some = some_tokens()
    return geometry.own_scores(E[some], inverse(kind)[some])


def came_back():
    """Whether each token of the book's decoder has the largest value, embedded and unembedded: (vocab_size,)."""
    model = decoder("book-gpt")
    best = geometry.top_tokens(model.embeddings.tokens.weight, model.unembedding.weight)
    return best == np.arange(len(best))


def two_points():
    """Two vectors, and the angle between them by their directions in the plane."""
    x, y = torch.tensor([3.0, 1.0], dtype=torch.float64), torch.tensor([0.5, 2.0], dtype=torch.float64)
    return x, y, torch.atan2(y[1], y[0]) - torch.atan2(x[1], x[0])


# --- N 0: TL;DR and Introduction -------------------------------------------------------------------------------------

claim("N-0-euclidean", "The Euclidean distance is |x₁ − x₂| = √Σᵢ (x₁ᵢ − x₂ᵢ)².", True,
      lambda: bool(np.isclose(geometry.distance_matrix(torch.stack(two_points()[:2]))[0, 1], (2.5**2 + 1) ** 0.5)))


@claim("N-0-dot", "The dot product x₁ · x₂ is |x₁| |x₂| cos θ₁₂.", True, kind=ARITHMETIC)
def _():
    x, y, angle = two_points()
    return bool(torch.isclose(x @ y, x.norm() * y.norm() * angle.cos()))


@claim("N-0-cosine", "The dot product of the two directions is cos θ₁₂.", True)
def _():
    x, y, angle = two_points()
    return bool(np.isclose(geometry.cosine(x, y), angle.cos()))


claim("N-0-matches", "The measure behind the logits does match the cosine similarity (here: for some tokens of the "
      "default model, both name the same nearest token, nine times in ten).", True,
      lambda: agreement("dot", "cosine") >= 0.9, verdict=DIFFERS,
      note="Six times in ten. The dot product has the lengths in it, so a long vector comes before a nearer "
           "direction. Where all vectors are of one length, they do match.")


@claim("N-0-not-distance", "Direction and size matter, but not the distance (here: where all token vectors are of "
       "one length, the token at the smallest distance is another than the one with the largest logit).", True,
       verdict=FAILS,
       note="|x − y|² = |x|² + |y|² − 2 x · y: for tokens of one length the nearest point has the largest logit and "
            "the largest cosine. What is right: where lengths differ the three part, and logits use no distance.")
def _():
    x, *E = torch.randn(400, 64, generator=torch.Generator().manual_seed(0))
    unit = torch.stack([e / e.norm() for e in E])
    distances = geometry.distance_matrix(torch.stack([x, *unit]))[0, 1:]
    return int(distances.argmin()) != int((unit @ x).argmax())


claim("N-0-round-trip", "With a symmetric embedding, embedding a token and unembedding it gives the same token (here: "
      "the share of tokens of the book's decoder, whose two matrices are one, that come back).", True,
      lambda: came_back().mean(), expected=1, verdict=DIFFERS,
      note="726 of 1,500: for the others, a longer vector in nearly the same direction has a larger dot product. In "
           "the default model with the transpose it would be all but 18 of 30,522, such as “matrices”, for which "
           "“matrix” came. With rows of one length all do, for nothing has a larger cosine with a vector than the "
           "vector itself.")

# --- N 1.2: the inverse of the embedding matrix ----------------------------------------------------------------------


@claim("N-1.2-left-inverse", "The embedding matrix has a left inverse, 768 × 50,000, that the unembedding can compute "
       "(here, in the default model: its size, and whether its product with the embedding matrix is the identity).",
       True, expected=[[384, 30_522], True],
       note="A left inverse exists. But a token goes the other way, first through E, then through the inverse: that "
            "product has 50,000 rows and rank 768 and is no identity.")
def _():
    left = inverse("pseudo-inverse").T
    return [list(left.shape), np.allclose(left @ some_tokens()[0].detach().double().numpy(), np.eye(384))]



@claim("N-1.2-peak", "The left inverse gives back the value 1.0 at the token's place (here: on average, in a random "
       "matrix of 500 tokens with 8 coordinates each).", 1.0, verdict=FAILS,
       note="With any inverse of that kind the values of all tokens at their own places add up to the rank: 8 / 500 "
            "each here, 768 / 50,000 = 0.015 in OPT-125m; in the default model it is 0.07 at most. A peak of 1.0 comes "
            "from dividing each row by its squared length, as N 3.2 does.")
def _():
    E = torch.randn(500, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return geometry.own_scores(E, geometry.inverse_unembedding(E, "pseudo-inverse")).mean()


claim("N-1.2-peak-rows", "The value at the token's place is 1.0 (here: with each row of the transpose divided by "
      "its squared length; for some tokens of the default model).", 1.0,
      lambda: abs(peaks("normalized transpose") - 1).max() + 1, tolerance=1e-9)


@claim("N-1.2-noise", "The values at all other places are not zero (here: for 50 tokens of the default model and the "
       "left inverse, up to the rounding of float64).", True,
       note="The smallest of all is 2e-10, where rounding would leave 1e-16. Of more directions than dimensions, "
            "some must have a cosine with each other.")
def _():
    E, some = some_tokens()
    return bool((np.abs(E[some[:50]].double().numpy() @ inverse("pseudo-inverse").T) > 1e-12).all())


@claim("N-1.2-variations", "Most of the other high peaks of “ NEXT” are spellings of the word “next” (here: of the "
       "ten highest in OPT-125m, with rows divided by their squared length).", True, needs="opt-125m",
       note="The figure is not in our copy of the text. In the default model, which has one spelling, the neighbors "
            'of "next" by cosine are "previous", "future" and "last".')
def _():
    model, tok = decoder("opt-125m"), bpe("opt-125m")
    (place,) = tok.encode(" NEXT").ids
    rows = geometry.inverse_unembedding(model.unembedding.weight, "normalized transpose")
    E = model.embeddings.tokens.weight
    near = geometry.nearest_by_measure(E[[place]], rows[: len(tok)], k=10, leave_out=[place]).dot[0]
    return sum("next" in tok.tokens[i].lower() for i in near) > 5


@claim("N-1.2-transpose", "With the transpose, the value at the token's place is no nice peak of 1.0 (here: "
       "among some tokens of the default model, the smallest is below 0.9 and the largest above 1.1).", True,
       expected=[True, True],
       note="It is the vector's squared length: from 0.2 to 2.1.")
def _():
    own = peaks("transpose")
    return [bool(own.min() < 0.9), bool(own.max() > 1.1)]


# --- N 2: the middle -------------------------------------------------------------------------------------------------


@claim("N-2-normalized", "Hidden states are normalized before they enter self-attention and the MLP (here: mean and "
       "variance of what both read in a decoder of GPT-2's kind, before scale and bias).", True,
       expected=[[0, 1], [0, 1]], tolerance=0.05)
def _():
    stops = small_gpt().trace([PROMPT])
    read = [stops[f"layer.1.{name}"][0, -1] for name in ("attention_norm", "norm")]
    return [[x.mean().item(), x.var(unbiased=False).item()] for x in read]


def larger(by=3.0):
    """A layer of a small decoder: what its attention reads and what it gives, for states and for larger ones."""
    layer = small_gpt().layer[0]
    X = torch.randn(1, 6, 16, generator=torch.Generator().manual_seed(0)).double()
    return (layer.attention_norm(X), layer(X)[0]), (layer.attention_norm(by * X), layer(by * X)[0])


@claim("N-2-sublayers", "All that attention and MLP see is the direction of the vectors: after LayerNorm, the size is "
       "gone (here: how far what attention reads changes where states are three times as large).", True, expected=0,
       tolerance=1e-4,
       note="Up to LayerNorm's ε. It takes the mean away as well, so that it sees the direction of what is left.")
def _():
    (read, _), (read_of_larger, _) = larger()
    return (read - read_of_larger).abs().max()


@claim("N-2-all", "All the transformer sees is the direction of the vectors (here: a layer moves states three times "
       "as large to the same directions).", True, verdict=FAILS,
       note="The sublayers do not see the size, but what they add is added to it: the larger the state, the less it "
            "is turned.")
def _():
    (_, moved), (_, larger_moved) = larger()
    return bool(np.allclose(geometry.cosine(moved[0], larger_moved[0]), 1, atol=1e-4))


# --- N 3.2: unembedding ----------------------------------------------------------------------------------------------


@claim("N-3.2-logits", "The logits are the unembedding's matrix times the last state, each the dot product of a row "
       "with it.", True)
def _():
    stops = small_gpt().trace([PROMPT])
    rows = [row @ stops["norm"][0, -1] for row in small_gpt().unembedding.weight]
    return torch.allclose(stops["logits"][0, -1], torch.stack(rows))


@claim("N-3.2-last-norm", "The last state goes straight into the unembedding (here: the last layer's state, in a "
       "decoder of GPT-2's kind).", True, verdict=FAILS,
       note="One more LayerNorm stands between them, in GPT-2 and in OPT. Much of what N says of length hangs on it: "
            "see its section on the effect of vector length.")
def _():
    stops = small_gpt().trace([PROMPT])
    return torch.allclose(stops["logits"], small_gpt().unembedding(stops["layer.3.output"]))


@claim("N-3.2-transposed", "In symmetric models the unembedding is the transpose of the embedding (here, in the book's "
       "decoder: the last states times it are the logits).", True,
       note="One matrix of one row a token, used for both: `x @ E.T` gives a logit for each row.")
def _():
    model = decoder("book-gpt")
    stops = model.trace([PROMPT])
    return torch.allclose(stops["logits"], stops["norm"] @ model.embeddings.tokens.weight.T, atol=1e-4)


@claim("N-3.2-inverse", "The inverse is (1 / W_Eᵀ W_E) W_Eᵀ (here: its product with W_E, for a row a token as in 1.2, "
       "with 6 tokens in 3 dimensions, is the identity).", True, kind=ARITHMETIC,
       note="With 1 / W_Eᵀ W_E as the inverse of a matrix, it is the left inverse.")
def _():
    W = torch.randn(6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    return np.allclose(torch.linalg.inv(W.T @ W) @ W.T @ W, np.eye(3))


@claim("N-3.2-same", "Both lines say the same: (1 / W_Eᵀ W_E) W_Eᵀ, and each token's vector divided by its squared "
       "length (here: the two agree for 6 tokens in 3 dimensions).", True, kind=ARITHMETIC, verdict=FAILS,
       note="Only where all token vectors are orthogonal, which 50,000 in 768 dimensions cannot be. The first is the "
            "left inverse. The second inverts nothing, but it is the one that gives the peak of 1.0 in N 1.2.")
def _():
    W = torch.randn(6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    return np.allclose(*(geometry.inverse_unembedding(W, kind) for kind in ("pseudo-inverse", "normalized transpose")))


@claim("N-3.2-indices", "(W_E⁻¹)ᵢⱼ = (W_E)ⱼᵢ / Σⱼ (W_E)²ᵢⱼ (here: every token then gives 1 with its own vector, "
       "tokens in rows, or in columns, of a random 5 × 5 matrix, where both shapes fit).", True,
       expected=[True, True], kind=ARITHMETIC, verdict=FAILS,
       note="The numerator is row j, column i; the sum runs along row i. One of them has its indices exchanged, and "
            "j, which the sum uses up, stands outside it as well. Meant is (W_E)ᵢⱼ / Σₖ (W_E)²ᵢₖ, with one row a "
            "token.")
def _():
    W = torch.randn(5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    inverse = torch.stack([W[:, i] / W[i].square().sum() for i in range(5)])  # row i: column i by the sum along row i
    return [bool(torch.allclose(own.diagonal(), torch.ones(5).double())) for own in (W @ inverse, inverse @ W)]


@claim("N-3.2-neither", "In practice, symmetric models neither ensure that token vectors are of one length nor invert "
       "anything (here, the book's decoder: its longest token vector is more than twice as long as its shortest, and "
       "a token that is embedded and unembedded has a value of more than 2 instead of 1, on average).", True,
       expected=[True, True], note="Lengths from 0.97 to 2.98; values from 0.9 to 8.9.")
def _():
    model = decoder("book-gpt")
    lengths = model.unembedding.weight.norm(dim=1)
    own = geometry.own_scores(model.embeddings.tokens.weight, model.unembedding.weight)
    return [lengths.max() > 2 * lengths.min(), bool(own.mean() > 2)]


# --- N 4, 5: points and directions -----------------------------------------------------------------------------------

claim("N-4-closest", "The token that is closest, by Euclidean distance, need not be the one with the largest logit "
      "(here: how often they are the same, for some token vectors of the default model, at most half).", True,
      lambda: agreement("distance", "dot") <= 0.5,
      note="A third.")


@claim("N-4-position", "Direction and size of a vector matter more than its position (here: two vectors of the same "
       "direction and size can have different positions).", True, kind=ARITHMETIC, verdict=FAILS,
       note="Direction and size are the position, in other coordinates: nothing is lost. What differs is how two of "
            "them are compared, and that is N's point.")
def _():
    x, _, _ = two_points()
    return not torch.equal(x, x.norm() * (x / x.norm()))


@claim("N-5-sphere", "The directions in n dimensions are a hypersphere of so many dimensions (here: TwoNN, n = 5).",
       "n − 1", expected=4, tolerance=0.2)
def _():
    X = np.random.default_rng(0).normal(size=(2000, 5))
    return geometry.intrinsic_dimension(X / np.linalg.norm(X, axis=1, keepdims=True))


@claim("N-5-real-distance", "The real distance function is x₁ · x₂ (here: like a distance it is never negative, and "
       "the smaller, the closer).", True, expected=[True, True], kind=ARITHMETIC, verdict=FAILS,
       note="It is a similarity: the larger, the closer; of a vector with itself it is |x|², not 0; with its "
            "opposite it is negative. So is the cosine. N writes d( , ) for all three.")
def _():
    x, _, _ = two_points()
    return [bool(min(x @ x, x @ -x) >= 0), bool(x @ x < x @ -x)]


claim("N-5-sizes", "Most tokens of OPT-125m are roughly of the same size (here: more than half within a fifth of "
      "the median).", True, lambda: same_size(decoder("opt-125m").embeddings.tokens.weight) > 0.5, needs="opt-125m",
      note="The figure is not in our copy of the text.")

claim("N-5-sizes-default", "Most tokens are roughly of the same size (here, in the default model: more than half "
      "within a fifth of the median).", True, lambda: same_size(some_tokens()[0]) > 0.5,
      note="78 %.")


def same_size(E):
    """The share of rows whose length is within a fifth of the median."""
    lengths = E.norm(dim=1)
    return (lengths / lengths.median() - 1).abs().lt(0.2).double().mean().item()


@claim("N-5-unused", "In OPT-125m, the unused tokens are very large (here: those without a string and those called "
       "madeupword, on average more than twice the median).", True, needs="opt-125m")
def _():
    lengths = decoder("opt-125m").embeddings.tokens.weight.norm(dim=1)
    tok = bpe("opt-125m")
    unused = [i for i, token in enumerate(tok.tokens) if "madeup" in token] + list(range(len(tok), len(lengths)))
    return bool(lengths[unused].mean() > 2 * lengths.median())


@claim("N-5-small", "In other cases, such tokens can be very small (here: the median length of the default model's "
       "[unused] tokens is less than half of that of all).", True)
def _():
    lengths = some_tokens()[0].norm(dim=1)
    unused = [i for token, i in tokenizer().vocab.items() if token.startswith("[unused")]
    return lengths[unused].median() < lengths.median() / 2


# --- N 6: the effect of length ---------------------------------------------------------------------------------------


@lru_cache
def last_state():
    """The state that a small decoder's unembedding reads, (d_model,)."""
    return small_gpt().trace([PROMPT])["norm"][0, -1]


def probabilities(scale):
    """Those of all tokens, for that state so many times as long."""
    return softmax(small_gpt().unembedding(scale * last_state()))


claim("N-6-normalized", "The softmax gives probabilities that add up to 1.", 1,
      lambda: softmax(small_gpt().unembedding(last_state())).sum(), tolerance=1e-9)


@claim("N-6-multiple", "A larger vector multiplies the logits (here: three times as large, and that is softmax at "
       "temperature 1/3).", True, expected=[True, True])
def _():
    logits = small_gpt().unembedding(last_state())
    large = small_gpt().unembedding(3 * last_state())
    return [torch.allclose(large, 3 * logits), torch.allclose(softmax(large), softmax(logits, temperature=1 / 3))]


claim("N-6-zero", "For a vector of length zero all tokens are equally likely (here: the likeliest of 60, and the least "
      "likely).", True, lambda: [probabilities(0).max(), probabilities(0).min()], expected=[1 / 60, 1 / 60],
      tolerance=1e-9, note="An unembedding with a bias, such as GPT-J's, would have its favorites.")

claim("N-6-confident", "The larger the vector that is unembedded, the more confident the model in one outcome.", True,
      lambda: bool((np.diff([probabilities(c).max() for c in (0, 0.1, 1, 3, 10)]) > 0).all()))


@claim("N-6-last-norm", "The size of a token's vector on its way shows in the certainty (here: in a decoder of GPT-2's "
       "kind, a last layer's state three times as large gives other probabilities; without the last LayerNorm, it "
       "does).", True, expected=[True, True], verdict=FAILS,
       note="The last LayerNorm takes the size away: confidence comes from the direction that it reads, and from its "
            "scale, which is learned. What is said of larger vectors holds of what comes after it, and of a model "
            "without it.")
def _():
    model = small_gpt()
    X = torch.randn(5, 16, generator=torch.Generator().manual_seed(0)).double()
    changes = [softmax(model.unembedding(norm(3 * X))) - softmax(model.unembedding(norm(X)))
               for norm in (model.norm, nn.Identity())]
    return [bool(change.abs().max() > 1e-3) for change in changes]


@claim("N-6-target", "A longer token vector is a larger target (here, in the default model: the tokens nearest to "
       "random directions by dot product are longer than the average token).", True,
       note="1.29 against 1.07.")
def _():
    E, _ = some_tokens()
    X = torch.randn(500, 384, generator=torch.Generator().manual_seed(0))
    lengths = E.norm(dim=1)
    return lengths[geometry.top_tokens(X, E)].mean() > 1.1 * lengths.mean()


@claim("N-6-overshadow", "A token's direction can be overshadowed by others (here: (0.4, 0.4) between (1, 0) and "
       "(0, 1), for 360 directions: how often it has the largest dot product).", True, expected=0, kind=ARITHMETIC,
       note="It lies inside the triangle of the two and 0: for no direction is it the best. This is how a decoder "
            "can have tokens that it can never say.")
def _():
    turn = torch.arange(360, dtype=torch.float64).deg2rad()
    tokens = torch.tensor([[1.0, 0], [0, 1], [0.4, 0.4], [-1, 0], [0, -1]], dtype=torch.float64)
    return int(((torch.stack([turn.cos(), turn.sin()], 1) @ tokens.T).argmax(1) == 2).sum())


def lengths_by_layer(model, ids):
    """The mean length of the states after each layer, the embeddings first."""
    stops = model.trace([ids])
    outputs = ["embeddings.output", *(f"layer.{i}.output" for i in range(model.config.n_layers))]
    return [stops[name][0].norm(dim=1).mean().item() for name in outputs]


@claim("N-6-growth", "The length of the states grows through the layers of OPT-125m (here: after the last layer more "
       "than twice what it is before the first).", True, needs="opt-125m",
       note="The figure is not in our copy of the text.")
def _():
    lengths = lengths_by_layer(decoder("opt-125m"), bpe("opt-125m").encode(MARY).ids)
    return lengths[-1] > 2 * lengths[0]


@claim("N-6-why", "The lengths grow because they show certainty (here: with random weights, which are certain of "
       "nothing, they do not grow, in a small decoder).", True, verdict=DIFFERS,
       note="They do: where nothing divides between the layers, each adds to what is there, and the lengths of what "
            "points anywhere add up like the sides of a right triangle. A decoder that normalizes after adding "
            "keeps one length.")
def _():
    lengths = lengths_by_layer(small_gpt(), PROMPT)
    return not all(later > earlier for earlier, later in zip(lengths, lengths[1:]))


def lens(model, ids, tokens):
    """The scores of some tokens after the text, read off after each layer through the last norm and the unembedding."""
    stops = model.trace([ids])
    states = [stops[f"layer.{i}.output"] for i in range(model.config.n_layers)]
    return geometry.logit_lens(states, model.norm, model.unembedding)[:, 0, -1, tokens]  # (n_layers, tokens)


def mary_and_john():
    """How far “ Mary” is before “ John” in OPT-125m after each layer: (n_layers,)."""
    tok = bpe("opt-125m")
    gaps = lens(decoder("opt-125m"), tok.encode(MARY).ids, [tok.encode(name).ids[0] for name in (" Mary", " John")])
    return gaps[:, 0] - gaps[:, 1]


claim("N-6-mary", "The state of OPT-125m ends in the direction of “ Mary” (here: before that of the other name in the "
      "sentence, John).", True, lambda: bool(mary_and_john()[-1] > 0), needs="opt-125m",
      note="The sentence is not in our copy of the text. Ours is that of the work on indirect objects that N names: it "
           "ends after John has given a drink to, and the next word is who gets it.")


@claim("N-6-wandering", "For most of the way it wanders in other dimensions (here: up to the middle layer, the lens "
       "shows less than half of the last difference between the two names).", True, needs="opt-125m")
def _():
    gap = mary_and_john()
    return bool(abs(gap[: len(gap) // 2]).max() < abs(gap[-1]) / 2)


# --- N 7: embeddings that are not symmetric --------------------------------------------------------------------------


@claim("N-7-not-again", "In most contexts, the next word is not the previous one again (here: the share of tokens in "
       "the built-in encyclopedia, by the default model's tokenizer, that are).", True, expected=0, tolerance=0.01,
       note="None of 4,101.")
def _():
    texts = [tokenizer().tokenize(text) for text in load_texts("encyclopedia")]
    pairs = [pair for text in texts for pair in zip(text, text[1:])]
    return sum(a == b for a, b in pairs) / len(pairs)


def bigrams(model):
    """The scores of each next token after each token, straight from embedding to unembedding: (vocab_size, same)."""
    return model.embeddings.tokens.weight @ model.unembedding.weight.T


@claim("N-7-separate", "Separate embeddings allow bigrams: the output direction of a likely next token near the "
       "input direction of a token (here: in a symmetric decoder, the direct path from a to b has the score of b to "
       "a; in one with two matrices, too).", True, expected=[True, False],
       note='A symmetric model cannot have " Susp" followed by "icious" on that path without "icious" '
            'followed by " Susp". Its layers must do that.')
def _():
    return [torch.allclose(B, B.T) for B in map(bigrams, (small_gpt(), small_gpt(tied=False)))]


def after(name, words):
    """The likeliest token of a decoder after each word alone."""
    model, tok = decoder(name), bpe(name)
    return [tok.tokens[int(model(tok.encode(word).ids)[0][0, -1].argmax())].replace("Ġ", " ") for word in words]


claim("N-7-bigrams", "“ what” is followed by “ the”, “ might” by “ be”, “ How” by “ are” (here: GPT-2's likeliest "
      "token after each alone).", [" the", " be", " are"], lambda: after("gpt2", [" what", " might", " How"]),
      needs="gpt2", stands_in=True, note="N does not say of which model.")

claim("N-7-susp", "“ Susp” and “icious” are two tokens (here: GPT-2's of “ Suspicious”).", [" Susp", "icious"],
      lambda: [token.replace("Ġ", " ") for token in bpe("gpt2").tokenize(" Suspicious")],
      needs="the vocabulary of gpt2", verdict=HOLDS, note="In small letters, with a space before it, it is one token.")

claim("N-7-lens", "The logit lens looks at states on their way from the view of the unembedding (here: after the "
      "last layer it shows the model's own logits).", True,
      lambda: np.array_equal(lens(small_gpt(), PROMPT, list(range(60)))[-1], small_gpt().trace([PROMPT])["logits"][0,
               -1]),
      note="To the last bit, through the last LayerNorm, without which it does not.")

# --- N 8: Conclusion -------------------------------------------------------------------------------------------------

claim("N-8-direction", "The direction of the output decides what the next token is (here: how many tokens are the "
      "best one for an output of a small decoder at six lengths).", True,
      lambda: len({int(probabilities(c).argmax()) for c in (0.001, 0.1, 1, 7, 100, 1e4)}), expected=1)


@claim("N-8-length", "The length decides the confidence (here: of 20 outputs of one length, the best token is about "
       "as likely after each, within a tenth).", True, verdict=FAILS,
       note="Of one direction, the longer is the more confident. Of two directions of one length, the one that is "
            "nearer to a token's is: direction decides both. After the last LayerNorm, before its learned scale, "
            "all outputs are of one length.")
def _():
    X = nn.functional.normalize(torch.randn(20, 16, generator=torch.Generator().manual_seed(0)).double(), dim=1)
    likely = softmax(small_gpt().unembedding(4 * X)).max(dim=1).values
    return bool(likely.max() < 1.1 * likely.min())


# --- N 9: the comments -----------------------------------------------------------------------------------------------

claim("N-9-norm-1", "LayerNorm's output is always of norm 1, before scale and bias (here: for 16 numbers).", 1,
      lambda: small_gpt().norm(torch.randn(16).double()).norm(), verdict=FAILS, tolerance=0.01,
      note="√16 = 4, and √768 = 27.7 in GPT-2: it is the standard deviation that is 1. Always the same, though, "
           "which is the point.")


@claim("N-9-relative", "The softmax does not care about absolute size, only about differences of the logits (here: "
       "all larger by 7; all three times as large).", True, expected=[True, False],
       note="Of the logits' size it cares about the differences, which grow with it.")
def _():
    z = torch.tensor([1.0, 2.0, 4.0])
    return [torch.allclose(softmax(z), softmax(other)) for other in (z + 7, 3 * z)]


claim("N-9-aligned", "The more aligned two directions are, the smaller is their cosine similarity, and the bigger "
      "the logit (here: both, for 10 and 80 degrees).", True,
      lambda: [(geometry.cosine(*at(10)) < geometry.cosine(*at(80))).item(),
               bool(at(10)[0] @ at(10)[1] > at(80)[0] @ at(80)[1])], expected=[True, True], verdict=FAILS,
      note="The larger is their cosine similarity. It is the angle, and one minus the cosine, that are smaller.")


def at(degrees):
    """Two vectors with that angle between them."""
    turn = torch.tensor(degrees).deg2rad()
    return torch.tensor([1.0, 0.0]), torch.stack([turn.cos(), turn.sin()])


@claim("N-9-product", "The largest dot product means high cosine similarity and large size (here: for the same "
       "cosine, the longer vector's is larger; for the same length, that with the higher cosine).", True,
       expected=[True, True], kind=ARITHMETIC)
def _():
    x, y = at(30)
    _, nearer = at(20)
    return [bool(x @ (2 * y) > x @ y), bool(x @ nearer > x @ y)]
