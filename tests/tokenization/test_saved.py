"""Tokenizers as Hugging Face saves them: the same ids as theirs, or an error that names the part."""

import json
import random

import pytest

from tutorial_lib.tokenization import BPE, OptBPE, RobertaBPE, WordPiece, tokenizer_of

from .conftest import some_text

# The default model's tokenizer.json has length settings, which are ignored with a warning.
pytestmark = pytest.mark.filterwarnings("ignore:.*not applied, as in transformers")
ADDED = ["<E1>", "Bärish", "熊a", "bear bear"]
PLACED = [
    "<e1>",
    "<E1>",
    "bärish",
    "BARISH",
    "熊a",
    "熊 a",
    "bear bear",
    "[HUM]",
    "[hum]",
    " [HUM]",
    "[MASK]",
    "</s>",
    "<mask>",
]


def placed_texts():
    """Texts with added tokens in them, as written and nearly so."""
    rng = random.Random(5)
    return [some_text(rng) + rng.choice(PLACED) + some_text(rng) + rng.choice(PLACED) for _ in range(1_000)]


def ids_of(theirs, *texts):
    found = theirs(*texts)
    return [id for id, real in zip(found["input_ids"], found["attention_mask"]) if real]


def opt_folder(bpe, folder):
    """A vocabulary as OPT's is published: vocab.json and merges.txt, with its special tokens first."""
    OptBPE(["<s>", "<pad>", "</s>", "<unk>", *(t for t in bpe.tokens if t != "<|endoftext|>")], bpe.merges).save(folder)
    names = {"bos_token": "</s>", "eos_token": "</s>", "unk_token": "</s>", "pad_token": "<pad>", "add_bos_token": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(names | {"tokenizer_class": "GPT2Tokenizer"}))
    (folder / "config.json").write_text('{"model_type": "opt"}')
    return folder


@pytest.fixture(params=["bert", "gpt2", "roberta", "opt"])
def theirs(request, bpe, tmp_path):
    from transformers import AutoTokenizer

    if request.param == "opt":
        return AutoTokenizer.from_pretrained(opt_folder(bpe, tmp_path))
    name = {"bert": "hf_wordpiece", "gpt2": "hf_bpe", "roberta": "hf_roberta"}[request.param]
    folder = tmp_path / "plain"
    request.getfixturevalue(name).save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("added", [False, True], ids=["plain", "with added tokens"])
def test_tokenizers_saved_by_transformers_give_the_same_ids(theirs, added, tmp_path):
    if added:
        theirs.add_tokens(ADDED)
        theirs.add_special_tokens({"additional_special_tokens": ["[HUM]"]})
    theirs.save_pretrained(tmp_path / "saved")
    ours = tokenizer_of(tmp_path / "saved")
    for text in placed_texts():
        assert ours.encode(text).ids == ids_of(theirs, text), repr(text)
    assert ours.encode("a bear", "two bears").ids == ids_of(theirs, "a bear", "two bears")
    assert len(ours) == len(theirs)
    ours.save(tmp_path / "again")
    family = {"RobertaBPE": "roberta", "OptBPE": "opt"}.get(type(ours).__name__, "gpt2")
    (tmp_path / "again" / "config.json").write_text(json.dumps({"model_type": family}))
    again = tokenizer_of(tmp_path / "again")
    for text in placed_texts()[:100]:
        assert again.encode(text).ids == ours.encode(text).ids, repr(text)


def test_ids_of_added_tokens_decode_to_text(bpe, hf_bpe, tmp_path):
    hf_bpe.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text(
        json.dumps(with_added(json.loads((tmp_path / "tokenizer.json").read_text()), "熊 and bear", len(bpe)))
    )
    ours = BPE.from_pretrained(tmp_path)
    text = "the 熊 and bear, "
    assert ours.encode(text).ids[1:2] == [len(bpe)] or len(bpe) in ours.encode(text).ids
    assert ours.decode(ours.encode(text).ids) == ours.decode(ours.encode(text).ids, skip_special=True) == text


def with_added(parts, content, id, **properties):
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    parts["added_tokens"].append({"id": id, "content": content, **plain, **properties})
    return parts


def test_vocabulary_files_with_added_tokens_beside_them(tmp_path, wordpiece):
    wordpiece.save(tmp_path)
    n = len(wordpiece)
    (tmp_path / "added_tokens.json").write_text(json.dumps({"Bearish": n, "[HUM]": n + 1}))
    (tmp_path / "special_tokens_map.json").write_text('{"additional_special_tokens": ["[HUM]"]}')
    ours = WordPiece.from_pretrained(tmp_path)
    assert ours.encode("a bearish BEARISH [HUM]").ids[2:-1] == [n, n, n + 1]
    assert n + 1 not in ours.encode("[hum]").ids


