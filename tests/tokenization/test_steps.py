"""Each step of a tokenizer.json separately, around every character, and tokens that include white space."""

import itertools
import json
import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from tutorial_lib.tokenization import merge, tokenizer_of
from tutorial_lib.tokenization.merges import glue
from tutorial_lib.tokenization.steps import BEHAVIORS, cutter, decoder, normalizer

from .conftest import HF_IS_OLD
from .published import CHUNKS
from .test_parity import ALL, ASSIGNED, characters_that_differ

PATTERNS = [CHUNKS, r"(?i:abc|k|[sdmt])|\P{L}"]
TEXT = "a-b--1 2  'S \n c½٣ 'll-"
current = pytest.mark.skipif(HF_IS_OLD, reason="older tokenizers know fewer letters, numbers and marks")


def setting(part) -> dict:
    return json.loads(part.__getstate__())


def pieces_of(part, text):
    return [piece for piece, _ in part.pre_tokenize_str(text)]


@current
@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_match_around_every_character(pattern):
    theirs = pre_tokenizers.Split(Regex(pattern), "isolated")
    ours = cutter(setting(theirs))
    found = characters_that_differ(
        lambda text: ours([text], True),
        lambda text: pieces_of(theirs, text),
        lambda c: f"{c}1{c} '{c}b",
        ASSIGNED,
    )
    assert found == []


@current
@pytest.mark.parametrize("single", [True, False])
def test_digits_match_around_every_character(single):
    theirs = pre_tokenizers.Digits(single)
    ours = cutter(setting(theirs))
    found = characters_that_differ(
        lambda text: ours([text], True), lambda text: pieces_of(theirs, text), lambda c: f"a{c}{c}1{c} ", ASSIGNED
    )
    assert found == []


@pytest.mark.parametrize("behavior", BEHAVIORS)
@pytest.mark.parametrize("invert", [False, True])
def test_every_behavior_of_split_matches(behavior, invert):
    name = "".join("_" + c.lower() if c.isupper() else c for c in behavior).strip("_")
    for pattern in ("-", Regex(r"\p{N}"), Regex(r"\s+|--"), Regex(r"[^\r\n\p{L}]?\p{L}+|\S(?=\s)")):
        theirs = pre_tokenizers.Split(pattern, name, invert)
        for start, end in itertools.combinations(range(len(TEXT) + 1), 2):
            text = TEXT[start:end]
            assert cutter(setting(theirs))([text], True) == pieces_of(theirs, text), (pattern, text)


@pytest.mark.parametrize("scheme", ["always", "first", "never"])
@pytest.mark.parametrize("split", [False, True])
def test_metaspace_matches_both_ways(scheme, split):
    theirs = pre_tokenizers.Metaspace("▁", scheme, split)
    for text in ("a bear  sat ", " a", "▁a▁ b", "  ", "a"):
        assert cutter(setting(theirs))([text], True) == pieces_of(theirs, text)
    back = decoders.Metaspace("▁", scheme)
    for tokens in (["▁a", "▁bear", "s▁"], ["a▁b", "▁"], ["▁"], []):
        assert decoder(setting(back))(tokens) == back.decode(tokens)


@pytest.mark.parametrize("old", [True, False])
def test_metaspace_of_older_files_is_read(old):
    step = {"type": "Metaspace", "replacement": "▁", "str_rep": "▁", "add_prefix_space": old}
    assert cutter(step)(["a bear"], True) == [["a", "▁bear"], ["▁a", "▁bear"]][old]
    assert cutter(step)(["a"], False) == [["a"], ["▁a"]][old]


@current
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_marks_are_ordered_and_composed_alike(form):
    theirs = getattr(normalizers, form)()
    ours = normalizer({"type": form})
    around = lambda c: f"a\u0345{c}\u0334\u0301 {c}\u0307\u0301"  # noqa: E731
    assert characters_that_differ(ours, theirs.normalize_str, around, ASSIGNED) == []
    rng = random.Random(1)
    marks = [c for c in ALL if unicodedata.combining(c)]
    letters = [c for c in ALL if unicodedata.decomposition(c)[:1] not in ("", "<")] + list("aos\u1100\u1161\u11a8가각")
    for _ in range(20_000):
        text = "".join(rng.choice(rng.choice([marks, letters])) for _ in range(5))
        assert ours(text) == theirs.normalize_str(text), ascii(text)


