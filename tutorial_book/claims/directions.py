"""N: token vectors as directions. Unembedding, LayerNorm, length and confidence, recomputed."""

from functools import lru_cache

import numpy as np
import torch

from tutorial_book.claims.claim import ARITHMETIC, FAILS, HOLDS, claims_of
from tutorial_book.claims.tools import bert, bpe, decoder, ids_of_pieces, small_gpt, tokenizer
from tutorial_lib import geometry, gpt
from tutorial_lib.attention import softmax
from tutorial_lib.geometry.directions import MEASURES
from tutorial_lib.texts import load_texts
from tutorial_lib.texts.generated import stories
from tutorial_lib.vectors import layer_states

claim = claims_of("directions")

PROMPT = [3, 14, 15, 9, 26, 5]
MARY = "When Mary and John went to the store, John gave a drink to"  # the example of the work that N cites


@lru_cache
def some_tokens(n=400):
    """Return the default model's token vectors E (vocab_size, d_model), and the numbers of n random tokens."""
    E = bert().embeddings.tokens.weight
    return E, torch.randperm(len(E), generator=torch.Generator().manual_seed(0))[:n]


@lru_cache
def overlap():
    """Return how often two measures name the same nearest other token, for some tokens of the default model, (3, 3)."""
    E, some = some_tokens()
    return geometry.measure_overlap(geometry.nearest_by_measure(E[some], E, k=1, leave_out=some))


def agreement(first, second):
    """Return how often two measures name the same one: "distance", "dot" or "cosine"."""
    return overlap()[MEASURES.index(first), MEASURES.index(second)]


@lru_cache
def inverse(kind):
    """Return the unembedding of that kind that the default model would have: (vocab_size, d_model)."""
    return geometry.inverse_unembedding(some_tokens()[0], kind)




# --- N 0: TL;DR and Introduction -------------------------------------------------------------------------------------


claim("N-0-matches", "The measure behind the logits “does match up with the cosine similarity”, not with the distance "
      "(here: for some token vectors of the default model, it names the same nearest other token as the cosine in more "
      "than half of the cases, and as the distance in less than half).", True,
      lambda: [agreement("dot", "cosine") > 0.5, agreement("dot", "distance") < 0.5], expected=[True, True],
      note="Six times in ten, against three; in the book's decoder three, against two. The dot product has the lengths "
           "in it, so a long vector comes before a nearer direction. If all vectors have one length, all three match.")


@claim("N-0-round-trip", "With a symmetric embedding, embedding a token and unembedding it gives the same token (here: "
       "the share that comes back, of the tokens of 500 stories, in the book's decoder, whose two matrices are one).",
       1, tolerance=0.01,
       note="685 of 690. For the other five, a longer vector in nearly the same direction has a larger dot product. Of "
            "the 810 tokens that these stories do not contain, which were trained little or never, 41 come back. In "
            "the default model with the transpose, all but 18 of 30,522 would come back; “matrices”, for example, "
            "comes back as “matrix”.")
def _():
    model = decoder("book-gpt")
    read = sorted({i for story in stories(500, seed=1) for i in bpe("book-gpt").encode(story.text).ids})
    return np.mean(geometry.top_tokens(model.embeddings.tokens.weight[read], model.unembedding.weight) == read)


# --- N 1.2: the inverse of the embedding matrix ----------------------------------------------------------------------


@claim("N-1.2-no-peak", "With the transpose, “we don't get a nice peak of 1.0” (here: of some tokens of the default "
       "model, the share with a value within 0.05 of 1 at their own places; at most one in ten).", True, expected=0,
       tolerance=0.1, note="7 %. The value is the squared length of the token's vector: 1.26 in the median.")
def _():
    E, some = some_tokens()
    return (np.abs(geometry.own_scores(E[some], inverse("transpose")[some]) - 1) < 0.05).mean()


@claim("N-1.2-variations", "Most of the other high peaks of “ NEXT” are spellings of the word “next” (here: of the "
       "four highest in OPT-125m, with rows divided by their squared length).", True, needs="opt-125m",
       note="GPT-2's pieces, which OPT uses, have four other tokens with “next”. The figure is not in our copy of the "
            "text. In the default model, which has one spelling, the neighbors "
            'of "next" by cosine are "previous", "future" and "last".')
def _():
    model, tok = decoder("opt-125m"), bpe("opt-125m")
    (place,) = ids_of_pieces(tok, " NEXT")
    rows = geometry.inverse_unembedding(model.unembedding.weight, "normalized transpose")
    E = model.embeddings.tokens.weight
    near = geometry.nearest_by_measure(E[[place]], rows[: len(tok)], k=4, leave_out=[place]).dot[0]
    return sum("next" in tok.tokens[i].lower() for i in near) > 2


# --- N 2: the middle -------------------------------------------------------------------------------------------------


