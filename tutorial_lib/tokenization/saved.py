"""The files of a tokenizer: tokenizer.json, which Hugging Face saves today, or the older vocabulary files.

`read` takes from them what `WordPiece` and `BPE` compute, and rejects anything else by its name. The steps of a
tokenizer.json are in `steps`. If a folder has both kinds of files, tokenizer.json wins, as in transformers.
"""

import os
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tutorial_lib.tokenization.encoding import Tokenizer
from tutorial_lib.tokenization.steps import all_steps, byte_level_settings, checked, settings_of
from tutorial_lib.weights import read_json
from tutorial_lib.weights.files import read_text
from tutorial_lib.weights.find import as_folder, vocabulary_folder

OF_OPENAI = ("encoder.json", "vocab.bpe")  # vocab.json and merges.txt, under their first published names
# transformers' classes that take tokenizer.json unchanged; for others tokenizer_config.json wins.
GENERIC = ("PreTrainedTokenizerFast", "TokenizersBackend")
FLAGS = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), bool)
OURS = {"normalized": "normalized", "lstrip": "spaced", "rstrip": "spaced_after"}  # their flag -> our list
PARTS = ("version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder")
PROCESSORS = ("ByteLevel", "TemplateProcessing", "RobertaProcessing", "BertProcessing")


@dataclass
class Saved:
    """A tokenizer as described by its files.

    kind: "WordPiece" or "BPE". vocab: that of the model, without tokens that were added. where: the file or folder.
    family: "roberta" or "opt", for vocabulary files of these. config: tokenizer_config.json. added: tokens that stay
    whole, in the form of tokenizer.json. parts: the content of tokenizer.json, None for vocabulary files. spaced:
    tokens that take the white space before them, None if no file lists them.
    """

    kind: str
    vocab: dict | list
    where: Path
    family: str = ""
    merges: list = field(default_factory=list)
    config: dict = field(default_factory=dict)
    added: list = field(default_factory=list)
    parts: dict | None = None
    spaced: list | None = None

    def dress(self, make: Callable[[], Tokenizer]) -> Tokenizer:
        """Create a tokenizer with its whole tokens and the tokens put around texts. Errors name the file."""
        with _named(self.where):
            tokenizer = make()
            if self.parts:
                tokenizer.saved = self
                tokenizer.special = []
                tokenizer.single, tokenizer.pair = _around(self.parts["post_processor"])
            tokenizer.spaced = tokenizer.spaced if self.spaced is None else list(self.spaced)
            self._add(tokenizer)
            if self.parts:
                _check_around(self, tokenizer)
                named = [_content(self.config.get(name)) for name in ("pad_token", "eos_token")]
                padding = (self.parts.get("padding") or {}).get("pad_token")
                usual = [named[0], padding, tokenizer.pad_token, named[1], *tokenizer.special, *tokenizer.tokens]
                tokenizer.pad_token = next(token for token in usual if token in tokenizer.vocab)
        return tokenizer

    def _add(self, tokenizer):
        """Add tokens to the vocabulary. A new one must have the id that `tokenizers` would give it."""
        lists = {name: list(getattr(tokenizer, name)) for name in (*OURS.values(), "special", "added")}
        tokenizer.vocab = dict(tokenizer.vocab)
        following = len(tokenizer.model_vocab)
        for token in self.added:
            id, content, single, *_ = settings_of("added_tokens", token, id=int, content=str, **FLAGS)
            if single or not content:
                what = "has single_word" if content else "is empty"
                raise ValueError(f"added token {content!r} {what}, which is not supported")
            if tokenizer.vocab.get(content, id) != id:
                raise ValueError(f"added token {content!r} has the id {id}, but also {tokenizer.vocab[content]}")
            if content not in tokenizer.vocab:
                if id != following:
                    raise ValueError(f"added token {content!r} must have the next id, {following}, got {id}")
                if any(tokenizer.tokens[id : id + 1]):
                    raise ValueError(f"added token {content!r} has the id {id}, as {tokenizer.tokens[id]!r} does")
                tokenizer.vocab[content] = id
                tokenizer.tokens[id : id + 1] = [content]
            following = max(following, id + 1)
            for name in ("special" if token["special"] else "added", *(OURS[flag] for flag in OURS if token[flag])):
                lists[name].append(content)
        for name, tokens in lists.items():
            setattr(tokenizer, name, list(dict.fromkeys(tokens)))
        written = {}
        for token in tokenizer.normalized:
            other = written.setdefault(tokenizer.normalize(token), token)
            if other != token or not tokenizer.normalize(token):
                what = f"equals {other!r}" if other != token else "is nothing"
                raise ValueError(f"added token {token!r} {what} after normalization, which is not supported")


