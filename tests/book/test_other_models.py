"""The chapters on geometry with another encoder: the one line `MODEL = ...` is changed, and every cell runs.

The encoder is made here: three small layers with random weights, a cased vocabulary, fewer positions. Its numbers mean
nothing. The test is that no cell depends on the default model's sizes, layers, words or findings. Only a run shows
that, so each run of the tests has the shortest chapter; the others run at each push.
"""

import asyncio
import json
import os
import re

import pytest

pytest.importorskip("myst_nb")
runs = pytest.importorskip("website.build.runs")

LINE = re.compile(r"^MODEL = None\b.*$", re.M)
CHAPTERS = [path for path in runs.chapters(runs.ROOT) if LINE.search(path.read_text(encoding="utf-8"))]
assert len(CHAPTERS) >= 8
WRITTEN = ("documents", "sentence-pairs", "synonyms", "paraphrases", "homonyms")  # a cased model knows their capitals


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
    [path if path.stem == "survived" else pytest.param(path, marks=pytest.mark.long) for path in CHAPTERS],
    ids=lambda path: path.stem,
)
def test_one_line_changes_the_model(path, encoder):
    notebook = runs.read_chapter(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = LINE.sub(f"MODEL = {str(encoder)!r}", cell.source)
    assert str(encoder) in str(notebook)
    environment = runs.kernel_environment(os.cpu_count())  # one thread
    asyncio.run(runs.run_chapter(path, notebook, environment, runs.ROOT))
