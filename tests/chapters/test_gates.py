"""What the chapter on gates, cones and entropy tells about the default model, pinned."""

import numpy as np
import pytest
import torch

from tutorial_lib.bert import Bert, initialize
from tutorial_lib.geometry import (
    GATES,
    average_cosine,
    bootstrap_interval,
    cone_index,
    cosine,
    effective_number,
    effective_rank,
    entropy,
    gate_example,
    gate_of,
    gate_scores,
    jackknife_interval,
    product_svd,
    random_subspace,
    spectrum,
    subspace_overlap,
    variance_seen,
    without_tokens,
)
from tutorial_lib.texts import load_texts

NAMES = [*GATES, "mixed"]
KINDS = ("stories", "encyclopedia", "posts")


def read(model, tok, texts):
    """Maps (layers, heads, n, n) and vectors (layers + 1, n, d_model) of each text."""
    maps, vectors = [], []
    for text in texts:
        steps = model.trace(tok.encode(text).ids)
        maps.append(np.stack([steps[f"layer.{i}.attention.weights"][0] for i in range(6)]))
        vectors.append(np.stack([steps["embeddings.output"][0], *(steps[f"layer.{i}.output"][0] for i in range(6))]))
    return maps, vectors


def scores_of(maps):
    return np.stack([gate_scores(A) for A in maps])  # (texts, layers, heads, 7)


def inner(maps):
    return [without_tokens(A, [0, A.shape[-1] - 1]) for A in maps]


def census(scores):
    gates = gate_of(scores.mean(0))
    return np.array([(gates == name).sum() for name in NAMES])


@pytest.fixture(scope="module")
def trained(bert, tok):
    return read(bert, tok, [text for name in KINDS for text in load_texts(name)[::4][:40]])


@pytest.fixture(scope="module")
def others(bert, tok):
    """Texts that were not looked at when the chapter was written: maps and vectors."""
    return read(bert, tok, [text for name in KINDS for text in load_texts(name)[1::4][:40]])


@pytest.fixture(scope="module")
def other_texts(others):
    return others[0]


@pytest.fixture(scope="module")
def untrained(bert, tok):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = initialize(Bert(bert.config)).eval()
    return model, *read(model, tok, [text for name in KINDS for text in load_texts(name)[::16][:10]])


def test_the_census_and_its_intervals(trained):
    scores = scores_of(trained[0])
    assert dict(zip(NAMES, census(scores).tolist(), strict=True)) == {
        "closed": 0, "directional": 19, "backward": 12, "forward": 0, "cluster": 0, "instance": 1, "open": 15,
        "mixed": 25,
    }  # fmt: skip
    low, high = bootstrap_interval(census, scores, n=200)
    assert (high - low).max() < 3.5


def test_rounding_decides_no_gate(trained):
    """Two average scores lie near 1/2: by what another order of additions changes, 100 times as near would be safe."""
    average = scores_of(trained[0]).mean(0)
    margins = np.sort(np.abs(average - 0.5), axis=None)
    assert 3e-4 < margins[0] < margins[1] < 4e-4 < 1.5e-3 < margins[2]
    shaken = scores_of([A * (1 + 1e-5 * np.cos(np.arange(A.size)).reshape(A.shape)) for A in trained[0]]).mean(0)
    assert (gate_of(shaken) == gate_of(average)).all() and np.abs(shaken - average).max() < 3e-5


def test_six_heads_are_near_a_border(trained):
    scores, rng = scores_of(trained[0]), np.random.default_rng(0)
    heads = gate_of(scores.mean(0))
    drawn = np.array([gate_of(scores[rng.integers(120, size=120)].mean(0)) for _ in range(500)])
    near = [(layer, head, str(heads[layer, head])) for layer, head in np.argwhere((drawn == heads).mean(0) < 0.95)]
    assert near == [(2, 0, "backward"), (3, 2, "backward"), (3, 10, "backward"), (4, 0, "mixed"), (4, 11, "backward"),
                    (5, 2, "open")]  # fmt: skip


def test_the_census_where_it_stands_in_the_layers(trained):
    heads = gate_of(scores_of(trained[0]).mean(0))
    assert (heads[0] == "open").sum() == 10 and (heads[5] == "mixed").sum() == 9
    assert not (heads[[0, 5]] == "directional").any() and (heads[0, 2], heads[1, 8]) == ("backward", "instance")


