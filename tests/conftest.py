import sys
import types

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
