"""Our ids are Hugging Face's ids: on every character that is assigned, on 20,000 strings, on pairs, in truncation."""

import itertools
import random

import pytest
from tokenizers import decoders, normalizers, pre_tokenizers

from tutorial_lib.tokenization import WordPiece, chunks
from tutorial_lib.tokenization.wordpiece import SPECIAL

ALL = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
ASSIGNED = [c for c in ALL if ord(c) < 0x32400 or 0xE0000 <= ord(c) < 0xE0200]
SOME_OF_THE_REST = [*ASSIGNED, *(c for c in ALL[0x32400:] if ord(c) % 97 == 0)]  # the unassigned are all treated alike
SETTINGS = list(itertools.product([True, False], repeat=3))


def differences(ours: list, theirs: list, texts: list) -> list:
    """The first few texts on which two lists of results differ."""
    return [(text, a, b) for text, a, b in zip(texts, ours, theirs, strict=True) if a != b][:5]


def characters_that_differ(ours, theirs, text_of, characters) -> list[str]:
    """Characters c for which ours(text_of(c)) is not theirs: looked for in lines of 256, then in each that differs."""
    found = []
    for start in range(0, len(characters), 256):
        block = characters[start : start + 256]
        line = "".join(map(text_of, block))
        if ours(line) != theirs(line):
            found.extend(c for c in block if ours(text_of(c)) != theirs(text_of(c)))
    return found


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_bert_words_match_around_every_character(setting, young_here):
    lowercase, strip_accents, split_chinese = setting
    normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=split_chinese, strip_accents=strip_accents, lowercase=lowercase
    )
    cutter = pre_tokenizers.BertPreTokenizer()
    tok = WordPiece(SPECIAL, lowercase, strip_accents, split_chinese)

    def theirs(text):
        return [word for word, _ in cutter.pre_tokenize_str(normalizer.normalize_str(text))]

    characters = SOME_OF_THE_REST if all(setting) else ASSIGNED
    found = characters_that_differ(tok.words, theirs, lambda c: f"a{c}b ", characters)
    assert [hex(ord(c)) for c in found if c not in young_here] == []


def test_gpt2_chunks_match_around_every_character(young_here):
    cutter = pre_tokenizers.ByteLevel(add_prefix_space=False)

    def theirs(text):
        return [text[start:end] for _, (start, end) in cutter.pre_tokenize_str(text)]

    found = characters_that_differ(chunks, theirs, lambda c: f"a{c}1{c} ", SOME_OF_THE_REST)
    assert [hex(ord(c)) for c in found if c not in young_here] == []


def test_wordpiece_ids_match_on_twenty_thousand_strings(wordpiece, hf_wordpiece, strings):
    theirs = hf_wordpiece(strings)["input_ids"]
    assert differences([wordpiece.encode(text).ids for text in strings], theirs, strings) == []
    assert 0.05 < sum(100 in ids for ids in theirs) / len(theirs) < 0.9  # neither all known nor all [UNK]
    assert sum(len(set(ids)) for ids in theirs) > 150_000


def test_bpe_ids_match_on_twenty_thousand_strings(bpe, hf_bpe, strings):
    theirs = hf_bpe(strings)["input_ids"]
    assert differences([bpe.encode(text).ids for text in strings], theirs, strings) == []


def test_gpt2_chunks_match_on_twenty_thousand_strings(strings):
    cutter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    texts = [*strings, "I'm they're it's he'll we've she'd don't I'M 'tis' 'd'd"]
    theirs = [[text[start:end] for _, (start, end) in cutter.pre_tokenize_str(text)] for text in texts]
    assert differences([chunks(text) for text in texts], theirs, texts) == []


def test_ids_match_with_a_cased_trained_vocabulary(strings, lines, tmp_path):
    """Saved with its settings, and loaded by Hugging Face."""
    from transformers import BertTokenizerFast

    tok = WordPiece.train([*lines, *strings[:100]], 2000, lowercase=False, strip_accents=False, split_chinese=False)
    tok.save(tmp_path)
    texts = strings[:5000]
    theirs = BertTokenizerFast.from_pretrained(tmp_path)(texts)["input_ids"]
    assert differences([tok.encode(text).ids for text in texts], theirs, texts) == []


