"""On a GPU, if available: models equal transformers' there, and everything else equals the CPU's results."""

import pytest
import torch

from tests.random_models import OURS, batch, random_model, spread
from tutorial_lib import bert, encoder_decoder, gpt
from tutorial_lib.bert import Bert
from tutorial_lib.generation import generate, translate
from tutorial_lib.geometry.shape import participation_ratio
from tutorial_lib.geometry.similarity import cosine_matrix
from tutorial_lib.gpt import GPT
from tutorial_lib.parity import compare, their_model
from tutorial_lib.trace import patch, silence
from tutorial_lib.training import Settings, train
from tutorial_lib.training.loop import next_tokens
from tutorial_lib.vectors import embed
from tutorial_lib.views import head_view
from tutorial_lib.weights.catalog import DEFAULT

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")

GPU = "cuda"
IDS = [[5, 6, 7, 8, 9, 1], [9, 9, 3, 1, 2, 4]]
SHAPE = dict(vocab_size=20, d_model=12, n_layers=3, n_heads=3, d_ff=24, n_positions=12)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("kind", [*OURS, "default"])
def test_every_stop_equals_transformers(kind, dtype):
    theirs = random_model(kind, 3) if kind in OURS else their_model(DEFAULT, None)
    theirs = theirs.to(GPU, dtype)
    ours = OURS.get(kind, Bert).from_hf(theirs)
    assert ours.embeddings.tokens.weight.device.type == GPU
    compare(ours, theirs, batch(theirs, (0, 9), (0, 4))).check()


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
def test_a_translation_is_the_cpus(cache):
    torch.manual_seed(0)
    model = spread(encoder_decoder.EncoderDecoder(encoder_decoder.Config(**SHAPE))).double()
    expected = translate(model, IDS, 8, start=1)
    assert translate(model.to(GPU), IDS, 8, start=1, cache=cache) == expected


@pytest.mark.parametrize("pooling", ["mean", "cls", "tokens"])
def test_vectors_are_the_cpus(pooling):
    texts = ["A bear.", "Two bears dance in the snow, and one of them sings.", "Honey"]
    there, here = (embed(texts, layers="all", pooling=pooling, device=device) for device in (GPU, "cpu"))
    torch.testing.assert_close(there, here, rtol=0, atol=1e-4)


@pytest.mark.parametrize("model_class, config_class", [(Bert, bert.Config), (GPT, gpt.Config)])
def test_silenced_and_patched_heads_are_the_cpus(model_class, config_class):
    torch.manual_seed(0)
    model = spread(model_class(config_class(**SHAPE))).double()
    changes = silence([(0, 1), (2, 0)]), patch([(1, 2)], model.trace(IDS[::-1]), tokens=slice(1, 4))
    expected = [model.trace(IDS, keep=change) for change in changes]
    model.to(GPU)
    for change, of_the_cpu in zip(changes, expected, strict=True):  # the patch is on the CPU
        trace = {name: value.cpu() for name, value in model.trace(IDS, keep=change).items()}
        torch.testing.assert_close(trace, of_the_cpu, rtol=1e-10, atol=1e-10)


def test_training_gives_the_cpus_losses_after_a_restart(tmp_path):
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