def test_other_texts_leave_each_count_in_its_interval_and_move_two_heads(trained, other_texts):
    first, second = scores_of(trained[0]), scores_of(other_texts)
    low, high = bootstrap_interval(census, first, n=500)
    assert ((low <= census(second)) & (census(second) <= high)).all()
    assert (gate_of(first.mean(0)) != gate_of(second.mean(0))).sum() == 2
    parts = [first[40 * kind :][:40] for kind in range(3)]
    assert [(gate_of(part.mean(0)) != gate_of(first.mean(0))).sum() for part in parts] == [7, 4, 9]
    assert sum(((census(part) < low) | (census(part) > high)).sum() for part in parts) == 2


@pytest.mark.long
def test_stories_from_elsewhere_in_the_book_leave_each_count_in_its_interval(bert, tok, trained, other_texts):
    """The other texts stand beside the first ones, in the same stories; these do not."""
    far = scores_of(read(bert, tok, load_texts("stories")[160::5][:40])[0])
    low, high = bootstrap_interval(census, scores_of(trained[0]), n=500)
    counts = census(np.concatenate([far, scores_of(other_texts[40:])]))
    assert ((low <= counts) & (counts <= high)).all()


def test_nine_of_twelve_backward_heads_look_back_at_cls(trained):
    with_cls, without = (gate_of(scores_of(maps).mean(0)) == "backward" for maps in (trained[0], inner(trained[0])))
    assert (with_cls & without).sum() == 3 and with_cls.sum() == 12


@pytest.mark.parametrize("texts", ["trained", "other_texts"])
def test_the_directional_gate_is_cls(texts, request):
    maps = request.getfixturevalue(texts)
    maps = maps[0] if texts == "trained" else maps
    directional = gate_of(scores_of(maps)) == "directional"
    place = np.stack([A.sum(-2).argmax(-1) for A in maps])
    assert (place[directional] == 0).mean() > 0.99
    counts = dict(zip(NAMES, census(scores_of(inner(maps))), strict=True))
    assert counts["directional"] == 0 and counts["open"] > 36 and counts["forward"] == 4 and counts["backward"] == 8


def test_three_gates_are_reached_at_no_threshold_from_four_to_six_tenths(trained):
    average = scores_of(trained[0]).mean(0)
    for gate in ("closed", "forward", "cluster"):
        assert average[..., GATES.index(gate)].max() < 0.4
    reached = np.array([(average[..., GATES.index("directional")] >= level).sum() for level in (0.4, 0.6)])
    assert reached[0] - reached[1] > 15  # exercise 1: many heads are near the border


def test_without_training_all_heads_are_open_and_nothing_chooses(untrained):
    _, maps, _ = untrained
    assert census(scores_of(maps))[GATES.index("open")] == 72
    assert min((entropy(A).mean((1, 2)) / np.log(A.shape[-1])).min() for A in maps) > 0.98


def test_noise_up_to_four_tenths():
    rng = np.random.default_rng(0)
    for gate in GATES:
        maps = [0.6 * gate_example(gate, 16, seed) + 0.4 * rng.dirichlet(np.ones(16), 16) for seed in range(40)]
        assert (gate_of(gate_scores(maps)) == gate).all()
    noise = dict(zip(GATES, gate_scores(rng.dirichlet(np.ones(16), (200, 16))).mean(0), strict=True))
    assert noise["open"] > 0.5 and min(noise["cluster"], noise["instance"]) > 0.05
    assert max(abs(noise[gate]) for gate in ("closed", "directional", "backward", "forward")) < 0.05


def test_the_lower_half_chooses_more_and_the_upper_half_does_not_hand_on_more(trained):
    maps, vectors = trained
    for some, least in ((maps, 0.04), (inner(maps), 0.1)):
        evenness = np.array([entropy(A).mean((1, 2)) / np.log(A.shape[-1]) for A in some])
        low, _ = bootstrap_interval(lambda V: V[:, 3:].mean() - V[:, :3].mean(), evenness, n=200)
        assert low > least
        assert evenness.mean(0).argmin() == 1
    assert np.mean([entropy(A).mean((1, 2)) / np.log(A.shape[-1]) for A in maps], axis=0).argmax() == 0
    for cut in ([], [99, 223]):
        kept = np.array([cosine(X[1:], X[:-1]).mean(-1) for X in (np.delete(X, cut, axis=-1) for X in vectors)])
        _, high = bootstrap_interval(lambda V: V[:, 3:].mean() - V[:, :3].mean(), kept, n=200)
        assert high < -0.08 and kept.mean(0).argmin() == 5


