"""A text made small enough to travel inside a page: a model guesses each bit, and a good guess costs little.

A language model in miniature. It counts which bit came next after the last one, two and three bytes, and an arithmetic
coder turns a bit that was expected with probability p into log2(1/p) bits. The page counts along and gets the
text back (`js/squeeze.js`): in any browser, at once, with nothing but whole numbers, so that both sides agree.
"""

import base64
from functools import lru_cache

MASK = 0xFFFFFFFF


@lru_cache(maxsize=4)
def squeeze(text: str) -> str:
    """The text, squeezed, in base64. It takes a few seconds for BERT's vocabulary, and is kept.

    >>> len(squeeze("ab" * 1000))
    12
    """
    low, high, out = 0, MASK, bytearray()  # the interval that the bits so far have led to
    tables, history = {}, 0
    for byte in text.encode():
        after = [history & 0xFF, history & 0xFFFF | 1 << 24, history | 2 << 24]
        one, two, three = (tables.setdefault(context, bytearray(512)) for context in after)
        node = 1  # the bits of this byte so far, after a leading 1; its counts of 1 stand 256 places further on
        for shift in range(7, -1, -1):
            i = node + 256
            ones = one[i] + 3 * two[i] + 9 * three[i]  # a longer context knows better
            total = ones + one[node] + 3 * two[node] + 9 * three[node]
            middle = low + (high - low >> 16) * ((2 * ones + 1 << 16) // (2 * total + 2))
            if byte >> shift & 1:
                high, seen, unseen, node = middle, i, node, 2 * node + 1
            else:
                low, seen, unseen, node = middle + 1, node, i, 2 * node
            for counts in (one, two, three):
                _count(counts, seen, unseen)
            while not (low ^ high) >> 24:  # the first byte is known
                out.append(high >> 24)
                low, high = low << 8 & MASK, high << 8 & MASK | 0xFF
        history = (history << 8 | byte) & 0xFFFFFF
    return base64.b64encode(out + low.to_bytes(4, "big")).decode()


def _count(counts, seen, unseen):
    """One more of what was seen; what was not seen counts for less than before, as the new matters more."""
    if counts[seen] == 255:
        counts[seen] = 127
        counts[unseen] >>= 1
    counts[seen] += 1
    if counts[unseen] > 4:
        counts[unseen] = (counts[unseen] >> 1) + 1
