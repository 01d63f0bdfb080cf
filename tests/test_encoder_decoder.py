"""The transformer of 2017 equals torch's and transformers'; cache and padding change nothing; it learns to translate.

Three other programs: `torch.nn.Transformer` for both positions of LayerNorm, and of transformers Marian (LayerNorm
after, as in the paper) and Pegasus (before). All three get their weights by name; the library has no table for them.
"""

import random
import re

import pytest
import torch
import transformers
from torch import nn

from tests.random_models import batch, spread
from tutorial_lib.attention import padded
from tutorial_lib.encoder_decoder import Config, EncoderDecoder
from tutorial_lib.generation import translate
from tutorial_lib.parity import difference
from tutorial_lib.texts.translations import START, STOP, translations, vocabulary
from tutorial_lib.training import Settings, train, translated

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = dict(vocab_size=40, d_model=24, n_layers=2, n_heads=3, d_ff=40, n_positions=12)
KINDS = {"MarianMTModel": False, "PegasusForConditionalGeneration": True}  # of transformers: whether norm_first
OUR_NAMES = [  # (pattern of their name, ours), for all three
    (r"^model\.", ""),
    (r"^shared\.", "encoder.embeddings.tokens."),
    (r"^lm_head\.", "unembedding."),
    (r"^(encoder|decoder)\.layer_norm\.", r"\1.norm."),
    (r"\.embed_tokens\.", ".embeddings.tokens."),
    (r"\.layers\.", ".layer."),
    (r"\.norm1\.", ".attention_norm."),
    (r"(encoder.*)\.norm2\.", r"\1.norm."),
    (r"\.norm2\.", ".cross_attention_norm."),
    (r"\.(norm3|final_layer_norm)\.", ".norm."),
    (r"\.(self_attn|encoder_attn)_layer_norm\.", r".\1_norm."),
    (r"\.self_attn", ".attention"),
    (r"\.(encoder_attn|multihead_attn)", ".cross_attention"),
    (r"\.([qkv])_proj\.", lambda match: f".W_{match[1].upper()}."),
    (r"\.in_proj_", ".W_QKV."),
    (r"\.out_proj\.", ".W_O."),
    (r"\.(fc|linear)([12])\.", r".feed_forward.W_\2."),
]


def our_name(name):
    for pattern, ours in OUR_NAMES:
        name = re.sub(pattern, ours, name)
    return name


def random_model(seed, **fixed):
    """Random shape and weights, far from the initialization."""
    choose = random.Random(seed).choice
    n_heads = choose([1, 2, 4])
    shape = dict(
        vocab_size=choose([30, 71]), d_model=n_heads * choose([4, 10, 16]), n_layers=choose([1, 2, 3]),
        n_heads=n_heads, d_ff=choose([20, 64]), n_positions=choose([16, 33]), norm_first=choose([True, False]),
        activation=choose(["relu", "gelu"]), eps=choose([1e-5, 1e-2]), tied=choose([True, False]),
    )  # fmt: skip
    torch.manual_seed(seed)
    return spread(EncoderDecoder(Config(**shape | fixed))).requires_grad_(False)


def random_texts(model):
    """Sources and targets of several lengths, each with its mask: ids (3, m) and (3, n)."""
    n = model.config.n_positions
    return *batch(model, (0, n), (0, 5), (0, 1)).values(), *batch(model, (0, 3), (0, n - 1), (0, 6), seed=1).values()


def torchs(model):
    """The same model as `torch.nn.Transformer`, whose own embeddings and unembedding are left to the caller."""
    c = model.config
    theirs = nn.Transformer(c.d_model, c.n_heads, c.n_layers, c.n_layers, c.d_ff, 0.0, c.activation,
                            layer_norm_eps=c.eps, batch_first=True, norm_first=c.norm_first).eval()  # fmt: skip
    if not c.norm_first:  # torch puts a last norm behind stacks of both kinds; the paper's have none
        theirs.encoder.norm = theirs.decoder.norm = None
    ours = model.state_dict()
    state = {}
    for name in theirs.state_dict():  # torch has the three matrices of queries, keys and values in one
        parts = dict.fromkeys(our_name(name).replace("QKV", letter) for letter in "QKV")
        state[name] = torch.cat([ours[part] for part in parts])
    theirs.load_state_dict(state)
    return theirs


