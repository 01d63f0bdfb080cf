"""embed against sentence-transformers: texts per second as a ratio, both timed in the same run.

`make bench` runs this. Same weights, texts, device, batch size and pooling (mean). Runs alternate between ours and
theirs, so that a slow moment of the machine hits both; the ratio is that of the medians. The texts are tweets and
paragraphs of Wikipedia (`tutorial_lib.texts`) from --folder, or the folder that the environment's TUTORIAL_LIB_TEXTS
names; where there is none, the book's built-in posts and encyclopedia.
"""

import argparse
import os
import random
import statistics
import time
import warnings

import numpy as np
import torch

from tutorial_lib import weights
from tutorial_lib.bert import Bert
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

GOAL, TOLERANCE = 1.3, 1e-5


def collections(folder):
    """name -> texts: the published ones if there is a folder that holds them, else the built-in ones."""
    if folder is None:
        return {"posts, built-in": load_texts("posts"), "encyclopedia, built-in": load_texts("encyclopedia")}
    return {"tweets": load_texts("tweets", folder), "Wikipedia paragraphs": load_texts("wikipedia", folder)}


def theirs(device):
    """sentence-transformers on the same weights: the model and mean pooling, nothing else."""
    from sentence_transformers import SentenceTransformer

    with warnings.catch_warnings():  # these two have moved in version 6, and older ones have them only here
        warnings.simplefilter("ignore", DeprecationWarning)
        from sentence_transformers.models import Pooling, Transformer

    folder = weights.resolve()
    modules = [Transformer(str(folder)), Pooling(weights.read_config(folder)["hidden_size"], "mean")]
    return SentenceTransformer(modules=modules, device=str(device))


def seconds(run):
    """The wall-clock time of one call, and what it returned."""
    start = time.perf_counter()
    value = run()
    return time.perf_counter() - start, value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default=os.environ.get("TUTORIAL_LIB_TEXTS"), help="where the real texts are")
    parser.add_argument("--texts", type=int, default=1000, help="a sample of so many of each (default 1000; 0: all)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is timed (default 5)")
    options = parser.parse_args()
    bert = Bert.from_pretrained()
    device = bert.embeddings.tokens.weight.device
    peer = theirs(device)
    print(f"default model, float32, {device}, {torch.get_num_threads()} threads, torch {torch.__version__}")
    print(f"{'texts':24}{'n':>6}{'ours/s':>9}{'theirs/s':>9}{'ratio':>7}{'goal':>6}{'difference':>12}")
    warnings.filterwarnings("ignore", "[0-9]+ of [0-9]+ texts have more tokens")  # both cut them, the other in silence
    for name, texts in collections(options.folder).items():
        if options.texts and len(texts) > options.texts:
            texts = random.Random(0).sample(texts, options.texts)
        pairs = []
        for number in range(options.rounds + 1):
            mine, X = seconds(lambda texts=texts: embed(texts, bert))
            other, Y = seconds(lambda texts=texts: peer.encode(texts, batch_size=32, show_progress_bar=False))
            pairs += [(mine, other)] if number else []  # the first round warms up
        mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
        difference = np.abs(X - Y).max()
        print(f"{name:24}{len(texts):6}{len(texts) / mine:9.1f}{len(texts) / other:9.1f}{other / mine:7.2f}{GOAL:6.2f}"
              f"{difference:12.1e}" + ("" if difference <= TOLERANCE else "  vectors differ"))  # fmt: skip


if __name__ == "__main__":
    main()
