"""Tokenizers of the shapes published today: the ids and texts of `tokenizers`, or an error that names the part."""

import json
import random
import re

import pytest
from tokenizers import Tokenizer

import tutorial_lib
from tutorial_lib.tokenization import BPE, WordPiece, tokenizer_of

from .conftest import WORDS
from .published import SHAPES, llama3, modernbert

N_TEXTS = 2_000


@pytest.fixture(scope="module", params=SHAPES)
def theirs(request, lines):
    return SHAPES[request.param](lines + WORDS * 3)


@pytest.fixture(scope="module")
def ours(theirs, tmp_path_factory):
    return read(theirs, tmp_path_factory.mktemp("published"))


def read(theirs, folder):
    theirs.save(str(folder / "tokenizer.json"))
    return tokenizer_of(folder)


@pytest.fixture(scope="module")
def texts(theirs, strings):
    """Every other text with added tokens in its middle, and white space between them."""
    rng = random.Random(5)
    added = [token.content for token in theirs.get_added_tokens_decoder().values()]
    texts = strings[:N_TEXTS]
    for number in range(0, N_TEXTS, 2):
        middle = len(texts[number]) // 2
        placed = rng.choice(added) + rng.choice(["", " ", "  ", "\n"]) + rng.choice(added)
        texts[number] = texts[number][:middle] + placed + texts[number][middle:]
    return texts


def test_ids_equal_those_of_tokenizers(ours, theirs, texts):
    found = theirs.encode_batch(texts)
    assert [(text, e.tokens) for text, e in zip(texts, found) if ours.encode(text).ids != e.ids][:3] == []
    assert len({id for encoding in found for id in encoding.ids}) > 250


def test_decoded_texts_equal_those_of_tokenizers(ours, theirs, texts):
    rng = random.Random(6)
    known = [id for id, token in enumerate(ours.tokens) if token]
    rows = [encoding.ids for encoding in theirs.encode_batch(texts[:700])]
    rows += [[rng.choice(known) for _ in range(rng.randrange(12))] for _ in range(700)]
    for row in rows:
        for skip in (False, True):
            assert ours.decode(row, skip_special=skip) == theirs.decode(row, skip_special_tokens=skip), row


def test_pairs_equal_those_of_tokenizers(ours, theirs, texts):
    pairs = list(zip(texts[:300], texts[300:600]))
    for pair, encoding in zip(pairs, theirs.encode_batch(pairs)):
        found = ours.encode(*pair)
        assert (found.ids, found.token_type_ids) == (encoding.ids, encoding.type_ids), pair


def test_saving_keeps_every_step(ours, theirs, texts, tmp_path):
    from transformers import AutoTokenizer

    ours.save(tmp_path)
    again = tokenizer_of(tmp_path)
    hf = AutoTokenizer.from_pretrained(tmp_path)
    written = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert json.loads(written.to_str()) == json.loads(theirs.to_str())
    for text, encoding in zip(texts[:300], theirs.encode_batch(texts[:300])):
        assert again.encode(text).ids == hf(text)["input_ids"] == encoding.ids
        assert again.decode(encoding.ids) == theirs.decode(encoding.ids, skip_special_tokens=False)


def test_long_texts_without_chunks_are_cut_in_time(lines, tmp_path):
    theirs = SHAPES["llama2"](lines)
    text = "the bear opened the door of a house " * 1_000
    assert read(theirs, tmp_path).encode(text).ids == theirs.encode(text).ids


def checkpoint(folder, theirs, model, **names):
    from transformers import PreTrainedTokenizerFast

    PreTrainedTokenizerFast(tokenizer_object=theirs, **names).save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


SMALL = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2)


def test_load_reads_a_checkpoint_like_llama_3(lines, tmp_path):
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    theirs = llama3(lines)
    hf = LlamaForCausalLM(LlamaConfig(vocab_size=theirs.get_vocab_size(), **SMALL)).eval()
    names = dict(bos_token="<|begin_of_text|>", eos_token="<|end_of_text|>")
    model, tokenizer = tutorial_lib.load(checkpoint(tmp_path, theirs, hf, **names), device="cpu")
    ids = AutoTokenizer.from_pretrained(tmp_path)("The bear won't wait 1234 days", return_tensors="pt")
    encoding = tokenizer("The bear won't wait 1234 days")
    assert encoding.ids == ids["input_ids"][0].tolist()
    assert encoding.tokens[0] == "<|begin_of_text|>" and "Ġ" in encoding.tokens
    assert tokenizer.pad_token == "<|end_of_text|>"  # it has none of its own
    with torch.no_grad():
        assert torch.allclose(model(encoding)[0], hf(**ids).logits, atol=1e-5)


