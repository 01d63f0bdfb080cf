"""What the files of a tokenizer say: tokenizer.json, which Hugging Face saves today, or the vocabulary files before it.

`read` takes from them what `WordPiece` and `BPE` compute, and refuses, by its name, what they do not. Where a folder
has both kinds of files, tokenizer.json counts, as it does for transformers.
"""

import os
from dataclasses import dataclass, field

from tutorial_lib.weights import read_json
from tutorial_lib.weights.files import read_text
from tutorial_lib.weights.find import as_folder, vocabulary_folder

OF_OPENAI = ("encoder.json", "vocab.bpe")  # vocab.json and merges.txt, as they were first published
# What stands around one text and around two, family by family. $A and $B are the texts.
AROUND = {
    "WordPiece": {"bert": ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]")},
    "BPE": {
        "gpt2": ("$A", "$A $B"),
        "opt": ("</s> $A", "</s> $A </s> $B"),
        "roberta": ("<s> $A </s>", "<s> $A </s> </s> $B </s>"),
    },
}
# Parts of tokenizer.json that have one setting only here: (part, setting) -> the value, or several.
FIXED = {
    "WordPiece": {
        ("model", "unk_token"): ("[UNK]",),
        ("model", "continuing_subword_prefix"): ("##",),
        ("normalizer", "type"): ("BertNormalizer",),
        ("normalizer", "clean_text"): (True,),
        ("pre_tokenizer", "type"): ("BertPreTokenizer",),
    },
    "BPE": {
        ("model", "dropout"): (None, 0),
        ("model", "continuing_subword_prefix"): (None, ""),
        ("model", "end_of_word_suffix"): (None, ""),
        ("model", "byte_fallback"): (None, False),
        ("model", "ignore_merges"): (None, False),
        ("normalizer", "type"): (None,),
        ("pre_tokenizer", "type"): ("ByteLevel",),
        ("pre_tokenizer", "add_prefix_space"): (False,),
        ("pre_tokenizer", "use_regex"): (None, True),
    },
}


@dataclass
class Saved:
    """A tokenizer as its files have it.

    kind: "WordPiece" or "BPE". around: what it puts around texts, a family of `AROUND`. special: tokens beside those of
    the family that stay whole as written, and that decoding may leave out. added: others that stay whole, in the text
    as the normalizer leaves it. spaced: those that take the white space before them; None where no file tells.
    """

    kind: str
    vocab: dict | list
    around: str
    merges: list = field(default_factory=list)
    config: dict = field(default_factory=dict)
    special: list = field(default_factory=list)
    added: list = field(default_factory=list)
    spaced: list | None = None

    def dress(self, tokenizer):
        """Give a tokenizer the tokens that were added to its vocabulary."""
        tokenizer.special = [*tokenizer.special, *(token for token in self.special if token not in tokenizer.special)]
        tokenizer.spaced = tokenizer.spaced if self.spaced is None else self.spaced
        tokenizer.add(self.added)
        return tokenizer


def read(name: str | os.PathLike | None) -> Saved:
    """The tokenizer of a model, by name or folder. Of a known name its vocabulary files count, whose sums are known.

    Raises ModelNotAvailable where the name is not known or its files are not to be had, ValueError for files that are
    damaged, or of a tokenizer that is not computed here; the message names the part.

    >>> read("book-gpt").kind, read(None).kind
    ('BPE', 'WordPiece')
    """
    folder = vocabulary_folder(name)
    path = folder / "tokenizer.json"
    if as_folder(name) is not None and path.is_file():
        return _of_json(path, _config(folder))
    if (folder / "vocab.txt").is_file():
        lines = read_text(folder / "vocab.txt").split("\n")
        saved = Saved("WordPiece", lines[:-1] if lines[-1] == "" else lines, "bert")
    else:
        saved = _of_merges(folder)
    saved.config = _config(folder)
    if "added_tokens_decoder" in saved.config:
        saved.spaced = []
        return _with_added(saved, _added_in(saved.config, folder), folder)
    return _with_added(saved, _added_beside(saved.config, folder), folder)


def _config(folder):
    path = folder / "tokenizer_config.json"
    return read_json(path) if path.is_file() else {}


def _of_merges(folder):
    files = OF_OPENAI if (folder / OF_OPENAI[1]).is_file() else ("vocab.json", "merges.txt")
    missing = [file for file in files if not (folder / file).is_file()]
    if len(missing) == 2:
        raise ValueError(
            f"name must be a model with WordPiece or BPE; {folder} has no tokenizer.json, vocab.txt, or merges.txt"
        )
    if missing:
        raise ValueError(f"name must be a model with a BPE vocabulary; {folder} has no {missing[0]}")
    lines = read_text(folder / files[1]).split("\n")
    merges = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    config = folder / "config.json"
    family = read_json(config).get("model_type") if config.is_file() else None
    return Saved("BPE", read_json(folder / files[0]), family if family in ("opt", "roberta") else "gpt2", merges)


