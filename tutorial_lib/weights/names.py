"""Hugging Face's names, family by family: settings, weights, layouts.

BERT, DistilBERT, RoBERTa and ALBERT are all `bert.Bert`, GPT-2 and OPT are `gpt.GPT`; Llama is `llama.Llama`, and
ModernBERT `modernbert.ModernBert`. The members of a family differ in a few numbers of the model's `Config`, and in the
names used in their files: ``names.txt`` has both. Files on the hub are older than the current code, so several
spellings of a name load. Source: R 3; A 3.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path

import torch

from tutorial_lib.arguments import check_has, needed, whole_number
from tutorial_lib.weights.files import read_sections


@dataclass(frozen=True)
class Family:
    """Names of one member of a family.

    model: our class that computes it. settings: our name -> (theirs in config.json, its default). fixed: our names
    whose value is in no file. computed: settings that must have this value, if they are present. rename: from
    ``names.txt``, (pattern of their name, our name). written: the class of transformers whose checkpoints we write, and
    the other settings that it needs: ids that it would otherwise take from a vocabulary of the usual size, and no
    dropout. ropes: our name of rotary positions -> (the kind of layer that has them in transformers 5, the base's name
    in 4, the default base).
    """

    model: str
    settings: dict
    rename: list
    fixed: dict = field(default_factory=dict)
    computed: dict = field(default_factory=dict)
    written: tuple = ()
    ropes: dict = field(default_factory=dict)


_SECTIONS = read_sections(Path(__file__).with_suffix(".txt"))


def _family(kind):
    """Return the entry of a family in ``names.txt``."""
    about = {name: json.loads(value) for name, value in (row.split(maxsplit=1) for row in _SECTIONS[f"{kind}: family"])}
    rows = map(str.split, _SECTIONS[f"{kind}: settings"])
    settings = {ours: (theirs, json.loads(default)) for ours, theirs, default in rows}
    return Family(settings=settings, rename=_renames(kind), **about)


def _renames(kind):
    """Return the rows of a section of ``names.txt``."""
    rows = []
    for line in _SECTIONS[kind]:
        theirs, _, ours = line.partition(" ")
        rows += _renames(theirs[1:]) if theirs.startswith("*") else [(theirs, ours.strip())]
    return rows


FAMILIES = {kind: _family(kind) for kind, _, what in (name.partition(": ") for name in _SECTIONS) if what == "family"}


def family_of(settings: dict, model: str = "") -> Family:
    """Return the family of a dictionary of a Hugging Face `config.json`; without a model_type it is BERT.

    model: "Bert", "GPT", "Llama" or "ModernBert", if only this one is accepted. Raises ValueError for other families,
    and for unsupported settings.

    >>> family_of({"model_type": "distilbert"}, "Bert").settings["d_model"]
    ('dim', 768)
    """
    check_has("settings", settings, "the dictionary of a config.json", "get")
    allowed = [name for name, family in FAMILIES.items() if model in ("", family.model)]
    name = settings.get("model_type") or "bert"
    if name not in allowed:
        what = f"{model or 'this library'} does not support that"
        raise ValueError(f"settings: model_type must be one of {', '.join(allowed)}, got {name!r}: {what}")
    family = FAMILIES[name]
    for setting, value in family.computed.items():
        actual = settings.get(setting, value)
        if actual is not None and actual != value:
            raise ValueError(f"{setting} must be {value!r}, got {actual!r}: {family.model} does not support that")
    return family


def shape_of(settings: dict, model: str) -> dict:
    """Return the numbers of our `Config` from the dictionary of a `config.json`. Errors as in `family_of`.

    >>> shape_of({"model_type": "gpt2", "n_embd": 64, "n_head": 4}, "GPT")["d_ff"]
    256
    """
    family = family_of(settings, model)
    shape = family.fixed | {ours: settings.get(name, default) for ours, (name, default) in family.settings.items()}
    if "pad_id" in shape:
        shape["n_positions"] -= shape["pad_id"] + 1  # rows up to pad_id belong to no token
    if shape["d_ff"] is None:
        shape["d_ff"] = 4 * shape["d_model"]
    narrow = settings.get("word_embed_proj_dim") or shape["d_model"]
    if narrow != shape["d_model"]:
        need = f"hidden_size, {shape['d_model']}, got {narrow}"
        raise ValueError(f"word_embed_proj_dim must be {need}: {model} has no such map")
    if "window" in shape:
        shape["window"] = whole_number("local_attention", shape["window"], 0, "a number of tokens") // 2  # on each side
        shape["global_every"] = _global_every(settings, shape["n_layers"], shape["global_every"])
    return shape | {ours: _rope(settings, *theirs) for ours, theirs in family.ropes.items()}


def _global_every(settings, n_layers, every):
    """Return the distance between global layers. transformers 4 has the number, 5 the kind of each layer."""
    kinds = settings.get("layer_types")
    if kinds is None:
        return every
    every = next((i for i, kind in enumerate(kinds) if i and kind == "full_attention"), max(n_layers, 1))
    expected = ["sliding_attention" if i % every else "full_attention" for i in range(n_layers)]
    if list(kinds) != expected:
        raise ValueError(f"layer_types must be global from the first layer on in equal steps, got {kinds!r:.100}")
    return every


# The parameters of each way to scale rotary positions in config.json: our name -> theirs.
SCALINGS = {kind: dict(map(str.split, _SECTIONS[f"rope: {kind}"])) for kind in ("default", "linear", "llama3")}


def _rope(settings, kind, base_name, base) -> dict:
    """Return the numbers of a `positions.Rope`. transformers 4 has a base and "rope_scaling", 5 "rope_parameters".

    kind: the layers' kind, if "rope_parameters" has one entry for each; else None.
    """
    scaled, given = (settings.get(name) or {} for name in ("rope_scaling", "rope_parameters"))
    check_has("rope_scaling", scaled, "a dictionary", "items")
    check_has("rope_parameters", given, "a dictionary", "items")
    own = scaled | (given.get(kind) or {} if kind else given)
    scaling = own.get("rope_type", own.get("type", "default"))
    if scaling not in SCALINGS:
        raise ValueError(f"rope_type must be default, linear or llama3, got {scaling!r}, which is not supported")
    part = own.get("partial_rotary_factor", settings.get("partial_rotary_factor"))
    if part not in (None, 1):
        raise ValueError(f"partial_rotary_factor must be 1, got {part!r}, which is not supported")
    alone = settings.get(base_name, base) or settings.get("global_rope_theta")  # None: local layers share it
    numbers = {"base": own.get("rope_theta", alone)}
    for ours, theirs in SCALINGS[scaling].items():
        if theirs not in own:
            raise ValueError(f"rope_scaling must have {theirs!r}, which {scaling} needs, got {own!r:.100}")
        numbers[ours] = own[theirs]
    return numbers


def our_weights(settings: dict, state: dict[str, torch.Tensor], model: str) -> dict[str, torch.Tensor]:
    """Return a checkpoint's tensors with our names and layout.

    >>> list(our_weights({}, {"bert.pooler.dense.bias": torch.zeros(2)}, "Bert"))
    ['pooler.W.bias']
    """
    check_has("state", state, "a dictionary of tensors", "items")
    table = family_of(settings, model).rename
    counters = ".rotary_emb.inv_freq"  # not learned: the frequencies in older checkpoints
    renamed = {renamed_by(table, name): tensor for name, tensor in state.items() if not name.endswith(counters)}
    if settings.get("model_type") == "gpt2":
        renamed = _transposed(renamed)
    return _apart(renamed)


def renamed_by(table: Iterable[tuple[str, str]], name: str) -> str:
    """Return our name for one of theirs. table: (pattern of their name, our name), applied in this order."""
    for theirs, ours in table:
        name = re.sub(theirs, ours, name)
    return name


def their_checkpoint(config, own: dict[str, torch.Tensor]) -> tuple[dict, dict[str, torch.Tensor]]:
    """Return (settings, weights) with Hugging Face's names, the reverse of `shape_of` and `our_weights`.

    config, own: a model's `Config` and its parameters by name. Raises ValueError for a model that no family can
    express, by the setting or the part.
    """
    with needed("transformers", "writing a checkpoint with the names of transformers"):
        import transformers

    kind = _kind_of(config)
    family = FAMILIES[kind]
    class_name, more = family.written
    settings = _settings_of(config, family) | {"model_type": kind}
    again = type(config).from_hf(settings)
    for field_of in fields(config):
        wanted, said = getattr(config, field_of.name), getattr(again, field_of.name)
        if wanted != said:
            raise ValueError(f"{field_of.name} must be {said!r} for a {kind} of transformers, got {wanted!r}")
    tied = not any(f"{head}.weight" in own for head in ("mlm.decoder", "unembedding"))
    settings = more | settings | {"tie_word_embeddings": tied}
    written = getattr(transformers, class_name)
    theirs = written.config_class(**settings)
    with torch.device("meta"):  # names only
        whole = list(written(theirs).state_dict())
        body = transformers.AutoModel.from_config(theirs)  # includes the pooler, which some heads lack
    headless = family.model in ("Bert", "ModernBert") and not any(name.startswith(("mlm.", "nsp.")) for name in own)
    settings["architectures"] = [type(body).__name__ if headless else class_name]
    whole += [f"{written.base_model_prefix}.{name}" for name in body.state_dict()]
    own = _tangled(own, kind, config)
    ours = {name: renamed_by(family.rename, name) for name in whole}
    for name in own:
        if name not in ours.values():
            raise ValueError(f"model has {name}, which transformers' {kind} lacks. Leave that part out")
    return settings, {name: own[ours[name]].clone() for name in whole if ours[name] in own}  # some have two names


def _kind_of(config) -> str:
    """Return the member of its family that matches a model's shape, or comes nearest to it."""
    if hasattr(config, "global_every"):
        return "modernbert"
    if hasattr(config, "n_kv_heads"):
        return "llama"
    if hasattr(config, "offset"):
        return "opt" if config.offset else "gpt2"
    if config.d_embedding or config.n_different:
        return "albert"
    if config.pad_id is not None:
        return "roberta"
    return "bert" if config.n_segments else "distilbert"


