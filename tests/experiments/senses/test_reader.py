"""The trees of stories: sentences of each kind as a grammar book has them, and labels that the generator gave."""

import re

import pytest

from tutorial_book.experiments.senses import story_heads, story_trees
from tutorial_lib.texts.generated import stories
from tutorial_lib.texts.marked import sentences_of

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
def sentences():
    return [one for story in stories(400, seed=5) for one in sentences_of(story)]


def told(words, heads):
    kept = [word.text for word in words if word.pos != "punctuation"]
    return " ".join(f"{word}/{head + 1}" for word, head in zip(kept, heads, strict=True))


@pytest.mark.parametrize("line", RIGHT)
def test_a_tree_is_as_a_reader_draws_it(line, sentences):
    plain = re.sub(r"/\d+", "", line)
    ours = [one for one in sentences if re.sub(r' ?[,.!"]', "", one.text).strip() == plain]
    assert ours and told(ours[0].words, story_heads(ours[0].words)) == line


def test_each_sentence_is_one_tree_and_no_edge_crosses_another(sentences):
    for sentence in sentences:
        heads = story_heads(sentence.words)
        assert heads.count(-1) == 1 and None not in heads
        edges = [tuple(sorted((i, head))) for i, head in enumerate(heads) if head >= 0]
        crossing = [1 for one in edges for other in edges if one[0] < other[0] < one[1] < other[1]]
        assert not crossing, told(sentence.words, heads)
    assert len(story_trees(60)) > 250  # which refuses what is no tree


def test_objects_and_determiners_hang_where_the_generator_put_them(sentences):
    """Its labels and the rules know nothing of each other."""
    counts = {"object": [0, 0], "determiner": [0, 0]}
    for sentence in sentences:
        heads = story_heads(sentence.words)
        number = {i: k for k, i in enumerate(i for i, word in enumerate(sentence.words) if word.pos != "punctuation")}
        for relation, count in counts.items():
            for below, above in sentence.pairs(relation):
                count[heads[number[below]] == number[above]] += 1
    assert counts["determiner"][0] == 0 and counts["determiner"][1] > 2000
    assert counts["object"][0] <= 0.01 * counts["object"][1] and counts["object"][1] > 500