@pytest.mark.parametrize("kind", ["wordpiece", "bpe", pytest.param("roberta", marks=pytest.mark.long)])
def test_pairs_cut_to_any_length_are_the_same(kind, strings, request):
    ours, hf = request.getfixturevalue(kind), request.getfixturevalue(f"hf_{kind}")
    rng = random.Random(3)
    least = {"wordpiece": 3, "bpe": 1, "roberta": 4}[kind]
    for length in [*range(least, 20), 33, 64]:
        texts, pairs = rng.sample(strings, 40), rng.sample(strings, 40)
        theirs = hf(texts, pairs, truncation="longest_first", max_length=length, return_token_type_ids=True)
        encodings = [ours.encode(text, pair, max_length=length) for text, pair in zip(texts, pairs, strict=True)]
        asked = [(text, pair, length) for text, pair in zip(texts, pairs, strict=True)]
        assert differences([e.ids for e in encodings], theirs["input_ids"], asked) == []
        assert differences([e.token_type_ids for e in encodings], theirs["token_type_ids"], asked) == []


def test_roberta_ids_match_around_special_tokens(roberta, hf_roberta, strings):
    rng = random.Random(5)
    gaps = ["", " ", "  ", "\n", "\t\u2003", "\u00a0", "\u200b"]
    texts = strings[:1000]
    texts += ["".join(rng.choice([*roberta.special, *gaps, "bear", "Ä"]) for _ in range(7)) for _ in range(2000)]
    theirs = hf_roberta(texts)["input_ids"]
    assert differences([roberta.encode(text).ids for text in texts], theirs, texts) == []


def test_truncated_pairs_match_at_every_length(wordpiece, hf_wordpiece):
    """In batches: Hugging Face's call on a single text takes the pair "" for no pair, its batch takes it for a pair."""
    grid = [("bear " * n_first, "door " * n_second) for n_first, n_second in itertools.product(range(9), repeat=2)]
    for length in range(3, 22):
        theirs = hf_wordpiece(*map(list, zip(*grid, strict=True)), truncation="longest_first", max_length=length)
        ours = [wordpiece.encode(text, pair, max_length=length) for text, pair in grid]
        assert differences([e.ids for e in ours], theirs["input_ids"], grid) == []
        assert differences([e.token_type_ids for e in ours], theirs["token_type_ids"], grid) == []


def test_a_padded_batch_of_pairs_is_the_same(wordpiece, hf_wordpiece, strings):
    texts, pairs = strings[100:200], strings[200:300]
    for pad_to, padding in [(None, "longest"), (60, "max_length")]:
        theirs = hf_wordpiece(texts, pairs, truncation="longest_first", max_length=60, padding=padding)
        ours = wordpiece.batch(texts, pairs, max_length=60, pad_to=pad_to)
        assert ours.ids == theirs["input_ids"]
        assert ours.token_type_ids == theirs["token_type_ids"]
        assert ours.attention_mask == theirs["attention_mask"]
        assert ours.tokens == [hf_wordpiece.convert_ids_to_tokens(row) for row in theirs["input_ids"]]


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("kind", ["wordpiece", "bpe", "roberta"])
def test_decoding_gives_the_same_text(kind, skip, strings, request):
    """Any ids, not only those that a text has: so the tokens come in impossible orders, and bytes are cut in half."""
    ours, hf = request.getfixturevalue(kind), request.getfixturevalue(f"hf_{kind}")
    rng = random.Random(4)
    rows = [ours.encode(text).ids for text in strings[:500]]
    rows += [[rng.randrange(len(ours)) for _ in range(rng.randrange(12))] for _ in range(500)]
    theirs = [hf.decode(row, skip_special_tokens=skip, clean_up_tokenization_spaces=False) for row in rows]
    assert differences([ours.decode(row, skip_special=skip) for row in rows], theirs, rows) == []


def test_vocabulary_file_with_windows_line_ends_loads(tmp_path, wordpiece):
    wordpiece.save(tmp_path)
    file = tmp_path / "vocab.txt"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert WordPiece.from_pretrained(tmp_path).tokens == wordpiece.tokens


def test_decoding_attaches_the_same_tokens_without_a_space():
    """With tokens that BERT's own vocabulary does not hold: there a contraction is cut at its apostrophe."""
    tokens = "do n't I 'm it 's we 've you 're he 'll .net ... ##ing ## # ' ( ) ! ? , ; - a.b".split()
    tok = WordPiece([*SPECIAL, *tokens])
    decoder = decoders.WordPiece(prefix="##")
    for row in itertools.permutations(tokens, 2):
        assert tok.decode([tok.vocab[token] for token in row]) == decoder.decode(list(row))