def _settings_of(config, family) -> dict:
    """Return the numbers of a config.json, with the names that transformers 4 and 5 both read."""
    settings = {theirs: getattr(config, ours) for ours, (theirs, _) in family.settings.items()}
    if "pad_id" in family.settings:
        settings["max_position_embeddings"] += config.pad_id + 1
    if "window" in family.settings:
        settings["local_attention"] = 2 * config.window
    for ours, (_, base_name, _) in family.ropes.items():
        rope = getattr(config, ours)
        settings[base_name] = rope.base
        scaling = "llama3" if rope.n_trained else "linear" if rope.factor != 1 else "default"
        if scaling != "default":
            numbers = {theirs: getattr(rope, name) for name, theirs in SCALINGS[scaling].items()}
            settings["rope_scaling"] = {"rope_type": scaling} | numbers
    return settings


def _transposed(state):
    """Transpose GPT-2's matrices to our layout."""
    plain = {}
    for name, tensor in state.items():
        if not name.endswith((".attn.bias", ".attn.masked_bias")):  # not learned: the mask in older files
            turned = name.endswith((".W_QKV.weight", ".W_O.weight", ".W_1.weight", ".W_2.weight"))
            plain[name] = tensor.T.contiguous() if turned else tensor
    return plain


TOGETHER = {"W_QKV": ("W_Q", "W_K", "W_V"), "W_GATE_1": ("W_gate", "W_1")}  # one of their matrices: ours inside it


