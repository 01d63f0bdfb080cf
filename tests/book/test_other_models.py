"""The chapters on geometry with another encoder: the one line `MODEL = ...` is changed, and every cell runs.

The encoder is made here: three small layers with random weights, a cased vocabulary, fewer positions. Its numbers mean
nothing; that no cell leans on the default model's sizes, layers, words or findings is what is tested.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

jupytext = pytest.importorskip("jupytext")
build_book = pytest.importorskip("build_book")

LINE = re.compile(r"^MODEL = None\b.*$", re.M)
CHAPTERS = [path for path in build_book.chapters(build_book.ROOT) if LINE.search(path.read_text(encoding="utf-8"))]
QUICK = ("evolution", "questions")
WRITTEN = ("documents", "sentence-pairs", "synonyms", "paraphrases", "homonyms")  # a cased model knows their capitals
# A process that has imported what takes long runs each chapter in a copy of itself, and says how that ended.
RUN = """
import os, sys
import sklearn.manifold, torch, transformers, umap
from IPython.core.interactiveshell import InteractiveShell

def run(cells):
    shell = InteractiveShell.instance()
    for number, source in enumerate(open(cells, encoding="utf-8").read().split("\\0")):
        result = shell.run_cell(source, silent=True)
        if not result.success:
            print(source, file=sys.stderr)
            print(f"cell {number}: {result.error_before_exec or result.error_in_exec!r}", file=sys.stderr)
            return 1
    return 0

for line in sys.stdin:
    cells = line.strip()
    child = os.fork()
    if not child:
        os.dup2(os.open(cells + ".out", os.O_WRONLY | os.O_CREAT), 1)
        os.dup2(os.open(cells + ".err", os.O_WRONLY | os.O_CREAT), 2)
        code = 1
        try:
            code = run(cells)
        finally:
            sys.stdout.flush(), sys.stderr.flush(), os._exit(code)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@pytest.fixture(scope="module")
def run_cells():
    """Call it with the file of a chapter's cells: its exit status and what it wrote as errors."""
    environment = {"MPLBACKEND": "agg", "HF_HUB_OFFLINE": "1", "TUTORIAL_LIB_STATIC": "1", "OMP_NUM_THREADS": "1"}
    runner = subprocess.Popen(
        [sys.executable, "-c", RUN],
        cwd=build_book.ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def run(file):
        print(file, file=runner.stdin, flush=True)
        return int(runner.stdout.readline()), Path(f"{file}.err").read_text(encoding="utf-8")

    with runner:
        yield run


@pytest.fixture(scope="module")
def encoder(tmp_path_factory, default_folder):
    """The folder of a small BERT: 3 layers, 4 heads, d_model 32, 256 positions, capital letters kept."""
    import torch
    from transformers import BertConfig, BertModel

    from tutorial_lib.texts import load_texts

    folder = tmp_path_factory.mktemp("encoder")
    tokens = (default_folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    capitals = {"Bear", *re.findall(r"\b[A-Z][a-z]*\b", str([load_texts(name) for name in WRITTEN]))}
    tokens += sorted(capitals - set(tokens))
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "model_max_length": 256}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    shape = dict(hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64)
    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(tokens), max_position_embeddings=256, initializer_range=0.2, **shape)
    model = BertModel(config)
    torch.nn.init.normal_(model.embeddings.word_embeddings.weight, std=0.2)  # [PAD] too, as in published checkpoints
    model.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    "path",
    [path if path.stem in QUICK else pytest.param(path, marks=pytest.mark.long) for path in CHAPTERS],
    ids=lambda path: path.stem,
)
def test_one_line_changes_the_model(path, encoder, run_cells, tmp_path):
    cells = [cell.source for cell in jupytext.read(path).cells if cell.cell_type == "code"]
    changed = [LINE.sub(f"MODEL = {str(encoder)!r}", source) for source in cells]
    assert changed != cells
    file = tmp_path / "cells"
    file.write_text("\0".join(changed), encoding="utf-8")
    status, errors = run_cells(file)
    assert status == 0, errors[-3000:]


def test_there_are_chapters_to_try():
    assert len(CHAPTERS) >= 8
