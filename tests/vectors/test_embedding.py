"""Vectors of texts: equal to transformers' at every layer, and the laws of batching, saving and refusing."""

import json
from functools import lru_cache

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.random_models import OURS, random_model
from tutorial_lib import load
from tutorial_lib.bert import Bert, Config
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.trace import change, nothing, silence
from tutorial_lib.training.save import save
from tutorial_lib.vectors import embed, embedding
from tutorial_lib.vectors.batches import batches
from tutorial_lib.vectors.embedding import POOLINGS
from tutorial_lib.weights import DEFAULT

TEXTS = ["A bear.", "", "Two bears dance on their hind legs in the snow.", "hello", "A bear.", "Snow! Snow? Snow."]


@pytest.fixture(scope="module")
def states(hf_bert, tok):
    """Transformers' hidden states of TEXTS: for each text (layers, n_tokens, d_model), each text run separately."""
    with torch.no_grad():
        runs = [hf_bert(torch.tensor([tok.encode(text).ids]), output_hidden_states=True) for text in TEXTS]
    return [torch.cat(run.hidden_states).numpy() for run in runs]


@pytest.fixture
def tiny(tok):
    torch.manual_seed(0)
    model = Bert(Config(vocab_size=len(tok), d_model=8, n_layers=2, n_heads=2, d_ff=16, n_positions=14)).eval()
    model.source = DEFAULT  # whose vocabulary it has
    return model


BY_HAND = {"cls": lambda x: x[:, 0], "mean": lambda x: x.mean(1), "max": lambda x: x.max(1)}


@pytest.mark.parametrize("pooling", BY_HAND)
def test_every_layer_and_pooling_agrees_with_transformers(bert, states, pooling):
    expected = np.stack([BY_HAND[pooling](x) for x in states], axis=1)  # (layers, n, d_model)
    ours = embed(TEXTS, bert, pooling, layers="all", batch_size=3)
    assert ours.shape == expected.shape == (7, 6, 384) and ours.dtype == np.float32
    np.testing.assert_allclose(ours, expected, atol=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "max", "last"])
def test_half_precision_pools_long_texts_rejects_empty_ones(pooling):
    X = torch.full((1, 400, 2), 300.0, dtype=torch.float16)
    real = torch.ones(1, 400, dtype=torch.bool)
    assert embedding.pool(X, real, pooling).tolist() == [[[300, 300]]]  # their sum is 120,000: infinite in float16
    with pytest.raises(ValueError, match="real must have a token in each text"):
        embedding.pool(X, ~real, pooling)


def test_the_last_token_is_pooled_by_its_place(bert, states):
    np.testing.assert_allclose(embed(TEXTS, bert, "last"), [x[-1, -1] for x in states], atol=1e-5)


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize("pooling", ["mean", "last"])
def test_every_family_gives_transformers_hidden_states(kind, pooling, tmp_path):
    tok = WordPiece.train(TEXTS, 60)
    theirs = random_model(kind, 3, vocab_size=len(tok), max_position_embeddings=40)
    ours = OURS[kind].from_hf(theirs)
    found = embed(TEXTS, ours, pooling, "all", tokenizer=tok, batch_size=3)
    for i, text in enumerate(TEXTS):
        ids = torch.tensor([tok.encode(text).ids])
        with torch.no_grad():
            states = torch.cat(theirs(ids, output_hidden_states=True).hidden_states).numpy()
        wanted = states.mean(1) if pooling == "mean" else states[:, -1]
        np.testing.assert_allclose(found[:, i], wanted, rtol=1e-4, atol=1e-4)
    save(ours, tok, tmp_path)
    np.testing.assert_array_equal(embed(TEXTS, tmp_path, pooling, "all", batch_size=3), found)


@pytest.mark.parametrize(
    "said, pooling",
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_max_tokens": True, "word_embedding_dimension": 8}, "max"),
        ({"pooling_mode_lasttoken": True}, "last"),
    ],
)
def test_pooling_is_what_the_models_folder_says(tiny, tok, tmp_path, said, pooling):
    save(tiny, tok, tmp_path)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(said))
    with pytest.warns(UserWarning, match=f"pooling is '{pooling}', as .*1_Pooling"):
        found = embed(TEXTS, tmp_path)
    np.testing.assert_array_equal(found, embed(TEXTS, tmp_path, pooling))
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_weightedmean_tokens": true}')
    with pytest.raises(ValueError, match="pooling must be given: .* says pooling_mode_weightedmean_tokens"):
        embed(TEXTS, tmp_path)


