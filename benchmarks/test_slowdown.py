"""No claimed speed has halved: ratios to a peer in the same run, never seconds.

One thread, and the processor's own time, so that other programs on the machine hardly count. The fastest run of each
side counts, and a ratio above its bound is measured further, up to MOST pairs: a disturbed one comes down, a slow one
stays. A bound lies halfway, on a logarithmic scale, between the ratio and its double; if the peer is a bare product,
which is half again as fast on some processors relative to everything else, it lies between the largest ratio and the
smallest double that were seen. `make bench` measures more carefully.
"""

import re
import time
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from harness import alternate
from threadpoolctl import threadpool_limits

from tutorial_lib import bert as berts
from tutorial_lib import generation, gpt, tokenization, vectors, weights
from tutorial_lib.geometry import pairs, shape, two_nn
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors.batches import TOKENS, batches

LEAST, MOST = 3, 9  # pairs
WORDS = re.compile(r"\w+|[^\w\s]")


pytestmark = pytest.mark.timed


@pytest.fixture(autouse=True)
def _one_thread(one_thread):
    with threadpool_limits(1):
        yield


def slower(ours, theirs, bound, peer=float("inf")):
    """Return whether ours takes more than `bound` times their time; the ratio; and their fastest run.

    peer: their fastest run so far. It still counts, because a slowdown would be missed if theirs is disturbed.
    """
    found, ratio = [], float("inf")
    while len(found) < MOST and ratio > bound:
        found += alternate(ours, theirs, 0, LEAST, time.process_time)
        peer = min(peer, *(b for _, b in found))
        ratio = min(a for a, _ in found) / peer
    return ratio > bound, ratio, peer


@contextmanager
def doubled(owner, name):
    """A slowdown on purpose: the function does its work twice."""
    function = getattr(owner, name)

    def twice(*arguments, **named):
        function(*arguments, **named)
        return function(*arguments, **named)

    setattr(owner, name, twice)
    try:
        yield
    finally:
        setattr(owner, name, function)


@pytest.fixture(scope="module")
def clouds():
    draw = np.random.default_rng(0)
    return draw.normal(size=(2048, 384)), draw.normal(size=(4000, 384))


def forward(fused, request):
    from transformers import BertModel

    implementation = "sdpa" if fused else "eager"
    ours = request.getfixturevalue("bert")
    theirs = BertModel.from_pretrained(weights.resolve(), attn_implementation=implementation).eval()
    ids = torch.arange(1000, 1128).view(2, 64)
    return lambda: ours(ids, fused=fused), lambda: theirs(ids)


def embedding(request):
    """`embed` compared with the bare forward passes of its batches."""
    model, tok = request.getfixturevalue("bert"), request.getfixturevalue("tok")
    texts = load_texts("encyclopedia")[:6]
    ids = sorted((tok.encode(text).ids for text in texts), key=len)
    cut = list(batches(range(len(ids)), ids, 32, TOKENS["cpu"]))
    padded = [torch.tensor([ids[i] + [0] * (len(ids[batch[-1]]) - len(ids[i])) for i in batch]) for batch in cut]
    return lambda: vectors.embed(texts, model), lambda: [model(batch, batch > 0, fused=True) for batch in padded]


def decoding(request):
    from transformers import GPT2LMHeadModel

    theirs = GPT2LMHeadModel.from_pretrained(weights.resolve("book-gpt"), dtype=torch.float32).eval()
    ours, ids = gpt.GPT.from_hf(theirs), torch.arange(5, 133).view(2, 64)
    return lambda: ours(ids), lambda: theirs(ids)


def generating(request):
    """`generate` compared with the forward passes that it needs: one for the prompt, one for each token."""
    model, n = request.getfixturevalue("book_gpt"), 32

    def passes():
        cache = None
        for _ in range(n):
            _, cache = model([[5]], cache)

    return lambda: generation.generate(model, [5], n), passes


def cutting(request):
    """Known words, compared with looking each word up: Python against Python.

    Against a tokenizer in Rust the ratio was .47 on one processor and .87 on another: no bound separates that from a
    half.
    """
    tok = request.getfixturevalue("tok")
    texts = 4 * load_texts("encyclopedia")
    return (lambda: [tok.encode(text) for text in texts]), (
        lambda: [[tok.vocab.get(word, 0) for word in WORDS.findall(text.lower())] for text in texts]
    )


def half_product(X):
    """The products of 768 rows with all later ones: slightly more than half of X Xᵀ."""
    U = torch.from_numpy(X).float()
    return lambda: [U[i : i + 768] @ U[i:].T for i in range(0, len(U), 768)]


def all_pairs(request):
    X, _ = request.getfixturevalue("clouds")
    return lambda: pairs.extreme_pairs(X, 20), half_product(X)


def nearest(request):
    X, _ = request.getfixturevalue("clouds")
    return lambda: two_nn.intrinsic_dimension(X), half_product(X)


def variances(request):
    """The spectrum compared with the one product and the eigenvalues that it needs."""
    _, X = request.getfixturevalue("clouds")
    return lambda: shape.spectrum(X), lambda: np.linalg.eigvalsh(X.T @ X)


# name -> (what makes ours and theirs, bound, what the slowdown doubles)
COMPARISONS = {
    "fused forward, transformers": (lambda request: forward(True, request), 1.4, berts.Layer, "forward"),
    "readable forward, transformers": (lambda request: forward(False, request), 1.4, berts.Layer, "forward"),
    "embed, its forward passes": (embedding, 1.7, vectors.embedding, "_run"),
    "decoder, transformers": (decoding, 1.15, gpt.GPT, "forward"),
    "generate, its forward passes": (generating, 1.4, generation, "generate"),
    "WordPiece, its words looked up": (cutting, 7.9, tokenization.WordPiece, "encode"),
    "all pairs, half the product": (all_pairs, 4.0, pairs, "extreme_pairs"),
    "TwoNN, half the product": (nearest, 4.4, two_nn, "intrinsic_dimension"),
    "spectrum, product and eigenvalues": (variances, 1.75, shape, "spectrum"),
}


@pytest.mark.parametrize("name", COMPARISONS)
@torch.inference_mode()
def test_comparison_meets_its_bound_and_notices_doubled_work(name, request):
    make, bound, owner, function = COMPARISONS[name]
    ours, theirs = make(request)
    too_slow, ratio, peer = slower(ours, theirs, bound)
    print(f"{name}: {ratio:.2f}, ", end="")
    assert not too_slow, f"{name}: {ratio:.2f} times the time of the peer, and the bound is {bound}"
    with doubled(owner, function):
        too_slow, ratio, _ = slower(ours, theirs, bound, peer)
    print(f"doubled {ratio:.2f}, bound {bound}")  # pytest -rP shows it
    assert too_slow, f"{name}: with its work doubled {ratio:.2f} times the time of the peer, and the bound is {bound}"
