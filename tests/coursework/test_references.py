"""What is right: beside the library, PyTorch, SciPy, scikit-learn, and other ways to compute it."""

import itertools
from collections import Counter

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.spatial import cKDTree
from scipy.spatial.distance import cosine, pdist
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_similarity

from coursework import references, sources
from tests.coursework.test_answers import calls_of, passes
from tutorial_book.exercises.bert_layer import random_weights, weights_of
from tutorial_book.exercises.exercise import same
from tutorial_book.exercises.geometry import exact_contrasts, random_signs
from tutorial_lib import attention as library_attention
from tutorial_lib import geometry as library
from tutorial_lib import positions
from tutorial_lib import tokenization as library_tokens

tokenization, attention, bert_layer, geometry, project = map(references.of, sources.names())
attend = torch.nn.functional.scaled_dot_product_attention


@pytest.fixture
def rng():
    return np.random.default_rng(0)


NO_RULES = {"1-tokenization": {"DIGITS": 99, "MOST": 99, "LONGEST": 99}, "2-attention": {"BASE": 10_000}}


def merges_of_the_library(counts, n_merges):
    letters = sorted({letter for word in counts for letter in word})
    _, merges = library_tokens.learn_merges(Counter(counts), letters, 9_999, library_tokens.bpe_score, str.__add__)
    return merges[:n_merges]


def pieces_of_the_library(word, vocab):
    return library_tokens.WordPiece(["[PAD]", "[CLS]", "[SEP]", *sorted(vocab)]).tokenize(word)


def rotated_by_the_library(X, places):
    halves = np.concatenate([X[..., 0::2], X[..., 1::2]], axis=-1)
    turned = positions.rotary(torch.tensor(halves), positions.Rope().angles(torch.tensor(places), X.shape[-1]))
    return np.stack(np.split(turned.numpy(), 2, axis=-1), axis=-1).reshape(X.shape)


SAME = {  # but for the rules
    "words": lambda text: [word.lower() for word in library_tokens.words(text)],
    "train_bpe": merges_of_the_library,
    "sinusoidal": lambda n, d_model: positions.sinusoidal(n, d_model).numpy(),
    "shift_matrix": lambda k, d_model: positions.shift_matrix(k, d_model).numpy(),
    "rotate": rotated_by_the_library,
}
NEARLY = {
    "longest_match": pieces_of_the_library,
    "match_from_right": tokenization.longest_match,
    "pack": lambda batch, length, pad_id=0: tokenization.pad(batch, pad_id),
    "near_attention": lambda Q, K, V, slopes, mask=None: attention.attention(Q, K, V, mask),
}


@pytest.mark.parametrize("name", SAME)
def test_answers_equal_the_library_without_the_rules(name):
    assert not passes(SAME[name], name)  # by the rules
    made = [references.of(assignment, **rules) for assignment, rules in NO_RULES.items()]
    right = next(vars(one)[name] for one in made if hasattr(one, name))
    for call in calls_of("hidden")[name]:
        assert same(right(*call.arguments), SAME[name](*call.arguments), 1e-3), call


@pytest.mark.parametrize("name", NEARLY)
def test_what_is_nearly_asked_for_is_not_right(name):
    assert not passes(NEARLY[name], name)


@pytest.mark.parametrize("assignment", ["1-tokenization", "2-attention"])
def test_most_code_points_need_unpublished_answers(assignment):
    points = sources.points(assignment, marks=("check",))
    new = {name.replace("_", "-") for name in [*SAME, *NEARLY]}
    worth = sum(points[name] for name in points if name.rpartition("-")[0] in new)
    assert worth >= 0.6 * sum(points.values())
    first = sources.source(assignment).cells[0].source.replace("\n", " ")
    assert f" {worth} of the {sum(points.values())} points for code" in first


