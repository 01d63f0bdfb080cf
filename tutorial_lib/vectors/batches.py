"""Which texts go through a model together, and which batches run at the same time.

Texts of a batch are of similar length, and few enough for the processor's caches. Each core gets its own batches: the
steps between the matrix products, such as attention in short texts, are hardly faster on two cores than on one.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from tutorial_lib.tokenization import Tokenizer

TOKENS = {"cpu": 512}  # in one batch, at most: fits a processor's caches, and keeps lengths in a batch similar
TOKENS_ELSEWHERE = 16_384  # a GPU needs large batches


def cut_ids(texts: Sequence[str], tokenizer: Tokenizer, n_positions: int) -> tuple[list[list[int]], int]:
    """Return the ids of each text, truncated to the model's positions, and how many texts were truncated."""
    ids = [tokenizer.encode(text).ids for text in texts]
    too_long = [i for i, row in enumerate(ids) if len(row) > n_positions]
    for i in too_long:
        ids[i] = tokenizer.encode(texts[i], max_length=n_positions).ids
    return ids, len(too_long)


def batches(order: Iterable[int], ids: Sequence[Sequence[int]], batch_size: int, n_tokens: int) -> Iterator[list[int]]:
    """Cut an order of texts into batches: at most batch_size texts and n_tokens tokens, padding included (or one text).

    A text that would add much padding to a batch starts the next one: one more batch costs as much as some tokens.

    >>> list(batches([0, 1, 2, 3], [[5], [6], [7], [8, 9]], batch_size=2, n_tokens=3))
    [[0, 1], [2], [3]]
    """
    batch = []
    longest = 0
    for i in order:
        padding = (len(ids[i]) - longest) * len(batch)
        longest = max(longest, len(ids[i]))
        full = len(batch) == batch_size or longest * (len(batch) + 1) > n_tokens
        if batch and (full or padding > n_tokens // 25):
            yield batch
            batch = []
            longest = len(ids[i])
        batch.append(i)
    if batch:
        yield batch


def side_by_side(run: Callable, jobs: Iterable, device: torch.device) -> Generator[tuple[Any, Any], None, None]:
    """Yield (job, run(job)) in the order of the jobs; on a processor as many run at once as torch has threads.

    Each then has one thread. A few jobs start early; if the caller closes the generator, running jobs finish.

    >>> [answer for _, answer in side_by_side(lambda x: x * x, [1, 2, 3], torch.device("cpu"))]
    [1, 4, 9]
    """
    n = torch.get_num_threads() if device.type == "cpu" else 1
    if n == 1:
        yield from ((job, run(job)) for job in jobs)
        return
    pool = ThreadPoolExecutor(n, initializer=torch.set_num_threads, initargs=(1,))
    begun = deque()
    try:
        for job in jobs:
            begun.append((job, pool.submit(run, job)))
            if len(begun) > 2 * n:
                yield begun[0][0], begun.popleft()[1].result()
        while begun:
            yield begun[0][0], begun.popleft()[1].result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(n)  # also the setting for threads that start later
