"""`vectors.batches`: batches of texts of similar length, and jobs that run side by side and come back in order."""

import threading

import pytest
import torch

from tutorial_lib.vectors import embed, embedding
from tutorial_lib.vectors.batches import batches, side_by_side

CPU = torch.device("cpu")


@pytest.fixture
def two_threads():
    n = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(n)


def test_jobs_run_in_parallel_and_return_in_order(two_threads):
    both = threading.Barrier(2, timeout=20)  # fails if only one job runs at a time

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
    texts = [f"{'bear ' * (i % 40)}dances {i}" for i in range(150)]
    run, threads = embedding._run, set()
    monkeypatch.setattr(embedding, "_run", lambda *given: threads.add(threading.current_thread()) or run(*given))
    at_once = embed(texts, bert, "tokens")
    assert threads and threading.main_thread() not in threads
    torch.set_num_threads(1)
    for ours, alone in zip(at_once, embed(texts, bert, "tokens"), strict=True):
        torch.testing.assert_close(torch.from_numpy(ours), torch.from_numpy(alone), atol=2e-5, rtol=0)


def test_text_that_needs_much_padding_starts_a_batch():
    ids = [[0] * n for n in (10, 10, 11, 30, 31)]
    assert list(batches(range(5), ids, 32, 512)) == [[0, 1, 2], [3, 4]]
    assert list(batches(range(5), ids, 32, 16_384)) == [[0, 1, 2, 3, 4]]