@claim("N-2-sublayers", "In a typical model, states are normalized before attention and the MLP read them, so that "
       "only their direction is seen (here, in a layer of GPT-2's kind: of a state three times as large, attention "
       "reads the same, and the MLP vectors of the same length).", True, expected=[True, True],
       note="Up to LayerNorm's ε. It takes the mean away as well. What attention and the MLP "
            "add is added to the state as it is, so that a larger state is turned less.")
def _():
    layer, X = small_gpt().layer[0], torch.randn(1, 6, 16).double()
    read = []  # by attention and the MLP, of X and then of 3 X
    hooks = [part.register_forward_pre_hook(lambda part, inputs: read.append(inputs[0]))
             for part in (layer.attention, layer.feed_forward)]
    for scale in (1, 3):
        layer(scale * X)
    for hook in hooks:
        hook.remove()
    lengths = [X.norm(dim=-1) for X in read]
    return [torch.allclose(read[0], read[2], atol=1e-4), torch.allclose(lengths[1], lengths[3], atol=1e-4)]


# --- N 3.2: unembedding ----------------------------------------------------------------------------------------------


@claim("N-3.2-inverse", "“To actually have the effect of being the inverse”, the unembedding is 1 / (W_Eᵀ W_E) · W_Eᵀ, "
       "by entries each token's vector divided by its squared length (here: whether these two lines are one matrix, "
       "for 6 tokens in 3 dimensions).", True, kind=ARITHMETIC, verdict=FAILS,
       note="They are two. The second has the effect that N asks for, a value of 1.0 at the token's own place, but is "
            "no inverse: its product with W_E has the trace 50,000, 1 for each token, where the identity has 768. The "
            "first, if it divides by a matrix, is the left inverse (W_Eᵀ W_E)⁻¹ W_Eᵀ, and does not have that effect, "
            "though N 1.2 shows it there: the values of all tokens at their own places add up to the rank, which makes "
            "768 / 50,000 = 0.015 on average. N-3.2-indices is about the indices alone.")
def _():
    W = torch.randn(6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).numpy()
    return np.allclose(*(geometry.inverse_unembedding(W, kind) for kind in ("pseudo-inverse", "normalized transpose")))


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
      "(here: how often one and the same other token is both, for some token vectors of the default model, at most "
      "half).", True, lambda: agreement("distance", "dot") <= 0.5,
      note="A third. If the token itself counts, it is both for 399 of 400.")


claim("N-5-sizes", "Most tokens of OPT-125m are roughly of the same size (here: more than half within a fifth of "
      "the median).", True, lambda: same_size(decoder("opt-125m").embeddings.tokens.weight) > 0.5, needs="opt-125m",
      note="The figure is not in our copy of the text.")

claim("N-5-sizes-default", "Most tokens are roughly of the same size (here, in the default model: more than half "
      "within a fifth of the median).", True, lambda: same_size(some_tokens()[0]) > 0.5,
      note="78 %.")


def same_size(E):
    """Return the share of rows whose length is within a fifth of the median."""
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
    """Return the state that a small decoder's unembedding reads, (d_model,)."""
    return small_gpt().trace([PROMPT])["norm"][0, -1]


def probabilities(scale):
    """Return the scores of all tokens, for that state scaled by a factor."""
    return softmax(small_gpt().unembedding(scale * last_state()))


claim("N-6-confident", "The larger the vector that is unembedded, the more confident the model in one outcome; of one "
      "with length zero, all tokens are equally likely (here: the best token's probability rises with the length; it "
      "begins at 1/60, of 60 tokens).", True,
      lambda: [bool((np.diff([probabilities(c).max() for c in (0, 0.1, 1, 3, 10)]) > 0).all()), probabilities(0).max()],
      expected=[True, 1 / 60], tolerance=1e-9,
      note="For one direction. Of two directions of one length, the one that is nearer to a token's is the more "
           "confident. An unembedding with a bias, such as GPT-J's, would have its favorites at length zero.")


@claim("N-6-target", "A longer token vector is a larger target (here, in the default model: the tokens nearest to "
       "random directions by dot product are longer than the average token by a tenth or more).", True,
       note="1.29 against 1.07. In the book's decoder they are shorter, 1.94 against 2.18.")
def _():
    E, _ = some_tokens()
    X = torch.randn(500, 384, generator=torch.Generator().manual_seed(0))
    lengths = E.norm(dim=1)
    return lengths[geometry.top_tokens(X, E)].mean() > 1.1 * lengths.mean()


@claim("N-6-overshadow", "A token's direction can be overshadowed by others (here: (0.4, 0.4) among (1, 0), (0, 1), "
       "(−1, 0) and (0, −1), for 360 directions: how often it has the largest dot product).", True, expected=0,
       kind=ARITHMETIC,
       note="It lies inside the square of the other four, and a dot product is largest at a corner, so it is the best "
            "for no direction. This is how a decoder can have tokens that it can never say.")
def _():
    turn = torch.arange(360, dtype=torch.float64).deg2rad()
    tokens = torch.tensor([[0.4, 0.4], [1, 0], [0, 1], [-1, 0], [0, -1]], dtype=torch.float64)
    return int(((torch.stack([turn.cos(), turn.sin()], 1) @ tokens.T).argmax(1) == 0).sum())