def test_pairs_are_cut_as_in_the_library(rng):
    for _ in range(200):
        first, second, room = (int(number) for number in rng.integers(0, [9, 9, 16]))
        _, segments = tokenization.encode_pair([5] * first, [6] * second, room + 3)
        kept = library_tokens.truncated_lengths(first, second, room)
        assert (segments.count(0) - 2, segments.count(1) - 1) == kept


def near_attention_of_torch(Q, K, V, slopes, mask=True):
    Q, K, V = (torch.tensor(part)[None] for part in (Q, K, V))
    steps = np.arange(Q.shape[2])
    bias = np.where(mask, -slopes[:, None, None] * abs(steps[:, None] - steps), -np.inf)
    eye = torch.eye(len(steps), dtype=float).expand(1, len(slopes), -1, -1)  # the average of its rows is the weights
    return tuple(attend(Q, K, part, attn_mask=torch.tensor(bias))[0].numpy() for part in (V, eye))


def two_nn_of_a_tree(X):
    _, first, second = cKDTree(X).query(X, k=3)[0].T
    return (len(X) - 1) / np.log(second / first).sum()


def added(X):
    """What each coordinate adds to the average cosine, (d,): the mean of u_ik u_jk over the pairs i < j."""
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    return (U.sum(axis=0) ** 2 - (U**2).sum(axis=0)) / (len(X) * (len(X) - 1))


def without_loudest_by_trying(X):
    assert np.isclose(added(X).sum(), library.average_cosine(X))
    left_out = [library.average_cosine(np.delete(X, k, axis=1)) for k in range(X.shape[1])]
    return left_out[added(X).argmax()]


def margins_by_a_loop(X, labels):
    margins, labels, places = [], np.array(labels), np.arange(len(labels))
    for i, label in enumerate(labels):
        cosines, same_label = cosine_similarity(X[i : i + 1], X)[0], labels == label
        margins.append(cosines[same_label & (places != i)].max() - cosines[~same_label].max())
    return np.array(margins)


EQUAL = {
    "softmax": lambda x: torch.softmax(torch.tensor(x), -1).numpy(),
    "attention": lambda *given: [part.numpy() for part in library_attention.attention(*map(torch.tensor, given))],
    "causal_mask": lambda n: library_attention.causal_mask(n).numpy(),
    "near_attention": near_attention_of_torch,
    "cosine_matrix": cosine_similarity,
    "average_cosine": lambda X: 1 - pdist(X, "cosine").mean(),
    "anisotropy": lambda X: PCA().fit(X).explained_variance_ratio_[0],
    "two_nn": two_nn_of_a_tree,
    "without_loudest": without_loudest_by_trying,
    "contrast_cosine": lambda *sides: 1 - cosine(*((sides[i + 1] - sides[i]).mean(axis=0) for i in (0, 2))),
    "neighbor_margin": lambda *given: margins_by_a_loop(*given).mean(),
    "neighbor_purity": lambda *given: (margins_by_a_loop(*given) > 0).mean(),
    "swap_p": lambda *given: library.swap_test(*given).p,
}


@pytest.mark.parametrize("name", EQUAL)
def test_other_implementations_pass_the_hidden_checks(name):
    assert passes(EQUAL[name], name)


@pytest.mark.parametrize("n_groups", [1, 2, 4])
def test_grouped_queries_are_pytorchs(n_groups, rng):
    X, weights, mask = rng.normal(size=(5, 12)), random_weights(rng, 12, 20, n_groups * 3), np.arange(5) < 3
    parts = (torch.tensor(X @ weights[f"W_{part}"] + weights[f"b_{part}"]) for part in "QKV")
    Q, K, V = (part.unflatten(1, (-1, 3)).transpose(0, 1)[None] for part in parts)
    heads = attend(Q, K, V, torch.tensor(mask).expand(5, 5), enable_gqa=True)[0]
    theirs = heads.transpose(0, 1).reshape(5, 12).numpy() @ weights["W_O"] + weights["b_O"]
    assert np.allclose(bert_layer.grouped_query_attention(X, weights, 4, n_groups, mask), theirs)
    if n_groups == 4:
        assert np.allclose(bert_layer.multi_head_attention(X, weights, 4, mask), theirs)