TOKENS = ["<0xC3>", "<0xA9>", "<0x61>", "<0x+1>", "a", " a ", "▁", "  ", "é", "Ã", "©", "<0xE7>", "Ġb", "bear x"]


@pytest.mark.parametrize(
    "steps",
    [
        [decoders.ByteFallback()],
        [decoders.ByteLevel()],
        [decoders.Strip(" ", 1, 0)],
        [decoders.Strip("a", 0, 1), decoders.Fuse(), decoders.Strip(" ", 2, 0)],
        [decoders.Replace(Regex(r"\s+"), "_"), decoders.Replace("▁", "")],
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)],
    ],
    ids=lambda steps: " ".join(setting(step)["type"] for step in steps),
)
def test_decoders_match_on_any_tokens(steps):
    theirs = decoders.Sequence(steps)
    ours = decoder(setting(theirs))
    rng = random.Random(3)
    for _ in range(2_000):
        tokens = [rng.choice(TOKENS) for _ in range(rng.randrange(6))]
        assert ours(tokens) == theirs.decode(tokens), tokens


def test_tokens_without_a_decoder_are_joined_with_spaces():
    assert decoder(None)(["a", "bear"]) == "a bear"


MERGES = [("a", "b"), ("b", "a"), ("ab", "a"), ("a", "a"), ("a", "ba"), (" ", "a")]


@given(st.text("ab ", max_size=30), st.permutations(MERGES))
def test_glue_takes_the_first_of_the_smallest(text, merges):
    rank = {pair: number for number, pair in enumerate(merges)}
    word = list(text)
    while pairs := [pair for pair in zip(word, word[1:]) if pair in rank]:
        best = min(pairs, key=rank.get)
        place = next(i for i, pair in enumerate(zip(word, word[1:])) if pair == best)
        word[place : place + 2] = ["".join(best)]
    assert glue(list(text), rank) == word


def test_glue_equals_merge_for_trained_merges(bpe):
    for word in ("waited", "serendipitous", "Ġthe"):
        expected = list(word)
        for pair in bpe.merges:
            expected = merge(expected, pair, "".join(pair))
        assert glue(list(word), bpe.rank) == expected


SPACED = ["<x>", " ", "  ", "\n", "é", "bear"]


def test_tokens_that_take_white_space_match(tmp_path):
    """Any of the tokens takes white space before or after it, in the text as written or normalized, or does not.

    But `tokenizers` panics if white space that includes some before it follows a token that already includes it.
    """
    rng = random.Random(4)
    for number in range(60):
        theirs = Tokenizer(models.BPE({c: i for i, c in enumerate("<unk> a b e r x".split())}, [], unk_token="<unk>"))
        theirs.normalizer = normalizers.NFC()
        flags = {token: ("lstrip", "rstrip", "normalized")[token.isspace() :] for token in SPACED}
        added = [AddedToken(t, **{flag: rng.random() < 0.5 for flag in flags[t]}) for t in rng.sample(SPACED, 4)]
        theirs.add_tokens(added[:2])
        theirs.add_special_tokens(added[2:])
        folder = tmp_path / str(number)
        folder.mkdir()
        theirs.save(str(folder / "tokenizer.json"))
        ours = tokenizer_of(folder)
        for _ in range(60):
            text = "".join(rng.choice([*SPACED, " ", "a", "e\u0301"]) for _ in range(8))
            assert ours.encode(text).ids == theirs.encode(text).ids, (added, text)


SWITCHES = list(itertools.product([True, False], [True, False], ["?", None]))


@pytest.mark.parametrize("data", [["<0x61>", "<0xC3>", "<0xA9>"], []])
@pytest.mark.parametrize(("fallback", "fuse", "unknown"), SWITCHES)
def test_unknown_characters_match_in_every_setting(data, fallback, fuse, unknown, tmp_path):
    vocab = {token: id for id, token in enumerate(["?", "b", "bb", *data])}
    theirs = Tokenizer(models.BPE(vocab, [("b", "b")], unk_token=unknown, fuse_unk=fuse, byte_fallback=fallback))
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours = tokenizer_of(tmp_path)
    for letters in itertools.product("abéz", repeat=4):
        text = "".join(letters)
        assert ours.encode(text).ids == theirs.encode(text).ids, text
