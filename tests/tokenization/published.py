"""Tokenizers of the shapes of today's published models, trained here with Hugging Face's `tokenizers`."""

import json

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
# Of GPT-4 and Llama 3.
CHUNKS = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def byte_level(lines, steps, special, normalizer=None, size=1500, **settings):
    """A byte-level BPE that cuts as steps say."""
    tokenizer = Tokenizer(models.BPE(**settings))
    tokenizer.pre_tokenizer = steps[0] if len(steps) == 1 else pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    usual = dict(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(special_tokens=special, **usual))
    return tokenizer


def around(tokenizer, single, pair, *tokens):
    """TemplateProcessing, with the ids of its tokens."""
    ids = [(token, tokenizer.token_to_id(token)) for token in tokens]
    return processors.TemplateProcessing(single=single, pair=pair, special_tokens=ids)


def modernbert(lines):
    """NFC, byte-level BPE, runs of spaces as tokens, a mask that takes the space before it, [CLS] and [SEP]."""
    steps = [pre_tokenizers.ByteLevel(add_prefix_space=False)]
    tokenizer = byte_level(lines, steps, ["<|padding|>", "<|endoftext|>"], normalizers.NFC())
    tokenizer.add_tokens(["|||EMAIL_ADDRESS|||", *(" " * n for n in range(24, 1, -1))])
    special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]"]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, normalized=False, special=True)])
    tokenizer.add_tokens([f"[unused{n}]" for n in range(9)] + ["Å\u0301", "café"])
    template = "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", "[CLS]", "[SEP]"
    tokenizer.post_processor = around(tokenizer, *template)
    return tokenizer


def llama3(lines):
    """A Split by GPT-4's pattern, ignore_merges, and hundreds of special tokens."""
    split = pre_tokenizers.Split(Regex(CHUNKS), "isolated")
    steps = [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    tokenizer = byte_level(lines, steps, [], ignore_merges=True)
    begin = "<|begin_of_text|>"
    names = [begin, "<|end_of_text|>", *(f"<|reserved_special_token_{n}|>" for n in range(254))]
    tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in names])
    template = around(tokenizer, f"{begin} $A", f"{begin} $A {begin}:1 $B:1", begin)
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])
    return tokenizer


def qwen(lines):
    """NFC, a Split that cuts each digit, byte-level BPE, nothing around."""
    chunks = pre_tokenizers.Split(Regex(CHUNKS.replace("{1,3}", "")), "isolated")
    steps = [chunks, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    tokenizer = byte_level(lines, steps, [], normalizers.NFC())
    tokenizer.add_special_tokens([AddedToken("<|endoftext|>", normalized=False), AddedToken("<|im_start|>")])
    return tokenizer


def starcoder(lines):
    """GPT-2's way of cutting, and each digit separately."""
    steps = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    return byte_level(lines, steps, ["<|endoftext|>", "<fim_prefix>"])


def prefixed(lines):
    """A space before each text, digits in runs, tokens that take white space, and RoBERTa's tokens around."""
    steps = [pre_tokenizers.Digits(individual_digits=False), pre_tokenizers.ByteLevel(add_prefix_space=True)]
    tokenizer = byte_level(lines, steps, ["<s>", "<pad>", "</s>"])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, rstrip=True), AddedToken("[SEP]", rstrip=True)])
    tokenizer.add_tokens([AddedToken("  ", normalized=False), AddedToken("[MASK]", lstrip=True, normalized=False)])
    ends = [(token, tokenizer.token_to_id(token)) for token in ("</s>", "<s>")]
    tokenizer.post_processor = processors.RobertaProcessing(*ends)
    return tokenizer


def sentencepiece(lines, special=("<unk>", "<s>", "</s>"), data=BYTES, **settings):
    """Llama 2's model: BPE over characters, with bytes for unknown ones."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", **settings))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    start = [*special, *data]
    trainer = trainers.BpeTrainer(vocab_size=1500, special_tokens=start, limit_alphabet=300, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer = Tokenizer(models.BPE(*vocabulary(tokenizer), unk_token="<unk>", **settings))
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
    tokenizer.post_processor = around(tokenizer, "<s> $A", "<s> $A <s>:1 $B:1", "<s>")
    return tokenizer


def vocabulary(tokenizer):
    """The vocabulary and the merges of a model."""
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], [tuple(pair) for pair in model["merges"]]


def llama2(lines):
    """As Llama 2 was published: Prepend and Replace before, no pre_tokenizer, a decoder of four steps."""
    tokenizer = sentencepiece(lines, byte_fallback=True, fuse_unk=True)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    return tokenizer


def llama2_metaspace(lines):
    """As transformers writes Llama 2 today: a Metaspace that begins only the first piece, and does not cut."""
    tokenizer = sentencepiece(lines, byte_fallback=True, fuse_unk=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    return tokenizer


def unknown(lines):
    """Without bytes: unknown characters become one unknown token each."""
    tokenizer = sentencepiece(lines, data=[], fuse_unk=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    tokenizer.add_tokens([AddedToken("bear", normalized=True, rstrip=True)])
    return tokenizer


def german_bert(lines):
    """BERT's tokenizer in lower case, accents kept, with ids without a token."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(
        lines, trainers.WordPieceTrainer(vocab_size=1500, special_tokens=special, show_progress=False)
    )
    vocab = {token: id + 7 * (id > 700) for token, id in tokenizer.get_vocab().items()}
    tokenizer.model = models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=50)
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    template = "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", "[CLS]", "[SEP]"
    tokenizer.post_processor = around(tokenizer, *template)
    return tokenizer


SHAPES = {
    shape.__name__: shape
    for shape in (modernbert, llama3, qwen, starcoder, prefixed, llama2, llama2_metaspace, unknown, german_bert)
}