def test_tokens_are_not_pooled_and_not_padded(bert, states):
    for ours, theirs in zip(embed(TEXTS, bert, "tokens", layers="all"), states, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=3e-5)
    for ours, theirs in zip(embed(TEXTS, bert, "tokens"), states, strict=True):
        np.testing.assert_allclose(ours, theirs[-1], atol=1e-5)


@pytest.mark.parametrize("layers", [0, 3, -1, -7, [2], [6, 0], [-1, -1], range(3), np.array([1, 4]), np.int64(5)])
def test_layers_are_counted_as_transformers_counts_hidden_states(bert, states, layers):
    several = np.ndim(layers) > 0
    expected = np.stack([x[np.array(layers)].mean(-2) for x in states], axis=-2)
    ours = embed(TEXTS, bert, layers=layers)
    assert ours.ndim == 2 + several
    np.testing.assert_allclose(ours, expected, atol=1e-5)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_vectors_agree_with_sentence_transformers(bert, default_folder):
    package = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    from sentence_transformers.models import Pooling, Transformer

    modules = [Transformer(str(default_folder)), Pooling(384, "mean")]
    theirs = package.SentenceTransformer(modules=modules, device="cpu").encode(TEXTS, show_progress_bar=False)
    np.testing.assert_allclose(embed(TEXTS, bert), theirs, atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*not applied, as in transformers")  # lengths in the folder's tokenizer.json
def test_name_folder_and_model_give_the_same_vectors(bert, default_folder):
    ours = embed(TEXTS, bert)
    for model in (None, "all-MiniLM-L6-v2", default_folder, str(default_folder)):
        np.testing.assert_array_equal(embed(TEXTS, model, device="cpu"), ours)


@lru_cache
def some_model_and_its_vectors():
    torch.manual_seed(0)
    model = Bert(Config(vocab_size=30_522, d_model=8, n_layers=2, n_heads=2, d_ff=16, n_positions=40)).eval()
    model.source = DEFAULT
    return model, embed(TEXTS, model, layers="all")


@given(order=st.permutations(range(len(TEXTS))), batch_size=st.integers(1, 7), n_tokens=st.integers(1, 40))
def test_order_and_batch_size_do_not_change_vectors(order, batch_size, n_tokens):
    model, expected = some_model_and_its_vectors()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(embedding.TOKENS, "cpu", n_tokens)
        ours = embed([TEXTS[i] for i in order], model, layers="all", batch_size=batch_size)
    np.testing.assert_allclose(ours, expected[:, order], atol=1e-5)
    np.testing.assert_array_equal(ours[:, order.index(0)], ours[:, order.index(4)])


@given(st.lists(st.integers(1, 30), max_size=40), st.integers(1, 8), st.integers(1, 60))
def test_batches_keep_to_both_bounds_and_lose_nothing(lengths, batch_size, n_tokens):
    ids = [[0] * length for length in lengths]
    cut = list(batches(range(len(ids)), ids, batch_size, n_tokens))
    assert [i for batch in cut for i in batch] == list(range(len(ids)))
    for batch in cut:
        assert len(batch) <= batch_size
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= n_tokens


def test_long_texts_are_cut_with_one_warning(tiny, tok):
    long = ["bear " * 30, "snow " * 20, "short"]
    with pytest.warns(UserWarning, match="2 of 3 texts are truncated to the model's 14 positions") as seen:
        ours = embed(long, tiny)
    assert len(seen) == 1 and seen[0].filename == __file__
    np.testing.assert_allclose(ours[0], embed(["bear " * 12], tiny)[0], atol=1e-6)


def test_no_texts_give_no_rows(tiny):
    assert embed([], tiny).shape == (0, 8)
    assert embed([], tiny, layers="all").shape == (3, 0, 8)
    assert embed([], tiny, "tokens") == []


def test_layers_above_the_highest_wanted_are_not_computed(tiny):
    tiny.layer[1] = None
    assert embed(["a bear"], tiny, layers=[0, 1]).shape == (2, 1, 8)


def test_half_precision_comes_back_as_float32(tiny):
    assert embed(["a bear"], tiny.to(torch.bfloat16)).dtype == np.float32


def test_the_bar_shows_only_when_asked_for(tiny, capsys):
    embed(TEXTS, tiny)
    assert capsys.readouterr().err == ""
    embed(TEXTS, tiny, progress=True)
    assert "embed" in capsys.readouterr().err


class Stop(Exception):
    pass


@pytest.mark.parametrize("pooling", POOLINGS)
def test_an_interrupted_computation_continues(tiny, tmp_path, monkeypatch, pooling):
    path, run, seen = tmp_path / "v.npy", embedding._run, []

    def counting(model, ids, *rest):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(len(ids))
        return run(model, ids, *rest)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(embedding, "_run", counting)
        embed(TEXTS, tiny, pooling, layers="all", batch_size=2, save_to=path)
    assert not path.exists() and json.loads((tmp_path / "v.json").read_text())["done"] == sum(seen) == 4
    rest = []
    monkeypatch.setattr(embedding, "_run", lambda model, ids, *more: rest.append(len(ids)) or run(model, ids, *more))
    saved = embed(TEXTS, tiny, pooling, layers="all", batch_size=5, save_to=str(path))
    assert sum(rest) == 1  # five texts are different, four were done
    expected = embed(TEXTS, tiny, pooling, layers="all")
    for ours, theirs in zip(saved, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["v.json", "v.npy"]
    if pooling != "tokens":
        np.testing.assert_array_equal(np.load(path), saved)
        saved /= 2  # as libraries do that normalize in place
        np.testing.assert_array_equal(np.load(path), 2 * saved)


def test_finished_file_is_read_and_not_recomputed(tiny, tmp_path, monkeypatch):
    first = np.array(embed(TEXTS[:2], tiny, save_to=tmp_path / "v.npy"))
    monkeypatch.setattr(embedding, "_run", None)
    np.testing.assert_array_equal(embed(TEXTS[:2], tiny, save_to=tmp_path / "v.npy"), first)
    assert embed([], tiny, save_to=tmp_path / "empty.npy").shape == (0, 8)


def test_a_file_of_other_work_is_rejected(tiny, tmp_path):
    path = tmp_path / "v.npy"
    embed(TEXTS[:2], tiny, save_to=path)
    before = path.read_bytes()
    other = Bert(tiny.config).eval()
    other.source = DEFAULT
    for call in [
        dict(texts=TEXTS[1:3]), dict(texts=TEXTS[1::-1]), dict(pooling="max"), dict(layers=0), dict(model=other),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match="save_to must be a new file: .*v.json describes other texts"):
            embed(**(dict(texts=TEXTS[:2], model=tiny, save_to=path) | call))
    assert path.read_bytes() == before
    (tmp_path / "v.json").write_text("{")
    with pytest.raises(ValueError, match="damaged"):
        embed(TEXTS[:2], tiny, save_to=path)
    (tmp_path / "v.json").unlink()
    with pytest.raises(ValueError, match="no v.json describes it"):
        embed(TEXTS[:2], tiny, save_to=path)


def test_without_save_to_nothing_is_left_behind(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    embed(TEXTS, tiny.eval(), layers=0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("name", ["book-bert", "book-gpt"])
def test_changed_model_embeds_as_it_runs_alone(name, pooling):
    model, tok = load(name, "cpu")
    changes = [silence([(0, 1)]), change({"layer.1.attention.weights": lambda A: (A > 0) / (A > 0).sum(-1, True)})]
    texts = [text for text in TEXTS if text]
    n = model.config.n_layers
    stops = ["embeddings.output", *(f"layer.{i}.output" for i in range(n - 1))]
    stops += ["norm" if name == "book-gpt" else f"layer.{n - 1}.output"]
    found = embed(texts, model, pooling, layers="all", keep=changes)
    for j, text in enumerate(texts):
        seen = model.trace(tok(text), keep=changes)
        real = torch.ones(1, len(tok(text).ids), dtype=bool)
        expected = torch.cat([embedding.pool(seen[stop], real, pooling) for stop in stops])
        ours = found[j] if pooling == "tokens" else found[:, j : j + 1]
        np.testing.assert_allclose(ours, expected.numpy(), atol=2e-5)
    plain, changed = (np.concatenate(embed(texts, model, "tokens", keep=keep)) for keep in (nothing, changes))
    assert np.abs(plain - changed).max() > 0.01
    np.testing.assert_allclose(*(embed(texts, model, pooling="cls", keep=keep) for keep in (nothing, [])), atol=2e-5)


@pytest.mark.parametrize(
    "call, error, says",
    [
        (dict(texts="a bear"), TypeError, "texts must be a list of str, got str"),
        (dict(texts=3), TypeError, "texts must be a list of str, got int"),
        (dict(texts=["a", None]), TypeError, r"texts\[1\] must be a str"),
        (dict(pooling="sum"), ValueError, "pooling must be one of cls, mean, max, last, tokens, got 'sum'"),
        (dict(layers=3), ValueError, 'layers must be "all", a list, or a layer from -3 to 2, got 3'),
        (dict(layers=True), ValueError, "layers must be"),
        (dict(layers=[]), ValueError, "layers must be"),
        (dict(layers=1.5), ValueError, "layers must be"),
        (dict(layers="last"), ValueError, "layers must be"),
        (dict(batch_size=0), ValueError, "batch_size must be a positive int, got 0"),
        (dict(device="cpu"), ValueError, "device must be left out"),
        (dict(save_to="x.npy", keep=silence([(0, 0)])), ValueError, "save_to must be None with keep"),
        (dict(keep=3), TypeError, "keep, must be a function"),
        (dict(keep=silence([(9, 0)])), ValueError, "got 'layer.9.attention.heads'"),
        (dict(save_to="x.txt"), ValueError, "ends in .npy, got 'x.txt'"),
    ],
)
def test_wrong_arguments_are_named(tiny, call, error, says):
    with pytest.raises(error, match=says):
        embed(**(dict(texts=["a bear"], model=tiny) | call))


def test_tokenizer_larger_than_the_models_vocabulary_is_rejected():
    small = Bert(Config(vocab_size=100, d_model=8, n_layers=1, n_heads=1, d_ff=8)).eval()
    with pytest.raises(ValueError, match="30522 tokens, the model's vocabulary 100"):
        embed(["a bear"], small, tokenizer=WordPiece.from_pretrained())


def test_model_finds_its_tokenizer_and_rejects_another():
    model, own = load("book-bert", "cpu")
    assert np.array_equal(embed(["the bear sat"], model), embed(["the bear sat"], model, tokenizer=own))
    strange = WordPiece([*own.tokens[:5], *own.tokens[:4:-1]])
    with pytest.raises(ValueError, match="tokenizer must be that of book-bert, where id 5 is '.*', got"):
        embed(["the bear sat"], model, tokenizer=strange)
    model.source = None
    with pytest.raises(ValueError, match="tokenizer must be given: this model was not loaded"):
        embed(["the bear sat"], model)
    assert embed(["the bear sat"], model, tokenizer=own).shape == (1, 128)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_normalize_divides_vectors_by_their_length(pooling, tmp_path):
    plain, unit = (embed(TEXTS, pooling=pooling, normalize=normalize) for normalize in (False, True))
    for before, after in zip(plain, unit, strict=True):
        assert np.allclose(after, before / np.linalg.norm(before, axis=-1, keepdims=True), atol=1e-6)
    if pooling == "mean":
        embed(TEXTS, save_to=tmp_path / "x.npy")
        with pytest.raises(ValueError, match="other"):
            embed(TEXTS, save_to=tmp_path / "x.npy", normalize=True)


def test_batches_stay_within_the_bound_of_tokens(tiny, monkeypatch):
    sizes, run = [], embedding._run

    def watch(model, ids, *rest):
        sizes.append(len(ids) * max(map(len, ids)))
        return run(model, ids, *rest)

    monkeypatch.setattr(embedding, "_run", watch)
    embed([f"{'bear ' * (n % 10)}{n}" for n in range(400)], tiny, batch_size=500)
    assert max(sizes) <= embedding.TOKENS["cpu"] and len(sizes) > 2
