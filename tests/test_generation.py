"""Generated tokens are transformers', token for token, with and without the cache, drawn or not."""

import pytest
import torch

from tutorial_lib.generation import draw, generate, probabilities
from tutorial_lib.gpt import GPT, Config

SMALL = Config(vocab_size=60, d_model=24, n_layers=2, n_heads=3, d_ff=40, n_positions=12)


def some_ids(model, n, texts=2, seed=0):
    return torch.randint(model.config.vocab_size, (texts, n), generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def gpt():
    torch.manual_seed(0)
    return GPT(SMALL).eval()


def theirs_after(model, ids, n, **settings):
    """What transformers adds to prompts of one length; it stops nowhere early."""
    model.generation_config.eos_token_id = None
    told = dict(max_new_tokens=n, pad_token_id=1, eos_token_id=None, attention_mask=torch.ones_like(ids))
    return model.generate(ids, **told | settings)[:, ids.shape[1] :].tolist()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["gpt2", "opt"])
def test_greedy_is_transformers(hugging_face, kind, seed):
    model = hugging_face(kind, seed)
    ids = some_ids(model, 5, seed=seed)
    assert generate(GPT.from_hf(model), ids, 9) == theirs_after(model, ids, 9, do_sample=False)


@pytest.mark.parametrize("settings", [{}, {"top_k": 5}, {"top_p": 0.7}, {"top_k": 9, "top_p": 0.5}])
@pytest.mark.parametrize("seed", [2, 5, 8])
@pytest.mark.parametrize("kind", ["gpt2", "opt"])
def test_drawn_with_the_same_random_numbers_it_is_transformers(hugging_face, kind, seed, settings):
    model = hugging_face(kind, seed)
    ids = some_ids(model, 4)
    torch.manual_seed(7)
    expected = theirs_after(model, ids, 9, do_sample=True, temperature=0.8, **{"top_k": 0} | settings)
    assert generate(GPT.from_hf(model), ids, 9, temperature=0.8, seed=7, **settings) == expected


@pytest.mark.parametrize("kind", ["gpt2", "opt"])
def test_prompts_of_unequal_lengths_are_transformers(hugging_face, kind):
    model = hugging_face(kind, 4)
    prompts = [[5, 9, 3, 11, 2], [8, 4], [6]]
    ids = torch.tensor([[1] * (5 - len(prompt)) + prompt for prompt in prompts])
    mask = torch.tensor([[0] * (5 - len(prompt)) + [1] * len(prompt) for prompt in prompts])
    expected = theirs_after(model, ids, 8, do_sample=False, attention_mask=mask)
    ours = GPT.from_hf(model)
    assert generate(ours, prompts, 8) == expected == [generate(ours, prompt, 8) for prompt in prompts]


@pytest.mark.parametrize("length", [1, 5, 11, 12, 13, 20])
@pytest.mark.parametrize("temperature", [0, 1.3])
def test_cached_is_uncached_up_to_and_past_the_last_position(gpt, length, temperature):
    prompts = [torch.arange(length).tolist(), torch.arange(1, length // 2 + 2).tolist()]
    with_cache, without = (generate(gpt, prompts, 18, temperature, seed=3, cache=cache) for cache in (True, False))
    assert with_cache == without and [len(new) for new in with_cache] == [18, 18]


def test_past_the_last_position_only_the_last_tokens_count(gpt):
    long = torch.arange(30).tolist()
    assert generate(gpt, long, 1) == generate(gpt, long[-12:], 1)


def test_a_stop_ends_its_own_text_only(gpt):
    prompts = [[1, 2], [3]]
    free = generate(gpt, prompts, 10, temperature=2.0, seed=1)
    stop = free[0][4]
    ended = generate(gpt, prompts, 10, temperature=2.0, seed=1, stop=[stop])
    assert ended[0] == free[0][: free[0].index(stop) + 1]
    assert ended[1] == (free[1][: free[1].index(stop) + 1] if stop in free[1] else free[1])


def test_text_is_written_while_it_is_made_in_whole_characters():
    from tutorial_lib.generation import typewriter
    from tutorial_lib.tokenization import BPE

    tok = BPE.train(["the bear"], 262)
    text = "the bär 🐻!"
    pieces = []
    callback = typewriter(tok, pieces.append)
    ids = tok.encode(text).ids
    for id in ids:
        assert not callback([id, None])
    callback([None, None])
    assert "".join(pieces) == text and len(pieces) < len(ids) and "\ufffd" not in pieces


def test_the_callback_sees_each_step_and_can_end_it(gpt):
    steps = []
    new = generate(gpt, [[1], [2, 3]], 6, callback=steps.append)
    assert [list(text) for text in zip(*steps, strict=True)] == new
    assert len(generate(gpt, [1], 6, callback=lambda step: True)) == 1


def test_seeds_come_back(gpt):
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


def test_no_prompt_no_token(gpt):
    assert generate(gpt, [1], 0) == []


@pytest.mark.parametrize(
    "arguments, says",
    [
        (([], 3), "got an empty one"),
        (([[1], []], 3), "got an empty one"),
        (([1], 3, 1.0, None, 1.5), "top_p must be above 0"),
        (([1], -1), "n must be a number of tokens, 0 or more, got -1"),
        (([1], 3, -0.5), "temperature must be 0"),
        (([1], 3, float("nan")), "temperature must be 0"),
        (([1], 3, 1.0, 0), "top_k must be a number of tokens, 1 to 60, got 0"),
        (([1], 3, 1.0, None, 0.0), "top_p must be above 0 and at most 1, got 0.0"),
    ],
)
def test_bad_arguments_are_told(gpt, arguments, says):
    with pytest.raises(ValueError, match=says):
        generate(gpt, *arguments)
