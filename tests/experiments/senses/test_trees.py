"""Trees: by hand, by rules and random; they agree with the marks of other files, and steps are counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.experiments import senses
from tutorial_book.experiments.senses import by_word, read_tree, steps, story_trees
from tutorial_lib.bert import Bert, Config
from tutorial_lib.texts.generated import stories
from tutorial_lib.texts.marked import marked, sentences_of
from tutorial_lib.vectors import embed


def crossings(heads):
    """Pairs of edges that cross, drawn above the sentence."""
    edges = [tuple(sorted((i, head))) for i, head in enumerate(heads) if head >= 0]
    return [(one, other) for one in edges for other in edges if one[0] < other[0] < one[1] < other[1]]


def test_trees_by_hand_agree_with_other_marks():
    """On subjects, objects and determiners."""
    by_text = {tree.story.text: tree for tree in senses.hand_made()}
    assert len(by_text) == 60 and not any(crossings(tree.heads) for tree in by_text.values())
    both = [(story, by_text[story.text]) for story in marked("first") if story.text in by_text]
    assert len(both) == 24
    for story, tree in both:
        number = {i: k for k, i in enumerate(i for i, word in enumerate(story.words) if word.pos != "punctuation")}
        for relation in ("subject", "object", "determiner"):
            [(below, above)] = story.pairs(relation)
            assert tree.heads[number[below]] == number[above], (story.text, relation)


@pytest.mark.parametrize("line", ["Bears/2 like/1 honey/2.", "Bears/0 like/0 honey/2.", "Bears/1 like/0 honey/2."])
def test_sentences_without_a_tree_are_rejected(line):
    with pytest.raises(ValueError, match="each word but one must have a head, without circles"):
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
def test_numbers_make_a_tree_whose_steps_are_walked(numbers):
    heads, n = senses.tree_of(numbers), len(numbers)
    assert (heads < 0).sum() == 1 and heads[np.argmax(numbers)] < 0 and not crossings(heads)
    assert steps(heads).tolist() == [[walked(heads, i, j) for j in range(n)] for i in range(n)]
    assert all(numbers[i] < numbers[head] for i, head in enumerate(heads) if head >= 0)
    assert steps(senses.chain(n)).tolist() == [[abs(i - j) for j in range(n)] for i in range(n)]


def test_controls_depend_on_words_and_seed_alone():
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
    assert len(rest) > 20 and len(texts) == len(set(texts)) and min(len(tree.words) for tree in train) == 5


def test_word_vectors_are_means_of_pieces(bert, tok):
    """And marks have none."""
    tree = read_tree("Serendipitous/2 bears/3 slept/0, Mia/5 said/3.")
    [X] = senses.word_vectors([tree], bert, tok)
    [every] = embed([tree.story.text], bert, "tokens", "all", tokenizer=tok)
    tokens = tok.encode(tree.story.text).tokens
    pieces = [i for i, token in enumerate(tokens) if i and i < tokens.index("bears")]
    assert X.shape == (7, 5, 384) and len(pieces) > 1 and "," in tokens
    np.testing.assert_allclose(X[:, 0], every[:, pieces].mean(1), atol=1e-6)
    np.testing.assert_allclose(X[:, 3], every[:, tokens.index("mia")], atol=1e-6)


def test_shuffled_layers_keep_their_numbers():
    model = Bert(Config(vocab_size=50, d_model=16, n_layers=2, n_heads=2, d_ff=32))
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    for name, weight in senses.shuffled_layers(model, seed=3).named_parameters():
        old = before[name]
        assert (weight.flatten().sort().values == old.flatten().sort().values).all()
        assert (weight == old).all() == (not name.startswith("layer.") or weight.ndim < 2), name
    assert all((weight == before[name]).all() for name, weight in model.named_parameters())


# --- The trees of stories ---------------------------------------------------------------------------------------------

# Sentences of these stories, each word with the number of its head, counted from 1; 0: the root. Looked at one by one.
RIGHT = [
    "They/2 told/0 funny/4 stories/2",
    "A/2 little/3 later/5 Leo/5 had/0 fun/5 with/5 his/9 doll/7",
    "He/2 was/0 cold/2 because/2 of/4 the/7 wind/5",
    "Ivan/2 has/0 a/5 little/5 house/2 near/5 the/8 park/6",
    "It/2 is/0 a/5 good/5 day/2 for/5 Tom/6",
    "Thank/4 you/1 she/4 said/0 to/4 him/5",
    "Clara/2 wanted/0 to/2 have/3 them/4 and/7 took/2 them/7 from/7 him/9",
    "She/2 put/0 on/2 dry/5 clothes/2 and/7 was/2 warm/7 again/7",
    "After/4 that/1 she/4 saw/0 that/4 Grandma/7 was/5 sad/7 and/10 hugged/4 Grandma/10",
    "Lily/2 liked/0 the/4 bats/2 so/6 much/2 that/6 she/9 took/7 them/9 from/9 Lena/11",
    "Ivan/2 pulls/0 the/4 mice/2 out/2 with/2 both/8 hands/6",
    "Nora/2 mends/0 it/2 with/2 a/6 hammer/4 and/9 two/9 nails/6",
    "The/2 rabbit/6 by/2 the/5 pond/3 jumps/0 around/6 because/6 the/11 black/11 rabbit/8 is/8 happy/12",
]


@pytest.fixture(scope="module")
def read():
    """Each sentence of 400 stories, with its heads."""
    sentences = [one for story in stories(400, seed=5) for one in sentences_of(story)]
    return [(sentence, senses.story_heads(sentence.words)) for sentence in sentences]


def test_trees_are_as_a_reader_draws_them(read):
    told = set()
    for sentence, heads in read:
        kept = [word.text for word in sentence.words if word.pos != "punctuation"]
        told.add(" ".join(f"{word}/{head + 1}" for word, head in zip(kept, heads, strict=True)))
    assert [line for line in RIGHT if line not in told] == []


def test_each_sentence_is_one_tree_without_crossings(read):
    for sentence, heads in read:
        assert heads.count(-1) == 1 and None not in heads
        assert not crossings(heads), sentence.text


def test_objects_and_determiners_hang_as_generated(read):
    """The generator's labels and the rules know nothing of each other."""
    counts = {"object": [0, 0], "determiner": [0, 0]}
    for sentence, heads in read:
        number = {i: k for k, i in enumerate(i for i, word in enumerate(sentence.words) if word.pos != "punctuation")}
        for relation, count in counts.items():
            for below, above in sentence.pairs(relation):
                count[heads[number[below]] == number[above]] += 1
    assert counts["determiner"][0] == 0 and counts["determiner"][1] > 2000
    assert counts["object"][0] <= 0.01 * counts["object"][1] and counts["object"][1] > 500
