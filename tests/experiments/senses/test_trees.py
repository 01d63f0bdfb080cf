"""Trees: by hand they agree with the marks of other files, a control's are decided by its words, steps are counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.experiments.senses import (
    by_word,
    chain,
    hand_made,
    read_tree,
    shuffled_layers,
    steps,
    story_trees,
    tree_of,
    word_vectors,
)
from tutorial_lib.bert import Bert
from tutorial_lib.texts.marked import marked
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.vectors import embed


def crossings(heads):
    """Pairs of edges that cross, drawn above the sentence."""
    edges = [tuple(sorted((i, head))) for i, head in enumerate(heads) if head >= 0]
    return [(one, other) for one in edges for other in edges if one[0] < other[0] < one[1] < other[1]]


def test_sixty_sentences_were_taken_apart_by_hand_and_no_edge_crosses_another():
    trees = hand_made()
    assert len(trees) == 60 == len({tree.story.text for tree in trees})
    for tree in trees:
        assert len(tree.words) == len(tree.heads) >= 6 and not crossings(tree.heads), tree.story.text


def test_subjects_objects_and_determiners_are_those_that_were_marked_for_another_chapter():
    by_text = {tree.story.text: tree for tree in hand_made()}
    both = [(story, by_text[story.text]) for story in marked("first") if story.text in by_text]
    assert len(both) == 24
    for story, tree in both:
        number = {i: k for k, i in enumerate(i for i, word in enumerate(story.words) if word.pos != "punctuation")}
        for relation in ("subject", "object", "determiner"):
            [(below, above)] = story.pairs(relation)
            assert tree.heads[number[below]] == number[above], (story.text, relation)


@pytest.mark.parametrize("line", ["Bears/2 like/1 honey/2.", "Bears/0 like/0 honey/2.", "Bears/1 like/0 honey/2."])
def test_what_is_no_tree_is_refused(line):
    with pytest.raises(ValueError, match="each word but one must have a head, and no circle be among them"):
        read_tree(line)


def walked(heads, i, j):
    """Steps from i to j by going up from both."""
    above = [[i], [j]]
    for path in above:
        while heads[path[-1]] >= 0:
            path.append(heads[path[-1]])
    meet = next(node for node in above[0] if node in above[1])
    return above[0].index(meet) + above[1].index(meet)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9, unique=True))
def test_steps_are_those_that_one_walks_and_numbers_make_a_tree(numbers):
    heads = tree_of(numbers)
    D = steps(heads)
    assert (heads < 0).sum() == 1 and np.argmax(numbers) == np.flatnonzero(heads < 0)[0] and not crossings(heads)
    assert D.tolist() == [[walked(heads, i, j) for j in range(len(heads))] for i in range(len(heads))]
    assert all(numbers[i] < numbers[head] for i, head in enumerate(heads) if head >= 0)


def test_in_a_chain_steps_are_distances_in_the_sentence():
    assert steps(chain(5)).tolist() == [[abs(i - j) for j in range(5)] for i in range(5)]


def test_a_control_depends_on_the_words_and_the_seed_alone():
    trees = story_trees(8)
    control, again, other = by_word(trees), by_word(trees[::-1])[::-1], by_word(trees, seed=1)
    assert all((one.heads == two.heads).all() for one, two in zip(control, again))
    assert any((one.heads != two.heads).any() for one, two in zip(control, other))
    few = by_word(trees[:3])  # fewer words have the same numbers
    assert all((one.heads == two.heads).all() for one, two in zip(control, few))


def test_stories_told_again_are_left_out():
    train = story_trees(20)
    rest = story_trees(30, without=train)
    texts = [tree.story.text for tree in train + rest]
    assert len(texts) == len(set(texts)) and min(len(tree.words) for tree in train) >= 5


@pytest.fixture(scope="module")
def bert():
    return Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained()


def test_a_words_vector_is_the_mean_of_its_pieces_and_marks_have_none(bert):
    tree = read_tree("Serendipitous/2 bears/3 slept/0, Mia/5 said/3.")
    [X] = word_vectors([tree], *bert)
    [every] = embed([tree.story.text], bert[0], "tokens", "all", tokenizer=bert[1])
    tokens = bert[1].encode(tree.story.text).tokens
    pieces = [i for i, token in enumerate(tokens) if i and i < tokens.index("bears")]
    assert X.shape == (7, 5, 384) and len(pieces) > 1 and "," in tokens
    np.testing.assert_allclose(X[:, 0], every[:, pieces].mean(1), atol=1e-6)
    np.testing.assert_allclose(X[:, 3], every[:, tokens.index("mia")], atol=1e-6)


@pytest.mark.long
def test_shuffled_layers_have_the_same_numbers_in_another_order(bert):
    model, tok = bert
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    other = shuffled_layers(model, seed=3)
    for name, weight in other.named_parameters():
        old = before[name]
        assert (weight.flatten().sort().values == old.flatten().sort().values).all()
        assert (weight == old).all() == (not name.startswith("layer.") or weight.ndim < 2), name
    assert all((weight == before[name]).all() for name, weight in model.named_parameters())
    [one], [two] = (embed(["A bear sleeps."], each, "tokens", [0, 1], tokenizer=tok) for each in (model, other))
    assert (one[0] == two[0]).all() and not np.allclose(one[1], two[1], atol=0.1)
