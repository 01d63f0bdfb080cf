"""What the chapter on meaning finds on the default model (rows 35 and 36)."""

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import pearsonr
from sklearn.metrics import silhouette_score
from sklearn.neighbors import KNeighborsClassifier

from tutorial_book.claims.meaning import TABLE_6, TABLE_7
from tutorial_book.experiments import meaning
from tutorial_lib.geometry import bootstrap_interval
from tutorial_lib.texts import TextsNotAvailable, load_texts
from tutorial_lib.vectors import embed

POOLINGS = ("cls", "mean")


# --- Topology (row 35) ---------------------------------------------------------------------------------------------


def test_the_groups_stand_apart_in_every_layer(page):
    for layer in ("layer 3", "layer 6"):
        silhouette_cls, purity_cls, silhouette_mean, purity_mean = page.apart[layer]
        assert purity_cls == purity_mean == 1
        assert 0.55 < silhouette_cls < 0.67 and 0.55 < silhouette_mean < 0.67


def test_but_word_counts_set_them_apart_as_well(page):
    silhouette, purity, *_ = page.apart["word counts"]
    assert purity == 1 and silhouette > 0.5


def test_both_measures_are_scikit_learns(page):
    X, labels = page.counts[page.sense], page.groups[page.sense]
    nearest = KNeighborsClassifier(1).fit(X, labels).kneighbors(return_distance=False)[:, 0]
    assert page.scores(page.counts, page.sense) == pytest.approx(
        (silhouette_score(X, labels), (labels[nearest] == labels).mean())
    )


def test_four_groups_are_four_pieces_in_the_last_layer_and_hardly_by_word_counts(page, prose):
    ratio, fewer, of_chance = zip(*page.joined.values(), strict=True)
    assert ratio == pytest.approx([1.87, 1.75, 1.07, 1.18, 1.16], abs=0.006)
    assert "at 1.87 times" in prose and "at 1.07 times" in prose
    for model in (0, 1):
        assert max(of_chance[model]) < 1.25 and np.quantile(fewer[model], 0.025) > 1.6
        for control in (2, 3, 4):
            assert np.quantile(fewer[model] - fewer[control], 0.025) > 0.35
    assert ratio[2] < np.quantile(of_chance[2], 0.975) and page.with_nonsense < 1.02
    assert [f"{row[-1]:.2f}" for row in page.rows_of_joins[:3]] == ["0.57", "0.60", "0.57"]


def test_the_pieces_are_the_groups_and_the_meeting_is_the_loose_one_by_word_counts(page):
    labels = page.groups[page.sense]
    for name, X in page.clouds.items():
        X = X[page.sense].astype(float)
        pieces = fcluster(linkage(X, "single"), 4, "maxclust")
        assert len(set(zip(pieces, labels, strict=True))) == 4 == len(set(pieces))
        widest = {group: page.last_joins(X[labels == group])[0] for group in set(labels)}
        if name.startswith(("word", "random")):
            assert max(widest, key=widest.get) == "meeting" and sorted(widest.values())[2] < 0.75 * widest["meeting"]
        else:
            assert widest["meeting"] < 1.01 * widest["happy boss"]


def test_another_choice_of_sentences_and_shuffles_says_the_same(page):
    rng = np.random.default_rng(1)
    X, counts = (page.clouds[name][page.sense].astype(float) for name in ("last layer, cls", "word counts"))
    subsets = [page.four_fifths(rng) for _ in range(100)]
    beyond = [page.apart_as_four(X[subset]) - page.apart_as_four(counts[subset]) for subset in subsets]
    assert np.quantile(beyond, [0.025, 0.975]) == pytest.approx([0.62, 0.81], abs=0.06)
    along = (X - X.mean(axis=0)) @ np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2].T
    assert max(page.apart_as_four(rng.permuted(along, axis=0)) for _ in range(20)) < 1.2


def test_the_plane_puts_hello_among_nonsense_and_the_whole_space_does_not(page):
    hello = list(page.sentences).index("hello")
    assert 0.7 <= page.in_plane[hello] <= 0.95 and page.in_full[hello] == 1


def test_how_much_of_a_group_the_random_words_are_depends_on_the_distance(page, prose):
    words = list(page.sentences).index("random words")
    assert f"{page.in_full[words]:.0%}, {page.by_cosine[words]:.0%}" == "37%, 56%"
    assert "37 % by the Euclidean one, 56 % by cosine" in prose


