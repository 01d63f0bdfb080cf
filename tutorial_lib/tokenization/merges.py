"""How a subword vocabulary is learned: start from single characters, and repeatedly merge the best pair.

The loop is the same for BPE and WordPiece; they differ in the definition of "best": see `bpe.bpe_score` and
`wordpiece.wordpiece_score`.
Source: L 3.2.2.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from heapq import heapify, heappop, heappush

from tutorial_lib.arguments import check_has, check_texts, whole_number


def learn_merges(
    words: Counter, start: list[str], vocab_size: int, score: Callable, join: Callable
) -> tuple[list[str], list[tuple[str, str]]]:
    """Merge the best pair of neighbors until the vocabulary is full or no pair occurs twice.

    words: how often each word occurs; a word is a tuple of tokens of `start`. start: the tokens to begin with. score:
    `bpe_score` or `wordpiece_score`; of pairs with equal scores, the one with the oldest tokens wins. join: turns two
    tokens into one. Returns the tokens, the oldest first, and the merged pairs, in order.

    >>> from tutorial_lib.tokenization import bpe_score
    >>> learn_merges(Counter({("b", "e", "a", "r"): 2}), ["a", "b", "e", "r"], 6, bpe_score, str.__add__)
    (['a', 'b', 'e', 'r', 'ar', 'be'], [('a', 'r'), ('b', 'e')])
    """
    check_has("words", words, "how often each word occurs, a Counter", "values")
    check_texts("start", start)
    check_has("score", score, "a function, such as bpe_score", "__call__")
    check_has("join", join, "a function that makes one token of two", "__call__")
    whole_number("vocab_size", vocab_size, 1, "a number of tokens, 1 or more")
    age = {token: number for number, token in enumerate(start)}
    strange = {token for word in words for token in word} - age.keys()
    if strange:
        raise ValueError(f"start must contain all tokens of words, but {sorted(strange)[:5]} are missing")
    corpus = [list(word) for word in words]
    counts = list(words.values())
    pairs = Counter()
    tokens = Counter()
    places = defaultdict(set)  # pair -> the numbers of the words that contain it
    for number, word in enumerate(corpus):
        _count(word, counts[number], number, pairs, tokens, places)
    merges = []
    while len(age) < vocab_size:
        best = _best_pair(pairs, tokens, score, age)
        if best is None:
            break
        new = join(*best)
        age.setdefault(new, len(age))
        merges.append(best)
        for number in places.pop(best):
            _count(corpus[number], -counts[number], number, pairs, tokens, places)
            corpus[number] = merge(corpus[number], best, new)
            _count(corpus[number], counts[number], number, pairs, tokens, places)
    return list(age), merges


def merge(word: list[str], pair: tuple[str, str], new: str) -> list[str]:
    """Return a word with each occurrence of a pair, from the left, replaced by one token.

    >>> merge(["b", "a", "b", "a", "a"], ("b", "a"), "ba")
    ['ba', 'ba', 'a']
    """
    merged = []
    i = 0
    while i < len(word):
        here = i + 1 < len(word) and (word[i], word[i + 1]) == pair
        merged.append(new if here else word[i])
        i += 2 if here else 1
    return merged


def glue(word: list[str], rank: dict[tuple[str, str], int]) -> list[str]:
    """Merge pairs of a word, the smallest rank first, and of equal pairs the first in the word, until none has a rank.

    >>> glue(list("bababa"), {("a", "b"): 0, ("b", "ab"): 1})
    ['bab', 'ab', 'a']
    """
    tokens = list(word)
    left = list(range(-1, len(word) - 1))  # where the tokens before and after begin
    right = list(range(1, len(word) + 1))
    queue = [(rank[pair], i) for i, pair in enumerate(zip(word, word[1:])) if pair in rank]
    heapify(queue)
    while queue:
        number, i = heappop(queue)
        j = right[i]
        if j == len(tokens) or rank.get((tokens[i], tokens[j])) != number:
            continue  # one of the two is part of another token by now
        tokens[i], tokens[j] = tokens[i] + tokens[j], ""
        right[i] = right[j]
        if right[i] < len(tokens):
            left[right[i]] = i
        for a, b in ((left[i], i), (i, right[i])):
            if a >= 0 and b < len(tokens) and (tokens[a], tokens[b]) in rank:
                heappush(queue, (rank[tokens[a], tokens[b]], a))
    return [token for token in tokens if token]


def _count(word: list[str], times: int, number: int, pairs: Counter, tokens: Counter, places: dict) -> None:
    """Add a word's tokens and pairs of neighbors to the counts, or take them away when `times` is negative."""
    for token in word:
        tokens[token] += times
    for pair in zip(word, word[1:]):
        pairs[pair] += times
        if times > 0:
            places[pair].add(number)
        elif not pairs[pair]:
            del pairs[pair]


def _best_pair(pairs: Counter, tokens: Counter, score: Callable, age: dict[str, int]) -> tuple[str, str] | None:
    """Return the pair with the highest score that occurs at least twice; of equals, the one with the oldest tokens."""
    total = tokens.total()
    scores = {pair: score(n, tokens[pair[0]], tokens[pair[1]], total) for pair, n in pairs.items() if n > 1}
    if not scores:
        return None
    top = max(scores.values())
    return min((pair for pair in scores if scores[pair] == top), key=lambda pair: (age[pair[0]], age[pair[1]]))
