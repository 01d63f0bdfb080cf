"""Time `measure` with one worker and with two, and layers of three widths: experiments/stored/scaling.json.

    python -m tutorial_book measure scaling        some minutes; needs Dask: pip install -e ".[cluster]"

The default model reads paragraphs of Wikipedia (TUTORIAL_LIB_TEXTS=FOLDER, or they are downloaded). Runs take turns, so
that a slow moment of the machine affects all. A rate counts from the moment each worker is in its second chunk: by then
it has loaded the model. The layers, with random weights, run on one thread, and their vectors go into a `Cloud`.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from pathlib import Path

import torch

from tutorial_book.experiments.cost import operations
from tutorial_lib.bert import Config, Layer, initialize
from tutorial_lib.geometry import Cloud
from tutorial_lib.measure import measure
from tutorial_lib.texts import load_texts
from tutorial_lib.weights.catalog import DEFAULT

# d_model, d_ff and heads. The last is a layer of a decoder with 7 billion weights, whose three matrices of 4,096 x
# 11,008 take as many multiplications as two of 4,096 x 16,512.
WIDTHS = {"MiniLM": (384, 1_536, 12), "BERT-base": (768, 3_072, 12), "7 B decoder": (4_096, 16_512, 32)}
LENGTH, AT_ONCE, ROWS = 128, 512, 4096  # tokens in a text and in a batch; vectors that go into a cloud at once


def corpus_of(path, n_texts) -> dict:
    """Write this many texts, shuffled, so that no chunk comes from one article; return a description of them."""
    texts = load_texts("wikipedia")
    n_bytes = sum(len(text.encode()) for text in texts)
    told = {"name": "paragraphs of Wikipedia", "texts": len(texts), "bytes": n_bytes}
    random.Random(0).shuffle(texts)
    path.write_text("".join(" ".join(text.split()) + "\n" for text in texts[:n_texts]), encoding="utf-8")
    return told | {"texts_read": len(texts[:n_texts]), "bytes_read": path.stat().st_size}


def timed(corpus, folder, workers, threads, chunk) -> dict:
    """Return texts per second once all workers are busy, seconds of the whole call, and how many tokens were read.

    Raises ValueError for a corpus of fewer than four chunks for each worker.
    """
    told, start = [], time.perf_counter()
    torch.set_num_threads(workers * threads)  # the data that the call divides among its workers
    found = measure(corpus, DEFAULT, folder, chunk, workers, tell=lambda progress: told.append(time.perf_counter()))
    whole = time.perf_counter() - start
    if len(told) < 4 * workers:
        raise ValueError(f"{workers} workers need {4 * workers} chunks to be timed, got {len(told)}. Read more texts")
    late = told[2 * workers - 1 :]
    rate = (len(late) - 1) * chunk / (late[-1] - late[0])
    return {"texts_per_second": rate, "seconds": whole, "tokens": found["layers"]["0"]["n"]}


@torch.inference_mode()
def rate_of(d_model, d_ff, n_heads, rounds=3) -> float:
    """Return one layer's multiplications per second on one thread, with vectors going into a cloud: a median.

    One round is for ROWS vectors: a batch through the layer, as often as needed, and all of them into the cloud.
    """
    layer = initialize(Layer(Config(d_model=d_model, d_ff=d_ff, n_heads=n_heads))).eval()
    X, cloud, took = torch.randn(AT_ONCE // LENGTH, LENGTH, d_model), Cloud(d_model), []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        batches = [layer(X, fused=True) for _ in range(ROWS // AT_ONCE)]
        cloud.add(torch.cat(batches).flatten(0, 1))
        took.append(time.perf_counter() - start)
    work = ROWS // LENGTH * sum(operations(LENGTH, d_model, d_ff)) + ROWS * d_model**2
    return work / sorted(took[1:])[rounds // 2]  # the first warms up


def record(*, n_texts=400, chunk=20, rounds=3, workers=(1, 2), widths=WIDTHS) -> dict:
    """Return the machine, the corpus, the runs with each number of workers and threads, and the layers.

    "machine": its "load" before each round, and at the end. "corpus": the bytes, texts and tokens that were read.
    "runs": each with "workers", "threads" of each worker, "texts_per_second" and "seconds" of each round. "layers":
    each with its shape and the "multiplications_per_second" of one thread.
    """
    from benchmarks.harness import machine

    cores = os.cpu_count()
    about = machine()
    about["load"] = [about["load"]]
    settings = [(n, 1) for n in workers] + [(1, cores)] * (cores > 1)
    runs = {each: [] for each in settings}
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.txt")
        read = corpus_of(corpus, n_texts)
        for number in range(rounds):
            for each in settings:
                runs[each].append(timed(corpus, Path(folder, f"{each[0]}-{each[1]}-{number}"), *each, chunk))
                print(*each, runs[each][-1], flush=True)
            about["load"].append(machine()["load"])
    read["tokens_read"] = runs[settings[0]][0]["tokens"]
    torch.set_num_threads(1)
    layers = []
    for name, (d_model, d_ff, n_heads) in widths.items():
        rate = rate_of(d_model, d_ff, n_heads)
        layers.append({"name": name, "d_model": d_model, "d_ff": d_ff, "n_heads": n_heads, "length": LENGTH,
                       "multiplications_per_second": rate})  # fmt: skip
        print(name, f"{rate:.3g}", flush=True)
    found = {
        "machine": about, "model": DEFAULT, "corpus": read, "chunk": chunk,
        "runs": [{"workers": workers, "threads": threads,
                  **{name: [run[name] for run in found] for name in ("texts_per_second", "seconds")}}
                 for (workers, threads), found in runs.items()],
        "layers": layers,
    }  # fmt: skip
    return {"scaling": found}
