"""How right and how varied are stories that a decoder writes, by the rule that it chooses tokens by?"""

from tutorial_lib.generation import generate
from tutorial_lib.texts.checked import check
from tutorial_lib.texts.generated import stories

END = "<|endoftext|>"


def groups(ids, size=5) -> list:
    """All runs of so many tokens.

    >>> groups([1, 2, 3], size=2)
    [(1, 2), (2, 3)]
    """
    return [tuple(ids[i : i + size]) for i in range(len(ids) - size + 1)]


def judged(some, tokenizer) -> tuple:
    """Of stories, as ids: the share of sentences without an error, and of groups of five tokens that are different."""
    texts = [tokenizer.decode(story).removesuffix(END).strip() for story in some]
    sentences = [sentence for text in texts if text for sentence in check(text).sentences]
    every = sum(map(groups, some), [])
    return sum(s.grammatical and s.consistent for s in sentences) / len(sentences), len(set(every)) / len(every)


def sampled(model, tokenizer, n, **rule) -> tuple:
    """`judged` of n stories that the model writes from nothing by a rule of `generate`, its seed included."""
    stop = [tokenizer.vocab[END]]
    return judged(generate(model, [stop] * n, 120, **rule, stop=stop), tokenizer)


def of_grammar(tokenizer, seed, n=30) -> list:
    """n stories of the grammar's own, as ids."""
    return [tokenizer.encode(story.text + END).ids for story in stories(n, seed=seed)]
