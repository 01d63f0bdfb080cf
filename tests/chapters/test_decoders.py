"""Checks that the chapter on decoders (row 45) cannot do: its stored runs, other seeds, published settings."""

import pytest
import torch

from tests.random_models import random_model
from tutorial_book.claims.tools import PUBLISHED
from tutorial_book.experiments.decoders import sampled
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.parity import compare, difference

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


@pytest.fixture(scope="module")
def page(chapter, book_gpt):
    return chapter(gpt=book_gpt)


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


def test_the_prompt_has_a_token_for_each_word(page):
    assert [token.strip() for token in page.tokens] == ["(start)", *page.prompt.replace(".", " .").split()]


def test_scores_are_products_with_the_token_table(page):
    E = page.gpt.embeddings.tokens.weight
    assert page.gpt.config.tied and torch.equal(page.gpt.unembedding.weight, E)
    assert difference(page.trace["norm"] @ E.T, page.trace["logits"]).is_rounding


def test_longest_top_p_list_has_only_names(page):
    logits = page.gpt(page.tok.encode("<|endoftext|>The sun shone, so").ids)[0][0, -1]
    ids = logits.softmax(-1).topk(max(page.left)).indices
    assert all(page.tok.decode([id]).strip()[0].isupper() for id in ids.tolist())


def test_the_stored_shares_are_those_of_the_model(page, book_gpt, book_bpe):
    for seed in range(2):
        again = sampled(book_gpt, book_bpe, n=30, temperature=0.7, seed=seed)
        assert again == pytest.approx(page.kept["all tokens"][1, seed], abs=0.05)


def test_the_table_of_differences_has_the_published_settings(page):
    bert, gpt2, opt = (PUBLISHED[name] for name in ("bert-base-uncased", "gpt2", "opt-125m"))
    ours = [Config.from_hf(settings) for settings in (gpt2, opt)]
    assert ours == [page.gpt2, page.opt] and ours[0] == Config()
    assert (bert["max_position_embeddings"], bert["type_vocab_size"], bert["hidden_act"]) == (512, 2, "gelu")
    assert page.layers["positions"][0] == 512 and page.layers["segments"][0] == 2
    assert page.layers["activation"] == ["GELU", "GELU, by tanh", "ReLU"]
    assert [config.activation for config in ours] == ["gelu_new", "relu"]
    assert all(config.norm_first and config.tied for config in ours)
    assert page.counts == [109_482_240, 124_439_808, 125_239_296]


# exercises


@pytest.mark.long
def test_share_of_errors_differs_little_between_seeds(book_gpt, book_bpe):
    right = [sampled(book_gpt, book_bpe, n=20, temperature=1.0, seed=seed)[0] for seed in range(4)]
    assert 0.02 < max(right) - min(right) < 0.15, right


def test_the_price_of_the_cache_in_memory(page):
    """Measured on caches: the book's own, and those of one full text on torch's device without memory."""

    def size_of(cache):
        return sum(part.numel() * part.element_size() for layer in cache for part in layer)

    c = page.gpt.config
    assert size_of(page.cache) == 4 * 2 * c.n_layers * len(page.ids) * c.d_model
    largest = Config(50_272, 12_288, 96, 96, 49_152, n_positions=2_048, offset=2, activation="relu")
    for config, dtype in ((Config(), torch.float32), (largest, torch.float16)):
        with torch.device("meta"):
            layers, cache = GPT(config).to(dtype).layer, []
            X = torch.zeros(1, config.n_positions, config.d_model, dtype=dtype)  # one full text
            for layer in layers:
                X, kept = layer(X, fused=True)
                cache.append(kept)
        assert size_of(cache) == 2 * config.n_layers * config.n_positions * config.d_model * dtype.itemsize


def test_only_w_o_of_gpt2_loads_untransposed():
    theirs, wrong = random_model("gpt2", 3), []
    for name in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"):
        state = {key: value.T if f".{name}.weight" in key else value for key, value in theirs.state_dict().items()}
        try:
            wrong.append((name, GPT.from_checkpoint(theirs.config.to_dict(), state)))
        except ValueError:
            continue
    [(name, ours)] = wrong
    assert name == "attn.c_proj"
    assert not compare(ours, theirs, {"ids": [[1, 2, 3, 4]]}).worst[1].is_rounding
