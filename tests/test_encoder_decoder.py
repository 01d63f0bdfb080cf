"""The transformer of 2017 equals torch's and transformers'; cache and padding change nothing; it learns to translate.

Three other programs: `torch.nn.Transformer` for both places of LayerNorm, and of transformers Marian (LayerNorm after,
as in the paper) and Pegasus (before). All three are given weights by name, none of them has a table in the library.
"""

import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tutorial_lib.attention import padded
from tutorial_lib.encoder_decoder import Config, EncoderDecoder
from tutorial_lib.generation import translate
from tutorial_lib.parity import difference
from tutorial_lib.texts.translations import START, STOP, translations, vocabulary
from tutorial_lib.training import Settings, train, translated

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = Config(vocab_size=40, d_model=24, n_layers=2, n_heads=3, d_ff=40, n_positions=12)
HF = [  # (their name, ours), for Marian and Pegasus
    (r"^model\.", ""),
    (r"^shared\.", "encoder.embeddings.tokens."),
    (r"\.embed_tokens\.", ".embeddings.tokens."),
    (r"\.layers\.", ".layer."),
    (r"\.(self_attn|encoder_attn)_layer_norm\.", r".\1_norm."),
    (r"\.final_layer_norm\.", ".norm."),
    (r"\.self_attn", ".attention"),
    (r"\.encoder_attn", ".cross_attention"),
    (r"\.([qkv])_proj\.", lambda match: f".W_{match[1].upper()}."),
    (r"\.out_proj\.", ".W_O."),
    (r"\.fc([12])\.", r".feed_forward.W_\1."),
    (r"^(encoder|decoder)\.layer_norm\.", r"\1.norm."),
    (r"^lm_head\.", "unembedding."),
]