def test_the_effective_rank_falls_and_rises_in_the_last_layer(trained):
    pool = np.concatenate(trained[1], axis=1)
    ranks = [effective_number(spectrum(X)) for X in pool]
    assert np.round(ranks).tolist() == pytest.approx([179, 138, 143, 148, 135, 121, 198], abs=1)


def ranks(texts):
    return [effective_number(spectrum(X)) for X in np.concatenate(texts, axis=1)]


def test_the_effective_rank_of_other_texts_lies_in_its_interval_which_a_bootstrap_would_miss(trained, others):
    low, high = jackknife_interval(ranks, trained[1], groups=10)
    found = np.array(ranks(others[1]))
    assert ((low < found) & (found < high)).all() and (high - low).max() < 10
    again = np.random.default_rng(0).integers(120, size=120)
    assert (np.array(ranks([trained[1][k] for k in again])) < low).all()


def test_the_two_loud_coordinates(trained):
    of_cls = np.mean([np.square(X[1:, 0]).mean(0) for X in trained[1]], axis=0)
    of_others = np.mean([np.square(X[1:, 1:]).mean((0, 1)) for X in trained[1]], axis=0)
    assert (of_cls.argmax(), of_others.argmax()) == (99, 223)


def test_the_cone_of_a_text_narrows_and_that_of_all_texts_opens_at_the_end(trained, untrained):
    _, vectors = trained
    for cut in ([], [99, 223]):
        clouds = [np.delete(X, cut, axis=-1) for X in vectors]
        one = np.mean([[cone_index(rows, share=True) for rows in X] for X in clouds], axis=0)
        assert one[0] == pytest.approx(0.33, abs=0.01) and one[-1] == pytest.approx(0.65, abs=0.01)
        assert one[5] > one[0] + 0.15
        pool = np.concatenate(clouds, axis=1)
        together = [cone_index(X, share=True) for X in pool]
        assert together[5] > 0.34 and together[6] == pytest.approx(0.18, abs=0.01)
        means = pool.mean(1)
        assert np.degrees(np.arccos(cosine(means[:-1], means[-1]))).min() > 60
    raw = np.mean([[cone_index(rows, share=True) for rows in X] for X in untrained[2]], axis=0)
    assert raw.min() > 0.59 and raw.max() < 0.64


def test_the_average_cosine_of_a_text_s_tokens_grows_sixfold(trained):
    cosines = np.mean([[average_cosine(X[layer]) for layer in (0, -1)] for X in trained[1]], axis=0)
    assert cosines == pytest.approx([0.06, 0.39], abs=0.005)


def test_before_the_first_layer_of_a_network_without_training_a_third_is_shared(untrained):
    assert np.mean([average_cosine(X[0]) for X in untrained[2]]) == pytest.approx(1 / 3, abs=0.02)


def test_a_hundred_random_directions_add_up_to_ten():
    drawn = np.random.default_rng(0).standard_normal((100, 100, 384))
    assert np.mean([cone_index(cloud) for cloud in drawn]) == pytest.approx(10, abs=0.15)


