"""Checks that the page on the transformer of 2017 (row 25) cannot do: other runs, and the behavior of the classes."""

import pytest
import torch

from tutorial_lib import bert, encoder_decoder, gpt
from tutorial_lib.encoder_decoder import EncoderDecoder
from tutorial_lib.texts.translations import START
from tutorial_lib.training import Settings, train, translated

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


@pytest.mark.long
def test_exercise_4_two_of_four_need_the_road(chapter, page):
    loss, runs = translated(page.to_learn, 64, START), []
    for seed in range(4):
        torch.manual_seed(seed)
        slower = EncoderDecoder(page.model.config)
        train(slower, loss, Settings(250, lr=3e-3, warmup=50, seed=seed))
        with torch.no_grad():
            kept = [chapter(model=slower).correct(*masks)[0] for masks in page.cuts.values()]
        nothing, look, road, both = kept
        assert nothing > 0.99 and 0.24 < both < 0.36
        runs.append((road, look))
    runs.sort()
    assert all(road < 0.5 for road, _ in runs[:2])
    assert all(road > 0.9 and 0.5 < look < 0.995 for road, look in runs[2:])  # .92 or .62, by processor


def test_sizes_of_the_three_models(page):
    all_parameters = [found["parameters in all"] for found in page.counted.values()]
    assert all_parameters == [63_082_496, 109_482_240, 124_439_808]
    assert page.of_layers == {"2017, base": 44_138_496, "BERT-base": 85_054_464, "GPT-2": 85_054_464}
    encoder, decoder = (page.count(stack.layer[0]) for stack in (page.paper.encoder, page.paper.decoder))
    assert decoder / encoder == pytest.approx(4 / 3, abs=0.005)


def test_table_of_differences_matches_the_classes():
    configs = encoder_decoder.Config(), bert.Config(), gpt.Config()
    assert [config.activation for config in configs] == ["relu", "gelu", "gelu_new"]
    assert [config.n_positions for config in configs[1:]] == [512, 1_024]
    small = dict(vocab_size=20, d_model=8, n_layers=1, n_heads=2, d_ff=16)
    paper = EncoderDecoder(encoder_decoder.Config(**small))
    models = paper, base, gpt_2 = paper, bert.Bert(bert.Config(**small), mlm=True), gpt.GPT(gpt.Config(**small))
    names = [" ".join(name for name, _ in model.named_parameters()) for model in models]
    assert [["cross_attention" in one, "position" in one, "segment" in one] for one in names] == [
        [True, False, False], [False, True, True], [False, True, False],
    ]  # fmt: skip
    assert hasattr(base.embeddings, "norm") and not hasattr(gpt_2.embeddings, "norm")
    assert isinstance(gpt_2.norm, torch.nn.LayerNorm) and isinstance(paper.encoder.norm, torch.nn.Identity)
    assert paper.unembedding.weight is paper.encoder.embeddings.tokens.weight
    assert base.mlm.decoder.weight is base.embeddings.tokens.weight
    assert gpt_2.unembedding.weight is gpt_2.embeddings.tokens.weight

    def sees_ahead(run):
        return not torch.equal(run([5, 6, 7])[:, 0], run([5, 6, 9])[:, 0])

    looks = [paper.encode, lambda ids: paper.decode(ids, paper.encode([3, 4]))[0], base, lambda ids: gpt_2(ids)[0]]
    assert [sees_ahead(run) for run in looks] == [True, False, True, False]