def test_paraphrases_win_over_decoys_step_by_step_and_surely_after_the_last_layer_alone(page):
    cls, mean = (page.won[pooling].sum(axis=1) for pooling in POOLINGS)
    assert cls.tolist() == [16, 2, 3, 6, 14, 14, 31] and mean.tolist() == [3, 2, 4, 10, 14, 16, 26]
    for wins in page.won.values():
        for seed in range(2):
            low, high = bootstrap_interval(lambda w: w.mean(axis=0), wins.T, seed=seed)
            assert low[6] > 0.65 and (high[1:3] < 0.4).all() and (low[1:6] < 0.5).all()
            assert bootstrap_interval(np.sum, wins[6] - wins[5], seed=seed)[0] >= 4


def test_the_first_sixteen_alone_rise_less_before_the_last_layer(page):
    first, second = page.won["mean"][:, :16].sum(1), page.won["mean"][:, 16:].sum(1)
    assert first[6] == second[6] == 13 and first[:6].max() == 6 and second[5] == 10


# --- Algebra (row 36) ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pooling", "bias", "mood"), [("cls", -0.357, 0.558), ("mean", -0.369, 0.658)])
def test_two_of_the_28_cosines_stand_out(page, pooling, bias, mood):
    C, at = page.C[pooling], page.at
    cosines = {frozenset(pair): C[at[pair[0]], at[pair[1]]] for pair in combinations(page.contrasts, 2)}
    assert len(cosines) == 28
    assert cosines.pop(frozenset(["doctor-nurse", "female-male"])) == pytest.approx(bias, abs=0.002)
    assert cosines.pop(frozenset(["funny-sad", "laugh-cry"])) == pytest.approx(mood, abs=0.002)
    assert max(map(abs, cosines.values())) < 0.18


def test_the_sign_flip_test_finds_a_control_too(page):
    """So it answers another question than the one that was meant."""
    p = {frozenset(pair): value for pair, value in page.p_of_signs["mean"].items()}
    assert p[frozenset(["doctor-nurse", "female-male"])] < 0.01
    assert p[frozenset(["doctor-nurse", "spoon-fork"])] < 0.01


def test_among_swaps_of_two_nouns_the_bias_is_rare_and_the_control_is_not(page):
    bias = page.swap_tests["doctor to nurse", "female-male", "nouns"]["mean"]
    assert bias.observed == pytest.approx(-0.344, abs=0.002) and bias.p < 0.01
    assert page.swap_tests["spoon to fork", "female-male", "nouns"]["mean"].p > 0.05
    assert page.swap_tests["spoon to fork", "doctor-nurse", "nouns"]["mean"].p > 0.05
    as_large = np.sum(np.abs(bias.null) >= abs(bias.observed))
    assert bias.p == pytest.approx((1 + as_large) / (1 + len(bias.null)))


@pytest.mark.parametrize(("pooling", "observed", "p5"), [("cls", -0.326, 0.067), ("mean", -0.344, 0.037)])
def test_among_swaps_of_two_occupations_the_bias_is_rare_after_the_last_layer(page, pooling, observed, p5):
    assert len(page.jobs) == 30
    last = page.swap_tests["doctor to nurse", "female-male", "occupations"][pooling]
    assert last.observed == pytest.approx(observed, abs=0.002) and last.p == pytest.approx(1 / 436)
    p_by_layer = [p_swaps for *_, p_swaps, _ in page.bias_rows[pooling]]
    assert p_by_layer[-1] == last.p
    assert p_by_layer[-2] == pytest.approx(p5, abs=0.01) and p_by_layer[-3] > 0.05


def test_the_words_own_vectors_hold_a_third_of_it_and_a_fifth_of_the_swaps_go_as_far(page):
    cosine, *_, p_swaps, _ = page.bias_rows["mean"][0]
    assert cosine == pytest.approx(-0.134, abs=0.002) and p_swaps == pytest.approx(0.195, abs=0.01)
    assert page.added[1] < 0  # the layers add to it


@pytest.mark.parametrize("pooling", POOLINGS)
def test_nothing_here_rests_on_the_two_large_coordinates(page, pooling, bert, tok):
    """Though one of them holds nearly all of [CLS]: differences cancel what the vectors share."""
    X = embed(page.flat, bert, pooling, "all", tokenizer=tok).astype(float)
    won, fewer = (page.margins(vectors)[1:] > 0 for vectors in (X, page.without(X)))  # layer 0: all [CLS] are equal
    assert (won != fewer).sum(axis=1).max() <= 1  # "at most one"
    held = (X[..., 99] ** 2 / (X**2).sum(-1)).mean(axis=1)
    assert (held[1:6] > 0.9).all() if pooling == "cls" else (held < 0.03).all()
    for cosine, *_, without_the_two in page.bias_rows[pooling][-6:]:
        assert without_the_two == pytest.approx(cosine, abs=0.01)