def test_load_reads_a_checkpoint_like_modernbert(lines, tmp_path):
    from transformers import AutoTokenizer, ModernBertConfig, ModernBertForMaskedLM

    theirs = modernbert(lines)
    ids = {f"{name}_token_id": theirs.token_to_id(f"[{name.upper()}]") for name in ("pad", "cls", "sep")}
    config = ModernBertConfig(vocab_size=theirs.get_vocab_size(), bos_token_id=None, eos_token_id=None, **ids, **SMALL)
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "cls", "sep", "mask", "unk")}
    folder = checkpoint(tmp_path, theirs, ModernBertForMaskedLM(config), **names)
    model, tokenizer = tutorial_lib.load(folder, device="cpu")
    text = "a  [MASK]  cafe\u0301    bear"
    assert tokenizer(text).ids == AutoTokenizer.from_pretrained(folder)(text)["input_ids"]
    assert tokenizer(text).tokens[2:4] == ["[MASK]", "  "]
    assert len(model(tokenizer(text))[0]) == len(tokenizer(text)) and tokenizer.pad_token == "[PAD]"


def test_lengths_in_the_file_are_said(lines, tmp_path):
    theirs = SHAPES["starcoder"](lines)
    theirs.enable_truncation(4)
    theirs.enable_padding(length=9)
    with pytest.warns(UserWarning, match="tokenizer.json: truncation and padding not applied, as in transformers"):
        ours = read(theirs, tmp_path)
    theirs.no_truncation()
    theirs.no_padding()
    assert ours.encode("the bear waited, and the door").ids == theirs.encode("the bear waited, and the door").ids


def test_byte_order_mark_is_not_part_of_tokens(tmp_path):
    files = {"vocab.txt": WordPiece.train(["bear"], 13), "merges.txt": BPE.train(["bear bear"], 259)}
    for file, tokenizer in files.items():
        tokenizer.save(tmp_path / file)
        path = tmp_path / file / file
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
        assert tokenizer_of(tmp_path / file).tokens == tokenizer.tokens


def test_tilde_in_a_path_finds_tokenizer_json(lines, tmp_path, monkeypatch):
    BPE.train(["bear"], 257).save(tmp_path)
    read(SHAPES["starcoder"](lines), tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path.parent))
    assert "<fim_prefix>" in tokenizer_of(f"~/{tmp_path.name}").vocab


@pytest.mark.parametrize("kept", [None, True, False])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("family", ["BertTokenizer", "PreTrainedTokenizerFast"])
def test_accents_follow_the_settings(kept, lowercase, family, tmp_path):
    from transformers import AutoTokenizer, BertTokenizerFast

    tokens = "[PAD] [UNK] [CLS] [SEP] [MASK] é e É E ##é ##e".split()
    WordPiece(tokens, lowercase, kept).save(tmp_path)
    config = {"tokenizer_class": family, "do_lower_case": lowercase, "strip_accents": kept}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config | {"tokenizer_class": "BertTokenizer"}))
    BertTokenizerFast.from_pretrained(tmp_path).save_pretrained(tmp_path / "saved")
    (tmp_path / "saved" / "tokenizer_config.json").write_text(json.dumps(config))
    for folder in (tmp_path, tmp_path / "saved"):
        theirs = AutoTokenizer.from_pretrained(folder)
        assert tokenizer_of(folder).encode("É é Éé E").ids == theirs("É é Éé E")["input_ids"]


def changed(lines, folder, change):
    """A tokenizer.json like Llama 3's with a change."""
    llama3(lines).save(str(folder / "tokenizer.json"))
    parts = json.loads((folder / "tokenizer.json").read_text())
    change(parts)
    (folder / "tokenizer.json").write_text(json.dumps(parts))
    return folder


def split(pattern):
    step = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return lambda parts: parts["pre_tokenizer"]["pretokenizers"].__setitem__(0, step)


def part(name, kind, **settings):
    return lambda parts: parts.update({name: {"type": kind, **settings}})


def model(**settings):
    return lambda parts: parts["model"].update(settings)


def added(**settings):
    return lambda parts: parts["added_tokens"][0].update(settings)


