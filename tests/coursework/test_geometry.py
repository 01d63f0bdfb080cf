"""Assignment 4: its right answers beside the library's and others', and what each usual mistake costs."""

import copy
import itertools
import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import cKDTree
from scipy.spatial.distance import cosine, pdist
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_similarity

from tutorial_book.exercises import exercise as exercises
from tutorial_lib import geometry as library

checks = pytest.importorskip("coursework.checks")
from coursework import grading, references, sources  # noqa: E402
from coursework.references import geometry as right  # noqa: E402
from tests.coursework.conftest import QUICK, cell, with_code  # noqa: E402

ASSIGNMENT = "4-geometry"
HIDDEN = {
    "cosine_matrix": "cosine-matrix-hidden",
    "average_cosine": "average-cosine-hidden",
    "anisotropy": "anisotropy-hidden",
    "two_nn": "two-nn-hidden",
    "without_loudest": "without-loudest-hidden",
    "contrast_cosine": "contrast-cosine-hidden",
    "sign_flip_p": "sign-flip-hidden",
    "swap_p": "swap-hidden",
}
EXERCISES = list(exercises.EXERCISES["geometry"].values())
MISTAKES = [(exercise, hint) for exercise in EXERCISES for hint in exercise.outcomes.made]


@pytest.fixture(params=[(40, 3), (6, 20)], ids=["many", "few"])
def X(request):
    """A cloud away from the origin, with more vectors than dimensions or with fewer."""
    return np.random.default_rng(7).normal(size=request.param) * np.linspace(1, 3, request.param[1]) + 1


@pytest.fixture
def contrasts():
    rng = np.random.default_rng(3)
    return rng.normal(size=(2, 7, 5)), rng.normal(size=(2, 4, 5)) + 0.5


# --- the references against the library, scikit-learn, SciPy and scikit-dimension ---------------------------------


def test_cosines_are_the_librarys_and_scikit_learns(X):
    assert np.allclose(right.cosine_matrix(X), library.cosine_matrix(X))
    X[2] = 0
    assert np.allclose(right.cosine_matrix(X), cosine_similarity(X))
    assert not right.cosine_matrix(X)[2].any()


def test_the_average_cosine_is_the_librarys_and_scipys(X):
    assert right.average_cosine(X) == pytest.approx(library.average_cosine(X))
    assert right.average_cosine(X) == pytest.approx(1 - pdist(X, "cosine").mean())


def test_anisotropy_is_the_librarys_and_scikit_learns(X):
    assert right.anisotropy(X) == pytest.approx(library.anisotropy(X))
    assert right.anisotropy(X) == pytest.approx(PCA().fit(X).explained_variance_ratio_[0])


def test_two_nn_is_the_librarys_estimate_without_discarding(X):
    assert right.two_nn(X) == pytest.approx(library.intrinsic_dimension(X, "mle", discard=0))
    (_, first, second), n = cKDTree(X).query(X, k=3)[0].T, len(X)
    assert right.two_nn(X) == pytest.approx((n - 1) / np.log(second / first).sum())


def test_two_nn_is_scikit_dimensions_likelihood_with_two_neighbors():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        skdim = pytest.importorskip("skdim")
        X = np.random.default_rng(0).random((500, 3))
        peer = skdim.id.MLE(K=2, neighborhood_based=True).fit_transform_pw(X, n_neighbors=2)
    n = len(X)
    harmonic = n / (1 / peer).sum()  # of Levina and Bickel's estimates, as MacKay and Ghahramani average them
    assert right.two_nn(X) == pytest.approx(harmonic * (n - 1) / n)
    assert right.two_nn(X) == pytest.approx(3, abs=0.4)


def test_what_the_coordinates_add_makes_the_average_cosine(X):
    added = right.added(X)
    assert added.sum() == pytest.approx(library.average_cosine(X))
    left_out = [library.average_cosine(np.delete(X, k, axis=1)) for k in range(X.shape[1])]
    assert right.without_loudest(X) == pytest.approx(left_out[added.argmax()])


