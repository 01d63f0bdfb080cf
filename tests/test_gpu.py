"""On a GPU, where one is at hand: models equal transformers' there, and everything else is what the CPU computes."""

import pytest
import torch
import transformers

from tutorial_lib import bert as encoders
from tutorial_lib import encoder_decoder, gpt
from tutorial_lib.bert import Bert
from tutorial_lib.generation import generate, translate
from tutorial_lib.geometry.shape import participation_ratio
from tutorial_lib.geometry.similarity import cosine_matrix
from tutorial_lib.gpt import GPT
from tutorial_lib.llama import Llama
from tutorial_lib.modernbert import ModernBert
from tutorial_lib.parity import compare
from tutorial_lib.trace import patch, silence
from tutorial_lib.training import Settings, train
from tutorial_lib.training.loop import next_tokens
from tutorial_lib.vectors import embed
from tutorial_lib.views import head_view

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")

GPU = "cuda"
TYPES = [torch.float64, torch.float32, torch.bfloat16]
IDS = [[5, 6, 7, 8, 9, 1], [9, 9, 3, 1, 2, 4]]
PADDED = {"ids": torch.tensor(IDS), "attention_mask": torch.tensor([[1] * 6, [1] * 4 + [0] * 2])}
BATCH = {
    "ids": torch.tensor([[101, 1996, 4562, 102, 2293, 5597, 102], [101, 7592, 102, 2088, 102, 0, 0]]),
    "attention_mask": torch.tensor([[1] * 7, [1] * 5 + [0] * 2]),
    "token_type_ids": torch.tensor([[0] * 4 + [1] * 3, [0] * 3 + [1] * 2 + [0] * 2]),
}
TEXTS = ["A bear.", "Two bears dance in the snow, and one of them sings.", "Honey"]
SHAPE = dict(vocab_size=20, d_model=12, n_layers=3, n_heads=3, d_ff=24, n_positions=12)


@pytest.fixture(autouse=True)
def whole_float32():
    """Not TF32, which rounds the factors of a product to 10 bits."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    yield
    torch.set_float32_matmul_precision(before)


def spread(model, dtype=torch.float64):
    """With weights far from the initialization, where a mix-up would not show."""
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn(parameter.shape)
    return model.eval().to(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_the_default_model_agrees_at_every_stop(default_folder, dtype):
    theirs = transformers.BertModel.from_pretrained(default_folder, attn_implementation="eager").eval().to(GPU, dtype)
    ours = Bert.from_hf(theirs)
    assert ours.embeddings.tokens.weight.device.type == GPU
    compare(ours, theirs, BATCH).check()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["gpt2", "opt"])
def test_decoders_agree_at_every_stop(hugging_face, kind, dtype):
    theirs = hugging_face(kind, 3).to(GPU, dtype)
    compare(GPT.from_hf(theirs), theirs, PADDED).check()


@pytest.mark.parametrize("dtype", TYPES)
def test_llama_agrees_at_every_stop(dtype):
    config = transformers.LlamaConfig(
        vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        intermediate_size=48, max_position_embeddings=24, attn_implementation="eager", pad_token_id=1,
    )  # fmt: skip
    theirs = spread(transformers.LlamaForCausalLM(config), dtype).to(GPU)
    compare(Llama.from_hf(theirs), theirs, PADDED).check()


@pytest.mark.parametrize("dtype", TYPES)
def test_modernbert_agrees_at_every_stop(dtype):
    config = transformers.ModernBertConfig(
        vocab_size=50, hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=24,
        local_attention=4, global_attn_every_n_layers=3, attn_implementation="eager", pad_token_id=0, bos_token_id=1,
        cls_token_id=1, eos_token_id=2, sep_token_id=2,
    )  # fmt: skip
    theirs = spread(transformers.ModernBertForMaskedLM._from_config(config, attn_implementation="eager"), dtype).to(GPU)
    compare(ModernBert.from_hf(theirs), theirs, PADDED).check()


def test_auto_puts_the_model_on_the_gpu():
    assert Bert.from_pretrained().embeddings.tokens.weight.is_cuda


@pytest.mark.parametrize("cache", [True, False])
def test_a_text_goes_on_as_on_the_cpu(cache):
    there, here = (GPT.from_pretrained("book-gpt", device).double().eval() for device in (GPU, "cpu"))
    prompts = [[5, 9, 3, 11, 2], [8, 4], [6]]
    assert generate(there, prompts, 40, cache=cache) == generate(here, prompts, 40)
    drawn = [generate(there, prompts, 40, 1.2, top_p=0.9, seed=seed, cache=cache) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("cache", [True, False])
def test_a_translation_is_the_cpu_s(cache):
    model = spread(encoder_decoder.EncoderDecoder(encoder_decoder.Config(**SHAPE)))
    expected = translate(model, IDS, 8, start=1)
    assert translate(model.to(GPU), IDS, 8, start=1, cache=cache) == expected


@pytest.mark.parametrize("pooling", ["mean", "cls", "tokens"])
def test_vectors_are_the_cpu_s(pooling):
    there, here = (embed(TEXTS, layers="all", pooling=pooling, device=device) for device in (GPU, "cpu"))
    torch.testing.assert_close(there, here, rtol=0, atol=1e-4)


@pytest.mark.parametrize("family", [encoders, gpt])
def test_silenced_and_patched_heads_are_the_cpu_s(family):
    kind = {encoders: Bert, gpt: GPT}[family]
    model = spread(kind(family.Config(**SHAPE)))
    changes = silence([(0, 1), (2, 0)]), patch([(1, 2)], model.trace(IDS[::-1]), tokens=slice(1, 4))
    expected = [model.trace(IDS, keep=change) for change in changes]
    model.to(GPU)
    for change, of_the_cpu in zip(changes, expected, strict=True):  # what is patched in lies on the CPU
        trace = model.trace(IDS, keep=change)
        assert list(trace) == list(of_the_cpu) and len(trace) > 20
        for name, value in trace.items():
            torch.testing.assert_close(value.cpu(), of_the_cpu[name], rtol=1e-10, atol=1e-10, msg=name)


def test_it_learns_as_on_the_cpu_and_goes_on_where_it_was_cut_off(tmp_path):
    tokens = torch.arange(200) % 17
    losses = {}
    for device in ("cpu", GPU):
        torch.manual_seed(0)
        model = GPT(gpt.Config(**SHAPE)).double().to(device)
        loss = next_tokens(tokens, 8, 4)
        settings = Settings(n_steps=30)
        train(model, loss, settings, folder=tmp_path / device, until=12)
        losses[device] = train(model, loss, settings, folder=tmp_path / device)["loss"]
    assert losses[GPU] == pytest.approx(losses["cpu"], rel=1e-6)


def test_geometry_takes_vectors_from_the_gpu():
    X = torch.randn(700, 32, generator=torch.Generator().manual_seed(0))
    assert cosine_matrix(X.to(GPU)) == pytest.approx(cosine_matrix(X))
    assert participation_ratio(X.to(GPU)) == pytest.approx(participation_ratio(X))


def test_a_view_draws_a_trace_from_the_gpu():
    there, here = (Bert.from_pretrained(device=device).trace([101, 1996, 4562, 102]) for device in (GPU, "cpu"))
    tokens = ["[CLS]", "the", "bear", "[SEP]"]
    assert head_view(there, tokens, 1, 2).say == head_view(here, tokens, 1, 2).say
