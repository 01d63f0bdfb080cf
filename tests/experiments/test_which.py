"""Two senses of a word: the sentences, the axis, ways to read it, interventions by hand, and the data for the page."""

import base64
import json
import re
from collections import Counter

import numpy as np
import pytest
import torch

from tutorial_book.experiments import which
from tutorial_book.experiments.which import STRIP, Uses, axis, axis_between, decided, left_out, other_words, words
from tutorial_lib.bert import Bert, Config
from tutorial_lib.parity import difference
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.trace import change, silence

pytestmark = pytest.mark.usefixtures("one_thread")
DOGS = ["Mia saw a dog in the park.", "The dog ran home.", "A dog!"]
CATS = ["Tom and the dog found a ball.", "He fed his dog.", "The big red dog was sad, so she smiled."]
TEXT = "She ran to the dog, sadly walking."


@pytest.fixture(scope="module")
def dog():
    torch.manual_seed(0)
    model = Bert(Config(vocab_size=1_210, d_model=16, n_layers=3, n_heads=2, d_ff=32)).eval().double()
    return Uses(model, WordPiece.from_pretrained("book-bert"), "dog", DOGS, CATS)


@pytest.fixture
def path(dog):
    tokens, ids, at = dog.read(TEXT)

    def run(keep=change({}), ids=ids, at=at):
        trace = dog.model.trace(ids[None], keep=keep)
        stops = ["embeddings.output", *(f"layer.{k}.output" for k in range(3))]
        return dog.axis(np.stack([trace[stop][0, at].numpy() for stop in stops]))

    return run


def same(found, wanted):
    return difference(torch.tensor(np.asarray(found)), torch.tensor(np.asarray(wanted))).is_rounding


def test_each_word_has_all_kinds_of_sentences(tok):
    for name, word in words().items():
        counts = Counter((use.kind, use.set, use.sense) for use in word.uses)
        wanted = {("stored", 0, sense): 12 for sense in (0, 1)}
        if name in which.HOMONYMS:
            wanted |= {("plain", number, sense): n for number, n in ((1, 5), (2, 12)) for sense in (0, 1)}
            assert min(counts["hard", number, sense] for number in (1, 2) for sense in (0, 1)) >= 2
            assert min(counts[kind, number, None] for kind in ("open", "third") for number in (1, 2)) >= 1
        assert wanted.items() <= counts.items() and (name in which.HOMONYMS or len(counts) == 2)
    texts = [(name, use.text) for name, word in words().items() for use in word.uses]
    assert len(set(texts)) == len(texts)
    assert all(tok.encode(text).tokens.count(name) == 1 for name, text in texts)


@pytest.mark.parametrize("first, second, says", [
    (["He saw a cat.", "A dog!"], CATS, "must contain 'dog' exactly once, as one token, got"),
    (["The dog saw a dog.", "A dog!"], CATS, "must contain 'dog' exactly once, as one token, got"),
    (["A dog!"], CATS, "first and second must be 2 sentences or more each, got 1 and 3"),
    (CATS, CATS, "the two senses must differ, got the same mean vector"),
])  # fmt: skip
def test_sentences_that_give_no_axis_are_rejected(dog, first, second, says):
    with pytest.raises(ValueError, match=says):
        Uses(dog.model, dog.tok, "dog", first, second)


def test_axis_of_known_vectors_has_known_places():
    ends = np.array([[-2, 3, 0], [-2, -3, 1], [2, 3, 1], [2, -3, 0]], float)
    X = np.stack([ends / 2 + [5, 0, 0], ends], 1)  # (4, 2, 3)
    found = axis_between(X, [0, 0, 1, 1])
    assert found(X)[..., 0].tolist() == [[-0.5, -1], [-0.5, -1], [0.5, 1], [0.5, 1]]
    assert abs(found(X)[:, -1, 1]).max() == pytest.approx(1) and found.e @ found.d == pytest.approx(0)
    np.testing.assert_allclose(found(np.full((2, 3), [7, 8, 9]))[:, 0], [1, 3.5])


def test_axis_of_8_bits_scales_means_to_1(dog):
    rounded = axis_between(dog.X, dog.sense, which.eight_bits)
    ends = rounded(dog.X)[:, -1, 0]
    assert [ends[dog.sense == k].mean() for k in (0, 1)] == pytest.approx([-1, 1])
    assert 0 < abs(rounded(dog.X) - dog.axis(dog.X)).max() < 0.1


