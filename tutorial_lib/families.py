"""What the members of BERT's family are called on the hub: BERT, DistilBERT, RoBERTa, ALBERT. Source: R 3; A 3.

One encoder (`bert.Bert`) computes them all. They differ in a few numbers of `bert.Config`, and in the names that their
files use; both stand here, one `Family` each, so that `bert` can be read without them.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Family:
    """Names of one member of the family.

    settings: our name -> (theirs in config.json, its value where the file is silent). fixed: our names whose value no
    file tells. computed: settings that must have this value, where they are there. rename: (pattern of their name, our
    name), applied in this order to each parameter's name.
    """

    settings: dict
    rename: list
    fixed: dict = field(default_factory=dict)
    computed: dict = field(default_factory=dict)


def _settings(names, defaults):
    """our name -> (their name, default), out of one text of their names and one of defaults."""
    ours = ("vocab_size", "d_model", "n_layers", "n_heads", "d_ff", "n_positions", "activation")
    return dict(zip(ours, zip(names.split(), defaults, strict=True), strict=True))


_BERT = ("vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size max_position_embeddings "
         "hidden_act")  # fmt: skip
_DISTIL = "vocab_size dim n_layers n_heads hidden_dim max_position_embeddings activation"
_ABSOLUTE = dict(is_decoder=False, add_cross_attention=False, position_embedding_type="absolute")
_EPS = {"eps": ("layer_norm_eps", 1e-12)}

_EMBEDDINGS = [
    (r"LayerNorm\.gamma$", "LayerNorm.weight"),  # the spelling of the oldest files
    (r"LayerNorm\.beta$", "LayerNorm.bias"),
    (r"^embeddings\.word_embeddings\.", "embeddings.tokens."),
    (r"^embeddings\.position_embeddings\.", "embeddings.positions."),
    (r"^embeddings\.token_type_embeddings\.", "embeddings.segments."),
    (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
]
_LAYERS = [
    (r"^encoder\.layer\.(\d+)\.", r"layer.\1."),
    (r"\.attention\.self\.query\.", ".attention.W_Q."),
    (r"\.attention\.self\.key\.", ".attention.W_K."),
    (r"\.attention\.self\.value\.", ".attention.W_V."),
    (r"\.attention\.output\.dense\.", ".attention.W_O."),
    (r"\.attention\.output\.LayerNorm\.", ".attention_norm."),
    (r"\.intermediate\.dense\.", ".feed_forward.W_1."),
    (r"^(layer\.\d+)\.output\.dense\.", r"\1.feed_forward.W_2."),
    (r"^(layer\.\d+)\.output\.LayerNorm\.", r"\1.norm."),
    (r"^pooler\.dense\.", "pooler.W."),
]

FAMILIES = {
    "bert": Family(
        _settings(_BERT, (30_522, 768, 12, 12, 3_072, 512, "gelu")) | _EPS | {"n_segments": ("type_vocab_size", 2)},
        [
            (r"^bert\.", ""),
            *_EMBEDDINGS,
            *_LAYERS,
            (r"^cls\.predictions\.transform\.dense\.", "mlm.W."),
            (r"^cls\.predictions\.transform\.LayerNorm\.", "mlm.norm."),
            (r"^cls\.predictions\.decoder\.", "mlm.decoder."),
            (r"^cls\.predictions\.bias$", "mlm.decoder.bias"),
            (r"^cls\.seq_relationship\.", "nsp."),
        ],
        computed=_ABSOLUTE,
    ),
    "distilbert": Family(  # half the layers, no segments, no pooler (Sanh et al., 2019)
        _settings(_DISTIL, (30_522, 768, 6, 12, 3_072, 512, "gelu")),
        [
            (r"^distilbert\.", ""),
            *_EMBEDDINGS,
            (r"^transformer\.layer\.", "layer."),
            (r"\.attention\.q_lin\.", ".attention.W_Q."),
            (r"\.attention\.k_lin\.", ".attention.W_K."),
            (r"\.attention\.v_lin\.", ".attention.W_V."),
            (r"\.attention\.out_lin\.", ".attention.W_O."),
            (r"\.sa_layer_norm\.", ".attention_norm."),
            (r"\.ffn\.lin(\d)\.", r".feed_forward.W_\1."),
            (r"\.output_layer_norm\.", ".norm."),
            (r"^vocab_transform\.", "mlm.W."),
            (r"^vocab_layer_norm\.", "mlm.norm."),
            (r"^vocab_projector\.", "mlm.decoder."),
        ],
        fixed=dict(n_segments=0, eps=1e-12),
    ),
    "roberta": Family(  # BERT trained for longer, without pairs; positions count from pad_id + 1 (Liu et al., 2019)
        _settings(_BERT, (50_265, 768, 12, 12, 3_072, 512, "gelu"))
        | _EPS
        | {"n_segments": ("type_vocab_size", 2), "pad_id": ("pad_token_id", 1)},
        [
            (r"^roberta\.", ""),
            *_EMBEDDINGS,
            *_LAYERS,
            (r"^lm_head\.dense\.", "mlm.W."),
            (r"^lm_head\.layer_norm\.", "mlm.norm."),
            (r"^lm_head\.decoder\.", "mlm.decoder."),
            (r"^lm_head\.bias$", "mlm.decoder.bias"),
        ],
        computed=_ABSOLUTE | {"hidden_act": "gelu"},  # its head has gelu in any case
    ),
    "albert": Family(  # narrow tables, one layer's weights for all layers (Lan et al., 2020)
        _settings(_BERT, (30_000, 4_096, 12, 64, 16_384, 512, "gelu_new"))
        | _EPS
        | {
            "n_segments": ("type_vocab_size", 2),
            "d_embedding": ("embedding_size", 128),
            "n_different": ("num_hidden_groups", 1),
        },
        [
            (r"^albert\.", ""),
            *_EMBEDDINGS,
            (r"^encoder\.embedding_hidden_mapping_in\.", "embeddings.W."),
            (r"^encoder\.albert_layer_groups\.(\d+)\.albert_layers\.0\.", r"different.\1."),
            (r"\.attention\.query\.", ".attention.W_Q."),
            (r"\.attention\.key\.", ".attention.W_K."),
            (r"\.attention\.value\.", ".attention.W_V."),
            (r"\.attention\.dense\.", ".attention.W_O."),
            (r"\.attention\.LayerNorm\.", ".attention_norm."),
            (r"\.ffn\.", ".feed_forward.W_1."),
            (r"\.ffn_output\.", ".feed_forward.W_2."),
            (r"\.full_layer_layer_norm\.", ".norm."),
            (r"^pooler\.", "pooler.W."),
            (r"^predictions\.dense\.", "mlm.W."),
            (r"^predictions\.LayerNorm\.", "mlm.norm."),
            (r"^predictions\.decoder\.", "mlm.decoder."),
            (r"^predictions\.bias$", "mlm.decoder.bias"),
            (r"^sop_classifier\.classifier\.", "nsp."),  # which of two sentences came first: two scores, as NSP's
        ],
        computed=_ABSOLUTE | {"inner_group_num": 1},
    ),
}


def family_of(settings) -> Family:
    """The family that a dictionary of a Hugging Face `config.json` belongs to; without a model_type it is BERT.

    Raises ValueError for other families, and for settings that `bert.Bert` does not compute.

    >>> family_of({"model_type": "distilbert"}).settings["d_model"]
    ('dim', 768)
    """
    name = settings.get("model_type") or "bert"
    if name not in FAMILIES:
        raise ValueError(f"model_type must be one of {', '.join(FAMILIES)}, got {name!r}")
    for setting, value in FAMILIES[name].computed.items():
        if (found := settings.get(setting) or value) != value:
            raise ValueError(f"{setting} must be {value!r}, got {found!r}: Bert does not compute that")
    return FAMILIES[name]
