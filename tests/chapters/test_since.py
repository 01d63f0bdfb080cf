"""What the chapter on today's models tells of the small ones that were trained for it, and of the published shapes."""

import json
import re

import numpy as np
import pytest

from tutorial_book.experiments import since
from tutorial_lib import bert, encoder_decoder, gpt, llama, modernbert
from tutorial_lib.geometry import mean_interval
from tutorial_lib.weights import resolve

KEPT = since.stored()
LOSSES = KEPT["kinds"]


def ends(kind, way="as it is"):
    return LOSSES[kind][way][:, -4:].mean(1)


def early(kind):
    return LOSSES[kind]["as it is"][:, 1:4].mean(1)


def test_one_distance_has_one_score(page):
    assert max(page.spread) < 1e-10 and len(page.spread) == 399
    assert np.ptp(page.S.numpy()) > 1  # other distances have others


def test_rotary_positions_are_the_best_within_the_trained_length():
    for kind in ("learned positions", "sinusoidal positions", "no positions"):
        assert mean_interval(early(kind) - early("Llama's shape"))[1] > 0.1, kind


def test_past_it_rotary_positions_fail_and_a_window_mends_them():
    rise = mean_interval(ends("Llama's shape") - early("Llama's shape"))
    assert rise[1] > 1
    mended = mean_interval(ends("Llama's shape", "window") - early("Llama's shape"))
    assert mended[2] < 0.15
    for kind in ("learned positions", "sinusoidal positions"):  # it is the places that they do not know
        assert mean_interval(ends(kind, "window") - early(kind))[1] > 0.3, kind


def test_past_it_a_model_without_positions_loses_least():
    for kind in ("Llama's shape", "learned positions", "sinusoidal positions"):
        assert mean_interval(ends(kind) - ends("no positions"))[1] > 0.1, kind
    rise = mean_interval(ends("no positions") - early("no positions"))
    assert rise[1] > 0.1  # it loses, too
    mended = mean_interval(ends("no positions", "window") - early("no positions"))
    assert mended[2] < 0.3


def test_no_older_part_moves_the_loss_by_a_twentieth_and_other_positions_by_a_third():
    older = {kind: mean_interval(early(kind) - early("Llama's shape")) for kind in list(LOSSES)[1:]}
    for kind, (mean, low, high) in older.items():
        if "positions" in kind:
            assert mean > 0.3, kind
        else:
            assert abs(mean) < 0.05, kind
    assert older["LayerNorm"][2] < 0  # better, in all seeds
    low, high = older["plain feed-forward"][1:]
    assert low < 0 < high


def test_the_fast_pairs_tell_distance_and_the_slow_ones_do_not():
    heads = LOSSES["Llama's shape"]["heads"]
    assert heads["distance, untrained"].max() < 0.06
    assert (heads["distance"][..., :4].max(1) > 0.1).all() and heads["distance"][..., 4:].max() < 0.06
    assert (heads["distance"].max(1).argmax(-1) == 2).mean() > 0.5
    still = heads["without turning"]
    assert mean_interval(still)[1][:4].min() > 0.02 and np.abs(still[:, 4:]).max() < 0.02
    assert 0.04 < heads["without meaning"].mean(0).min() < heads["without meaning"].mean(0).max() < 0.2


def test_the_cache_takes_half_a_megabyte_a_token(page, prose):
    sizes = {name: page.cache_bytes(shape) for name, shape in page.shapes.items()}
    assert list(sizes.values()) == [524_288, 131_072, 16_384]
    assert page.sizes["Llama 2, 7 billion"] == pytest.approx(6.74e9, rel=0.01)
    assert page.sizes["Llama 3, 8 billion"] == pytest.approx(8.03e9, rel=0.01)


def test_a_third_of_global_layers_saves_what_the_caption_says(page):
    assert page.n_global == 8 and page.L == 22
    assert page.all_pairs[-1] / page.matrices[-1] == pytest.approx(2.5, abs=0.05)
    assert page.some_pairs[-1] < page.matrices[-1]
    assert page.all_pairs[1] < 0.2 * page.matrices[1]  # at 512 tokens


def test_the_table_tells_what_the_library_builds(prose):
    """Each row against the modules of a model with two layers."""
    small = dict(vocab_size=50, d_model=16, n_layers=2, n_heads=4, d_ff=32)
    models = {
        "Transformer": encoder_decoder.EncoderDecoder(encoder_decoder.Config(**small)),
        "BERT": bert.Bert(bert.Config(**small)),
        "GPT-2": gpt.GPT(gpt.Config(**small)),
        "Llama": llama.Llama(llama.Config(**small, n_kv_heads=2)),
        "ModernBERT": modernbert.ModernBert(modernbert.Config(**small)),
    }
    lines = [line.strip("|").split("|") for line in prose.splitlines() if line.startswith("|")]
    rows = {line[0].strip(): line[1:] for line in lines[2:]}
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
        assert entry["biases"] == ("yes" if any(name.endswith("W_1.bias") for name in names) else "none")


def test_each_entry_of_the_table_leads_somewhere(prose):
    table = prose[prose.index("| part | [Transformer") : prose.index("What did not change is longer")]
    rows = [line.split("|")[2:-1] for line in table.splitlines() if line.startswith("|") and "---" not in line]
    assert len(rows) == 7 and all("](" in cell for row in rows for cell in row)


def test_a_story_that_begins_further_on_is_the_same_to_rotary_positions_alone(page):
    assert (page.chances - page.chances[0]).abs().max() < 1e-12
    learned, turned = (np.array(page.moved_losses[name]) for name in ("learned", "rotary"))
    assert np.ptp(turned) < 1e-4 and learned[1:].min() - learned[0] > 1 / 3 and learned[-1] - learned[0] > 1
    assert page.told_stories.shape == (50, 41)


def test_both_were_trained_alike():
    with open(since.ROTARY / "curves.json", encoding="utf-8") as file:
        rotary = json.load(file)
    with open(resolve("book-gpt") / "curves.json", encoding="utf-8") as file:
        learned = json.load(file)
    assert len(rotary["loss"]) == len(learned["loss"])
    assert rotary["loss"][0] == pytest.approx(learned["loss"][0], abs=0.2)  # the same first batch; a table less
    assert rotary["held_out"] == pytest.approx(learned["held_out"], abs=0.02)  # "the two end alike"
    assert all(rotary[name] == pytest.approx(learned[name], abs=1e-3) for name in ("unigram", "bigram"))  # and stories