def test_heads_select_subspaces_but_not_the_large_ones(bert, trained, untrained):
    pool = np.concatenate(trained[1], axis=1)
    seen, own, sizes = [], [], []
    for X, layer in zip(pool, bert.layer):
        for h in range(12):
            queries, s, keys = product_svd(*layer.attention.score_map(h))
            seen.append([variance_seen(X, queries), variance_seen(X, keys)])
            own.append(subspace_overlap(queries, keys))
            sizes.append(effective_rank(s))
    assert np.mean(seen, axis=0) == pytest.approx([0.092, 0.106], abs=0.005) and np.max(seen) < 0.2
    drawn = [random_subspace(384, 32, seed) for seed in range(100)]
    low, high = np.quantile([[variance_seen(X, U) for U in drawn[:40]] for X in pool[:-1:2]], [0.025, 0.975])
    C = np.cov(pool[2].T)  # the page's short way to the same number
    assert (C @ drawn[0] * drawn[0]).sum() / C.trace() == pytest.approx(variance_seen(pool[2], drawn[0]))
    seen = np.array(seen)  # (72, 2)
    assert (seen[:, 0] > high).sum() > 30 and (seen[:, 0] < low).sum() > 20 and (seen[:, 1] > high).sum() > 55
    assert min(spectrum(X)[:32].sum() for X in pool[:-1]) > 0.42
    assert np.mean(own) == pytest.approx(0.293, abs=0.005) and np.mean(sizes) == pytest.approx(26.1, abs=0.2)
    queries, s, keys = product_svd(*untrained[0].layer[3].attention.score_map(4))
    assert subspace_overlap(queries, keys) == pytest.approx(32 / 384, abs=0.015)
    assert effective_rank(s) == pytest.approx(29.4, abs=0.6)
    assert variance_seen(pool[3], random_subspace(384, 32)) == pytest.approx(32 / 384, abs=0.015)


def like_with_like(down, up):
    U, s, V = product_svd(down, up)
    return (s * (U * V).sum(0)).sum() / s.sum()


def test_to_read_the_same_is_not_to_compare_like_with_like(bert):
    down = np.random.default_rng(0).normal(size=(384, 32))
    turn = np.kron(np.eye(16), [[0, 1], [-1, 0]])  # a quarter turn inside of the subspace
    assert like_with_like(down, down.T) == pytest.approx(1) and like_with_like(down, -down.T) == pytest.approx(-1)
    assert like_with_like(down, turn @ down.T) == pytest.approx(0, abs=1e-12)
    found, traces = [], []
    for layer in bert.layer:
        for h in range(12):
            W_Q, W_K = layer.attention.score_map(h)
            found.append(like_with_like(W_Q, W_K))
            traces.append(torch.trace(W_Q @ W_K).item() / torch.linalg.svdvals(W_Q @ W_K).sum().item())
    assert found == pytest.approx(traces, abs=1e-4)
    assert np.mean(found) == pytest.approx(0.06, abs=0.005) and np.less(found, 0).sum() == 21


def test_two_heads_of_a_layer_read_in_part_the_same(bert):
    queries = [product_svd(*bert.layer[1].attention.score_map(h))[0] for h in range(12)]
    assert np.mean([subspace_overlap(queries[i], queries[j]) for i in range(12) for j in range(i)]) > 2 * 32 / 384


def test_exercise_2_and_4():
    blocks = gate_scores(np.kron(np.eye(2), np.full((2, 2), 0.5)))
    assert blocks == pytest.approx([1 / 3, 0, -1 / 9, -1 / 9, 1, 1 / 6, 1 / 3]) and gate_of(blocks) == "cluster"
    bundles = np.repeat([[1.0, 0.0], [-1.0, 0.0]], 50, axis=0)
    assert cone_index(bundles) == pytest.approx(0, abs=1e-9) and effective_number(spectrum(bundles)) == pytest.approx(1)


def test_exercise_3_the_column_comes_from_the_bias_of_the_queries(bert, tok):
    plain = Bert(bert.config).eval()
    plain.load_state_dict(bert.state_dict(), strict=False)
    with torch.no_grad():
        for layer in plain.layer:
            layer.attention.W_Q.bias.zero_()
    texts = [text for name in KINDS for text in load_texts(name)[::16][:5]]
    directional = [census(scores_of(read(model, tok, texts)[0]))[1] for model in (bert, plain)]
    assert directional[1] < directional[0] / 2


def test_two_pure_gates_meet_half_way():
    column, even = gate_example("directional", 12, seed=1), gate_example("open", 12)
    names = [gate_of(gate_scores((1 - share) * column + share * even)) for share in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    assert names == ["directional"] * 3 + ["open"] * 3


def test_exercise_6_one_head_looks_at_the_token_before(trained):
    def token_before(A):
        cells = np.eye(A.shape[-1], k=-1, dtype=bool)
        cells[0, 0] = True
        return ((A * cells).sum(-1).mean(-1) - cells.mean()) / (1 - cells.mean())

    mine = np.mean([token_before(A) for A in trained[0]], axis=0)
    assert np.argwhere(mine >= 0.5).tolist() == [[0, 2]]
    assert max(token_before(gate_example(gate, 12, seed=1)) for gate in GATES) < 0.5