def random_model(seed, **fixed):
    """Random shape and weights, far from the initialization; and the generator that drew them."""
    rng = torch.Generator().manual_seed(seed)

    def draw(*values):
        return values[torch.randint(len(values), (), generator=rng).item()]

    n_heads = draw(1, 2, 4)
    config = Config(
        vocab_size=draw(30, 71), d_model=n_heads * draw(4, 10, 16), n_layers=draw(1, 2, 3), n_heads=n_heads,
        d_ff=draw(20, 64), n_positions=draw(16, 33), norm_first=draw(True, False), activation=draw("relu", "gelu"),
        eps=draw(1e-5, 1e-6), tied=draw(True, False),
    )  # fmt: skip
    model = EncoderDecoder(Config(**vars(config) | fixed)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn(parameter.shape, generator=rng)
    return model, rng


def some_batch(model, rng, texts=3):
    """Sources and targets of several lengths, with their masks: ids (B, m) and (B, n)."""
    size, longest = model.config.vocab_size, model.config.n_positions

    def ids(most):
        lengths = torch.randint(1, most + 1, (texts,), generator=rng).tolist()
        return padded([torch.randint(2, size, (n,), generator=rng).tolist() for n in lengths], pad=1)

    return *ids(longest), *ids(longest - 1)


def torchs(model):
    """The same model as `torch.nn.Transformer`, whose own embeddings and unembedding are left to the caller."""
    c = model.config
    with_norms = nn.Transformer(c.d_model, c.n_heads, c.n_layers, c.n_layers, c.d_ff, 0.0, c.activation,
                                layer_norm_eps=c.eps, batch_first=True, norm_first=c.norm_first).eval()  # fmt: skip
    names = {"attention": "self_attn", "cross_attention": "multihead_attn"}
    for ours, theirs in ((model.encoder, with_norms.encoder), (model.decoder, with_norms.decoder)):
        if c.norm_first:
            theirs.norm.load_state_dict(ours.norm.state_dict())
        else:
            theirs.norm = None  # torch puts a last norm behind stacks of both kinds; the paper's have none
        for layer, their_layer in zip(ours.layer, theirs.layers, strict=True):
            norms = [name for name in ("attention_norm", "cross_attention_norm", "norm") if hasattr(layer, name)]
            for number, name in enumerate(norms, 1):
                getattr(their_layer, f"norm{number}").load_state_dict(getattr(layer, name).state_dict())
            for i in (1, 2):
                W = getattr(layer.feed_forward, f"W_{i}")
                getattr(their_layer, f"linear{i}").load_state_dict(W.state_dict())
            for name in set(names) & {part for part, _ in layer.named_children()}:
                mha, their_mha = getattr(layer, name), getattr(their_layer, names[name])
                with torch.no_grad():
                    their_mha.in_proj_weight.copy_(torch.cat([mha.W_Q.weight, mha.W_K.weight, mha.W_V.weight]))
                    their_mha.in_proj_bias.copy_(torch.cat([mha.W_Q.bias, mha.W_K.bias, mha.W_V.bias]))
                their_mha.out_proj.load_state_dict(mha.W_O.state_dict())
    return with_norms


@pytest.mark.filterwarnings("ignore::UserWarning")  # torch tells when it takes its slower way
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_equals_torchs_transformer(seed, norm_first, dtype):
    model, rng = random_model(seed, norm_first=norm_first)
    model = model.to(dtype)
    source, source_mask, target, target_mask = some_batch(model, rng)
    theirs, n = torchs(model).to(dtype), target.shape[1]
    X, Y = model.encoder.embeddings(source), model.decoder.embeddings(target)
    later = torch.ones(n, n, dtype=torch.bool).triu(1)  # True: may not attend, where ours says True: may
    padding = source_mask == 0
    with torch.no_grad():
        memory = theirs.encoder(X, src_key_padding_mask=padding)
        last = theirs.decoder(Y, memory, tgt_mask=later, tgt_key_padding_mask=target_mask == 0,
                              memory_key_padding_mask=padding)  # fmt: skip
    trace = model.trace(source, target, source_mask)
    real, written = source_mask.bool(), target_mask.bool()
    assert difference(trace["encoder.norm"][real], memory[real]).is_rounding
    assert difference(trace["decoder.norm"][written], last[written]).is_rounding
    assert difference(trace["logits"][written], model.unembedding(last)[written]).is_rounding


def hugging_faces(kind, model):
    """The same weights in a Marian or a Pegasus of transformers."""
    transformers, c = pytest.importorskip("transformers"), model.config
    settings = dict(
        vocab_size=c.vocab_size, d_model=c.d_model, encoder_layers=c.n_layers, decoder_layers=c.n_layers,
        encoder_attention_heads=c.n_heads, decoder_attention_heads=c.n_heads, encoder_ffn_dim=c.d_ff,
        decoder_ffn_dim=c.d_ff, max_position_embeddings=c.n_positions, activation_function=c.activation,
        scale_embedding=True, pad_token_id=1, bos_token_id=0, eos_token_id=0, decoder_start_token_id=0,
        forced_eos_token_id=None, attn_implementation="eager",
    )  # fmt: skip
    if kind == "marian":
        theirs = transformers.MarianMTModel(transformers.MarianConfig(**settings))
    else:
        theirs = transformers.PegasusForConditionalGeneration(transformers.PegasusConfig(**settings))
    ours, state = model.state_dict(), theirs.state_dict()
    for name, tensor in state.items():
        renamed = name
        for pattern, new in HF:
            renamed = re.sub(pattern, new, renamed)
        if renamed in ours:
            tensor.copy_(ours[renamed])
        elif "embed_positions" in name:  # theirs has all sines first, then all cosines
            tensor.copy_(model.encoder.embeddings.positions)
        else:
            assert name == "final_logits_bias" and not tensor.any()
    return theirs.eval()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kind, norm_first", [("marian", False), ("pegasus", True)])
@pytest.mark.parametrize("seed", range(10))
@torch.no_grad()
def test_equals_transformers_models_with_their_attention_weights(seed, kind, norm_first, dtype):
    model, rng = random_model(seed, norm_first=norm_first, eps=1e-5, tied=True)
    theirs, model = hugging_faces(kind, model).to(dtype), model.to(dtype)
    source, source_mask, target, target_mask = some_batch(model, rng)
    found = theirs(input_ids=source, attention_mask=source_mask, decoder_input_ids=target, output_attentions=True)
    trace = model.trace(source, target, source_mask)
    real, written = source_mask.bool(), target_mask.bool()
    assert difference(trace["encoder.norm"][real], found.encoder_last_hidden_state[real]).is_rounding
    assert difference(trace["logits"][written], found.logits[written]).is_rounding
    for i in range(model.config.n_layers):
        for ours, their_weights, rows in (
            (f"encoder.layer.{i}.attention", found.encoder_attentions, real),
            (f"decoder.layer.{i}.attention", found.decoder_attentions, written),
            (f"decoder.layer.{i}.cross_attention", found.cross_attentions, written),
        ):
            A, B = (weights.transpose(1, 2)[rows] for weights in (trace[f"{ours}.weights"], their_weights[i]))
            assert difference(A, B).is_rounding


@pytest.mark.parametrize("kind, norm_first", [("marian", False), ("pegasus", True)])
@pytest.mark.parametrize("seed", range(5))
@torch.no_grad()
def test_writes_token_for_token_what_transformers_writes(seed, kind, norm_first):
    model, rng = random_model(seed, norm_first=norm_first, eps=1e-5, tied=True)
    theirs, (source, mask, *_) = hugging_faces(kind, model), some_batch(model, rng, texts=4)
    eos = translate(model, source[mask.bool()][:1], 2, start=0)[1]  # something that this model does write
    found = theirs.generate(input_ids=source, attention_mask=mask, max_new_tokens=12, do_sample=False, num_beams=1,
                            eos_token_id=eos, pad_token_id=1)[:, 1:].tolist()  # fmt: skip
    found = [target[: target.index(eos) + 1] if eos in target else target for target in found]
    sources = [row[real.bool()].tolist() for row, real in zip(source, mask, strict=True)]
    assert translate(model, sources, 12, start=0, stop=[eos]) == found


@pytest.fixture(scope="module", params=[False, True], ids=["norm after", "norm first"])
def model(request):
    return random_model(7, **vars(SMALL) | {"norm_first": request.param})[0].double()


def some_ids(n, texts=2, seed=0):
    return torch.randint(40, (texts, n), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("split", range(1, 12))
def test_the_cache_changes_nothing(model, split):
    source, target = some_ids(9, seed=split), some_ids(12, seed=split + 50)
    mask = torch.tensor([[1] * 9, [1] * 5 + [0] * 4])
    memory = model.encode(source, mask)
    whole, kept = model.decode(target, memory, mask)
    assert torch.equal(whole, model(source, target, mask))
    first, cache = model.decode(target[:, :split], memory, mask)
    before = [[tensor.clone() for pair in layer for tensor in pair] for layer in cache]
    second, cache_2 = model.decode(target[:, split:], memory, mask, cache)
    assert torch.allclose(torch.cat([first, second], 1), whole, atol=1e-12)
    for layer, layer_2, layer_1, layer_b in zip(kept, cache_2, cache, before, strict=True):
        for pair, pair_2 in zip(layer, layer_2, strict=True):
            assert all(torch.allclose(A, B, atol=1e-12) for A, B in zip(pair, pair_2, strict=True))
        assert layer_2[1][0] is layer_1[1][0]  # what is known of the source is handed on, not made again
        assert all(torch.equal(A, B) for A, B in zip([A for pair in layer_1 for A in pair], layer_b, strict=True))


def test_the_source_is_read_once(model, monkeypatch):
    calls = []
    layer = model.decoder.layer[0].cross_attention
    read = layer.read
    monkeypatch.setattr(layer, "read", lambda *args: calls.append(1) or read(*args))
    translate(model, [[3, 4, 5]], 6, start=1)
    assert len(calls) == 1


def test_no_target_token_sees_a_later_one_and_all_see_the_whole_source(model):
    source, target = some_ids(8), some_ids(10, seed=1)
    logits = model(source, target)
    changed = target.clone()
    changed[:, 6:] = (changed[:, 6:] + 1) % 40
    assert torch.equal(logits[:, :6], model(source, changed)[:, :6])
    assert not torch.allclose(logits[:, 6:], model(source, changed)[:, 6:])
    changed = source.clone()
    changed[:, -1] = (changed[:, -1] + 1) % 40
    assert ((logits - model(changed, target)).abs().amax(-1) > 1e-6).all()
    weights = model.trace(source, target)["decoder.layer.0.attention.weights"]
    assert not weights.triu(1).any() and (weights.diagonal(dim1=-2, dim2=-1) > 0).all()


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=4), st.integers(0, 39))
@settings(max_examples=20, deadline=None)
def test_texts_of_unequal_length_in_a_batch_are_as_alone(model, lengths, pad):
    sources = [some_ids(m, 1, seed=i)[0].tolist() for i, (m, _) in enumerate(lengths)]
    targets = [some_ids(n, 1, seed=i + 9)[0].tolist() for i, (_, n) in enumerate(lengths)]
    (X, mask), (Y, _) = padded(sources, pad), padded(targets, pad)
    logits = model(X, Y, mask)
    for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
        assert torch.allclose(logits[row, : len(target)], model(source, target)[0], atol=1e-12)


