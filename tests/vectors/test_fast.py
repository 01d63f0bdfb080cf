"""`vectors.fast`: packed layers are the layers, jobs that run side by side come back in order."""

import threading

import pytest
import torch
from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.bert import Bert, Config
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.vectors import embed, embedding
from tutorial_lib.vectors import fast as inference
from tutorial_lib.vectors.batches import batches
from tutorial_lib.vectors.fast import Packed, packed, side_by_side

CPU = torch.device("cpu")


def tiny(**more):
    torch.manual_seed(0)
    return Bert(Config(vocab_size=50, n_positions=20, d_model=24, n_layers=4, n_heads=2, d_ff=40, **more))


@pytest.fixture
def two_threads():
    n = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(n)


needs_onednn = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this torch has no oneDNN")


def through(layers, X, mask=None):
    for layer in layers:
        X = layer(X, mask, fused=True)
    return X


@needs_onednn
@pytest.mark.parametrize("more", [{}, {"activation": "gelu_new"}, {"activation": "relu"}, {"n_different": 2}], ids=str)
@torch.no_grad()
def test_packed_layers_compute_what_the_layers_compute(more):
    bert, X = tiny(**more), torch.randn(3, 7, 24)
    mask = torch.arange(7) < torch.tensor([7, 3, 1])[:, None, None, None]
    quick = packed(bert)
    assert sum(type(part) is Packed for part in quick.modules()) == 6 * more.get("n_different", 4)
    padded = through(bert.layer, X, mask)
    torch.testing.assert_close(through(quick.layer, X, mask), padded, atol=5e-6, rtol=0)
    real = mask[:, 0, 0]
    texts = through(quick.layer, X[real][None], [7, 3, 1])
    torch.testing.assert_close(texts[0], padded[real], atol=5e-6, rtol=0)
    assert not any(type(part) is Packed for part in bert.modules())
    assert {id(p) for p in quick.parameters()} <= {id(p) for p in bert.parameters()}


def test_unpackable_models_stay_unchanged():
    bert = tiny().to(torch.bfloat16)
    assert packed(bert) is bert
    bert = tiny()
    bert.layer[2].norm.register_forward_hook(lambda module, given, answer: answer * 0)
    assert packed(bert) is bert


def test_subclass_of_linear_is_not_packed():
    class Adapted(nn.Linear):
        def forward(self, X):
            return super().forward(X) + 1

    bert, X = tiny(), torch.randn(1, 2, 24)
    bert.layer[0].feed_forward.W_2 = Adapted(40, 24)
    with torch.no_grad():
        torch.testing.assert_close(through(packed(bert).layer, X), through(bert.layer, X), atol=5e-6, rtol=0)


@needs_onednn
def test_padding_goes_through_no_layer(monkeypatch):
    seen, texts = [], [f"bear {'dances ' * n}" for n in range(100)]
    call = Packed.forward
    monkeypatch.setattr(Packed, "forward", lambda self, X: seen.append(X.shape[:2].numel()) or call(self, X))
    n_tokens = sum(map(len, embed(texts, pooling="tokens", device="cpu")))
    assert sum(seen) == n_tokens * 6 * 6  # tokens, layers, matrices of a layer


@torch.no_grad()
def test_attention_of_another_kind_is_given_its_mask():
    class Halved(MultiHeadAttention):
        def forward(self, X, **more):
            output, weights = super().forward(X, **more)
            return output / 2, weights

    bert, texts = Bert.from_pretrained(device="cpu"), [f"bear {'dances ' * n}" for n in range(100)]
    halved = Halved(384, 12)
    halved.load_state_dict(bert.layer[2].attention.state_dict())
    bert.layer[2].attention = halved
    slow = bert(WordPiece.from_pretrained().encode(texts[70]).ids, fused=True)[0]
    torch.testing.assert_close(torch.from_numpy(embed(texts, bert, "tokens")[70]), slow, atol=5e-5, rtol=0)


def test_jobs_run_in_parallel_and_return_in_order(two_threads):
    both = threading.Barrier(2, timeout=20)  # breaks where only one job runs at a time

    def run(i):
        both.wait()
        assert torch.get_num_threads() == 1
        return -i

    assert list(side_by_side(run, iter(range(20)), CPU)) == [(i, -i) for i in range(20)]
    later = []
    thread = threading.Thread(target=lambda: later.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert torch.get_num_threads() == 2 and later == [2]


def test_few_jobs_start_ahead_and_none_after_closing(two_threads):
    begun = []
    done = side_by_side(begun.append, iter(range(1000)), CPU)
    next(done)
    done.close()
    assert len(begun) <= 6 and torch.get_num_threads() == 2


def test_an_error_in_a_job_is_the_callers(two_threads):
    with pytest.raises(ZeroDivisionError):
        list(side_by_side(lambda i: 1 // i, [3, 2, 1, 0, 1], CPU))
    assert torch.get_num_threads() == 2


@pytest.mark.long
def test_threads_change_no_vector(bert, two_threads, monkeypatch):
    texts = [f"{'bear ' * (i % 40)}dances {i}" for i in range(150)]  # enough tokens for matrices to be packed
    run, threads = embedding._run, set()
    monkeypatch.setattr(embedding, "_run", lambda *given: threads.add(threading.current_thread()) or run(*given))
    at_once = embed(texts, bert, "tokens")
    assert threads and threading.main_thread() not in threads
    torch.set_num_threads(1)
    for ours, alone in zip(at_once, embed(texts, bert, "tokens"), strict=True):
        torch.testing.assert_close(torch.from_numpy(ours), torch.from_numpy(alone), atol=2e-5, rtol=0)


def test_matrices_are_packed_where_that_pays(bert, monkeypatch):
    seen = []
    monkeypatch.setattr(embedding, "packed", lambda model: seen.append(model) or model)
    embed(["bear " * 400], bert)
    assert seen == []
    embed([f"{'bear ' * 400}{i}" for i in range(inference.WORTH_PACKING // 400)], bert)
    assert seen == [bert]


def test_text_that_needs_much_padding_starts_a_batch():
    ids = [[0] * n for n in (10, 10, 11, 30, 31)]
    assert list(batches(range(5), ids, 32, 512)) == [[0, 1, 2], [3, 4]]
    assert list(batches(range(5), ids, 32, 16_384)) == [[0, 1, 2, 3, 4]]
