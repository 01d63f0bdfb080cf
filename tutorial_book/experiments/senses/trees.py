"""Sentences with their dependency trees: sixty annotated by hand, those of the stories, and random trees."""

import copy
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from tutorial_book.experiments.senses.reader import story_heads
from tutorial_lib.texts.generated import Story, Word, stories
from tutorial_lib.texts.marked import sentences_of
from tutorial_lib.vectors import embed

FILE = Path(__file__).parent / "trees.txt"
LEAST = 5  # words: in a shorter sentence nearly every tree is a chain


class Tree(NamedTuple):
    """A sentence with its tree. words: without marks. heads: the number of each word's head, -1 at the root.

    story: the sentence as a `Story`, which knows the word of each token.
    """

    words: list
    heads: np.ndarray
    story: Story


def hand_made() -> list[Tree]:
    """Return the sentences of ``trees.txt``.

    >>> tree = hand_made()[0]
    >>> tree.words[:5], tree.heads[:5].tolist()
    (['The', 'old', 'baker', 'slowly', 'opened'], [2, 2, 4, 4, -1])
    """
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [read_tree(line) for line in lines if line and not line.startswith("#")]


def read_tree(line) -> Tree:
    """Parse a sentence whose words have the number of their head after a slash, counted from 1, and 0 for the root.

    Raises ValueError if this is not a tree.

    >>> read_tree("Bears/2 like/0 honey/2.").story.text
    'Bears like honey.'
    """
    text, words, heads = "", [], []
    for match in re.finditer(r"( ?)(?:(\w+)/(\d+)|([^\w\s]))", line):
        text += match[1]
        words.append(Word(match[2] or match[4], "" if match[2] else "punctuation", start=len(text)))
        text += match[2] or match[4]
        heads += [int(match[3]) - 1] if match[2] else []
    return _tree(Story(words, [text], text), heads)


def _tree(story, heads):
    heads = np.array(heads)
    edges = {(i, int(head)) for i, head in enumerate(heads) if head >= 0}
    if len(edges) != len(heads) - 1 or not np.isfinite(steps(heads)).all():
        raise ValueError(f"each word but one must have a head, without circles, got {story.text!r}")
    return Tree([word.text for word in story.words if word.pos != "punctuation"], heads, story)


def story_trees(n, seed=0, without=()) -> list[Tree]:
    """Return the distinct sentences of n stories that have five words or more, except `without`, with trees.

    >>> story_trees(1)[0].heads.tolist()
    [3, 2, 0, -1, 6, 6, 3]
    """
    known = {tree.story.text for tree in without}
    trees = []
    for sentence in (one for story in stories(n, seed) for one in sentences_of(story)):
        heads = story_heads(sentence.words) if sentence.text not in known else []
        known.add(sentence.text)
        trees += [_tree(sentence, heads)] if len(heads) >= LEAST else []
    return trees


def steps(heads) -> np.ndarray:
    """Return the number of edges between every two words of a tree, (n, n): infinite if nothing joins them.

    >>> steps(np.array([1, -1, 1, 2])).astype(int).tolist()
    [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]
    """
    from scipy.sparse.csgraph import shortest_path

    n = len(heads)
    joined = np.zeros((n, n))
    below = np.flatnonzero(np.asarray(heads) >= 0)
    joined[below, np.asarray(heads)[below]] = 1
    return shortest_path(joined, directed=False, unweighted=True)


def chain(n) -> np.ndarray:
    """Return the heads of a tree in which each word depends on the one before it."""
    return np.arange(n) - 1


def tree_of(numbers) -> np.ndarray:
    """Return the heads of a tree decided by numbers: the largest is the root, and so on left and right of it.

    >>> tree_of([0.2, 0.9, 0.1, 0.5]).tolist()
    [1, -1, 3, 1]
    """
    heads = np.full(len(numbers), -1)

    def hang(low, high, head):
        if low < high:
            root = low + int(np.argmax(numbers[low:high]))
            heads[root] = head
            hang(low, root, root)
            hang(root + 1, high, root)

    hang(0, len(numbers), -1)
    return heads


def by_word(trees, seed=0) -> list[Tree]:
    """Return the same sentences with meaningless trees: each word has a fixed random number.

    A control task as in Hewitt and Liang (2019): a probe that memorizes each word's number can find the tree. The
    numbers depend on the seed and on the spelling, so they are the same in other sentences.
    """
    vocabulary = sorted({word.lower() for tree in trees for word in tree.words})
    number = {word: np.random.default_rng([seed, *word.encode()]).random() for word in vocabulary}
    return [tree._replace(heads=tree_of([number[word.lower()] for word in tree.words])) for tree in trees]


def word_vectors(trees, model, tok) -> list[np.ndarray]:
    """Return each sentence's word vectors, (n_layers + 1, n_words, d_model); the mean for a word in pieces."""
    states = embed([tree.story.text for tree in trees], model, "tokens", "all", tokenizer=tok)
    vectors = []
    for tree, X in zip(trees, states, strict=True):
        of_token = tree.story.word_of(tok.encode(tree.story.text).tokens)
        kept = [i for i, word in enumerate(tree.story.words) if word.pos != "punctuation"]
        places = [[at for at, word in enumerate(of_token) if word == i] for i in kept]
        vectors.append(np.stack([X[:, at].mean(1) for at in places], axis=1).astype(float))
    return vectors


def shuffled_layers(bert, seed=0):
    """Return the model with the numbers of each matrix of its layers shuffled; the embeddings stay.

    The given model is not changed.
    """
    other = copy.deepcopy(bert)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in other.layer.parameters():
            if weight.ndim == 2:
                order = torch.randperm(weight.numel(), generator=generator)
                weight.copy_(weight.flatten()[order].view_as(weight))
    return other