def _apart(state):
    """Split matrices that contain several of our matrices, one below the other."""
    plain = {}
    for name, tensor in state.items():
        joint = next((joint for joint in TOGETHER if f".{joint}." in name), None)
        if joint:
            for part, own in zip(tensor.chunk(len(TOGETHER[joint])), TOGETHER[joint], strict=True):
                plain[name.replace(joint, own)] = part.contiguous()
        else:
            plain[name] = tensor
    return plain


def _tangled(own, kind, config):
    """Return their layout: several matrices in one, GPT-2's matrices transposed, ALBERT's layers once each."""
    together = {"gpt2": ["W_QKV"], "modernbert": list(TOGETHER)}.get(kind, [])
    joint_of = {part: joint for joint in together for part in TOGETHER[joint]}
    tangled = {}
    for name, tensor in own.items():
        *_, part, last = name.split(".")
        if kind == "albert" and name.startswith("layer."):
            _, i, rest = name.split(".", 2)
            tangled[f"different.{int(int(i) * config.n_different / config.n_layers)}.{rest}"] = tensor
        elif part not in joint_of:
            tangled[name] = tensor
        elif part == TOGETHER[joint_of[part]][0]:
            parts = [own[name.replace(f".{part}.", f".{each}.")] for each in TOGETHER[joint_of[part]]]
            tangled[name.replace(f".{part}.", f".{joint_of[part]}.")] = torch.cat(parts)
    return _transposed(tangled) if kind == "gpt2" else tangled