def test_sources_of_unequal_length_write_together_what_they_write_alone(model):
    sources = [some_ids(m, 1, seed=m)[0].tolist() for m in (1, 9, 3, 12, 5)]
    together = translate(model, sources, 10, start=1)
    assert together == [translate(model, source, 10, start=1) for source in sources]
    assert together == translate(model, sources, 10, start=1, cache=False)


def test_fused_attention_is_the_same(model):
    source, target, mask = some_ids(9), some_ids(7), torch.tensor([[1] * 9, [1] * 5 + [0] * 4])
    assert torch.allclose(model(source, target, mask, fused=True), model(source, target, mask), atol=1e-12)


def test_what_the_paper_says_of_positions_and_tables():
    """Embeddings times sqrt(d_model), sines not learned, one table for source, target and unembedding (3.4, 3.5)."""
    tied, untied = EncoderDecoder(SMALL), EncoderDecoder(Config(**vars(SMALL) | {"tied": False}))
    counts = [sum(p.numel() for p in model.parameters()) for model in (tied, untied)]
    assert counts[1] - counts[0] == 2 * 40 * 24
    trace = tied.trace([[5, 5]], [[5, 5]])
    table = tied.unembedding.weight
    assert torch.allclose(trace["encoder.embeddings.tokens"][0, 0], table[5] * 24**0.5)
    assert torch.equal(trace["encoder.embeddings.output"], trace["decoder.embeddings.output"])
    assert not [name for name in (*dict(tied.named_parameters()), *tied.state_dict()) if "positions" in name]
    size = EncoderDecoder(Config(vocab_size=500, d_model=64)).trace([[9] * 3], [[9]])["encoder.embeddings.tokens"].std()
    assert 0.7 < size < 1.3


