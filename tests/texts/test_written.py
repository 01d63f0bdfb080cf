"""The texts that come with the library: they are readable, balanced, and what they claim to be."""

import difflib
import itertools
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.texts import load_texts, written

STORIES = load_texts("stories")
PAIRS = load_texts("sentence-pairs")
WORDS = load_texts("words")
WRITTEN = sorted(file.stem for file in written.FOLDER.glob("*.txt"))


def bag(text):
    """The words of a text."""
    return re.findall(r"[a-z']+", text.lower())


def labels(name):
    """The part before the tab, for every text of a file."""
    return [line.partition("\t")[0] for line in written.lines(name) if "\t" in line]


@pytest.mark.parametrize("name", [name for name in WRITTEN if name not in ("stories", "documents")])
def test_every_file_begins_with_its_origin_and_license(name):
    content = (written.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    comment = " ".join(itertools.takewhile(lambda line: line.startswith("#"), content.splitlines()))
    assert "CC BY 4.0" in comment and "this book" in comment


@pytest.mark.parametrize("name", ["stories", "documents"])
def test_every_line_is_one_clean_sentence(name):
    for line in load_texts(name):
        assert line == line.strip() and "\t" not in line and "  " not in line
        assert line[0].isupper()


def test_stories_are_plain_ascii_sentences_that_end():
    assert all(line.isascii() and line[-1] in ".?" for line in STORIES)
    assert len(STORIES) == len(set(STORIES)) >= 300
    assert 25_000 <= sum(map(len, STORIES)) <= 40_000


def test_stories_repeat_their_words_in_several_forms():
    words = Counter(re.findall(r"[a-z]+", " ".join(STORIES).lower()))
    for family in (
        ("open", "opens", "opened", "opening"),
        ("paint", "painted", "painter", "painting", "paintings"),
        ("wait", "waited", "waiting"),
        ("learn", "learned", "learning"),
        ("bear", "bears", "door", "doors", "machine", "machines"),
    ):
        assert all(words[word] >= 2 for word in family), family
    assert sum(count >= 2 for count in words.values()) >= 600


def test_documents_hold_the_sentences_that_the_chapters_use():
    sentences = load_texts("documents")
    for sentence in (
        "I love mathematics!",
        "Linear algebra is at the core of machine learning",
        "The artist painted the portrait",
        "Transformers are powerful models",
        "Then the bear waited for the door to open with a serendipitous smile.",
        "The mouse was gone. The cat sat useless.",
        "The mouse was gone. The computer sat useless.",
    ):
        assert sentence in sentences


def test_each_document_sentence_has_its_place():
    lines = (written.FOLDER / "documents.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        assert line.startswith("#") or re.fullmatch(r"[RL] \d+(\.\d+)+\t.+", line), line


@pytest.mark.parametrize("name, least, sentences", [("encyclopedia", 150, 3), ("posts", 150, 8)])
def test_collections_have_many_short_different_texts(name, least, sentences):
    texts = load_texts(name)
    assert len(texts) >= least and all(text == " ".join(text.split()) for text in texts)
    assert all(15 <= len(text) <= 200 and len(re.findall(r"[.!?]+(?= [A-Z]|$)", text)) <= sentences for text in texts)
    for one, other in itertools.combinations([set(bag(text)) for text in texts], 2):
        assert len(one & other) <= 0.6 * len(one | other)


def test_encyclopedia_covers_many_fields_in_full_sentences():
    fields = Counter(labels("encyclopedia"))
    assert len(fields) >= 10 and min(fields.values()) >= 8
    assert all(text[0].isupper() and text.endswith(".") for text in load_texts("encyclopedia"))


def test_posts_have_four_moods_in_equal_parts():
    assert Counter(labels("posts")) == dict.fromkeys(("joy", "anger", "sadness", "optimism"), 40)
    assert not any("@" in post for post in load_texts("posts"))


def test_sentence_pairs_have_six_contrasts_and_two_controls():
    six = ["bright-dim", "doctor-nurse", "female-male", "finnish-czech", "funny-sad", "laugh-cry"]
    assert list(PAIRS) == [*six, "monday-tuesday", "spoon-fork"]
    every = [sentence for pairs in PAIRS.values() for pair in pairs for sentence in pair]
    assert len(every) == len(set(every)) == 8 * 16 * 2


def test_each_contrast_covers_each_kind_of_sentence_equally():
    kinds = itertools.product(("statement", "question"), ("present", "past"), ("subject", "predicate"))
    each_twice = dict.fromkeys(map(" ".join, kinds), 2)
    tags = labels("sentence-pairs")
    for k, pairs in enumerate(PAIRS.values()):
        assert len(pairs) == 16 and Counter(tags[16 * k : 16 * k + 16]) == each_twice
    for tag, pair in zip(tags, itertools.chain(*PAIRS.values()), strict=True):
        assert all(sentence.endswith("?" if tag.startswith("question") else ".") for sentence in pair)


CONTRAST_WORDS = {
    "bright-dim": "bright dim brighter dimmer brightest dimmest brightly dimly",
    "doctor-nurse": "doctor nurse doctors nurses",
    "female-male": "she he her his him hers his woman man sister brother mother father grandmother grandfather "
    "girl boy aunt uncle daughter son queen king",
    "finnish-czech": "finnish czech",
    "funny-sad": "funny sad funnier sadder funniest saddest",
    "laugh-cry": "laugh cry laughed cried laughing crying",
    "monday-tuesday": "monday tuesday",
    "spoon-fork": "spoon fork spoons forks",
}


@pytest.mark.parametrize("contrast", PAIRS)
def test_sentences_of_a_pair_differ_in_one_word(contrast):
    allowed = CONTRAST_WORDS[contrast].split()
    for first, second in PAIRS[contrast]:
        a, b = bag(first), bag(second)
        changes = [op for op in difflib.SequenceMatcher(None, a, b, False).get_opcodes() if op[0] != "equal"]
        assert len(a) == len(b) and len(changes) == 1
        ((_, start, end, *_),) = changes
        assert end == start + 1 and a[start] in allowed and b[start] in allowed
        assert not set(allowed) & {*a[:start], *a[end:]} and first[-1] == second[-1]


def test_a_contrast_says_nothing_about_the_other_contrasts():
    for contrast, pairs in PAIRS.items():
        others = {word for other, line in CONTRAST_WORDS.items() if other != contrast for word in line.split()}
        for first, second in pairs:
            assert not others & {*bag(first), *bag(second)}, first
    professions = {"doctor", "nurse", "teacher", "actor", "waiter", "engineer", "secretary", "boss", "captain", "cook"}
    assert not professions & set(bag(str(PAIRS["female-male"])))


def test_no_two_frames_are_equal():
    frames = [set(bag(first)) for pairs in PAIRS.values() for first, _ in pairs]
    assert all(len(a & b) <= 0.7 * len(a | b) for a, b in itertools.combinations(frames, 2))


def test_synonyms_have_four_groups_and_two_of_nonsense():
    synonyms = load_texts("synonyms")
    sizes = {"hello": 27, "new car": 27, "happy boss": 27, "meeting": 10, "random characters": 27, "random words": 27}
    assert {group: len(set(sentences)) for group, sentences in synonyms.items()} == sizes
    assert "Howdy there! I am felicitous to meet such a nice individual here." in synonyms["hello"]
    assert all("Monday" in text and "breakfast" in text.lower() for text in synonyms["meeting"])
    assert synonyms == load_texts("synonyms")


def test_nonsense_is_about_as_long_as_the_sentences():
    synonyms = load_texts("synonyms")
    sense = [len(text) for group in list(synonyms)[:4] for text in synonyms[group]]
    for group in ("random characters", "random words"):
        lengths = [len(text) for text in synonyms[group]]
        assert min(sense) <= min(lengths) and max(lengths) <= max(sense) + max(map(len, sum(WORDS.values(), [])))
        assert abs(sum(lengths) / len(lengths) - sum(sense) / len(sense)) < 10
        assert all(re.fullmatch(r"[A-Z][a-z]*( [a-z]+)*\.", text) for text in synonyms[group])
    known = set(sum(WORDS.values(), []))
    assert all(set(bag(text)) <= known for text in synonyms["random words"])
    assert not any(known & set(bag(text)) for text in synonyms["random characters"])


@given(st.lists(st.one_of(st.text("ab ", min_size=1), st.lists(st.text("xy", min_size=1), min_size=1)), max_size=5))
def test_filling_slots_gives_every_combination_once_in_order(parts):
    text = "".join(part if isinstance(part, str) else "{" + "|".join(part) + "}" for part in parts)
    expected = [""]
    for part in parts:
        expected = [begun + word for begun in expected for word in ([part] if isinstance(part, str) else part)]
    assert written.fill(text) == expected


def test_words_are_many_and_in_one_class_each():
    assert list(WORDS) == ["noun", "verb", "adjective"]
    every = sum(WORDS.values(), [])
    assert all(len(words) >= 250 for words in WORDS.values()) and len(every) == len(set(every))
    assert len({len(words) for words in WORDS.values()}) == 1 and "bear" not in every
    assert all(words == sorted(words) for words in WORDS.values())


def test_words_are_single_bert_tokens_of_matched_frequency(tok):
    ids = {name: sorted(tok.vocab[word] for word in words) for name, words in WORDS.items()}
    for one, other in itertools.combinations(ids.values(), 2):  # the vocabulary runs from frequent to rare
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) < 1_000


def test_queries_avoid_the_words_of_their_answers():
    queries = load_texts("queries")
    texts = {*load_texts("encyclopedia"), *load_texts("posts")}
    assert len(queries) >= 30 and all(1 <= len(found) <= 5 and set(found) <= texts for found in queries.values())
    assert sum(len(found) > 1 for found in queries.values()) >= 10
    shared = []
    for query, found in queries.items():
        asked = {word for word in bag(query) if len(word) > 3}
        shared += [len(asked & set(bag(text))) for text in found]
    assert max(shared) <= 2 and sum(shared) / len(shared) < 0.5


@pytest.mark.parametrize("opening", ["There is no text like this", "A"])
def test_answer_must_begin_exactly_one_text(monkeypatch, opening):
    lines = written.lines
    monkeypatch.setattr(written, "lines", lambda name: ["Why?", f"    {opening}"] if name == "queries" else lines(name))
    with pytest.raises(ValueError, match=f"must have the opening words of exactly one text, got '{opening}'"):
        load_texts("queries")


@pytest.mark.parametrize("name", ["novels", "", "../weights", None, 3, b"stories"])
def test_unknown_collection_error_lists_the_known_names(name):
    with pytest.raises(ValueError, match="name must be one of stories, documents, "):
        load_texts(name)


def test_homonyms_differ_only_in_the_second_sentence():
    homonyms = load_texts("homonyms")
    assert len(homonyms) >= 12
    for word, senses in homonyms.items():
        assert [len(texts) for texts in senses.values()] == [4, 4], word
        texts = sum(senses.values(), [])
        assert len({text.split(". ")[0] for text in texts}) == 1 and len(set(texts)) == 8
        assert all(re.findall(r"\w+", text.lower()).count(word) == 1 for text in texts)
    assert homonyms["mouse"]["animal"][0] == "The mouse was gone. The cat sat useless."
    assert homonyms["mouse"]["device"][0] == "The mouse was gone. The computer sat useless."
