"""The checks that students run themselves: cases, usual mistakes, hints.

Each `check_...(function)` prints what passes and, for the first thing that does not, how the answer is wrong. They are
here to help, not to give marks: those are given by `coursework/` in the repository, on other inputs.
"""

from tutorial_book.exercises.attention import (
    check_attention,
    check_causal_mask,
    check_near_attention,
    check_rotate,
    check_shift_matrix,
    check_sinusoidal,
    check_softmax,
)
from tutorial_book.exercises.bert_layer import (
    check_bert_layer,
    check_feed_forward,
    check_gelu,
    check_grouped_query_attention,
    check_layer_norm,
    check_multi_head_attention,
    check_pre_norm_layer,
    check_split_heads,
    weights_of,
)
from tutorial_book.exercises.geometry import (
    check_anisotropy,
    check_average_cosine,
    check_contrast_cosine,
    check_cosine_matrix,
    check_sign_flip_p,
    check_swap_p,
    check_two_nn,
    check_without_loudest,
)
from tutorial_book.exercises.own import ask
from tutorial_book.exercises.project import (
    check_collection,
    check_neighbor_margin,
    check_neighbor_purity,
    check_purity_p,
    check_report,
    measure,
)
from tutorial_book.exercises.tokenization import (
    check_count_pairs,
    check_encode_pair,
    check_longest_match,
    check_match_from_right,
    check_merge,
    check_pack,
    check_pad,
    check_train_bpe,
    check_words,
)

__all__ = [
    "ask",
    "check_anisotropy",
    "check_attention",
    "check_average_cosine",
    "check_bert_layer",
    "check_causal_mask",
    "check_collection",
    "check_contrast_cosine",
    "check_cosine_matrix",
    "check_count_pairs",
    "check_encode_pair",
    "check_feed_forward",
    "check_gelu",
    "check_grouped_query_attention",
    "check_layer_norm",
    "check_longest_match",
    "check_match_from_right",
    "check_merge",
    "check_multi_head_attention",
    "check_near_attention",
    "check_neighbor_margin",
    "check_neighbor_purity",
    "check_pack",
    "check_pad",
    "check_pre_norm_layer",
    "check_purity_p",
    "check_report",
    "check_rotate",
    "check_shift_matrix",
    "check_sign_flip_p",
    "check_sinusoidal",
    "check_softmax",
    "check_split_heads",
    "check_swap_p",
    "check_train_bpe",
    "check_two_nn",
    "check_without_loudest",
    "check_words",
    "measure",
    "weights_of",
]
