"""Tokens are drawn as transformers draws them; cache, stops, seeds. Greedy, `test_models.py` compares each decoder."""

import pytest
import torch

from tests.random_models import DECODERS, OURS, batch, random_model
from tutorial_lib.generation import draw, generate, probabilities, typewriter
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.tokenization import BPE


@pytest.fixture(scope="module")
def gpt():
    torch.manual_seed(0)
    return GPT(Config(vocab_size=60, d_model=24, n_layers=2, n_heads=3, d_ff=40, n_positions=12)).eval()


@pytest.mark.parametrize("settings", [{}, {"top_k": 5}, {"top_p": 0.7}, {"top_k": 9, "top_p": 0.5}])
@pytest.mark.parametrize("seed", [2, 5])
@pytest.mark.parametrize("kind", DECODERS)
def test_drawn_tokens_are_transformers_with_the_same_seed(kind, seed, settings):
    model = random_model(kind, seed)
    ids, mask = batch(model, (0, 4), (0, 4), seed=seed).values()
    model.generation_config.eos_token_id = None
    told = dict(max_new_tokens=9, do_sample=True, temperature=0.8, pad_token_id=1, eos_token_id=None)
    torch.manual_seed(7)
    theirs = model.generate(ids, attention_mask=mask, **told | {"top_k": 0} | settings)[:, 4:].tolist()
    assert generate(OURS[kind].from_hf(model), ids, 9, temperature=0.8, seed=7, **settings) == theirs


@pytest.mark.parametrize("length", [1, 5, 11, 12, 13, 20])
@pytest.mark.parametrize("temperature", [0, 1.3])
def test_cache_changes_nothing_past_the_last_position(gpt, length, temperature):
    prompts = [torch.arange(length).tolist(), torch.arange(1, length // 2 + 2).tolist()]
    with_cache, without = (generate(gpt, prompts, 18, temperature, seed=3, cache=cache) for cache in (True, False))
    assert with_cache == without and [len(new) for new in with_cache] == [18, 18]


def test_past_the_last_position_the_last_tokens_count(gpt):
    long = torch.arange(30).tolist()
    assert generate(gpt, long, 1) == generate(gpt, long[-12:], 1)


def test_a_stop_ends_its_own_text_only(gpt):
    prompts = [[1, 2], [3]]
    free = generate(gpt, prompts, 10, temperature=2.0, seed=1)
    stop = free[0][4]
    ended = generate(gpt, prompts, 10, temperature=2.0, seed=1, stop=[stop])
    assert ended[0] == free[0][: free[0].index(stop) + 1]
    assert ended[1] == (free[1][: free[1].index(stop) + 1] if stop in free[1] else free[1])


def test_typewriter_writes_whole_characters():
    tok = BPE.train(["the bear"], 262)
    text = "the bär 🐻!"
    pieces = []
    callback = typewriter(tok, pieces.append)
    ids = tok.encode(text).ids
    for id in ids:
        assert not callback([id, None])
    callback([None, None])
    assert "".join(pieces) == text and len(pieces) < len(ids) and "\ufffd" not in pieces


def test_callback_sees_each_step_and_can_end_it(gpt):
    steps = []
    new = generate(gpt, [[1], [2, 3]], 6, callback=steps.append)
    assert [list(text) for text in zip(*steps, strict=True)] == new
    assert len(generate(gpt, [1], 6, callback=lambda step: True)) == 1
    assert generate(gpt, [1], 0) == []


def test_the_same_seed_gives_the_same_text(gpt):
    texts = [generate(gpt, [1], 10, temperature=1.5, seed=seed) for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]
    assert generate(gpt, [1], 10, temperature=1.5, seed=torch.Generator().manual_seed(0)) == texts[0]


def test_what_is_left_out_is_never_drawn():
    scores = torch.log(torch.tensor([0.5, 0.3, 0.15, 0.05]))
    assert torch.allclose(probabilities(scores, top_p=0.8), torch.tensor([0.625, 0.375, 0, 0]))
    assert torch.allclose(probabilities(scores, top_p=0.81), torch.tensor([0.5, 0.3, 0.15, 0]) / 0.95)
    assert torch.allclose(probabilities(scores, top_k=1), torch.tensor([1.0, 0, 0, 0]))
    assert torch.allclose(probabilities(scores, temperature=0.5), torch.softmax(2 * scores, 0))
    drawn = draw(scores.expand(5000, 4), top_p=0.81, generator=torch.Generator().manual_seed(0))
    shares = drawn.bincount(minlength=4) / 5000
    assert shares[3] == 0 and abs(shares[0] - 0.526) < 0.03


@pytest.mark.parametrize(
    "arguments, says",
    [
        (([], 3), "got an empty one"),
        (([[1], []], 3), "got an empty one"),
        (([1], -1), "n must be a number of tokens, 0 or more, got -1"),
        (([1], 3, -0.5), "temperature must be 0"),
        (([1], 3, float("nan")), "temperature must be 0"),
        (([1], 3, 1.0, 0), "top_k must be a number of tokens, 1 to 60, got 0"),
        (([1], 3, 1.0, 61), "top_k must be a number of tokens, 1 to 60, got 61"),
        (([1], 3, 1.0, None, 0.0), "top_p must be above 0 and at most 1, got 0.0"),
        (([1], 3, 1.0, None, 1.5), "top_p must be above 0 and at most 1, got 1.5"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(gpt, arguments, says):
    with pytest.raises(ValueError, match=says):
        generate(gpt, *arguments)
