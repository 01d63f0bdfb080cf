"""What the chapter on decoders (row 45) tells about book-gpt and about published decoders, pinned."""

from pathlib import Path

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tutorial_book.claims.tools import PUBLISHED
from tutorial_lib.bert import Bert
from tutorial_lib.bert import Config as BertConfig
from tutorial_lib.generation import generate, probabilities
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.parity import compare, difference
from tutorial_lib.texts.checked import check
from tutorial_lib.texts.generated import stories

PAGE = (Path(__file__).parents[2] / "book" / "decoders.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")
END = "<|endoftext|>"
PROMPT = END + "Mia had a red ball. She took the bus to the"


@pytest.fixture(scope="module")
def ids(book_bpe):
    return book_bpe.encode(PROMPT).ids


@pytest.fixture(scope="module")
def trace(book_gpt, ids):
    return book_gpt.trace(ids)


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


def groups(ids, size=5):
    return [tuple(ids[i : i + size]) for i in range(len(ids) - size + 1)]


def judged(some, tok):
    """Shares of stories, as ids: of sentences without an error, of different groups of five tokens."""
    texts = [tok.decode(story).removesuffix(END).strip() for story in some]
    sentences = [found for text in texts if text for found in check(text).sentences]
    every = [group for story in some for group in groups(story)]
    right = sum(found.grammatical and found.consistent for found in sentences)
    return right / len(sentences), len(set(every)) / len(every)


# one pass


def test_the_prompt_is_thirteen_tokens_with_whole_words(book_bpe):
    tokens = [token.removeprefix("Ġ") for token in book_bpe.encode(PROMPT).tokens]
    assert tokens == [END, *"Mia had a red ball . She took the bus to the".split()]


def test_replacing_a_token_moves_the_predictions_after_itself_and_behind_it(book_gpt, ids, book_bpe):
    p = torch.softmax(book_gpt(ids)[0][0], -1)
    for j in range(13):
        other = list(ids)
        other[j] = book_bpe.vocab["Ġcat"]
        moved = (p - torch.softmax(book_gpt(other)[0][0], -1)).abs().sum(-1)
        assert (moved[:j] == 0).all() and (moved[j:] > 0).all()


def test_scores_are_dot_products_with_the_rows_of_the_token_table(book_gpt, trace):
    assert book_gpt.config.tied and torch.equal(book_gpt.unembedding.weight, book_gpt.embeddings.tokens.weight)
    assert difference(trace["norm"] @ book_gpt.embeddings.tokens.weight.T, trace["logits"]).is_rounding


# the cache


def test_one_more_token_leaves_all_rows_of_a_decoder_and_none_of_berts(book_gpt, trace, ids, bert, tok):
    more = book_gpt.trace([*ids, 5])
    for name in ("embeddings.output", "layer.0.output", "layer.3.output"):
        assert difference(trace[name][0], more[name][0, :13]).is_rounding
    text = "Mia had a red ball. She took the bus to the"
    one, two = (bert.trace(tok.encode(t).ids[:-1]) for t in (text, text + " park"))
    n = one["embeddings.output"].shape[1]
    stays = {name: torch.isclose(one[name][0], two[name][0, :n], atol=1e-4).all(-1).sum()
             for name in ("embeddings.output", "layer.0.output", "layer.3.output")}  # fmt: skip
    assert list(stays.values()) == [n, 0, 0]


def test_hundred_tokens_after_thirteen_are_6250_rows_without_and_112_with_the_cache(book_gpt, ids):
    passed = {True: [], False: []}
    for cache, rows in passed.items():
        first = book_gpt.layer[0]
        hook = first.register_forward_hook(lambda layer, given, out, rows=rows: rows.append(out[0].shape[1]))
        generate(book_gpt, ids, 100, cache=cache)
        hook.remove()
    assert passed[True] == [13] + 99 * [1] and passed[False] == list(range(13, 113))
    assert [sum(passed[cache]) for cache in (False, True)] == [6250, 112]
    assert "6,250 in all" in PAGE and "one: 112." in PAGE


def test_multiplications_by_hand_are_those_that_pytorch_counts(book_gpt, ids):
    def write(n, cached):
        new, cache = [], None
        for _ in range(n):
            X, kept = book_gpt.hidden(new[-1:] if cache else ids + new, cache)
            cache = kept if cached else None
            new.append(int(book_gpt.unembedding(X[0, -1]).argmax()))

    c = book_gpt.config
    for cached in (False, True):
        lengths = range(13, 23)
        rows = [1 if cached and n > 13 else n for n in lengths]
        maps = sum(rows) * (4 * c.d_model**2 + 2 * c.d_model * c.d_ff)
        pairs = sum(row * n for row, n in zip(rows, lengths, strict=True))
        by_hand = c.n_layers * (maps + 2 * c.d_model * pairs) + 10 * c.d_model * c.vocab_size
        with FlopCounterMode(display=False) as counter:
            write(10, cached)
        assert counter.get_total_flops() == 2 * by_hand


