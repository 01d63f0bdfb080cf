"""Tokens are drawn as transformers draws them; cache, stops, seeds. Greedy, `test_models.py` compares each decoder."""

import pytest
import torch

from tests.random_models import DECODERS, OURS, batch, random_model
from tutorial_lib import load
from tutorial_lib.attention import softmax
from tutorial_lib.generation import draw, generate, probabilities, typewriter
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.tokenization import BPE
from tutorial_lib.tokenization.encoding import Encoding
from tutorial_lib.trace import change


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


@pytest.mark.parametrize("kind", DECODERS)
@pytest.mark.parametrize("as_tensor", [True, False])
def test_padding_on_any_side_changes_nothing(kind, as_tensor):
    model = OURS[kind].from_hf(random_model(kind, 3))
    prompts = [[5, 6, 7], [8, 9], [10]]
    alone = [generate(model, prompt, 6) for prompt in prompts]
    right = [prompt + [1] * (3 - len(prompt)) for prompt in prompts]
    left = [[1] * (3 - len(prompt)) + prompt for prompt in prompts]
    for padded, mask in (right, [[1, 1, 1], [1, 1, 0], [1, 0, 0]]), (left, [[1, 1, 1], [0, 1, 1], [0, 0, 1]]):
        if as_tensor:
            padded, mask = torch.tensor(padded), torch.tensor(mask)
        encoding = Encoding(padded, padded, torch.zeros(3, 3).long(), mask)
        for cache in (True, False):
            assert generate(model, padded, 6, attention_mask=mask, cache=cache) == alone
            assert generate(model, encoding, 6, cache=cache) == alone


def test_padding_is_not_part_of_a_prompt():
    gpt, tok = load("book-gpt", device="cpu")
    texts = ["the bear", "once upon a time the bear sat in the"]
    alone = [generate(gpt, tok(text).ids, 6) for text in texts]
    assert generate(gpt, tok(texts), 6) == alone
    assert generate(gpt, tok(texts[0], pad_to=8), 6) == alone[0]


def test_value_can_be_changed_while_writing(gpt):
    assert generate(gpt, [1, 2], 5, keep=change({"layer.0.output": lambda X: X})) == generate(gpt, [1, 2], 5)
    only_9 = change({"logits": lambda logits: logits.masked_fill(torch.arange(60) != 9, -torch.inf)})
    assert generate(gpt, [[1, 2], [3]], 3, keep=only_9) == [[9, 9, 9], [9, 9, 9]]
    steer = change({"layer.*.attention.weights": lambda A: (A > 0) / (A > 0).sum(-1, True)})
    assert generate(gpt, [1, 2, 3], 5, keep=steer) == generate(gpt, [1, 2, 3], 5, keep=steer, cache=False)
    assert generate(gpt, [1], 2, keep=lambda name, X: X if not X.requires_grad else 1 / 0)  # no gradients are kept
    with pytest.raises(ValueError, match="stops must match a value of this run, got 'layer.7.output'"):
        generate(gpt, [1], 1, keep=change({"layer.7.output": 0}))


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


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("temperature", [1e-5, 2**-126, 1e-46, 5e-324])
def test_near_temperature_0_the_largest_takes_all(dtype, temperature):
    z = torch.tensor([2.875, 2.9551, 11.0625], dtype=dtype)
    for p in (softmax(z, temperature=temperature), probabilities(z, temperature)):
        assert p.dtype == dtype and p.tolist() == [0, 0, 1]
    equal = torch.tensor([4.0, 4.0, 3.0], dtype=dtype)
    assert probabilities(equal, temperature).tolist() == [0.5, 0.5, 0]


@pytest.mark.parametrize("wrong", [torch.inf, torch.nan])
def test_scores_that_are_not_numbers_are_rejected(wrong):
    for call in (softmax, probabilities, draw):
        with pytest.raises(ValueError, match=f"must contain numbers or -inf, with a number in each row, got {wrong}"):
            call(torch.tensor([[0.0, 1.0], [wrong, 0.0]]))


def test_excluded_tokens_are_never_drawn():
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
        (([], 3), "ids contains an empty prompt"),
        (([[1], []], 3), "ids contains an empty prompt"),
        (("the bear", 3), "got 'the bear'. Tokenize texts first"),
        ((["the bear"], 3), r"got \['the bear'\]. Tokenize texts first"),
        (([1], -1), "n must be a number of tokens, 0 or more, got -1"),
        (([1], 3, -0.5), "temperature must be 0"),
        (([1], 3, float("nan")), "temperature must be 0"),
        (([1], 3, 1.0, 0), "top_k must be a number of tokens, 1 to 60, got 0"),
        (([1], 3, 1.0, 61), "top_k must be a number of tokens, 1 to 60, got 61"),
        (([1], 3, 1.0, None, 0.0), "top_p must be above 0 and at most 1, got 0.0"),
        (([1], 3, 1.0, None, 1.5), "top_p must be above 0 and at most 1, got 1.5"),
        (([1], 3, 0, None, None, 0, [60]), "stop must be ids, whole numbers in 0..59, got 60"),
        (([1], 3, 0, None, None, 0, "a"), "stop must be ids"),
    ],
)
def test_arguments_that_do_not_fit_are_rejected(gpt, arguments, says):
    with pytest.raises((ValueError, TypeError), match=says):
        generate(gpt, *arguments)
