"""A disk that is really too small: an error that says so, no partial file, and the same call continues."""

import os
import subprocess
import sys
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONG = pytest.mark.long
# A disk of 1 MB that only this process sees; it grows while the process runs.
ON_A_SMALL_DISK = 'mount -t tmpfs -o size=1m none "$1" && cd "$1" || exit 77; exec "$2" -c "$3"'


def embed():
    from tutorial_lib import vectors

    texts = [f"the bear opens door {i}" for i in range(2_000)]
    return vectors.embed(texts, save_to="vectors.npy", device="cpu").shape


def measure():
    from tutorial_lib.measure import run

    Path("corpus.txt").write_text("the bear opens the door\n" * 50)
    return sorted(run.measure("corpus.txt", folder="measured", workers=1))


def train():
    import torch

    from tutorial_lib.gpt import GPT, Config
    from tutorial_lib.training import loop

    torch.manual_seed(0)
    gpt = GPT(Config(vocab_size=1_000, d_model=64, n_layers=1, n_heads=2, n_positions=16))
    loss = loop.next_tokens(torch.arange(1_000), 8, 4)
    return len(loop.train(gpt, loss, loop.Settings(n_steps=4, save_every=2), "run")["loss"])


def build():
    from website import book
    from website.build import kernels

    kernels.IMPORTED = []
    book.build_pages = lambda root, made: 0  # the chapters are enough
    Path("book").mkdir(exist_ok=True)
    Path("_toc.yml").write_text("root: book/index\nparts: [{chapters: [{file: book/one}]}]\n")
    Path("book/index.md").write_text("# A book\n")
    kind = "---\nfile_format: mystnb\nkernelspec: {name: python3, display_name: Python 3}\n---\n# One\n\n"
    Path("book/one.md").write_text(kind + "```{code-cell} python3\nprint(*range(400_000), sep=chr(10))\n```\n")
    told = StringIO()
    with redirect_stderr(told):
        code = book.main(Path.cwd())
    if code:
        raise OSError(told.getvalue())


def before_and_after_the_disk_grows(call):
    """Print the result of the call and the files it leaves, on a disk of 1 MB and on one of 64 MB."""
    for size in ("1m", "64m"):
        subprocess.run(["mount", "-o", f"remount,size={size}", "."], check=True)
        try:
            print("done", call())
        except OSError as error:
            print("refused:", error)
        print(os.listdir())


@pytest.mark.parametrize(("call", "needs", "done"), [
    (train, "has room for 1 MB; checkpoints of this model need", "done 4"),
    pytest.param(embed, "vectors.npy needs 3 MB, which the disk does not have", "done (2000, 384)", marks=LONG),
    pytest.param(measure, "No space left on device", "done [", marks=LONG),
    pytest.param(build, "The disk is full. Make room, and run `make book` again.", "done", marks=LONG),
])  # fmt: skip
def test_a_full_disk_is_reported_and_resumed_from(tmp_path, call, needs, done):
    code = f"from tests import test_full_disk as t; t.before_and_after_the_disk_grows(t.{call.__name__})"
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    command += [str(tmp_path), sys.executable, code]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    except FileNotFoundError:
        pytest.skip("unshare is not here")
    if ran.returncode == 77 or "unshare:" in ran.stderr:
        pytest.skip(f"no disk of its own can be mounted here: {ran.stderr.strip()}")
    first, _, second = ran.stdout.partition(done)
    assert needs in first and "refused:" in first, ran.stdout + ran.stderr
    assert ".part" not in first and second, ran.stdout + ran.stderr