@pytest.mark.filterwarnings("ignore::UserWarning")  # torch reports when it takes its slower path
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_equals_torchs_transformer(seed, norm_first):
    for dtype in (torch.float32, torch.float64):
        model = random_model(seed, norm_first=norm_first).to(dtype)
        source, source_mask, target, target_mask = random_texts(model)
        theirs = torchs(model).to(dtype)
        later = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)  # True: may not attend
        padding = source_mask == 0
        with torch.no_grad():
            memory = theirs.encoder(model.encoder.embeddings(source), src_key_padding_mask=padding)
            last = theirs.decoder(model.decoder.embeddings(target), memory, tgt_mask=later,
                                  tgt_key_padding_mask=target_mask == 0, memory_key_padding_mask=padding)  # fmt: skip
        trace = model.trace(source, target, source_mask)
        written = target_mask.bool()
        assert difference(trace["encoder.norm"][~padding], memory[~padding]).is_rounding
        assert difference(trace["decoder.norm"][written], last[written]).is_rounding
        assert difference(trace["logits"][written], model.unembedding(last)[written]).is_rounding


def hugging_faces(kind, model):
    """The same weights in a Marian or a Pegasus of transformers."""
    c = model.config
    settings = dict(
        vocab_size=c.vocab_size, d_model=c.d_model, encoder_layers=c.n_layers, decoder_layers=c.n_layers,
        encoder_attention_heads=c.n_heads, decoder_attention_heads=c.n_heads, encoder_ffn_dim=c.d_ff,
        decoder_ffn_dim=c.d_ff, max_position_embeddings=c.n_positions, activation_function=c.activation,
        scale_embedding=True, pad_token_id=1, bos_token_id=0, eos_token_id=0, decoder_start_token_id=0,
        forced_eos_token_id=None, attn_implementation="eager",
    )  # fmt: skip
    model_class = getattr(transformers, kind)
    theirs = model_class(model_class.config_class(**settings))
    ours = model.state_dict()
    for name, tensor in theirs.state_dict().items():
        if our_name(name) in ours:
            tensor.copy_(ours[our_name(name)])
        elif "embed_positions" in name:  # theirs has all sines first, then all cosines
            tensor.copy_(model.encoder.embeddings.positions)
        else:
            assert name == "final_logits_bias" and not tensor.any()
    return theirs.eval()


@pytest.mark.parametrize("kind, norm_first", KINDS.items())
@pytest.mark.parametrize("seed", range(10))
@torch.no_grad()
def test_equals_transformers_with_attention_weights(seed, kind, norm_first):
    model = random_model(seed, norm_first=norm_first, eps=1e-5, tied=True)
    theirs = hugging_faces(kind, model)
    source, source_mask, target, target_mask = random_texts(model)
    for dtype in (torch.float32, torch.float64):
        model, theirs = model.to(dtype), theirs.to(dtype)
        found = theirs(input_ids=source, attention_mask=source_mask, decoder_input_ids=target, output_attentions=True)
        trace = model.trace(source, target, source_mask)
        real, written = source_mask.bool(), target_mask.bool()
        pairs = [(trace["encoder.norm"][real], found.encoder_last_hidden_state[real])]
        pairs += [(trace["logits"][written], found.logits[written])]
        for stop, weights, rows in (
            ("encoder.layer.{}.attention.weights", found.encoder_attentions, real),
            ("decoder.layer.{}.attention.weights", found.decoder_attentions, written),
            ("decoder.layer.{}.cross_attention.weights", found.cross_attentions, written),
        ):
            for i, A in enumerate(weights):
                pairs += [(trace[stop.format(i)].transpose(1, 2)[rows], A.transpose(1, 2)[rows])]
        assert all(difference(ours, of_theirs).is_rounding for ours, of_theirs in pairs)