def test_a_contrast_cosine_is_the_librarys_and_scipys(contrasts):
    (first_a, second_a), (first_b, second_b) = contrasts
    a, b = library.difference_vectors(first_a, second_a), library.difference_vectors(first_b, second_b)
    ours = right.contrast_cosine(first_a, second_a, first_b, second_b)
    assert ours == pytest.approx(library.contrast_cosines({"a": a, "b": b})[0, 1])
    assert ours == pytest.approx(1 - cosine(a.mean(axis=0), b.mean(axis=0)))


def test_the_larger_of_two_sign_flip_p_values_is_the_librarys(contrasts):
    a, b = (second - first for first, second in contrasts)
    rng = np.random.default_rng(5)  # the library draws the signs of the first contrast, then those of the second
    signs_a, signs_b = (rng.choice([-1.0, 1.0], size=(199, len(one))) for one in (a, b))
    ours = max(right.sign_flip_p(a, b, signs_a), right.sign_flip_p(b, a, signs_b))
    theirs = library.sign_flip_test(a, b, n_permutations=199, seed=5)
    ties = sum((np.abs(signs.sum(axis=1)) == signs.shape[1]).sum() for signs in (signs_a, signs_b))
    assert ours <= theirs + 1e-9 <= ours + (ties + 1) / 200  # rounding may break a tie; the library allows for it