def read(name: str | os.PathLike | None, kind: str = "") -> Saved:
    """Read the tokenizer of a model, by name or folder. A known name's vocabulary files count: their sums are known.

    kind: "WordPiece" or "BPE", if only one is accepted. Raises ModelNotAvailable if the name is not known or its files
    are not available, ValueError for damaged files or an unsupported tokenizer; the message names the file and the
    part.

    >>> read("book-gpt").kind, read(None).kind
    ('BPE', 'WordPiece')
    """
    folder = vocabulary_folder(name)
    path = folder / "tokenizer.json"
    if as_folder(name) is not None and path.is_file():
        saved = _of_json(path, _config(folder))
    elif (folder / "vocab.txt").is_file():
        lines = _text(folder / "vocab.txt").split("\n")
        saved = Saved("WordPiece", lines[:-1] if lines[-1] == "" else lines, folder, config=_config(folder))
    else:
        saved = _of_merges(folder)
    if kind and saved.kind != kind:
        raise ValueError(f"name must be a model with a {kind} vocabulary, got {name!r}, of kind {saved.kind}")
    if not saved.parts:
        told = "added_tokens_decoder" in saved.config
        saved.spaced = [] if told else None
        saved.added = (_added_in if told else _added_beside)(saved.config, folder)
    return saved