@pytest.mark.parametrize("kind, norm_first", KINDS.items())
@pytest.mark.parametrize("seed", range(5))
@torch.no_grad()
def test_writes_token_for_token_what_transformers_writes(seed, kind, norm_first):
    model = random_model(seed, norm_first=norm_first, eps=1e-5, tied=True)
    source, mask, *_ = random_texts(model)
    sources = [row[real.bool()].tolist() for row, real in zip(source, mask, strict=True)]
    eos = translate(model, sources[0], 2, start=0)[1]  # something that this model does write
    found = hugging_faces(kind, model).generate(input_ids=source, attention_mask=mask, max_new_tokens=12,
        do_sample=False, num_beams=1, eos_token_id=eos, pad_token_id=1)[:, 1:].tolist()  # fmt: skip
    found = [target[: target.index(eos) + 1] if eos in target else target for target in found]
    assert translate(model, sources, 12, start=0, stop=[eos]) == found
    assert translate(model, sources, 12, start=0, stop=[eos], cache=False) == found
    assert [translate(model, one, 12, start=0, stop=[eos]) for one in sources] == found
    assert translate(model, source, 12, start=0, stop=[eos], attention_mask=mask) == found
    assert translate(model, source.tolist(), 12, 0, [eos], attention_mask=mask.tolist()) == found


@pytest.fixture(scope="module", params=[False, True], ids=["norm after", "norm first"])
def model(request):
    return random_model(7, **SMALL, norm_first=request.param).double()


@pytest.mark.parametrize("split", range(1, 12))
def test_cache_changes_nothing_at_any_split(model, split):
    source, mask, *_ = batch(model, (0, 9), (0, 5), seed=split).values()
    target = batch(model, (0, 12), (0, 12), seed=split + 50)["ids"]
    memory = model.encode(source, mask)
    whole, kept = model.decode(target, memory, mask)
    assert torch.equal(whole, model(source, target, mask))
    first, cache = model.decode(target[:, :split], memory, mask)
    before = [tuple((K.clone(), V.clone()) for K, V in layer) for layer in cache]
    second, cache_2 = model.decode(target[:, split:], memory, mask, cache)
    torch.testing.assert_close(torch.cat([first, second], 1), whole, rtol=0, atol=1e-12)
    torch.testing.assert_close(cache_2, kept, rtol=0, atol=1e-12)
    torch.testing.assert_close(cache, before, rtol=0, atol=0)  # arguments are not written to
    with pytest.raises(ValueError, match="cache belongs to a source of 9 tokens, but memory has 8"):
        model.decode(target[:, split:], memory[:, :8], None, cache)
    # Values computed from the source are passed on, not computed again.
    assert all(new[1][0] is old[1][0] for new, old in zip(cache_2, cache, strict=True))


def test_targets_look_back_and_at_the_whole_source(model):
    source, target = batch(model, (0, 8), (0, 8))["ids"], batch(model, (0, 10), (0, 10), seed=1)["ids"]
    logits = model(source, target)
    changed = target.clone()
    changed[:, 6:] = (changed[:, 6:] + 1) % 40
    assert torch.equal(logits[:, :6], model(source, changed)[:, :6])
    assert not torch.allclose(logits[:, 6:], model(source, changed)[:, 6:])
    changed = source.clone()
    changed[:, -1] = (changed[:, -1] + 1) % 40
    assert ((logits - model(changed, target)).abs().amax(-1) > 1e-6).all()


@pytest.mark.parametrize("seed", range(5))
def test_padding_and_fused_attention_change_nothing(model, seed):
    sources, source_mask = batch(model, (0, 9), (0, 4), (0, 1), seed=seed).values()
    targets, target_mask = batch(model, (0, 2), (0, 7), (0, 5), seed=seed + 9).values()
    logits = model(sources, targets, source_mask)
    fused = model(sources, targets, source_mask, fused=True)
    torch.testing.assert_close(fused, logits, rtol=0, atol=1e-12)
    for row, (real, written) in enumerate(zip(source_mask.bool(), target_mask.bool(), strict=True)):
        alone = model(sources[row, real], targets[row, written])[0]
        torch.testing.assert_close(logits[row, written], alone, rtol=0, atol=1e-12)


def test_one_table_serves_source_target_and_unembedding():
    """As in the paper's section 3.4; sines and cosines are not parameters, and tokens begin at their size."""
    tied, untied = EncoderDecoder(Config(**SMALL)), EncoderDecoder(Config(**SMALL, tied=False))
    counts = [sum(p.numel() for p in model.parameters()) for model in (tied, untied)]
    assert counts[1] - counts[0] == 2 * 40 * 24
    assert not [name for name in tied.state_dict() if "positions" in name]
    tokens = untied.trace([range(12)], [range(12)])
    assert 0.7 < tokens["encoder.embeddings.tokens"].std() < 1.3 > tokens["decoder.embeddings.tokens"].std() > 0.7