REFUSED = [
    (part("normalizer", "Lowercase"), "normalizer must be NFC, NFD, Prepend, Replace, .* got Lowercase"),
    (part("normalizer", "NFKC"), "got NFKC, which is not supported"),
    (part("normalizer", "Precompiled", precompiled_charsmap=""), "got Precompiled, which is not supported"),
    (part("normalizer", "NFC", form=2), "normalizer NFC must not have form, which is not supported"),
    (part("normalizer", "Prepend"), "normalizer Prepend must have prepend of type str, got none"),
    (part("pre_tokenizer", "Whitespace"), "pre_tokenizer must be ByteLevel, Split, Digits, .* got Whitespace"),
    (part("pre_tokenizer", "Metaspace", replacement="▁", prepend_scheme="last"), "Metaspace must have prepend_scheme"),
    (part("pre_tokenizer", "Digits", individual_digits=1), "Digits must have individual_digits of type bool, got int"),
    (lambda parts: parts["pre_tokenizer"]["pretokenizers"].reverse(), "pre_tokenizer must have ByteLevel as its last"),
    (split(r"\p{Lu}+"), r"pattern must not have \\p\{Lu\}"),
    (split(r"\w+"), r"pattern must not have \\w"),
    (split("a|^b"), r"pattern must not have \^"),
    (split("[a[b]]"), r"pattern must not have \["),
    (split("(?i:strasse|ss)"), r"pattern must not combine st with \(\?i"),
    (split("(?m:a)"), r"pattern must not have \(\?"),
    (split("x*"), "pattern must not match the empty string"),
    (split("(a"), "pattern must be valid in Python"),
    (part("decoder", "CTC"), "decoder must be .* got CTC, which is not supported"),
    (part("decoder", "BPEDecoder", suffix="</w>"), "got BPEDecoder, which is not supported"),
    (part("post_processor", "Unheard"), "post_processor must have type 'ByteLevel' or .* got 'Unheard'"),
    (part("post_processor", "BertProcessing", cls=["[CLS]", 3], sep=["a", 0]), r"around texts, got '\[CLS\]'"),
    (part("post_processor", "BertProcessing", cls=["a", 3], sep=["a", 3]), "post_processor must give 'a' its id"),
    (model(type="Unigram"), "model must be WordPiece or BPE, got Unigram"),
    (model(dropout=0.1), "model must have dropout None or 0 or 0.0, got 0.1"),
    (model(end_of_word_suffix="</w>"), "model must have end_of_word_suffix"),
    (model(continuing_subword_prefix="##"), "model must have continuing_subword_prefix"),
    (model(unk_token="<unk>"), "model must have an unk_token of the vocabulary, got '<unk>'"),
    (model(surprise=True), "model BPE must not have surprise"),
    (model(merges=[["a", "qqq"]]), "vocab must contain all merges, but it lacks 'qqq'"),
    (added(single_word=True), r"added token '<\|begin_of_text\|>' has single_word"),
    (added(content=""), "added token '' is empty"),
    (added(lstrip=None), "added_tokens must have lstrip of type bool, got NoneType"),
    (added(id=7), "must have the next id, 702, got 7"),
    (lambda parts: parts.update(version="2.0"), "tokenizer.json must have version '1.0', got '2.0'"),
    (lambda parts: parts.update(surprise=1), "tokenizer.json must not have surprise"),
    (lambda parts: parts.update(decoder=[]), "tokenizer.json is damaged"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_other_settings_are_rejected_by_name(lines, tmp_path, change, message):
    with pytest.raises(ValueError, match=message) as refusal:
        tokenizer_of(changed(lines[:50], tmp_path, change))
    assert str(tmp_path / "tokenizer.json") in str(refusal.value)


def test_new_token_needs_a_free_id(lines, tmp_path):
    theirs = SHAPES["german_bert"](lines)
    with pytest.raises(ValueError, match="added token 'bearish' has the id 1500, as .* does"):
        theirs.add_tokens(["bearish"])
        read(theirs, tmp_path)


@pytest.mark.parametrize("config", [{"add_bos_token": False}, {"add_eos_token": True}])
def test_config_that_wants_other_ends_is_rejected(lines, tmp_path, config):
    llama3(lines[:50]).save(str(tmp_path / "tokenizer.json"))
    names = {"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(names | config))
    ((name, value),) = config.items()
    with pytest.raises(ValueError, match=re.escape(f"tokenizer_config.json must have {name} {not value}")):
        tokenizer_of(tmp_path)


def test_space_before_the_text_is_rejected_in_files(tmp_path):
    BPE.train(["bear"], 257).save(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"add_prefix_space": true}')
    with pytest.raises(ValueError, match="tokenizer_config.json must have add_prefix_space None or False, got True"):
        tokenizer_of(tmp_path)