@contextmanager
def _named(path):
    """Name the file in errors of this block; unexpected exceptions count as damage."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"{path} is damaged: it is not a tokenizer of Hugging Face ({error!r})") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _text(path):
    return read_text(path).removeprefix("\ufeff")  # a byte order mark


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
    lines = _text(folder / files[1]).split("\n")
    merges = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    config = folder / "config.json"
    family = read_json(config).get("model_type") if config.is_file() else None
    settings = _config(folder)
    with _named(folder):
        for name in ("add_prefix_space", *["add_bos_token"] * (family != "opt")):
            checked("tokenizer_config.json", name, settings.get(name), (None, False))
    return Saved("BPE", read_json(folder / files[0]), folder, family, merges, settings)


def _added_in(config, folder):
    """Return the tokens of tokenizer_config.json in the form of tokenizer.json."""
    usual = dict.fromkeys(FLAGS, False) | {"normalized": True}
    with _named(folder / "tokenizer_config.json"):
        tokens = config["added_tokens_decoder"].items()
        return [{"id": int(id), "content": token["content"], **usual, **token} for id, token in tokens]


def _added_beside(config, folder):
    """Return the tokens of added_tokens.json that tokenizer_config.json lacks, in the same form."""
    path = folder / "added_tokens.json"
    ids = read_json(path) if path.is_file() else {}
    path = folder / "special_tokens_map.json"
    tokens = (read_json(path) if path.is_file() else config).get("additional_special_tokens", ())
    special = [_content(token) for token in tokens]
    return [
        {"id": id, "content": token, **dict.fromkeys(FLAGS, False)}
        | {"special": token in special, "normalized": token not in special}
        for token, id in ids.items()
    ]


def _content(token):
    return token["content"] if isinstance(token, dict) else token


def _of_json(path, config):
    parts = read_json(path)
    with _named(path):
        strange = parts.keys() - {*PARTS, "model"}
        if strange:
            raise ValueError(f"tokenizer.json must not have {min(strange)}, which is not supported")
        checked("tokenizer.json", "version", parts.get("version", "1.0"), ("1.0",))
        model = parts["model"]
        kinds = {"merges": "BPE", "max_input_chars_per_word": "WordPiece"}
        kind = model.setdefault("type", next((kinds[name] for name in kinds if name in model), None))
        if kind not in kinds.values():
            raise ValueError(f"model must be WordPiece or BPE, got {kind}")
        for name in PARTS:
            parts.setdefault(name, [] if name == "added_tokens" else None)
        settings_of("tokenizer.json", {"added_tokens": parts["added_tokens"]}, added_tokens=list)
        saved = Saved(kind, model["vocab"], path, config=config, added=parts["added_tokens"], parts=parts, spaced=[])
        if kind == "BPE":
            (merges,) = settings_of("model", {"merges": model["merges"]}, merges=list)
            saved.merges = [tuple(pair.split(" ") if isinstance(pair, str) else pair) for pair in merges]
            model["merges"] = saved.merges
        else:
            saved.config = _of_wordpiece(parts, config)
        _say_lengths(path, parts)
    return saved


def _of_wordpiece(parts, config):
    """Check the parts of a WordPiece. Return tokenizer_config.json, with settings that only the normalizer has."""
    types = {"normalizer": "BertNormalizer", "pre_tokenizer": "BertPreTokenizer", "decoder": "WordPiece"}
    for part, kind in types.items():
        checked(part, "type", (parts[part] or {}).get("type"), (kind,))
    normalizer = parts["normalizer"]
    usual = dict(unk_token=str, continuing_subword_prefix="##", max_input_chars_per_word=100)
    unknown, prefix, _ = settings_of("model", parts["model"], ("vocab",), **usual)
    checked("model", "unk_token", unknown, ("[UNK]",))
    checked("model", "continuing_subword_prefix", prefix, ("##",))
    prefix, _ = settings_of("decoder", parts["decoder"], prefix="##", cleanup=True)
    checked("decoder", "prefix", prefix, ("##",))
    settings_of("pre_tokenizer", parts["pre_tokenizer"])
    accents = checked("normalizer", "strip_accents", normalizer.get("strip_accents"), (None, True, False))
    usual = dict(clean_text=True, handle_chinese_chars=True, lowercase=True)
    clean, chinese, lowercase = settings_of("normalizer", normalizer, ("strip_accents",), **usual)
    checked("normalizer", "clean_text", clean, (True,))
    told = {"do_lower_case": lowercase, "strip_accents": accents, "tokenize_chinese_chars": chinese}
    config = config | told if config.get("tokenizer_class") in GENERIC else told | config
    normalizer |= {"lowercase": config["do_lower_case"], "strip_accents": config["strip_accents"]}
    normalizer["handle_chinese_chars"] = config["tokenize_chinese_chars"]
    return config


def _say_lengths(path, parts):
    """Warn that truncation and padding of the file are not applied, as in transformers: they are set in `encode`."""
    padding = parts["padding"]
    harmless = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_type_id": 0}
    odd = padding and any(padding.get(name, value) != value for name, value in harmless.items())
    told = ["truncation"] * bool(parts["truncation"]) + ["padding"] * bool(odd)
    if told:
        what = f"{' and '.join(told)} not applied, as in transformers. Pass max_length and pad_to to encode"
        warnings.warn(f"{path}: {what}", stacklevel=2)


def _around(processor):
    """Return the tokens that a post_processor puts around one text and two, as `encoding.around` does."""
    steps = all_steps("post_processor", processor, "processors")
    for step in steps:
        if checked("post_processor", "type", step["type"], PROCESSORS) == "ByteLevel":
            byte_level_settings("post_processor", step)  # which only move offsets
    steps = [step for step in steps if step["type"] != "ByteLevel"]
    if len(steps) > 1:
        raise ValueError(f"post_processor must not have both {steps[0]['type']} and {steps[1]['type']}")
    if not steps:
        return Tokenizer.single, Tokenizer.pair
    processor = steps[0]
    if processor["type"] == "TemplateProcessing":
        settings_of("post_processor", processor, single=list, pair=list, special_tokens=dict)
        return [_template(processor[name], processor["special_tokens"]) for name in ("single", "pair")]
    offsets = dict(trim_offsets=True, add_prefix_space=True) if processor["type"] == "RobertaProcessing" else {}
    settings_of("post_processor", processor, sep=list, cls=list, **offsets)
    (before, _), (after, _) = processor["cls"], processor["sep"]
    single = [(before, 0), ("$A", 0), (after, 0)]
    if processor["type"] == "RobertaProcessing":
        return single, [*single, (after, 0), ("$B", 0), (after, 0)]
    return single, [*single, ("$B", 1), (after, 1)]


def _template(pieces, special):
    template = []
    for piece in pieces:
        ((kind, piece),) = piece.items()
        id, segment = settings_of("post_processor", piece, id=str, type_id=int)
        if segment < 0 or kind not in ("Sequence", "SpecialToken"):
            raise ValueError(f"post_processor must have Sequence or SpecialToken, type_id 0 or more, got {piece}")
        if kind == "Sequence":
            template.append((f"${checked('post_processor', 'id', id, ('A', 'B'))}", segment))
        else:
            _, _, tokens = settings_of("post_processor", special[id], id=str, ids=list, tokens=list)
            template += [(token, segment) for token in tokens]
    return template


def _check_around(saved, tokenizer):
    """Reject tokens around texts that are not in the vocabulary, or that do not match tokenizer_config.json."""
    tokens = [token for token, _ in (*tokenizer.single, *tokenizer.pair) if token not in ("$A", "$B")]
    missing = [token for token in tokens if token not in tokenizer.vocab]
    if missing:
        raise ValueError(f"post_processor must put tokens of the vocabulary around texts, got {missing[0]!r}")
    for step in all_steps("post_processor", saved.parts["post_processor"], "processors"):
        pairs = [step[name] for name in ("cls", "sep") if name in step]
        for one in step.get("special_tokens", {}).values():
            pairs += zip(one["tokens"], one["ids"], strict=True)
        for token, id in pairs:
            if tokenizer.vocab.get(token, id) != id:
                raise ValueError(f"post_processor must give {token!r} its id, {tokenizer.vocab[token]}, got {id}")
    config = saved.config
    checked("tokenizer_config.json", "split_special_tokens", config.get("split_special_tokens"), (None, False))
    for step in all_steps("pre_tokenizer", saved.parts["pre_tokenizer"], "pretokenizers"):
        if step["type"] == "ByteLevel" and config.get("tokenizer_class", GENERIC[0]) not in GENERIC:
            own = step.get("add_prefix_space", True)
            checked("tokenizer_config.json", "add_prefix_space", config.get("add_prefix_space"), (None, own))
    for name, place, end in (("add_bos_token", 0, "bos_token"), ("add_eos_token", -1, "eos_token")):
        there = tokenizer.single[place][0] == _content(config.get(end))
        if isinstance(config.get(name), bool) and config[name] != there:
            raise ValueError(f"tokenizer_config.json must have {name} {there}, as tokenizer.json, got {config[name]}")