@pytest.fixture(scope="module")
def translator(one_thread_for_a_file):
    """A small one, trained for a few seconds: (model, sources, targets and pairs that it has not seen)."""
    torch.manual_seed(0)
    vocab, pairs = vocabulary(), translations(3200)
    sources = [[vocab[w] for w in pair.source] for pair in pairs]
    targets = [[vocab[w] for w in pair.target] + [STOP] for pair in pairs]
    model = EncoderDecoder(Config(vocab_size=len(vocab), d_model=64, n_layers=2, n_heads=4, d_ff=128, n_positions=16))
    seen = list(zip(sources, targets, strict=True))[:3000]
    curve = train(model, translated(seen, 64, START), Settings(n_steps=300, lr=3e-3, warmup=100))
    assert curve["loss"][-1] < 0.2 < 4 < curve["loss"][0]
    return model, sources[3000:], targets[3000:], pairs[3000:]


@pytest.mark.long
def test_it_learns_to_translate_unseen_sentences(translator):
    model, sources, targets, _ = translator
    written = translate(model, sources, 12, START, [STOP])
    assert sum(map(list.__eq__, written, targets)) / len(targets) > 0.8
    assert written[:20] == translate(model, sources[:20], 12, START, [STOP], cache=False)


@pytest.mark.long
def test_cross_attention_looks_where_the_word_comes_from(translator):
    model, sources, targets, pairs = translator
    ids, mask = padded(sources)
    begun, _ = padded([[START, *target[:-1]] for target in targets])
    weights = model.trace(ids, begun, mask)["decoder.layer.1.cross_attention.weights"].mean(1)  # over the heads
    looked = weights.argmax(-1)
    hits = [looked[row, i] == place for row, pair in enumerate(pairs) for i, place in enumerate(pair.aligned)]
    straight = [i == place for pair in pairs for i, place in enumerate(pair.aligned)]
    assert sum(hits) / len(hits) > 0.85 > 0.45 > sum(straight) / len(straight)


def test_loss_is_minus_log_p_of_target_tokens(model):
    pairs = [([3, 4, 5], [6, 7, 2]), ([8], [9, 2])]
    whole = []
    for source, target in pairs:
        logp = torch.log_softmax(model(source, [1, *target[:-1]])[0], -1)
        whole += [-logp[i, token] for i, token in enumerate(target)]
    seeds = (torch.Generator().manual_seed(seed) for seed in range(99))
    both = next(rng for rng in seeds if torch.randint(2, (2,), generator=rng).tolist() == [0, 1])
    both.manual_seed(both.initial_seed())
    assert torch.allclose(translated(pairs, 2, start=1)(model, both), torch.stack(whole).mean(), atol=1e-12)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda m: m([[40]], [[1]]), r"source_ids must be in 0\.\.39 \(the vocabulary\), got 40"),
        (lambda m: m([[1]], [[1] * 13]), "target_ids has 13 tokens, but the model supports at most 12"),
        (lambda m: m([[1]], [[1], [2]]), "one text per source, 1, got 2"),
        (lambda m: m([[1, 2]], [[1]], [[0, 0]]), "marks a whole text as padding"),
        (lambda m: m.decode([[1]], m.encode([[1, 2]]), cache=m.decode([[1]], m.encode([[1]]))[1]), "cache belongs to"),
        (lambda m: m.decode([[1]], m.encode([[1]]), cache=m.decode([[1] * 12], m.encode([[1]]))[1]), "has 13 tokens"),
        (lambda m: translate(m, [[1]], 13, start=1), "n must be a number of tokens, 0 to 12"),
        (lambda m: translate(m, [[1]], 3, start=40), "start must be an id of the vocabulary, got 40"),
        (lambda m: Config(activation="swish"), "activation must be one of gelu, gelu_new, relu"),
        (lambda m: EncoderDecoder(Config(d_model=7, n_heads=1)), "d_model must be an even number"),
        (lambda m: EncoderDecoder(None), "config must be an encoder_decoder.Config"),
    ],
)
def test_calls_that_do_not_fit_are_rejected(model, call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call(model)