@lru_cache
def untrained_gpt2():
    """Return the layers of GPT-2 with random weights, drawn as GPT-2's were; of its tokens, 60."""
    config = gpt.Config(vocab_size=60, d_model=768, n_layers=12, n_heads=12, d_ff=3072, n_positions=32)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return gpt.GPT(config).eval()


def lengths_by_layer(model, ids):
    """Return the median length of the states after each layer, the embeddings first."""
    states = [X[0] for name, X in layer_states(model, [ids]).items() if name != "norm"]
    return [np.median(np.linalg.norm(X, axis=1)) for X in states]


@claim("N-6-growth", "The length of the states grows through the layers of OPT-125m (here: after the last layer more "
       "than twice what it is before the first).", True, needs="opt-125m", stands_in=True,
       note="The figure and its examples are not in our copy of the text; the sentence is ours.")
def _():
    lengths = lengths_by_layer(decoder("opt-125m"), bpe("opt-125m").encode(MARY).ids)
    return lengths[-1] > 2 * lengths[0]


@claim("N-6-why", "“The size only showing the difference in certainty” is why it seems to grow through the layers "
       "(here, as: a length that decides nothing is free to grow; in a decoder of GPT-2's size with random weights, a "
       "last state that is three times as long gives the same probabilities, and the lengths grow in each layer).",
       True, expected=[True, True],
       note="A last LayerNorm takes the length away, in GPT-2 and OPT-125m too. So length is no certainty there, and "
            "states grow without any: nothing divides them, and updates in random directions are nearly orthogonal, so "
            "lengths add up by Pythagoras: with GPT-2's width, depth and initial weights, from 0.8 to 8.9. A decoder "
            "that normalizes after adding keeps one length.")
def _():
    model = untrained_gpt2()
    last = model.trace([PROMPT])["layer.11.output"][0]
    once, longer = (softmax(model.unembedding(model.norm(scale * last))) for scale in (1, 3))
    return [torch.allclose(once, longer, atol=1e-4), bool((np.diff(lengths_by_layer(model, PROMPT)) > 0).all())]


def lens(model, ids, tokens):
    """Return the scores of some tokens after the text, at each layer, through the last norm and the unembedding."""
    stops = model.trace([ids])
    states = [stops[f"layer.{i}.output"] for i in range(model.config.n_layers)]
    return geometry.logit_lens(states, model.norm, model.unembedding)[:, 0, -1, tokens]  # (n_layers, tokens)


def mary_and_john():
    """Return how far “ Mary” is before “ John” in OPT-125m after each layer: (n_layers,)."""
    tok = bpe("opt-125m")
    names = [ids_of_pieces(tok, name)[0] for name in (" Mary", " John")]
    gaps = lens(decoder("opt-125m"), tok.encode(MARY).ids, names)
    return gaps[:, 0] - gaps[:, 1]


claim("N-6-mary", "The state of OPT-125m ends in the direction of “ Mary” (here: before that of the other name in the "
      "sentence, John).", True, lambda: bool(mary_and_john()[-1] > 0), needs="opt-125m", stands_in=True,
      note="The sentence is not in our copy of the text. Ours comes from the work on indirect objects that N names: it "
           "stops before the name of the person to whom John gave a drink.")


@claim("N-6-wandering", "For most of the start it wanders in other dimensions (here: up to the middle layer, the lens "
       "shows less than half of the last difference between the two names).", True, needs="opt-125m", stands_in=True,
       note="The sentence is ours, as in N-6-mary.")
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


def after(name, words):
    """Return the likeliest token of a decoder after each word alone."""
    model, tok = decoder(name), bpe(name)
    return [tok.tokens[int(model(tok.encode(word).ids)[0][0, -1].argmax())].replace("Ġ", " ") for word in words]


claim("N-7-bigrams", "“ what” is followed by “ the”, “ might” by “ be”, “ How” by “ are” (here: GPT-2's likeliest "
      "token after each alone).", [" the", " be", " are"], lambda: after("gpt2", [" what", " might", " How"]),
      needs="gpt2", stands_in=True, note="N does not say of which model.")

claim("N-7-susp", "“ Susp” and “icious” are two tokens (here: GPT-2's of “ Suspicious”).", [" Susp", "icious"],
      lambda: [token.replace("Ġ", " ") for token in bpe("gpt2").tokenize(" Suspicious")],
      needs="the vocabulary of gpt2", verdict=HOLDS, note="In small letters, with a space before it, it is one token.")

# --- N 9: the comments -----------------------------------------------------------------------------------------------

claim("N-9-norm-1", "A reader's comment: LayerNorm's output is “always norm 1” before scale and bias (here: of 16 "
      "numbers).", 1, lambda: small_gpt().norm(torch.randn(16).double()).norm(), verdict=FAILS, tolerance=0.01,
      note="√16 = 4, and √768 = 27.7 in GPT-2: it is the standard deviation that is 1. Always the same, though, "
           "which is the point.")
