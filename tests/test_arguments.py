"""The checks of arguments: each rejects what it should, and its message names the argument, the rule and the value."""

import math
from types import SimpleNamespace

import pytest
import torch

from tutorial_lib import arguments as a

KV = torch.ones(1, 2, 3, 4)
ENCODING = SimpleNamespace(ids=[[5]], attention_mask=[[1]], token_type_ids=[[0]])


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: a.whole_number("n", True, 1, "a number"), "n must be a number, got True"),
        (lambda: a.whole_number("n", 2.0, 1, "a number"), "n must be a number, got 2.0"),
        (lambda: a.whole_number("n", 0, 1, "a number"), "n must be a number, got 0"),
        (lambda: a.whole_number("n", 4, 1, "a number", 3), "n must be a number, got 4"),
        (lambda: a.real_number("x", True, "a number"), "x must be a number, got True"),
        (lambda: a.real_number("x", "1", "a number"), "x must be a number, got '1'"),
        (lambda: a.real_number("x", math.nan, "a number"), "x must be a number, got nan"),
        (lambda: a.real_number("x", -0.1, "a number", 0, 1), "x must be a number, got -0.1"),
        (lambda: a.real_number("x", 1.1, "a number", 0, 1), "x must be a number, got 1.1"),
        (lambda: a.check_sizes(n=0), "n must be a size"),
        (lambda: a.check_sizes(n=2**31 + 1), "n must be a size"),
        (lambda: a.even_width("d", 0), "d must be an even number"),
        (lambda: a.even_width("d", 7), "d must be an even number.*got 7"),
        (lambda: a.positive("x", 0), "x must be a positive number, got 0"),
        (lambda: a.positive("x", math.inf), "x must be a positive number, got inf"),
        (lambda: a.check_seed("seed", -1), "seed must be a seed"),
        (lambda: a.check_tensors(x=[1.0]), "x must be a float tensor .* got list"),
        (lambda: a.check_tensors(x=torch.ones(2).long()), "x must be a float tensor .* got torch.int64 with 1 axes"),
        (lambda: a.check_tensors(x=torch.tensor(1.0)), "x must be a float tensor .* got torch.float32 with 0 axes"),
        (lambda: a.check_has("x", str, "a text", "split"), "x must be a text, got type"),
        (lambda: a.check_has("x", "text", "a text", "split", "no_such"), "x must be a text, got str"),
        (lambda: a.check_path("file", 3), "file must be the name of a file or a folder, got 3"),
        (lambda: a.one_of("x", 3, "ab"), "x must be one of a, b, got 3"),
        (lambda: a.one_of("x", "c", "ab"), "x must be one of a, b, got 'c'"),
        (lambda: a.check_text("x", b"bear"), "x must be a str, got bytes"),
        (lambda: a.check_text("x", "a\ud83d"), r"x must be valid Unicode, .* U\+D83D at position 1"),
        (lambda: a.check_texts("x", "bear"), "x must be a list of str, got str"),
        (lambda: a.check_texts("x", 3), "x must be a list of str, got int"),
        (lambda: a.check_texts("x", {"a": "bear"}), "x must be a list of str, got dict"),
        (lambda: a.check_texts("x", {"a", "bear"}), "x must be a list of str, got set"),
        (lambda: a.check_texts("x", ["a", 3]), r"x\[1\] must be a str, got int"),
        (lambda: a.check_texts("x", []), "x must contain at least one text, got none"),
        (lambda: a.as_ids("ids", object(), 9, "words"), "must be rows of whole numbers, .*, got <object"),
        (lambda: a.as_ids("ids", [[1], [1, 2]], 9, "words"), "ids must be rows of whole numbers, all of the same"),
        (lambda: a.as_ids("ids", "a bear", 9, "words"), "got 'a bear'. Tokenize texts first"),
        (lambda: a.as_ids("ids", [["a", "bear"]], 9, "words"), r"bear'\]\]. Tokenize texts first"),
        (lambda: a.check_id_lists("x", ["a bear"]), r"got \['a bear'\]. Tokenize texts first"),
        (lambda: a.as_ids("ids", [[1.0]], 9, "words"), "ids must be whole numbers, got torch.float32"),
        (lambda: a.as_ids("ids", [], 9, "words"), r"ids must have shape \(texts, tokens\) with at least one of each"),
        (lambda: a.as_ids("ids", [[[1]]], 9, "words"), r"ids must have shape .* got \(1, 1, 1\)"),
        (lambda: a.as_ids("ids", [[1]], 9, "words", shape=(1, 2)), r"ids must have .* shape \(1, 2\), got \(1, 1\)"),
        (lambda: a.as_ids("ids", [[1, 9]], 9, "words"), r"ids must be in 0\.\.8 \(words\), got 9"),
        (lambda: a.as_ids("ids", [[1, -1]], 9, "words"), r"ids must be in 0\.\.8 \(words\), got -1"),
        (lambda: a.as_attention_mask("mask", object()), "mask must be rows of 1 .*, got <object"),
        (lambda: a.as_attention_mask("mask", 1), "mask must contain only 1"),
        (lambda: a.as_attention_mask("mask", [[0, -math.inf]]), "mask must contain only 1"),
        (lambda: a.as_attention_mask("mask", [[1]], (1, 2)), r"mask must have .* shape \(1, 2\)"),
        (lambda: a.as_attention_mask("mask", [[1], [0]], (2, 1), empty=False), "mask marks a whole text"),
        (lambda: a.check_id_lists("x", [[1], []]), r"x must contain at least one list, .* got lengths \[1, 0\]"),
        (lambda: a.check_id_lists("x", []), "x must contain at least one list"),
        (lambda: a.check_id_lists("x", [[1.0]]), "x must be lists of ids"),
        (lambda: a.inputs_of(ENCODING, [[1]]), "attention_mask and token_type_ids must be left out with an encoding"),
        (lambda: a.inputs_of(ENCODING, None, [[0]]), "attention_mask and token_type_ids must be left out"),
        (lambda: a.check_cache([(KV, KV)], 2), "cache must be what an earlier call returned, for 2 layers"),
        (lambda: a.check_cache([(KV, KV), (KV[:, :, :2], KV[:, :, :2])], 2), "cache must be what an earlier call"),
        (lambda: a.check_cache([(KV, KV[:, :, :2])], 1), "cache must be what an earlier call returned"),
        (lambda: a.check_cache(7, 1), "cache must be what an earlier call returned"),
        (lambda: a.check_groups(5, 2), "n_heads must be a multiple of n_kv_heads, 2, got 5"),
    ],
)
def test_invalid_arguments_are_rejected_by_name(call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call()


def test_valid_arguments_are_returned():
    assert a.whole_number("n", torch.tensor(3), 3, "a number", 3) == 3
    assert a.real_number("x", 1, "a number", 1, 1) == 1.0
    assert a.check_texts("x", (), least=0) == []
    assert a.as_attention_mask("mask", None, (1, 2)) is None
    assert a.as_ids("ids", [0, 8], 9, "words").tolist() == [[0, 8]]
    assert a.inputs_of(ENCODING) == ([[5]], [[1]], [[0]])
    assert a.check_cache(None, 3) == 0 and a.check_cache([((KV, KV), (KV[:, :, :1], KV[:, :, :1]))], 1) == 3
