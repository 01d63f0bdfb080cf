"""Statements of the chapter on today's models that its page cannot check: published shapes, the table, trainings."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tutorial_book.experiments import since, stored
from tutorial_lib import bert, encoder_decoder, gpt, llama, modernbert
from tutorial_lib.training import next_tokens, train
from tutorial_lib.weights import resolve


def test_cache_and_parameters_match_the_published_models(page):
    assert [page.cache_bytes(shape) for shape in page.shapes.values()] == [524_288, 131_072, 16_384]
    assert page.sizes["Llama 2, 7 billion"] == pytest.approx(6.74e9, rel=0.01)
    assert page.sizes["Llama 3, 8 billion"] == pytest.approx(8.03e9, rel=0.01)


@pytest.mark.long
@pytest.mark.usefixtures("one_thread")
def test_short_initial_position_table_beats_no_positions():
    model = since.new_model("learned positions", 0)
    model.embeddings.table.data *= 0.1
    train(model, next_tokens(since.text(), since.N_TOKENS, since.BATCH), replace(since.SETTINGS, seed=0))
    none = stored("since", ["kinds"])["kinds"]["no positions"]["as it is"][:, 1:4].mean(1)
    assert torch.tensor(since.by_place(model, since.pieces())[1:4]).mean() < none.min() - 0.03


def test_the_table_says_what_the_library_builds():
    """Each row against the modules of a model with two layers; each entry has a target."""
    small = dict(vocab_size=50, d_model=16, n_layers=2, n_heads=4, d_ff=32)
    models = {
        "Transformer": encoder_decoder.EncoderDecoder(encoder_decoder.Config(**small)),
        "BERT": bert.Bert(bert.Config(**small)),
        "GPT-2": gpt.GPT(gpt.Config(**small)),
        "Llama": llama.Llama(llama.Config(**small, n_kv_heads=2)),
        "ModernBERT": modernbert.ModernBert(modernbert.Config(**small)),
    }
    text = (Path(__file__).parents[2] / "book" / "since.md").read_text(encoding="utf-8")
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    rows = {line[0].strip(): line[1:] for line in lines[2:]}
    assert len(rows) == 6 and all("](" in cell for line in (lines[0][1:], *rows.values()) for cell in line[:5])
    assert [re.sub(r" ?\[?(.*?), \d{4}.*", r"\1", cell) for cell in lines[0][1:]] == list(models)
    for column, model in enumerate(models.values()):
        entry = {name: re.sub(r"\(.*?\)|[\[\]]", "", cells[column]).strip() for name, cells in rows.items()}
        parts = list(model.modules())
        names = [name for name, _ in model.named_parameters()]
        learned = any("positions" in name for name in names)
        rotary = hasattr(model.config, "rope")
        assert entry["positions"] == ("rotary" if rotary else "learned, added" if learned else "sines, added")
        norm = "RMSNorm" if any(isinstance(one, llama.RMSNorm) for one in parts) else "LayerNorm"
        first = rotary or getattr(model.config, "norm_first", False)
        assert entry["norm"] == f"{norm}, {'before' if first else 'after'}"
        kind = {"relu": "ReLU", "silu": "SiLU"}.get(model.config.activation, "GELU")
        gated = any(isinstance(one, llama.GatedFeedForward) for one in parts)
        assert entry["feed forward"] == (f"a gate, {kind}" if gated else kind)
        assert (entry["biases"] != "none") == any(name.endswith("W_1.bias") for name in names)


def test_both_had_the_same_training():
    rotary, learned = (
        json.loads((folder / "curves.json").read_text(encoding="utf-8"))
        for folder in (since.ROTARY, Path(resolve("book-gpt")))
    )
    assert len(rotary["loss"]) == len(learned["loss"])
    assert rotary["loss"][0] == pytest.approx(learned["loss"][0], abs=0.2)  # the same first batch; a table less
    assert rotary["held_out"] == pytest.approx(learned["held_out"], abs=0.02)
    assert all(rotary[name] == pytest.approx(learned[name], abs=1e-3) for name in ("unigram", "bigram"))  # and stories