def test_pre_norm_layer_equals_pytorchs_parts(rng):
    X, mask = torch.tensor(rng.normal(size=(5, 12))), np.arange(5) < 3
    weights = random_weights(rng, 12, 20)
    w = {name: torch.tensor(value) for name, value in weights.items()}
    inner = torch.nn.functional.rms_norm(X, (12,), w["gamma_1"], 1e-12)
    A = X + torch.tensor(bert_layer.multi_head_attention(inner.numpy(), weights, 3, mask))
    inner = torch.nn.functional.rms_norm(A, (12,), w["gamma_2"], 1e-12)
    theirs = A + torch.nn.functional.gelu(inner @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"]
    assert np.allclose(bert_layer.pre_norm_layer(X.numpy(), weights, 3, mask), theirs)


@pytest.mark.parametrize("layer", range(6))
def test_a_layer_is_hugging_faces(layer, bert, hf_bert):
    X = torch.randn(1, 9, 384)
    with torch.no_grad():
        theirs = hf_bert.encoder.layer[layer](X)
    theirs = theirs[0] if isinstance(theirs, tuple) else theirs
    ours = bert_layer.bert_layer(X[0].numpy(), weights_of(bert, layer), 12)
    assert np.allclose(ours, theirs.reshape(9, 384), atol=2e-5)


def test_all_sign_flips_give_scipys_exact_p(rng):
    a, b = rng.normal(size=(7, 5)), rng.normal(size=(4, 5))
    signs = np.array(list(itertools.product([1.0, -1.0], repeat=len(a))))  # (128, 7)
    along = a @ b.mean(axis=0)
    how = {"permutation_type": "samples", "n_resamples": np.inf, "vectorized": True}
    exact = stats.permutation_test((along,), lambda x, axis: x.mean(axis=axis), **how)
    flipped = geometry.sign_flip_p(a, b, signs[1:-1])  # without the two ties, which rounding may break
    assert round((flipped * 127 - 1) + 2) == round(exact.pvalue * 128)


def test_equal_values_count_and_random_signs_make_none(rng):
    a, b = exact_contrasts(rng)
    assert geometry.sign_flip_p(a, b, np.outer([1.0, -1.0, 1.0], np.ones(len(a)))) == 1
    signs = random_signs(rng, 500, 3)
    assert set(np.unique(signs)) == {-1, 1} and (np.abs(signs.sum(axis=1)) < 3).all()


def test_the_real_vectors_fit_their_questions(default_folder):
    calls = calls_of("-bert")
    for call in [*calls["anisotropy"], *calls["two_nn"], *calls["without_loudest"]]:
        (X,) = call.arguments
        assert np.isfinite(call.expected) and len(library.distinct(X)) == len(X) == 150
        last, most = np.sort(added(X))[-2:]
        assert most - last > 1e-9  # rounding does not choose the loudest coordinate
    bias, p = calls["contrast_cosine"][0].expected, calls["sign_flip_p"][0].expected
    assert bias < -0.2 and p < 0.05  # a nurse is a step toward female


def test_p_value_of_all_orders_is_scipys(rng):
    X, labels = rng.normal(size=(6, 3)), np.array([0, 1, 0, 1, 0, 1])
    how = {"permutation_type": "pairings", "n_resamples": np.inf, "alternative": "greater"}
    exact = stats.permutation_test(
        (np.arange(6),), lambda order: project.neighbor_purity(X, labels[order.astype(int)]), **how
    )
    others = [list(order) for order in itertools.permutations(range(6))][1:]
    assert project.purity_p(X, labels.tolist(), others) == pytest.approx(exact.pvalue)