def test_read_outs_are_those_of_scikit_learn():
    from sklearn.model_selection import LeaveOneOut, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

    rng = np.random.default_rng(0)
    sense = np.repeat([0, 1], 12)
    X = rng.normal(size=(24, 3, 5)) + sense[:, None, None] * 0.7
    for read, theirs, depths in (
        (axis.by_neighbor, KNeighborsClassifier(1, metric="cosine"), range(3)),
        (axis.by_axis, NearestCentroid(), [2]),  # at the end the axis asks which mean is nearer
    ):
        right = left_out(X, sense, read) > 0
        for depth in depths:
            wanted = cross_val_predict(theirs, X[:, depth], sense, cv=LeaveOneOut()) == sense
            assert right[:, depth].tolist() == wanted.tolist() and 12 < wanted.sum() < 24


def test_nearest_mean_has_the_larger_cosine():
    X, sense = np.array([[[1, 0]], [[9, 0]], [[0, 1]], [[1, 5]]], float), np.array([0, 0, 1, 1])  # (5, 0) and (0.5, 3)
    assert [np.sign(axis.by_mean(X, sense, np.array([x]))) for x in ([1, 0.5], [1, 2])] == [-1, 1]


def test_use_is_read_without_its_own_help():
    X = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [1, -1]])[:, None]  # the last one is put with the wrong sense
    assert (left_out(X, [0, 0, 1, 1, 1], axis.by_neighbor)[:, 0] > 0).tolist() == [True, True, True, True, False]


def test_d_prime_is_distance_in_standard_deviations():
    assert which.d_prime([[0.0], [2], [5], [7]], [0, 0, 1, 1]) == pytest.approx([5 / 2**0.5])


@pytest.mark.parametrize("x, layer", [
    ([0, 0.1, 0.5, 0.6], 2), ([0.4, 0.5, 0.5, 0.6], 1), ([0, 0.5, 0.2, 0.6], 3), ([0, -0.5, -0.6, -0.31], 1),
    ([0, 0.5, 0.6, 0.3], None), ([-0.9, -0.9, 0.9, 0.9], 2), ([0, 0.5, -0.5, 0.0], None),
])  # fmt: skip
def test_decided_layer_is_the_first_that_suffices(x, layer):
    assert STRIP == 0.3 and decided(np.array(x, float)) == layer


def test_interval_takes_the_wider_of_two_seeds():
    values = np.arange(20.0)
    ends = [axis.bootstrap_interval(np.mean, values, seed=seed) for seed in (0, 1)]
    assert ends[0] != ends[1] and which.interval(values) == (min(ends)[0], max(end for _, end in ends))


def test_path_of_a_sentence_equals_its_trace(dog, path):
    assert abs(dog.paths([TEXT])[0] - path()).max() < 1e-5  # embed gives float32


def test_hidden_words_are_masks(dog, path):
    tokens, ids, _ = dog.read(TEXT)
    others, found = dog.hidden(TEXT)
    starts = [j for j in range(1, len(tokens) - 1) if tokens[j] != "dog" and not tokens[j].startswith("##")]
    assert [pieces[0] for pieces in others] == starts and max(map(len, others)) > 1
    assert sum(others, []) == [j for j in range(1, len(tokens) - 1) if tokens[j] != "dog"]
    for pieces, one in zip(others, found, strict=True):
        masked = ids.clone()
        masked[pieces] = dog.tok.vocab["[MASK]"]
        assert same(one, path(ids=masked))


def test_muted_heads_are_silent(dog, path):
    found = dog.muted(TEXT)
    assert len(found) == 6 and all(same(one, path(silence([divmod(i, 2)]))) for i, one in enumerate(found))


def test_word_hears_only_in_allowed_layers(dog, path):
    _, _, at = dog.read(TEXT)

    def average(layer):
        def put(O):
            O = O.clone()
            O[0, at] = dog.averages[0][layer]
            return O

        return {f"layer.{layer}.attention.output": put}

    found = dog.heard(TEXT)
    for k, one in enumerate(found):
        assert same(one, path(change({name: put for layer in range(k, 3) for name, put in average(layer).items()})))
    assert same(found[-1], path())
    assert same(dog.heard(TEXT, [[True, False, True]])[0], path(change(average(1))))


def test_averages_are_over_the_uses(dog):
    outputs, values = [], []
    for text in [*DOGS, *CATS]:
        tokens, ids, at = dog.read(text)
        trace = dog.model.trace(ids[None])
        outputs.append(trace["layer.1.attention.output"][0, at])
        heard = [j for j, token in enumerate(tokens) if j != at and re.match(r"\w|##", token)]
        values += [trace["layer.1.attention.values"][0, :, j] for j in heard]
    assert same(dog.averages[0][1], torch.stack(outputs).mean(0))
    assert same(dog.averages[1][1], torch.stack(values).mean(0))