def test_a_bert_with_random_weights_sets_the_groups_apart_too(page):
    silhouette_cls, purity_cls, silhouette_mean, purity_mean = page.apart["random weights"]
    assert purity_cls == purity_mean == 1 and min(silhouette_cls, silhouette_mean) > 0.5


def test_at_layer_0_cls_differences_are_zero(page):
    assert not page.differences(page.contrasts["doctor-nurse"][:3], "cls")[0].any()


# --- L's own sentences, and another model ---------------------------------------------------------------------------


def test_two_cosines_stand_out_on_l_s_sentences_too_and_thirteen_are_small(page):
    assert page.kept == meaning.stored()
    assert sorted(np.argsort(-np.abs(page.on_ls))[:2]) == sorted(np.argsort(-np.abs(page.ours))[:2])
    assert sorted(np.argsort(-np.abs(page.ours))[:2]) == sorted(np.argsort(-np.abs(page.theirs))[:2])
    assert page.small.sum() == 13 and np.abs(page.on_ls[page.small]).max() < 0.11


@pytest.mark.parametrize(("pooling", "column"), [("cls", 0), ("mean", 2)])
def test_other_sentences_leave_the_small_cosines_and_another_model_does_not(page, pooling, column):
    """The page's cosines are those with which the intervals were computed."""
    text, model, apart = (row[column] for row in page.changed_by.values())
    assert (text, model, apart) == pytest.approx(page.kept[pooling]["correlations"], abs=5e-3)
    assert text == pytest.approx({"cls": 0.78, "mean": 0.89}[pooling], abs=0.005)
    assert model == pytest.approx({"cls": -0.24, "mean": -0.03}[pooling], abs=0.005)


def test_the_interval_of_a_correlation_is_fisher_s(page):
    for r, n in ((-0.242, 13), (0.78, 13), (0.82, 15)):
        low, high = pearsonr_interval(r, n)
        assert meaning.correlation_interval(r, n) == pytest.approx((low, high), abs=1e-3)
    assert page.changed_by["the model"][1] == "[-0.70, 0.36]"


def pearsonr_interval(r, n):
    """SciPy's, for values that have exactly this correlation."""
    rng = np.random.default_rng(0)
    x, y = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 2))]))[0][:, 1:].T
    return pearsonr(x, r * x + (1 - r**2) ** 0.5 * y).confidence_interval()


# --- What L says of Table 7 ----------------------------------------------------------------------------------------


def test_the_signs_of_table_7():  # a positive cosine joins the second words of two contrasts
    assert TABLE_7["Doctor-Nurse", "Female-Male"] < 0, "nurse goes with female"
    assert TABLE_7["Finnish-Czech", "Laugh-Cry"] < 0, "crying goes with Finnish"
    assert TABLE_7["Bright-Dim", "Funny-Sad"] > 0 < TABLE_7["Bright-Dim", "Laugh-Cry"], "dim goes with sad and cry"


def test_both_tables_have_the_six_contrasts():
    assert list(TABLE_7) == list(combinations(TABLE_6, 2))
    assert {name.lower() for name in TABLE_6} < set(load_texts("sentence-pairs"))


def test_what_the_chapter_says_of_l_s_file():
    try:
        pairs = load_texts("luisto-pairs")
    except TextsNotAvailable as reason:
        pytest.skip(str(reason))
    assert [len(pairs[name.lower()]) for name in TABLE_6] == [10, 9, 13, 9, 9, 12]
    assert len(pairs) == 14 and len(pairs["green-brown"]) == 10
    for name, members in pairs.items():
        turned = "-".join(reversed(name.split("-")))
        assert [tuple(pair) for pair in pairs[turned]] == [tuple(reversed(pair)) for pair in members]


def test_the_three_pictures_of_the_four_groups_have_the_numbers_that_their_text_tells(page, prose):
    told = [title.split(": ")[1] for title in page.panels]
    assert told == ["S = 0.57, P = 1.00", "S = 0.56, P = 1.00", "S = 0.57, P = 1.00"]
    assert "silhouettes are 0.57, 0.56 and 0.57" in prose and f"same {page.sense.sum()} sentences" in prose
