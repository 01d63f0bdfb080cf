"""A disk that is really too small: an error that says so, nothing half written, and the same call goes on."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONG = pytest.mark.long
# A disk of 1 MB, seen by these processes alone: the script runs on it, then once more after it has grown.
ON_A_SMALL_DISK = """
mount -t tmpfs -o size=1m none "$1" && cd "$1" || exit 77
"$2" -c "$3"; ls -A
mount -o remount,size=64m "$1" && "$2" -c "$3"; ls -A
"""
SCRIPTS = {
    "embed": """
        from tutorial_lib.vectors import embed
        texts = [f"the bear opens door {i}" for i in range(2_000)]
        report(lambda: embed(texts, save_to="vectors.npy", device="cpu").shape)
        """,
    "measure": """
        from tutorial_lib.measure.run import measure
        from pathlib import Path
        Path("corpus.txt").write_text("the bear opens the door\\n" * 50)
        report(lambda: sorted(measure("corpus.txt", folder="measured", workers=1)))
        """,
    "train": """
        import torch
        from tutorial_lib.gpt import GPT, Config
        from tutorial_lib.training.loop import Settings, next_tokens, train
        torch.manual_seed(0)
        gpt = GPT(Config(vocab_size=1_000, d_model=64, n_layers=1, n_heads=2, n_positions=16))
        tokens = torch.arange(1_000)
        report(lambda: len(train(gpt, next_tokens(tokens, 8, 4), Settings(n_steps=4, save_every=2), "run")["loss"]))
        """,
    "build": """
        import io
        from contextlib import redirect_stderr
        from pathlib import Path
        import build_book
        import kernel_copies
        kernel_copies.IMPORTED = []
        build_book.build_pages = lambda root, made: 0  # the chapters are enough
        Path("book").mkdir(exist_ok=True)
        Path("_toc.yml").write_text("root: book/index\\nparts: [{chapters: [{file: book/one}]}]\\n")
        Path("book/index.md").write_text("# A book\\n")
        kind = "---\\nfile_format: mystnb\\nkernelspec: {name: python3, display_name: Python 3}\\n---\\n# One\\n\\n"
        Path("book/one.md").write_text(kind + "```{code-cell} python3\\nprint(*range(400_000), sep=chr(10))\\n```\\n")
        told = io.StringIO()
        with redirect_stderr(told):
            code = build_book.main(Path.cwd())
        print(f"refused: {told.getvalue()}" if code else "done")
        """,
}
REPORT = """
def report(call):
    try:
        print("done", call())
    except OSError as error:
        print("refused:", error)
"""


def on_a_small_disk(folder, script):
    """What the script prints, and what lies there, on a disk of 1 MB and after it has grown to 64 MB."""
    lines = [line.removeprefix("        ") for line in SCRIPTS[script].splitlines()]
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh"]
    command += [str(folder), sys.executable, REPORT + "\n".join(lines)]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'tools'}", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    except FileNotFoundError:
        pytest.skip("unshare is not here")
    if ran.returncode == 77 or "unshare:" in ran.stderr:
        pytest.skip(f"no disk of its own can be mounted here: {ran.stderr.strip()}")
    return ran.stdout, ran.stderr


@pytest.mark.parametrize(("script", "needs", "done"), [
    ("train", "has room for 1 MB; checkpoints of this model need", "done"),
    pytest.param("embed", "vectors.npy needs 3 MB, and the disk has no room", "done (2000, 384)", marks=LONG),
    pytest.param("measure", "No space left on device", "done [", marks=LONG),
    pytest.param("build", "The disk is full: make room, and type `make book` again.", "done", marks=LONG),
])  # fmt: skip
def test_a_disk_that_is_too_small_is_told_and_the_same_call_goes_on(tmp_path, script, needs, done):
    out, errors = on_a_small_disk(tmp_path, script)
    first, _, second = out.partition(done)
    assert needs in first and "refused:" in first, out + errors
    assert ".part" not in first and second, out + errors