def test_the_trace_is_every_stop_in_order_and_its_last_is_what_comes_out(model):
    source, target = some_ids(5), some_ids(4)
    trace = model.trace(source, target)
    assert torch.equal(trace["logits"], model(source, target)) and list(trace)[-1] == "logits"
    named = re.findall(r"(?:encoder|decoder)(?:\.\w+)+", EncoderDecoder.trace.__doc__)
    assert len(named) > 8 and set(named) <= set(trace)
    norms = ("attention_sum", "cross_attention_sum")
    order = [list(trace).index(f"decoder.layer.1.{name}") for name in norms]
    assert order == sorted(order)
    X = trace["decoder.layer.1.attention_sum" if model.config.norm_first else "decoder.layer.1.attention_norm"]
    update = trace["decoder.layer.1.cross_attention.output"]
    assert torch.equal(trace["decoder.layer.1.cross_attention_sum"], X + update)
    for part in ("encoder.layer.0.attention", "decoder.layer.1.attention", "decoder.layer.1.cross_attention"):
        assert torch.allclose(trace[f"{part}.weights"].sum(-1), torch.ones((), dtype=torch.float64))


@pytest.fixture(scope="module")
def translator(one_thread_for_a_file):
    """A small one, trained for a few seconds: (model, word -> id, sentences that it has not seen)."""
    torch.manual_seed(0)
    vocab, pairs = vocabulary(), translations(3200)
    ids = [([vocab[w] for w in pair.source], [vocab[w] for w in pair.target] + [STOP]) for pair in pairs[:3000]]
    config = Config(vocab_size=len(vocab), d_model=64, n_layers=2, n_heads=4, d_ff=128, n_positions=16)
    model = EncoderDecoder(config)
    curve = train(model, translated(ids, 64, START), Settings(n_steps=300, lr=3e-3, warmup=100))
    assert curve["loss"][-1] < 0.2 < 4 < curve["loss"][0]
    return model, vocab, pairs[3000:]