# the next token


def test_top_p_keeps_most_tokens_where_the_model_is_least_sure(book_gpt, book_bpe):
    kept = {}
    for text in ("Mia", "Mia had", "Mia had a", "Mia had a red"):
        scores = book_gpt(book_bpe.encode(END + text).ids)[0][0, -1]
        kept[text] = int((probabilities(scores, top_p=0.9) > 0).sum())
    most = max(kept, key=kept.get)
    assert kept[most] > 2 * min(kept.values())
    assert sorted(kept.values())[-2] < kept[most]  # one answer


@pytest.mark.long
def test_hot_stories_have_errors_and_cold_ones_repeat_each_other(book_gpt, book_bpe):
    stop, temperatures = [book_bpe.vocab[END]], (0.3, 0.7, 1.0, 1.5)
    found = {p: [judged(generate(book_gpt, [stop] * 30, 120, temperature=T, top_p=p, stop=stop), book_bpe)
                 for T in temperatures] for p in (None, 0.9)}  # fmt: skip
    told = judged([book_bpe.encode(story.text + END).ids for story in stories(30, seed=5)], book_bpe)
    assert told == (1, pytest.approx(0.93, abs=0.005))
    right, varied = zip(*found[None], strict=True)
    assert right[0] > 0.9 and right[0] > right[2] + 0.05 > right[3] + 0.3
    assert right[3] == pytest.approx(0.3, abs=0.07) and found[0.9][0][0] > 0.9
    assert found[0.9][3][0] == pytest.approx(0.55, abs=0.07)  # top-p saves a good part
    for curve in (varied, [share for _, share in found[0.9]]):
        assert curve[0] == pytest.approx(0.82, abs=0.04) and curve[0] < curve[1] - 0.05
        assert all(share == pytest.approx(told[1], abs=0.045) for share in curve[1:])
        assert curve[3] > told[1] + 0.01


def test_at_temperature_0_3_the_likeliest_token_has_nearly_half_and_at_the_others_less(trace):
    z = trace["logits"][0, -1]
    first = [probabilities(z, temperature=T).max().item() for T in (0.3, 0.5, 0.7, 1, 1.5, 3)]
    assert 0.4 < first[0] < 0.5 and first[1] < 0.35 and first == sorted(first, reverse=True)


def test_greedy_stories_are_more_alike_than_drawn_ones_and_those_than_the_grammars_own(book_gpt, book_bpe):
    stop = [book_bpe.vocab[END]]
    told = [book_bpe.encode(story.text + END).ids for story in stories(30, seed=5)]
    begun = [stop + story[:6] for story in told]

    def shared(some):
        sets = [set(groups(story)) for story in some]
        others = [set().union(*sets[:i], *sets[i + 1 :]) for i in range(len(sets))]
        return sum(len(one & rest) for one, rest in zip(sets, others, strict=True)) / sum(map(len, sets))

    greedy, drawn = (shared(generate(book_gpt, begun, 120, temperature=T, stop=stop)) for T in (0, 1))
    assert greedy > 1.5 * drawn and drawn < shared([story[6:] for story in told]) + 0.15


def test_a_greedy_story_is_likelier_than_the_grammars_own_and_one_drawn_at_1_is_as_likely(book_gpt, book_bpe):
    stop = [book_bpe.vocab[END]]

    def mean_log_p(some):
        logs = []
        for story in some:
            scores, _ = book_gpt((stop + story)[:128])
            log_p = torch.log_softmax(scores[0, :-1], -1)
            logs.append(log_p[range(len(log_p)), (stop + story)[1:128]])
        return torch.cat(logs).mean().item()

    told = mean_log_p([book_bpe.encode(story.text + END).ids for story in stories(30, seed=5)])
    greedy = mean_log_p([generate(book_gpt, stop, 120, stop=stop)])
    drawn = mean_log_p(generate(book_gpt, [stop] * 20, 120, temperature=1.0, stop=stop))
    assert greedy > told + 0.1 and drawn == pytest.approx(told, abs=0.1)


# the layer


def test_from_the_embeddings_to_the_end_runs_a_sum_of_updates(book_gpt, trace):
    total = trace["embeddings.output"]
    for i in range(book_gpt.config.n_layers):
        total = total + trace[f"layer.{i}.attention.output"] + trace[f"layer.{i}.feed_forward"]
    assert difference(total, trace["layer.3.output"]).is_rounding


