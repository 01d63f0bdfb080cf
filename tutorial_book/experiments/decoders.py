"""How right and how varied are stories that a decoder writes, by the rule that it chooses tokens by?

python -m tutorial_book.experiments.decoders writes 30 stories by each rule with each of ten seeds, a minute or two on
one core, and keeps the shares in stored/decoders.json.
"""

import json

import torch

from tutorial_book import experiments
from tutorial_lib.generation import generate
from tutorial_lib.texts.checked import check
from tutorial_lib.texts.generated import stories
from tutorial_lib.weights.files import write_text

FILE = experiments.STORED / "decoders.json"
END = "<|endoftext|>"
TEMPERATURES, SEEDS, N = (0.3, 0.7, 1.0, 1.5), range(10), 30  # of the stories that are measured together
RULES = {"all tokens": {}, "top-p 0.9": {"top_p": 0.9}}
OWN = "the grammar's own stories"


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
    right = sum(sentence.grammatical and sentence.consistent for sentence in sentences)
    every = sum(map(groups, some), [])
    return right / len(sentences), len(set(every)) / len(every)


def sampled(model, tokenizer, n=N, **rule) -> tuple:
    """`judged` of n stories that the model writes from nothing by a rule of `generate`, its seed included."""
    stop = [tokenizer.vocab[END]]
    return judged(generate(model, [stop] * n, 120, **rule, stop=stop), tokenizer)


def of_grammar(tokenizer, seed, n=N) -> list:
    """n stories of the grammar's own, as ids."""
    return [tokenizer.encode(story.text + END).ids for story in stories(n, seed=seed)]


def stored() -> dict:
    """What was measured: the rule, or `OWN` -> shares, by temperature and seed. Raises ValueError for a damaged file.

    >>> len(stored()["top-p 0.9"]), len(stored()["all tokens"][0]), len(stored()["all tokens"][0][0])
    (4, 10, 2)
    """
    return experiments.stored(FILE, [*RULES, OWN], f"python -m {__name__}")


def measure(model, tokenizer, seeds=SEEDS) -> dict:
    """What `stored` gives. Other seeds of the grammar than those of the stories that the model has read, and 5."""
    found = {name: [[sampled(model, tokenizer, temperature=T, seed=seed, **rule) for seed in seeds]
                    for T in TEMPERATURES] for name, rule in RULES.items()}  # fmt: skip
    return found | {OWN: [[judged(of_grammar(tokenizer, 5 + seed), tokenizer) for seed in seeds]] * len(TEMPERATURES)}


if __name__ == "__main__":
    from tutorial_lib.gpt import GPT
    from tutorial_lib.tokenization import BPE

    torch.set_num_threads(1)
    with torch.no_grad():
        found = measure(GPT.from_pretrained("book-gpt", "cpu"), BPE.from_pretrained("book-gpt"))
    write_text(FILE, json.dumps(found, indent=None) + "\n")
