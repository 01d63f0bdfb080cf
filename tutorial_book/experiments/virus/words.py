"""RNA as words: k-mers, k bases in a row, as tokens for a model and as counts for a linear one. Source: G.

A genome has no spaces. Cut into pieces of k bases it becomes a text, and BERT's own tokenizer reads it: WordPiece with
a vocabulary of all 4^k k-mers and no smaller pieces. A k-mer with an uncertain base becomes [UNK].
"""

from itertools import product

import numpy as np

from tutorial_lib.arguments import check_text, whole_number
from tutorial_lib.tokenization import WordPiece

BASES, SPECIAL = "ACGU", ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
K = 6  # of the book's model: 4,096 k-mers


def kmers(sequence, k=K, step=None, start=0) -> list[str]:
    """Return the k-mers of a sequence, from left to right; a shorter rest at the end is dropped.

    step: the distance between starts; None: k, so that they do not overlap. start: the first base. Raises TypeError or
    ValueError, by name.

    >>> kmers("ACGUAC", k=3), kmers("ACGUAC", k=3, step=1)
    (['ACG', 'UAC'], ['ACG', 'CGU', 'GUA', 'UAC'])
    """
    check_text("sequence", sequence)
    k = whole_number("k", k, 1, "a number of bases, 1 or more")
    step = k if step is None else whole_number("step", step, 1, "a number of bases, 1 or more")
    start = whole_number("start", start, 0, "a place, 0 or more")
    return [sequence[i : i + k] for i in range(start, len(sequence) - k + 1, step)]


def kmer_tokenizer(k=K) -> WordPiece:
    """Return a `WordPiece` whose words are all k-mers: 4^k tokens and the five special ones.

    >>> tok = kmer_tokenizer(2)
    >>> len(tok), tok.tokenize(" ".join(kmers("ACGUNA", 2)))
    (21, ['AC', 'GU', '[UNK]'])
    """
    k = whole_number("k", k, 1, "a number of bases, from 1 to 8", 8)
    return WordPiece([*SPECIAL, *map("".join, product(BASES, repeat=k))], lowercase=False)


def kmer_ids(sequences, tokenizer, k=K, n_positions=None, start=0) -> list[list[int]]:
    """Return each sequence as ids for a model: [CLS], its k-mers side by side, [SEP]; truncated to n_positions.

    >>> kmer_ids(["ACGU"], kmer_tokenizer(2), k=2)
    [[2, 6, 16, 3]]
    """
    return [tokenizer.encode(" ".join(kmers(s, k, start=start)), max_length=n_positions).ids for s in sequences]


def kmer_counts(sequences, k=K) -> np.ndarray:
    """Count each k-mer in each sequence, at any position: (n, 4^k) float32. K-mers with other letters do not count.

    >>> kmer_counts(["ACACN"], k=2)[0, [1, 4]].tolist()  # AC, CA
    [2.0, 1.0]
    """
    code = np.full(256, -1)
    code[[ord(base) for base in BASES]] = range(4)
    counts = np.zeros((len(sequences), 4**k), np.float32)
    for row, sequence in zip(counts, sequences, strict=True):
        letters = code[np.frombuffer(sequence.encode("ascii"), np.uint8)]  # (n,)
        if len(letters) >= k:
            windows = np.lib.stride_tricks.sliding_window_view(letters, k)  # (n - k + 1, k)
            windows = windows[(windows >= 0).all(1)]
            row += np.bincount(windows @ 4 ** np.arange(k - 1, -1, -1), minlength=4**k)
    return counts


def kmers_at(aligned, sites, k=K) -> list[int]:
    """Return which k-mers of an aligned genome, side by side from its first base, contain these sites of the ancestor.

    A lost site ("-") counts for the base before it. Each k-mer is named once, in order.

    >>> kmers_at("ACGU--ACGU", [0, 1, 8], k=2)
    [0, 3]
    """
    places = {sum(base != "-" for base in aligned[: site + 1]) - 1 for site in sites}
    return sorted({place // k for place in places if 0 <= place < (len(aligned) - aligned.count("-")) // k * k})
