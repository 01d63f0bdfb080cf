"""How correct and how varied are stories that a decoder writes, depending on the rule for choosing tokens?"""

from tutorial_lib.generation import generate
from tutorial_lib.texts.checked import check
from tutorial_lib.texts.generated import stories

END = "<|endoftext|>"


def groups(ids, size=5) -> list:
    """Return all runs of n consecutive tokens.

    >>> groups([1, 2, 3], size=2)
    [(1, 2), (2, 3)]
    """
    return [tuple(ids[i : i + size]) for i in range(len(ids) - size + 1)]


def judged(some, tokenizer) -> tuple:
    """Judge stories, given as ids: the share of sentences without an error, and of distinct groups of five tokens."""
    texts = [tokenizer.decode(story).removesuffix(END).strip() for story in some]
    sentences = [sentence for text in texts if text for sentence in check(text).sentences]
    every = sum(map(groups, some), [])
    return sum(s.grammatical and s.consistent for s in sentences) / len(sentences), len(set(every)) / len(every)


def sampled(model, tokenizer, n, **rule) -> tuple:
    """Return `judged` of n stories that the model writes from scratch by a rule of `generate`, including its seed."""
    stop = [tokenizer.vocab[END]]
    return judged(generate(model, [stop] * n, 120, **rule, stop=stop), tokenizer)


def of_grammar(tokenizer, seed, n=30) -> list:
    """Return n of the grammar's own stories, as ids."""
    return [tokenizer.encode(story.text + END).ids for story in stories(n, seed=seed)]