def test_edge_replaces_one_value_for_one_query(dog, path):
    tokens, ids, at = dog.read(TEXT)
    usual, (others, found) = dog.model.trace(ids[None]), dog.edges(TEXT)
    assert others == other_words(tokens, at) and found.shape == (3, len(others), 4, 2)
    for layer, place in ((0, 0), (1, 3), (2, -1)):
        A, V = (usual[f"layer.{layer}.attention.{name}"][0] for name in ("weights", "values"))
        changed = V.clone()
        changed[:, others[place]] = dog.averages[1][layer]
        H = usual[f"layer.{layer}.attention.heads"].clone()
        H[0, :, at] = torch.einsum("hj,hjd->hd", A[:, at], changed)
        assert same(found[layer, place], path(change({f"layer.{layer}.attention.heads": H})))


def test_shuffled_words_keep_their_ends(dog, path):
    tokens, ids, at = dog.read(TEXT)
    orders, found = dog.shuffled(TEXT, 3)
    assert orders.shape == (3, len(ids)) and len({tuple(order) for order in orders}) == 3
    for order, one in zip(orders, found, strict=True):
        assert sorted(order) == list(range(len(ids))) and [*order[[0, -2, -1]]] == [0, len(ids) - 2, len(ids) - 1]
        assert same(one, path(ids=ids[order], at=order.tolist().index(at)))


def unpacked(packed, *shape):
    rows = np.frombuffer(base64.b64decode(packed["bytes"]), np.int8).astype(float).reshape(len(packed["steps"]), -1)
    return (rows * np.array(packed["steps"])[:, None]).reshape(shape)


def test_page_gets_numbers_that_place_each_use(dog):
    found = which.rounded_uses(dog.model, dog.tok, "dog", DOGS, CATS)
    data = json.loads(json.dumps(which.map_of(found, ["pet", "friend"])))
    directions = np.stack([unpacked(data[name], 16) for name in "de"], 1)
    places = (found.X @ directions - data["middle"]) / data["scale"]
    stored = np.array([use["path"] for use in data["uses"]]).reshape(6, 4, 2)
    assert abs(100 * places - stored).max() < 0.51 and [use["sense"] for use in data["uses"]] == [0, 0, 0, 1, 1, 1]
    assert data["right"] == [round(6 * share) for share in found.right]
    for name, exact, rounded in zip(("heard", "value"), dog.averages, found.averages, strict=True):
        np.testing.assert_allclose(unpacked(data[name], *rounded.shape), rounded, rtol=1e-6, atol=1e-9)
        assert 0 < abs(rounded - exact).max() < abs(exact).max() / 200


def test_stored_answers_are_those_of_the_interventions(dog):
    told = json.loads(json.dumps(which.answers(dog, TEXT, full=True)))
    flat = {name: np.array(told[name]) / 100 for name in ("path", "hidden", "heard", "muted", "edges", "shuffled")}
    path = dog.heard(TEXT)[-1]
    others, edges = dog.edges(TEXT)
    for name, wanted in (
        ("path", path.ravel()), ("hidden", dog.hidden(TEXT)[1].reshape(-1, 8)),
        ("heard", dog.heard(TEXT).reshape(4, 8)), ("muted", dog.muted(TEXT)[:, -1, 0]),
        ("edges", edges[:, :, -1, 0] - path[-1, 0]), ("shuffled", dog.shuffled(TEXT, 3)[1].reshape(3, 8)),
    ):  # fmt: skip
        np.testing.assert_allclose(flat[name], wanted, atol=0.00501, err_msg=name)
    assert told["words"] == others and told["decided"] == decided(dog.heard(TEXT)[:, -1, 0])
    for head, end in enumerate(told["muted_paths"]):  # before the head's layer, the path is as it was
        whole = np.concatenate([path[: head // 2 + 1].ravel(), np.array(end) / 100])
        np.testing.assert_allclose(whole, dog.muted(TEXT)[head].ravel(), atol=0.00501)


def test_examples_are_eight_sentences_held_out():
    for name, word in words().items():
        places = sorted(use.place for use in word.uses if use.place)
        assert places == (list(range(1, 9)) if name in which.HOMONYMS else [])
        assert not any(use.place for use in word.pick("stored"))


def test_data_of_a_word_is_small(bert, tok):
    data = which.data_for(bert, tok, "match")
    assert 20_000 < len(json.dumps(data, separators=(",", ":"))) < 25_000
    assert [len(one["muted"]) for one in data["examples"]] == [72] * 8 and "muted_paths" not in data["examples"][0]
    assert data["right"][-1] == 24 and data["examples"][0]["path"][-2] < -100