def _added_in(config, folder):
    """The tokens that tokenizer_config.json tells, in the form of tokenizer.json."""
    usual = {"special": False, "normalized": True}
    try:
        tokens = config["added_tokens_decoder"].items()
        return [{"id": int(id), "content": token["content"], **usual, **token} for id, token in tokens]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = "added_tokens_decoder is not as Hugging Face writes it"
        raise ValueError(f"{folder / 'tokenizer_config.json'} is damaged: {what} ({error!r})") from error


def _added_beside(config, folder):
    """What added_tokens.json has, where tokenizer_config.json does not tell, in the same form."""
    path = folder / "added_tokens.json"
    ids = read_json(path) if path.is_file() else {}
    path = folder / "special_tokens_map.json"
    special = _contents((read_json(path) if path.is_file() else config).get("additional_special_tokens", ()))
    return [
        {"id": id, "content": token, "special": token in special, "normalized": token not in special}
        for token, id in ids.items()
    ]


def _contents(tokens):
    return [token["content"] if isinstance(token, dict) else token for token in tokens]


def _of_json(path, config):
    parts = read_json(path)
    try:
        model = parts["model"]
        kind = model.get("type", "BPE" if "merges" in model else None)
        if kind not in FIXED:
            raise ValueError(f"{path}: model must be WordPiece or BPE, got {kind}")
        for (part, setting), allowed in FIXED[kind].items():
            got = (parts[part] or {}).get(setting)
            if got not in allowed:
                raise ValueError(f"{path}: {part} must have {setting} {allowed[-1]!r}, got {got!r}: not computed here")
        merges = [tuple(pair.split(" ") if isinstance(pair, str) else pair) for pair in model.get("merges", ())]
        config = _with_normalizer(config, parts["normalizer"] or {})
        around = _family(AROUND[kind], _around(parts["post_processor"] or {}), path)
        saved = Saved(kind, model["vocab"], around, merges, config, spaced=[])
        return _with_added(saved, parts["added_tokens"], path)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is damaged: it is no tokenizer of Hugging Face ({error!r})") from error


def _family(families, got, path):
    """The family of `AROUND` that puts around texts what was got."""
    for family, around in families.items():
        if got == around:
            return family
    raise ValueError(f"{path}: post_processor must put around texts what {' or '.join(families)} does, got {got}")


def _around(processor):
    """What a post_processor puts around one text and around two, in the form of `AROUND`; else its type."""
    kind = processor.get("type")
    if kind == "Sequence":
        parts = [part for part in processor["processors"] if part["type"] != "ByteLevel"]  # which moves offsets only
        return _around(parts[0] if parts else {}) if len(parts) < 2 else [part["type"] for part in parts]
    if kind in ("RobertaProcessing", "BertProcessing"):
        (before, _), (after, _) = processor["cls"], processor["sep"]
        twice = f" {after}" * (kind == "RobertaProcessing")
        return f"{before} $A {after}", f"{before} $A {after}{twice} $B {after}"
    if kind == "TemplateProcessing":
        return _template(processor["single"]), _template(processor["pair"])
    return ("$A", "$A $B") if kind in (None, "ByteLevel") else kind


def _template(pieces):
    return " ".join(
        f"${piece['Sequence']['id']}" if "Sequence" in piece else piece["SpecialToken"]["id"] for piece in pieces
    )


def _with_normalizer(config, normalizer):
    """tokenizer_config.json, which transformers lets win, and what only the normalizer says."""
    names = {"do_lower_case": "lowercase", "strip_accents": "strip_accents"}
    names["tokenize_chinese_chars"] = "handle_chinese_chars"
    return {name: normalizer[theirs] for name, theirs in names.items() if theirs in normalizer} | config


def _with_added(saved, added, where):
    """The vocabulary with the tokens that were added to it, and what each of them does in a text."""
    vocab = saved.vocab if isinstance(saved.vocab, dict) else {token: id for id, token in enumerate(saved.vocab)}
    for token in added:
        content = token["content"]
        if vocab.setdefault(content, token["id"]) != token["id"]:
            raise ValueError(f"{where}: added token {content!r} has the id {token['id']}, but also {vocab[content]}")
        for setting in ("single_word", "rstrip"):
            if token.get(setting):
                raise ValueError(f"{where}: added token {content!r} has {setting}: not computed here")
        if token.get("lstrip"):
            saved.spaced = [*(saved.spaced or ()), content]
        (saved.added if token["normalized"] and not token["special"] else saved.special).append(content)
        if token["normalized"] and token["special"] and saved.kind == "WordPiece":
            raise ValueError(f"{where}: special token {content!r} is normalized: not computed here")
    saved.vocab = vocab if added else saved.vocab
    return saved
