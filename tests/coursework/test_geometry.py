"""Assignment 4: its right answers beside the library's and others', and what each usual mistake costs."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import cKDTree
from scipy.spatial.distance import cosine, pdist
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_similarity

from tutorial_lib import geometry as library
from tutorial_lib.coursework import geometry as right
from tutorial_lib.coursework.exercise import Exercise

checks = pytest.importorskip("coursework.checks")
from coursework import grading, sources  # noqa: E402
from tests.coursework.conftest import QUICK, cell, with_code  # noqa: E402

ASSIGNMENT = "4-geometry"
HIDDEN = {
    "cosine_matrix": "cosine-matrix-hidden",
    "average_cosine": "average-cosine-hidden",
    "anisotropy": "anisotropy-hidden",
    "two_nn": "two-nn-hidden",
    "contrast_cosine": "contrast-cosine-hidden",
    "sign_flip_p": "sign-flip-hidden",
    "swap_p": "swap-hidden",
}
EXERCISES = [value for value in vars(right).values() if isinstance(value, Exercise)]
MISTAKES = [(exercise, hint) for exercise in EXERCISES for hint in exercise.mistakes]


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
    "in_place, exercise",
    [
        (lambda X: X.__itruediv__(np.linalg.norm(X, axis=1, keepdims=True)) @ X.T, right.COSINE_MATRIX),
        (lambda X: right.anisotropy(X.__isub__(X.mean(axis=0))), right.ANISOTROPY),
        (lambda a, b, signs: right.sign_flip_p(a, b, signs.__imul__(-1)), right.SIGN_FLIP_P),
    ],
    ids=["cosine_matrix", "anisotropy", "sign_flip_p"],
)
def test_work_on_the_callers_array_is_told(in_place, exercise, capsys):
    if exercise is right.ANISOTROPY:  # the first cloud is centered already: nothing changes there
        exercise = Exercise(exercise.name, exercise.reference, exercise.cases[1:], exercise.mistakes)
    assert exercise.check(in_place) is False
    assert "changes its inputs" in capsys.readouterr().out


def lost(function, check_id, seed):
    """Whether a function, run here on the inputs of a hidden check, gives a wrong value for any of them."""
    for call in checks.load(ASSIGNMENT)[check_id](np.random.default_rng(seed)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = checks._plain(function(*call.arguments))
        except Exception as error:
            return type(error).__name__
        reason = checks.wrong(call, {"value": value})
        if reason:
            return reason
    return None


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_right_answer_keeps_the_hidden_points(exercise):
    assert [lost(exercise.reference, HIDDEN[exercise.name], seed) for seed in range(5)] == [None] * 5


@pytest.mark.parametrize("exercise, hint", MISTAKES, ids=[f"{e.name}: {h[:40]}" for e, h in MISTAKES])
def test_each_mistake_loses_the_public_and_the_hidden_points(exercise, hint):
    hidden = HIDDEN[exercise.name]
    assert lost(exercise.mistakes[hint], hidden.replace("hidden", "public"), seed=0)
    assert all(lost(exercise.mistakes[hint], hidden, seed) for seed in range(5))


def test_every_question_has_its_points():
    points = sources.points(ASSIGNMENT)
    assert sum(points.values()) == 40
    assert points["what-it-shows"] + points["why-a-control"] == 8


def test_the_real_vectors_fit_the_questions(default_folder):
    for check_id in ("shape-bert", "bias-bert"):
        calls = list(checks.load(ASSIGNMENT)[check_id](np.random.default_rng(0)))
        assert all(np.isfinite(call.expected) for call in calls)
        for call in calls:
            if call.name == "two_nn":
                (X,) = call.arguments
                assert len(library.distinct(X)) == len(X) == 150
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
    for name in ("cosine-matrix", "average-cosine", "anisotropy", "two-nn"):
        notebook = with_code(notebook, name, cell(solved, name).source)
    marks = graded(notebook)
    earned = {name for name, points in marks.points.items() if points}
    assert earned == {
        f"{question}-{kind}"
        for question in ("cosine-matrix", "average-cosine", "anisotropy", "two-nn")
        for kind in ("public", "hidden")
    } | {"shape-bert"}
    assert sum(marks.points.values()) == 18


def test_usual_mistakes_cost_their_own_points_only(graded):
    notebook = sources.solved_notebook(ASSIGNMENT)
    code = {name: cell(notebook, name).source for name in ("anisotropy", "two-nn", "sign-flip", "swap")}
    spoiled = {
        "anisotropy": code["anisotropy"].replace("X - X.mean(axis=0)", "X"),
        "two-nn": code["two-nn"].replace("np.fill_diagonal(distances, np.inf)", "pass"),
        "sign-flip": code["sign-flip"].replace("np.abs(null) >= abs(observed)", "null >= observed"),
        "swap": code["swap"].replace("(1 + np", "(0 + np"),
    }
    for name, source in spoiled.items():
        assert source != code[name]
        notebook = with_code(notebook, name, source)
    points = graded(notebook).points
    zero = {name for name, given in points.items() if not given}
    both = {f"{name}-{kind}" for name in spoiled for kind in ("public", "hidden")}
    assert zero == both | {"shape-bert", "bias-bert"}
    assert sum(points.values()) == 9
