import os
import sys
import types
from pathlib import Path

import pytest

from tutorial_lib import weights


@pytest.fixture(scope="session")
def default_folder():
    """The default model's files. Without them most of the book cannot be checked, so this fails rather than skips."""
    return weights.resolve()


@pytest.fixture(scope="session")
def bert():
    """The default model. All tests share it: one that changes weights makes its own."""
    from tutorial_lib.bert import Bert

    return Bert.from_pretrained(device="cpu")


@pytest.fixture(scope="session")
def tok():
    """The default model's tokenizer."""
    from tutorial_lib.tokenization import WordPiece

    return WordPiece.from_pretrained()


@pytest.fixture(scope="session")
def hf_bert(default_folder):
    """The default model as transformers runs it, with attention that shows its weights."""
    from transformers import BertModel

    return BertModel.from_pretrained(default_folder, attn_implementation="eager").eval()


def _one_thread():
    """For models that are too small for two; and only on one thread do sums come out the same."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


one_thread = pytest.fixture(_one_thread)
one_thread_for_a_file = pytest.fixture(_one_thread, scope="module")


def texts_folder():
    """Where the published texts may lie: what TUTORIAL_LIB_TEXTS names, or shared/data beside the repository."""
    named = os.environ.get("TUTORIAL_LIB_TEXTS")
    return Path(named) if named else Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def real_folder():
    """The folder with the published texts."""
    folder = texts_folder()
    if not (folder / "wikitext-2-valid.txt").is_file():
        pytest.skip("the published texts are not at hand: name their folder in TUTORIAL_LIB_TEXTS")
    return folder


@pytest.fixture
def in_a_notebook(monkeypatch):
    """As if a notebook ran the code: what it is given to show comes into this list."""
    pages = []
    display = types.ModuleType("IPython.display")
    display.display = lambda data, raw: pages.append(data)
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = object
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return pages


def random_decoder(kind, seed):
    """A decoder of transformers with random shape and weights, far from its initialization."""
    import torch
    import transformers

    rng = torch.Generator().manual_seed(seed)

    def draw(*values):
        return values[torch.randint(len(values), (), generator=rng).item()]

    n_heads, n_layers, n_positions = draw(1, 2, 4), draw(1, 2, 3), draw(16, 33)
    d_model, vocab_size, tied = n_heads * draw(4, 10, 16), draw(50, 131), draw(True, False)
    shared = dict(vocab_size=vocab_size, tie_word_embeddings=tied, attn_implementation="eager")
    shared |= dict(bos_token_id=0, eos_token_id=0, pad_token_id=1)
    if kind == "gpt2":
        config = transformers.GPT2Config(
            n_embd=d_model, n_layer=n_layers, n_head=n_heads, n_positions=n_positions, n_inner=draw(None, 30),
            activation_function=draw("gelu_new", "gelu", "relu"), **shared,
        )  # fmt: skip
        model = transformers.GPT2LMHeadModel(config)
    else:
        config = transformers.OPTConfig(
            hidden_size=d_model, num_hidden_layers=n_layers, num_attention_heads=n_heads, ffn_dim=draw(20, 64),
            max_position_embeddings=n_positions, word_embed_proj_dim=d_model, **shared,
            do_layer_norm_before=draw(True, True, False), activation_function=draw("relu", "gelu"),
        )  # fmt: skip
        model = transformers.OPTForCausalLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn(parameter.shape, generator=rng)
    return model.eval()


@pytest.fixture(scope="module")
def book_gpt():
    from tutorial_lib.gpt import GPT

    return GPT.from_pretrained("book-gpt", device="cpu").eval()


@pytest.fixture(scope="module")
def book_bpe():
    from tutorial_lib.tokenization import BPE

    return BPE.from_pretrained("book-gpt")


@pytest.fixture(scope="session")
def hugging_face():
    """Call it with "gpt2" or "opt" and a seed for a decoder of transformers with random shape and weights."""
    pytest.importorskip("transformers")
    return random_decoder
