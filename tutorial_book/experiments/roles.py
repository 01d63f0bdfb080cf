"""Does a head link a word to its partner: subject to verb, pronoun to antecedent? A test that can fail (R 10.2-10.5).

A head is right on a case if the word gives its partner more than any other word; [CLS], [SEP] and the word itself are
left out. It is not compared with chance, but with the best fixed offset, such as "the next word", on the same cases.
With 72 heads some look good by luck, so a head is chosen on one set of sentences and judged on another.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from tutorial_lib.geometry.heads import hits, offset_hits, sign_test, word_weights
from tutorial_lib.geometry.statistics import bootstrap_interval, holm
from tutorial_lib.views.traces import Attention

# name of a role -> the relation of `Story.pairs`, and whether its first word is the query
ROLES = {
    "subject to verb": ("subject", True), "verb to subject": ("subject", False),
    "object to verb": ("object", True), "verb to object": ("object", False),
    "determiner to noun": ("determiner", True), "noun to determiner": ("determiner", False),
    "pronoun to antecedent": ("antecedent", True), "antecedent to pronoun": ("antecedent", False),
}  # fmt: skip
OFFSETS = tuple(offset for offset in range(-12, 13) if offset)


class Cases(NamedTuple):
    """The cases of a role. right: for each head and case, bool (n_layers, n_heads, n). offsets: from the query word to
    its partner, in words, (n,)."""

    right: np.ndarray
    offsets: np.ndarray

    def of_offset(self, offset):
        """Return on which cases always looking this many words ahead is right: bool (n,)."""
        return self.offsets == offset


def role_cases(model, tokenizer, told, seed=0) -> dict[str, Cases]:
    """Draw one case for each role from each text that has one, with the seed, so that cases are independent.

    told: `Story` objects, such as those of `texts.marked`; each is read as one text.

    >>> from tutorial_lib.bert import Bert
    >>> from tutorial_lib.tokenization import WordPiece
    >>> from tutorial_lib.texts.marked import marked
    >>> cases = role_cases(Bert.from_pretrained(), WordPiece.from_pretrained(), marked("first")[:2])
    >>> cases["subject to verb"].right.shape, cases["determiner to noun"].offsets.tolist()
    ((6, 12, 2), [3, 3])
    """
    rng, found = np.random.default_rng(seed), defaultdict(list)
    for story in told:
        encoding = tokenizer.encode(story.text)
        A = word_weights(Attention(model, encoding).weights, story.word_of(encoding.tokens), len(story.words))
        for name, (relation, forward) in ROLES.items():
            if pairs := story.pairs(relation):
                asks, partner = pairs[rng.integers(len(pairs))][:: 1 if forward else -1]
                found[name].append((hits(A, [(asks, partner)])[..., 0], partner - asks))
    return {name: Cases(np.stack([right for right, _ in one], -1), np.array([offset for _, offset in one]))
            for name, one in found.items()}  # fmt: skip


class Choice(NamedTuple):
    """The head that is right most often, and the best offset. p: that the head is no better, corrected for all heads
    and roles."""

    layer: int
    head: int
    share: float
    offset: int
    offset_share: float
    p: float


def choose_heads(cases) -> dict[str, Choice]:
    """Return each role's best head and best offset on these cases. p by a sign test, corrected by `holm` for all heads
    in all roles: so far, 72 heads were tested eight times. Of two equal ones, the first."""
    tests, chosen = [], {}
    for name, (right, offsets) in cases.items():
        tried = offset_hits(np.stack([np.zeros_like(offsets), offsets], 1), OFFSETS)  # (offsets, n)
        best = tried.mean(1).argmax()
        shares = right.mean(-1)
        layer, head = np.unravel_index(shares.argmax(), shares.shape)
        tests.append(sign_test(right, np.broadcast_to(tried[best], right.shape)))  # (n_layers, n_heads)
        chosen[name] = Choice(int(layer), int(head), float(shares.max()), OFFSETS[best], float(tried[best].mean()), 1.0)
    adjusted = holm(np.stack(tests).ravel()).reshape(len(tests), *shares.shape)
    return {name: choice._replace(p=float(p[choice.layer, choice.head]))
            for p, (name, choice) in zip(adjusted, chosen.items(), strict=True)}  # fmt: skip


class Confirmed(NamedTuple):
    """A chosen head on other cases: its share right with a 95 % interval, the offset's, and p, corrected for the
    roles."""

    share: float
    low: float
    high: float
    offset_share: float
    p: float


def confirm(choices, cases) -> dict[str, Confirmed]:
    """Test the chosen heads and offsets on new cases. p by a sign test, corrected for the roles."""
    found = {}
    for name, choice in choices.items():
        right, by_offset = cases[name].right[choice.layer, choice.head], cases[name].of_offset(choice.offset)
        low, high = bootstrap_interval(np.mean, right.astype(float))
        found[name] = Confirmed(float(right.mean()), low, high, float(by_offset.mean()), sign_test(right, by_offset))
    adjusted = holm([one.p for one in found.values()])
    return {name: one._replace(p=float(p)) for p, (name, one) in zip(adjusted, found.items(), strict=True)}


def selectivity(model, tokenizer, told, role, layer, head):
    """Return how often a head is right for the role's word, and for all other words: two shares.

    A head that makes every word look at the verb would be right for the subject, but say nothing about subjects.
    """
    relation, forward = ROLES[role]
    own, others = [], []
    for story in told:
        encoding = tokenizer.encode(story.text)
        A = Attention(model, encoding).weights[layer, head]
        A = word_weights(A, story.word_of(encoding.tokens), len(story.words))
        for pair in story.pairs(relation):
            asks, partner = pair[:: 1 if forward else -1]
            rest = [(word, partner) for word in range(len(story.words)) if word not in (asks, partner)]
            own.append(hits(A, [(asks, partner)]).mean())
            others.append(hits(A, rest).mean())
    return float(np.mean(own)), float(np.mean(others))
