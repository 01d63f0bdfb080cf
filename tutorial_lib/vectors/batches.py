"""Which texts go through a model together: of similar length, few enough for the processor's caches."""

from collections.abc import Iterable, Iterator, Sequence

from tutorial_lib.tokenization import Tokenizer

TOKENS = {"cpu": 512}  # in one batch, at most: fits a processor's caches, and texts of one batch are alike in length
TOKENS_ELSEWHERE = 16_384  # a GPU wants large batches


def cut_ids(texts: Sequence[str], tokenizer: Tokenizer, n_positions: int) -> tuple[list[list[int]], int]:
    """The ids of each text, cut to the model's positions, and how many texts were cut."""
    ids = [tokenizer.encode(text).ids for text in texts]
    too_long = [i for i, row in enumerate(ids) if len(row) > n_positions]
    for i in too_long:
        ids[i] = tokenizer.encode(texts[i], max_length=n_positions).ids
    return ids, len(too_long)


def batches(order: Iterable[int], ids: Sequence[Sequence[int]], batch_size: int, n_tokens: int) -> Iterator[list[int]]:
    """Cut an order of texts into batches: at most batch_size texts and n_tokens tokens, padding included (or one text).

    A text that would bring a batch much padding begins the next one: one more takes as long as some tokens do.

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