@pytest.mark.parametrize("decoder", [[], {"x": {"content": "a"}}, {"7": {"lstrip": True}}, {"7": "a"}])
def test_damaged_list_of_added_tokens_is_rejected(tmp_path, wordpiece, decoder):
    wordpiece.save(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": decoder}))
    with pytest.raises(ValueError, match="tokenizer_config.json( is damaged)?: "):
        WordPiece.from_pretrained(tmp_path)


def test_opt_by_its_vocabulary_files(bpe, tmp_path):
    from transformers import AutoTokenizer

    folder = opt_folder(bpe, tmp_path)
    ours, theirs = tokenizer_of(folder), AutoTokenizer.from_pretrained(folder)
    assert type(ours) is OptBPE
    for text in placed_texts()[:300]:
        assert ours.encode(text).ids == ids_of(theirs, text)


def test_tokenizer_json_wins_over_vocabulary_files(tmp_path, wordpiece, hf_wordpiece):
    WordPiece.train(["bear"], 13).save(tmp_path)
    hf_wordpiece.save_pretrained(tmp_path)
    assert WordPiece.from_pretrained(tmp_path).tokens == wordpiece.tokens


def test_saving_replaces_another_tokenizers_files(tmp_path, hf_wordpiece, hf_roberta):
    for theirs, small in ((hf_wordpiece, WordPiece.train(["bear"], 13)), (hf_roberta, BPE.train(["bear"], 259))):
        folder = tmp_path / type(small).__name__
        theirs.save_pretrained(folder)
        (folder / "added_tokens.json").write_text('{"Bearish": 999}')
        (folder / "special_tokens_map.json").write_text('{"additional_special_tokens": ["Bearish"]}')
        small.save(folder)
        assert tokenizer_of(folder).tokens == small.tokens


def test_white_space_that_a_token_takes_is_kept(tmp_path, wordpiece, bpe):
    from transformers import BertTokenizer

    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    roberta = RobertaBPE([*names, *(token for token in bpe.tokens if token not in names)], bpe.merges)
    families = {"bert": WordPiece(wordpiece.vocab), "gpt2": BPE(bpe.vocab, bpe.merges), "roberta": roberta}
    for family, tokenizer in families.items():
        folder = tmp_path / family
        tokenizer.special = [*tokenizer.special, tokenizer.tokens[-1]]
        tokenizer.spaced = [tokenizer.tokens[-1]]
        text = f"a bear  {tokenizer.tokens[-1]} bear <mask>"
        tokenizer.save(folder)
        (folder / "config.json").write_text(json.dumps({"model_type": family}))
        again = tokenizer_of(folder)
        assert (again.special, again.spaced) == (tokenizer.special, tokenizer.spaced)
        assert again.encode(text).ids == tokenizer.encode(text).ids
    theirs = BertTokenizer.from_pretrained(tmp_path / "bert")
    text = f"a bear  {wordpiece.tokens[-1]} bear"
    assert theirs(text)["input_ids"] == tokenizer_of(tmp_path / "bert").encode(text).ids


WRONG = [
    (lambda parts: parts["model"].update(type="Unigram"), "model must be WordPiece or BPE, got Unigram"),
    (lambda parts: parts["model"].update(unk_token="?"), r"model must have unk_token '\[UNK\]', got '\?'"),
    (lambda parts: parts.update(normalizer={"type": "NFC"}), "normalizer must have type 'BertNormalizer', got 'NFC'"),
    (lambda parts: parts.update(normalizer=None), "normalizer must have type 'BertNormalizer', got None"),
    (
        lambda parts: parts.update(pre_tokenizer={"type": "Whitespace"}),
        "pre_tokenizer must have type 'BertPreTokenizer'",
    ),
    (lambda parts: parts["normalizer"].update(clean_text=False), "normalizer must have clean_text True, got False"),
    (lambda parts: parts.update(decoder=None), "decoder must have type 'WordPiece', got None"),
    (lambda parts: with_added(parts, "bearish", 40_000), "'bearish' must have the next id, 30522, got 40000"),
    (lambda parts: with_added(parts, "bear", 40_000), "added token 'bear' has the id 40000, but also 4562"),
    (lambda parts: with_added(parts, "bearish", 30_522, single_word=True), "added token 'bearish' has single_word"),
    (
        lambda parts: with_added(with_added(parts, "Bearish", 30_522), "bearish", 30_523),
        "added token 'bearish' equals 'Bearish' after normalization",
    ),
    (lambda parts: parts.pop("model"), "tokenizer.json is damaged"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[message for _, message in WRONG])
def test_unsupported_part_is_rejected_by_name(hf_wordpiece, tmp_path, change, message):
    hf_wordpiece.save_pretrained(tmp_path)
    path = tmp_path / "tokenizer.json"
    parts = json.loads(path.read_text())
    change(parts)
    path.write_text(json.dumps(parts))
    with pytest.raises(ValueError, match=message) as refusal:
        tokenizer_of(tmp_path)
    assert str(path) in str(refusal.value)


def test_settings_of_two_files_must_agree(hf_bpe, tmp_path):
    hf_bpe.save_pretrained(tmp_path)
    path = tmp_path / "tokenizer.json"
    parts = json.loads(path.read_text())
    parts["pre_tokenizer"]["add_prefix_space"] = True
    path.write_text(json.dumps(parts))
    with pytest.raises(ValueError, match="tokenizer_config.json must have add_prefix_space None or True, got False"):
        tokenizer_of(tmp_path)


def test_loading_the_wrong_kind_names_the_right_one(hf_bpe, tmp_path):
    hf_bpe.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="must be a model with a WordPiece vocabulary, got .*, of kind BPE"):
        WordPiece.from_pretrained(tmp_path)
    assert type(tokenizer_of(tmp_path)) is BPE is not RobertaBPE