def test_the_table_of_differences_has_the_published_settings():
    bert, gpt2, opt = (PUBLISHED[name] for name in ("bert-base-uncased", "gpt2", "opt-125m"))
    ours = [Config.from_hf(settings) for settings in (gpt2, opt)]
    assert ours[0] == Config()
    assert ours[1] == Config(vocab_size=50_272, n_positions=2_048, offset=2, activation="relu")
    assert (bert["max_position_embeddings"], bert["type_vocab_size"], bert["hidden_act"]) == (512, 2, "gelu")
    assert '"activation": ["GELU", "GELU, by tanh", "ReLU"]' in PAGE
    assert [config.activation for config in ours] == ["gelu_new", "relu"]
    assert all(config.norm_first and config.tied for config in ours)


def test_the_columns_of_the_table_are_bert_base_gpt_2_and_opt():
    opt = Config(vocab_size=50_272, n_positions=2_048, offset=2, activation="relu")
    with torch.device("meta"):
        models = [Bert(BertConfig()), GPT(Config()), GPT(opt)]
    totals = [sum(p.numel() for p in model.parameters()) for model in models]
    assert totals == [109_482_240, 124_439_808, 125_239_296]
    shares = [model.embeddings.tokens.weight.numel() / total for model, total in zip(models, totals, strict=True)]
    assert [round(share, 2) for share in shares] == [0.21, 0.31, 0.31]
    assert (models[0].config.n_positions, models[0].config.n_segments) == (512, 2)
    assert '["", "BERT-base", "GPT-2, smallest", "OPT-125m"]' in PAGE


# exercises


@pytest.mark.long
def test_at_1_5_top_p_near_0_8_and_top_k_near_3_make_as_many_errors_as_temperature_1(book_gpt, book_bpe):
    stop = [book_bpe.vocab[END]]

    def right(T, seed=0, **rule):
        return judged(generate(book_gpt, [stop] * 20, 120, temperature=T, stop=stop, seed=seed, **rule), book_bpe)[0]

    plain = right(1.0)
    assert [right(1.5, top_p=0.8), right(1.5, top_k=3)] == pytest.approx([plain] * 2, abs=0.08)
    assert right(1.5, top_p=0.95) < plain - 0.1 and right(1.5, top_k=20) < plain - 0.1
    assert right(1.5, top_p=0.6) > plain + 0.1
    others = [plain, *(right(1.0, seed) for seed in (1, 2, 3))]
    assert 0.02 < max(others) - min(others) < 0.15, others  # what another seed moves


def size_of(cache):
    """Bytes of a cache: the keys and values of each layer."""
    return sum(part.numel() * part.element_size() for layer in cache for part in layer)


def test_the_price_of_the_cache_in_memory(book_gpt, ids):
    """Measured on caches: the book's own, and those of one full text on torch's device without memory."""
    c = book_gpt.config
    assert size_of(book_gpt.hidden(ids)[1]) == 4 * 2 * c.n_layers * len(ids) * c.d_model
    largest = Config(50_272, 12_288, 96, 96, 49_152, n_positions=2_048, offset=2, activation="relu")
    sizes = []
    for config, dtype in ((Config(), torch.float32), (largest, torch.float16)):
        with torch.device("meta"):
            layers, cache = GPT(config).to(dtype).layer, []
            X = torch.zeros(1, config.n_positions, config.d_model, dtype=dtype)  # one full text
            for layer in layers:
                X, kept = layer(X, fused=True)
                cache.append(kept)
        sizes.append(size_of(cache) / 1e9)
    assert sizes == pytest.approx([0.0755, 9.66], abs=0.005)
    assert round(350 / sizes[1]) == 36 and 0.4 < 124.4e6 * 4 / 1e9 < 0.6  # beside the weights: see the solution
    assert '("GPT-2", 12, 768, 1024, 4)' in PAGE and '("OPT-175b", 96, 12_288, 2048, 2)' in PAGE


def test_only_w_o_of_gpt_2_can_be_loaded_untransposed_and_then_it_is_wrong(hugging_face):
    theirs, wrong = hugging_face("gpt2", 3), []
    for name in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"):
        state = {key: value.T if f".{name}.weight" in key else value for key, value in theirs.state_dict().items()}
        try:
            wrong.append((name, GPT.from_checkpoint(theirs.config.to_dict(), state)))
        except ValueError:
            continue
    [(name, ours)] = wrong
    assert name == "attn.c_proj"
    assert not compare(ours, theirs, {"ids": [[1, 2, 3, 4]]}).worst[1].is_rounding


def test_padding_belongs_on_the_left(book_gpt, ids):
    alone = book_gpt(ids[:5])[0][0, -1]
    right, _ = book_gpt([ids[:5] + [0] * 3], attention_mask=[[1] * 5 + [0] * 3])
    left, _ = book_gpt([[0] * 3 + ids[:5]], attention_mask=[[0] * 3 + [1] * 5])
    assert difference(left[0, -1], alone).is_rounding and not torch.allclose(right[0, -1], alone, atol=1)