def test_all_sign_flips_give_scipys_exact_p(contrasts):
    a, b = (second - first for first, second in contrasts)
    signs = np.array(list(itertools.product([1.0, -1.0], repeat=len(a))))  # (128, 7)
    along = a @ b.mean(axis=0)
    exact = stats.permutation_test(
        (along,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    flipped = right.sign_flip_p(a, b, signs[1:-1])  # without the two ties, which rounding may break
    assert round((flipped * 127 - 1) + 2) == round(exact.pvalue * 128)


def test_ties_count_in_exact_numbers():
    a, b = right.exact_contrasts(np.random.default_rng(0))
    alike = np.outer([1.0, -1.0, 1.0], np.ones(len(a)))
    assert right.sign_flip_p(a, b, alike) == 1


def test_random_signs_are_never_all_alike():
    signs = right.random_signs(np.random.default_rng(0), 500, 3)
    assert set(np.unique(signs)) == {-1, 1} and (np.abs(signs.sum(axis=1)) < 3).all()


def test_swaps_are_the_librarys():
    rng = np.random.default_rng(2)
    direction, difference, words = rng.normal(size=4), rng.normal(size=4), rng.normal(size=(12, 4))
    ours = right.swap_p(direction, difference, words)
    assert ours == pytest.approx(library.swap_test(direction, difference, words).p)


# --- what students are told and what they lose --------------------------------------------------------------------


@pytest.mark.parametrize(
    "in_place, name",
    [
        (lambda X: X.__itruediv__(np.linalg.norm(X, axis=1, keepdims=True)) @ X.T, "cosine_matrix"),
        (lambda X: right.anisotropy(X.__isub__(X.mean(axis=0))), "anisotropy"),
        (lambda a, b, signs: right.sign_flip_p(a, b, signs.__imul__(-1)), "sign_flip_p"),
    ],
    ids=["cosine_matrix", "anisotropy", "sign_flip_p"],
)
def test_work_on_the_callers_array_is_told(in_place, name):
    exercise = exercises.EXERCISES["geometry"][name]
    problems = [exercise.problem(in_place, case) for case in exercise.cases]
    problems = [problem for problem in problems if problem]  # a cloud that is centered already does not change
    assert problems and all("changes its inputs" in problem for problem in problems)


def lost(function, check_id, seed):
    """Whether a function, run here on the inputs of a check, gives a wrong value for any of them."""
    for call in checks.load(ASSIGNMENT)[check_id](np.random.default_rng(seed)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = checks._plain(function(*copy.deepcopy(call.arguments)))
        except Exception as error:
            return type(error).__name__
        reason = checks.wrong(call, value)
        if reason:
            return reason
    return None


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_right_answer_keeps_the_points(exercise):
    hidden = HIDDEN[exercise.name]
    for check_id in (hidden, hidden.replace("hidden", "public")):
        assert [lost(getattr(right, exercise.name), check_id, seed) for seed in range(5)] == [None] * 5


@pytest.mark.parametrize("exercise, hint", MISTAKES, ids=[f"{e.name}: {h[:40]}" for e, h in MISTAKES])
def test_each_mistake_loses_the_public_and_the_hidden_points(exercise, hint):
    hidden, mistake = HIDDEN[exercise.name], references.mistakes(ASSIGNMENT)[exercise.name][hint]
    assert lost(mistake, hidden.replace("hidden", "public"), seed=0)
    assert all(lost(mistake, hidden, seed) for seed in range(5))


# Functions as students write them: (function, what is wrong, a piece of the hint that tells it, "" where none does).
ARGUMENTS = {"contrast_cosine": "A1, A2, B1, B2", "sign_flip_p": "a, b, s", "swap_p": "d, v, W"}
VARIANTS = [
    ("cosine_matrix", "return X @ X.T", "dot products"),
    ("cosine_matrix", "return X @ X.T / np.linalg.norm(X) ** 2", "length of the whole matrix"),
    ("cosine_matrix", "return (X / np.linalg.norm(X)) @ (X / np.linalg.norm(X)).T", "length of the whole matrix"),
    ("cosine_matrix", "n = np.linalg.norm(X, axis=1); return X @ X.T / n", "only one of the two lengths"),
    ("cosine_matrix", "U = X / np.linalg.norm(X, axis=1); return U @ U.T", "keepdims=True"),
    ("cosine_matrix", "U = X / np.linalg.norm(X, axis=0, keepdims=True); return U @ U.T", "those of the columns"),
    ("cosine_matrix", "U = X / np.linalg.norm(X, axis=1)[:, None]; return U @ U.T", "0 / 0 is nan"),
    ("cosine_matrix", "U = X / np.linalg.norm(X, axis=1)[:, None]; return U @ U", "not transposed"),
    ("cosine_matrix", "U = X / (X ** 2).sum(1, keepdims=True); return U @ U.T", "square root"),
    ("cosine_matrix", "C = cosine_matrix(X); np.fill_diagonal(C, 1); return C", "do not set the diagonal to 1"),
    ("cosine_matrix", "return np.clip(cosine_matrix(X), 0, 1)", "cut off"),
    ("cosine_matrix", "X = X[np.linalg.norm(X, axis=1) > 0]; return cosine_matrix(X)", "left out"),
    ("cosine_matrix",
     "return np.array([[cos(X[i], X[j]) if i != j else 0 for j in range(len(X))] for i in range(len(X))])",
     "diagonal is empty"),
    ("average_cosine", "return cosine_matrix(X).mean()", "with itself"),
    ("average_cosine", "C = cosine_matrix(X); return (C.sum() - len(X)) / len(X) ** 2", "n squared"),
    ("average_cosine", "C = cosine_matrix(X); return C[np.triu_indices(len(X))].mean()", "k=1"),
    ("average_cosine", "return np.triu(cosine_matrix(X), 1).mean()", "zeros below"),
    ("average_cosine", "C = cosine_matrix(X); n = len(X); return np.triu(C, 1).sum() / (n * (n - 1))", "n (n - 1) / 2"),
    ("average_cosine", "C = cosine_matrix(X); return C[C < 0.999999].mean()", "by its place"),
    ("average_cosine", "m = X.mean(0); return np.mean([cos(x, m) for x in X])", "mean vector"),
    ("average_cosine", "return np.mean([X[i] @ X[j] for i in range(len(X)) for j in range(i)])", "dot products"),
    ("average_cosine", "return np.mean([cos(X[i], X[i + 1]) for i in range(len(X) - 1)])", "next to each other"),
    ("average_cosine", "U = X / np.linalg.norm(X, axis=1)[:, None]; return np.linalg.norm(U.mean(0)) ** 2",
     "with itself"),
    ("anisotropy", "s = np.linalg.svd(X, compute_uv=False); return s[0] ** 2 / (s ** 2).sum()", "not centered"),
    ("anisotropy", "s = np.linalg.svd(X - X.mean(), compute_uv=False); return s[0] ** 2 / (s ** 2).sum()",
     "each coordinate"),
    ("anisotropy", "s = np.linalg.svd(X - X.mean(0), compute_uv=False); return s[0] / s.sum()", "not squared"),
    ("anisotropy", "s = np.linalg.svd(X - X.mean(0), compute_uv=False); return (s[0] / s.sum()) ** 2",
     "sum the squares"),
    ("anisotropy", "w = np.linalg.eigvalsh(np.cov(X.T)); return w[0] / w.sum()", "upward"),
    ("anisotropy", "w = np.linalg.eig(np.cov(X.T))[0]; return w[0].real / w.sum().real", "do not sort"),
    ("anisotropy", "w = np.linalg.eigvalsh(np.cov(X)); return w[-1] / w.sum()", "axis=0"),
    ("anisotropy", "v = X.var(axis=0); return v.max() / v.sum()", "one coordinate"),
    ("anisotropy", "Z = (X - X.mean(0)) / X.std(0); w = np.linalg.eigvalsh(Z.T @ Z); return w[-1] / w.sum()",
     "standard dev"),
    ("two_nn", "D = distances(X); S = np.sort(D, 1); return (len(X) - 1) / np.log(S[:, 1] / S[:, 0]).sum()",
     "own nearest"),
    ("two_nn", "S = np.sort(distances(X) ** 2, 1); return (len(X) - 1) / np.log(S[:, 2] / S[:, 1]).sum()", "squared"),
    ("two_nn", "S = np.sort(distances(X), 1); return len(X) / np.log(S[:, 2] / S[:, 1]).sum()", "n - 1 stands"),
    ("two_nn", "S = np.sort(distances(X), 1); return 1 / np.mean(np.log(S[:, 2] / S[:, 1]))", "n - 1 stands"),
    ("two_nn", "S = np.sort(distances(X), 1); return (len(X) - 1) / np.log10(S[:, 2] / S[:, 1]).sum()", "base 10"),
    ("two_nn", "S = np.sort(distances(X), 1); return (len(X) - 1) / np.log(S[:, 3] / S[:, 2]).sum()", "left out twice"),
    ("two_nn", "S = np.sort(distances(X), 1); m = np.sort(S[:, 2] / S[:, 1])[: int(.9 * len(X))]\n"
               "    return (len(m) - 1) / (np.log(m).sum() + (len(X) - len(m)) * np.log(m[-1]))", "use all points"),
    ("without_loudest", "return average_cosine(X) - added(X).max()", "new lengths"),
    ("without_loudest", "k = np.abs(X).sum(0).argmax(); return average_cosine(np.delete(X, k, 1))", "largest numbers"),
    ("without_loudest", "k = X.var(0).argmax(); return average_cosine(np.delete(X, k, 1))", "largest variance"),
    ("without_loudest", "k = np.abs(added(X)).argmax(); return average_cosine(np.delete(X, k, 1))", "the sign counts"),
    ("without_loudest", "U = X / np.linalg.norm(X, axis=1)[:, None]; k = (U.T @ U).diagonal().argmax()\n"
                        "    return average_cosine(np.delete(X, k, 1))", "largest squares"),
    ("without_loudest", "k = added(X).argmax(); return average_cosine(np.delete(X, k))", "axis=1"),
    ("without_loudest", "k = added(X).argmax(); return average_cosine(np.delete(X, k, axis=0))", "a row is left out"),
    ("without_loudest", "k = added(X).argmin(); return average_cosine(np.delete(X, k, 1))", "adds least"),
    ("contrast_cosine", "a, b = A2 - A1, B2 - B1; return a.mean(0) @ b.mean(0)", "inner product"),
    ("contrast_cosine", "return cos((A1 - A2).mean(0), (B2 - B1).mean(0))", "turned around"),
    ("contrast_cosine", "return np.mean([cos(a, b) for a in A2 - A1 for b in B2 - B1])", "are averaged"),
    ("contrast_cosine", "return np.mean([cos(a, b) for a, b in zip(A2 - A1, B2 - B1)])", "pair by pair"),
    ("contrast_cosine", "return cos((A2 - A1).mean(), (B2 - B1).mean())", ""),
    ("contrast_cosine", "return cos(A2.mean(0), B2.mean(0))", "averages of vectors"),
    ("contrast_cosine", "return abs(cos((A2 - A1).mean(0), (B2 - B1).mean(0)))", "the sign is lost"),
    ("sign_flip_p", "o, null = observed(a, b, s); return np.mean(np.abs(null) >= abs(o))", "1 more above"),
    ("sign_flip_p", "o, null = observed(a, b, s); return (1 + (null >= o).sum()) / (1 + len(null))", "two sides"),
    ("sign_flip_p", "o, null = observed(a, b, s); return (1 + (np.abs(null) > abs(o)).sum()) / (1 + len(null))",
     ">=, not >"),
    ("sign_flip_p", "o, null = observed(a, b, s); return (1 + (np.abs(null) >= o).sum()) / (1 + len(null))",
     "one side of"),
    ("sign_flip_p", "o, null = observed(a, b, s); return (1 + (np.abs(null) >= abs(o)).sum()) / len(null)",
     "below the line"),
    ("sign_flip_p", "return p(a.mean(0) @ b.mean(0), (s @ a) @ b.mean(0))", "divide by n in both"),
    ("sign_flip_p", "return p(cos(a.mean(0), b.mean(0)), [cos(x, b.mean(0)) for x in s @ a])", "cannot see"),
    ("sign_flip_p", "return p(a.mean(0) @ b.mean(0), [(r @ a) @ (r @ b) / len(a) / len(b) for r in s])", "contrast a"),
    ("sign_flip_p", "return p(a.mean(0) @ b.mean(0), [(r * a).mean(0) @ b.mean(0) for r in s])", "adds up the pairs"),
    ("swap_p", "o, null = swaps(d, v, W); return (1 + (null >= o).sum()) / (1 + len(null))", "only one side"),
    ("swap_p", "o, null = swaps(d, v, W); return np.mean(np.abs(null) >= abs(o))", "1 more above"),
    ("swap_p", "o, null = swaps(d, v, W); return (1 + (np.abs(null) > abs(o)).sum()) / (1 + len(null))", ">=, not >"),
    ("swap_p", "return p(cos(v, d), [cos(x - y, d) for x in W for y in W])", ""),
    ("swap_p", "n = range(len(W)); return p(cos(v, d), [cos(W[i] - W[j], d) for i in n for j in n if i != j])",
     "in both directions"),
    ("swap_p", "return p(v @ d, [(W[i] - W[j]) @ d for i in range(len(W)) for j in range(i)])", "take the cosine"),
    ("swap_p", "return p(cos(v, d), [cos(w, d) for w in W])", "cosines of words"),
]  # fmt: skip
AT_HAND = {
    "np": np,
    "cosine_matrix": right.cosine_matrix,
    "average_cosine": right.average_cosine,
    "added": right.added,
    "cos": lambda a, b: a @ b / (np.linalg.norm(a) * np.linalg.norm(b)),
    "distances": lambda X: np.linalg.norm(X[:, None] - X, axis=-1),
    "p": lambda observed, null: (1 + np.count_nonzero(np.abs(null) >= abs(observed))) / (1 + len(null)),
    "observed": lambda a, b, s: (a.mean(0) @ b.mean(0), (s @ a / len(a)) @ b.mean(0)),
    "swaps": lambda d, v, W: (
        right._cosine(v, d),
        right._cosine(np.subtract(*(W[i] for i in np.triu_indices(len(W), 1))), d),
    ),
}


@pytest.mark.parametrize("name, body, hint", VARIANTS, ids=[f"{n}: {b[:60]}" for n, b, _ in VARIANTS])
def test_a_wrong_function_is_told_how_and_loses_points_here_and_there(name, body, hint, capsys):
    names = dict(AT_HAND)
    exec(f"def function({ARGUMENTS.get(name, 'X')}):\n    {body}", names)
    exercise = next(exercise for exercise in EXERCISES if exercise.name == name)
    assert exercise.check(names["function"]) is False
    told = capsys.readouterr().out.partition("Hint: ")[2]
    assert hint in told and bool(hint) == bool(told)
    for kind in ("public", "hidden"):
        assert all(lost(names["function"], HIDDEN[name].replace("hidden", kind), seed) for seed in range(3))


def test_nine_of_ten_wrong_functions_are_told_how():
    assert sum(bool(hint) for *_, hint in VARIANTS) >= 0.9 * len(VARIANTS)


# What is asked about one's own code is drawn from one's name: tests/coursework/test_own.py.
DRAWN = [check_id for check_id in sources.points(ASSIGNMENT, marks=("check",)) if not check_id.startswith("own-")]


@pytest.mark.parametrize("check_id", DRAWN)
def test_two_seeds_never_give_the_same_inputs(check_id):
    drawn = [str([call.arguments for call in calls]) for calls in drawn_by(check_id, range(10))]
    assert len(set(drawn)) == 10


def drawn_by(check_id, seeds):
    return (list(checks.load(ASSIGNMENT)[check_id](np.random.default_rng(seed))) for seed in seeds)


def test_every_question_has_its_points():
    points = sources.points(ASSIGNMENT)
    assert sum(points.values()) == 40
    assert points["what-it-shows"] + points["why-a-control"] == 8


def test_the_real_vectors_fit_the_questions(default_folder):
    for check_id in ("shape-bert", "bias-bert"):
        calls = [call for calls in drawn_by(check_id, range(5)) for call in calls]
        assert all(np.isfinite(call.expected) for call in calls)
        for call in calls:
            if call.name == "two_nn":
                (X,) = call.arguments
                assert len(library.distinct(X)) == len(X) == 150
                last, most = np.sort(right.added(X))[-2:]
                assert most - last > 1e-9  # rounding does not choose the loudest coordinate
    bias, p = calls[0].expected, calls[1].expected
    assert bias < -0.2 and p < 0.05  # a nurse is a step toward female


# --- submissions ------------------------------------------------------------------------------------------------------


@pytest.fixture
def graded(hand_in, tmp_path, bubblewrap):
    """graded(notebook): its marks."""

    def run(notebook):
        hand_in("ada", notebook, f"{ASSIGNMENT}.ipynb")
        folders = tmp_path / "submitted", tmp_path / "results"
        (marks,) = grading.grade_all(*folders, ASSIGNMENT, seed=1, limits=QUICK)
        return marks

    return run


def test_a_half_done_notebook_has_the_points_of_what_is_done(graded):
    notebook, solved = sources.student_notebook(ASSIGNMENT), sources.solved_notebook(ASSIGNMENT)
    done = ("cosine-matrix", "average-cosine", "anisotropy", "two-nn")
    for name in done:
        notebook = with_code(notebook, name, cell(solved, name).source)
    points = graded(notebook).points
    earned = {f"{name}-{kind}" for name in done for kind in ("public", "hidden")}
    assert {name for name, given in points.items() if given} == earned | {"shape-bert"}
    assert points["shape-bert"] == 2  # two of its three functions are there
    assert sum(points.values()) == 14


def test_usual_mistakes_cost_their_own_points_only(graded):
    notebook = sources.solved_notebook(ASSIGNMENT)
    for name, old, new in (
        ("cosine-matrix", "np.where(lengths == 0, 1, lengths)", "lengths"),
        ("anisotropy", "X - X.mean(axis=0)", "X"),
        ("two-nn", "np.fill_diagonal(distances, np.inf)", "pass"),
        ("sign-flip", ">= abs(observed)", "> abs(observed)"),
        ("swap", "(1 + np", "(0 + np"),
    ):
        source = cell(notebook, name).source
        assert old in source
        notebook = with_code(notebook, name, source.replace(old, new))
    points = graded(notebook).points
    full = sources.points(ASSIGNMENT, marks=("check",))
    lost = {name: full[name] - given for name, given in points.items() if given < full[name]}
    assert lost == {
        "cosine-matrix-public": 1, "cosine-matrix-hidden": 1,  # with zeros only
        "anisotropy-public": 1, "anisotropy-hidden": 2,
        "two-nn-public": 1, "two-nn-hidden": 3, "shape-bert": 2,
        "sign-flip-public": 1, "sign-flip-hidden": 1.5,  # with ties only
        "swap-public": 1, "swap-hidden": 2,
    }  # fmt: skip
