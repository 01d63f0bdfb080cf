import json
import os
import signal
import subprocess
import sys
import types
from pathlib import Path

import pytest

from tests.programs import program
from tutorial_lib import weights


@pytest.fixture(scope="session")
def browser_server(tmp_path_factory):
    """The address of a browser that all tests of this process share."""
    pytest.importorskip("playwright.sync_api")
    settings = tmp_path_factory.mktemp("browser") / "settings.json"
    settings.write_text(json.dumps({"executablePath": program("Chromium"), "args": ["--no-sandbox", "--disable-gpu"]}))
    command = [sys.executable, "-m", "playwright", "launch-server", "--browser", "chromium", "--config", settings]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
        yield server.stdout.readline().strip()
        os.killpg(server.pid, signal.SIGTERM)  # also Node and the browser, which would stay


@pytest.fixture(scope="module")  # not the session: while Playwright is connected, no other test can run an event loop
def browser(browser_server):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.connect(browser_server)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def default_folder():
    """The default model's files. Most of the book cannot be checked without them, so this fails instead of skipping."""
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
    """For models that are too small for two; and sums are reproducible only on one thread."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


one_thread = pytest.fixture(_one_thread)
one_thread_for_a_file = pytest.fixture(_one_thread, scope="module")


def texts_folder():
    """Where the published texts may be: the folder in TUTORIAL_LIB_TEXTS, or shared/data next to the repository."""
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
    """Pretend that a notebook runs the code: everything that it is asked to show comes into this list."""
    pages = []
    display = types.ModuleType("IPython.display")
    display.display = lambda data, raw: pages.append(data)
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = object
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return pages


@pytest.fixture(scope="module")
def book_gpt():
    from tutorial_lib.gpt import GPT

    return GPT.from_pretrained("book-gpt", device="cpu").eval()


@pytest.fixture(scope="module")
def book_bpe():
    from tutorial_lib.tokenization import BPE

    return BPE.from_pretrained("book-gpt")