@pytest.mark.long
def test_it_learns_to_translate_what_it_has_not_seen(translator):
    model, vocab, unseen = translator
    written = translate(model, [[vocab[w] for w in pair.source] for pair in unseen], 12, START, [STOP])
    right = [ids == [vocab[w] for w in pair.target] + [STOP] for ids, pair in zip(written, unseen, strict=True)]
    assert sum(right) / len(right) > 0.8


@pytest.mark.long
def test_its_cross_attention_looks_where_the_word_comes_from(translator):
    model, vocab, unseen = translator
    sources, mask = padded([[vocab[w] for w in pair.source] for pair in unseen])
    targets, _ = padded([[START] + [vocab[w] for w in pair.target] for pair in unseen])
    weights = model.trace(sources, targets, mask)["decoder.layer.1.cross_attention.weights"].mean(1)  # over the heads
    looked = weights.argmax(-1)
    hits = [looked[row, i] == place for row, pair in enumerate(unseen) for i, place in enumerate(pair.aligned)]
    straight = [i == place for pair in unseen for i, place in enumerate(pair.aligned)]
    assert sum(hits) / len(hits) > 0.85 > 0.45 > sum(straight) / len(straight)


@pytest.mark.long
def test_written_with_and_without_the_cache_together_and_alone(translator):
    model, vocab, unseen = translator
    sources = [[vocab[w] for w in pair.source] for pair in unseen[:20]]
    together = translate(model, sources, 12, START, [STOP])
    assert together == translate(model, sources, 12, START, [STOP], cache=False)
    assert together == [translate(model, source, 12, START, [STOP]) for source in sources]
    assert all(STOP not in target[:-1] for target in together)


def test_the_loss_is_minus_log_p_of_each_target_token(model):
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
        (lambda m: m([[40]], [[1]]), r"source_ids must lie in 0\.\.39 \(the vocabulary\), got 40"),
        (lambda m: m([[1]], [[]]), r"target_ids must have shape \(texts, tokens\) with at least one"),
        (lambda m: m([[1]], [[1] * 13]), "target_ids has 13 tokens, but the model has positions for 12"),
        (lambda m: m([[1]], [[1], [2]]), "one text for each source, 1, got 2"),
        (lambda m: m([[1, 2]], [[1]], [[1]]), r"source_mask must have one number a token, shape \(1, 2\)"),
        (lambda m: m([[1, 2]], [[1]], [[0, 0]]), "marks every token of some text as padding"),
        (lambda m: m([[1, 2]], [[1]], [[1, 2]]), r"source_mask must hold only 1 \(a token\)"),
        (lambda m: m.decode([[1]], m.encode([[1, 2]]), cache=m.decode([[1]], m.encode([[1]]))[1]), "cache is of a sou"),
        (lambda m: m.decode([[1]], m.encode([[1]]), cache=m.decode([[1] * 12], m.encode([[1]]))[1]), "has 13 tokens"),
        (lambda m: translate(m, [[1], []], 3, start=1), "ids must be one prompt or a list of prompts"),
        (lambda m: translate(m, [[1]], 13, start=1), "n must be a number of tokens, 0 to 12"),
        (lambda m: translate(m, [[1]], 3, start=40), "start must be an id of the vocabulary, got 40"),
        (lambda m: padded([[1], []]), r"each of one token or more, got lengths \[1, 0\]"),
        (lambda m: padded([]), "texts must be one or more"),
        (lambda m: Config(activation="swish"), "activation must be one of gelu, gelu_new, relu"),
        (lambda m: EncoderDecoder(Config(d_model=7, n_heads=1)), "d_model must be an even number"),
    ],
)
def test_bad_input_is_told(model, call, says):
    with pytest.raises(ValueError, match=says):
        call(model)
