"""Kill `measure` at random moments, and see that nothing wrong is written and that a restart finishes the job.

    python -m tutorial_book measure kills          20 kills of each kind; needs Dask: pip install -e ".[cluster]"

worker    a worker of a cluster is killed; the run itself must end well
client    the process that asks the cluster, and writes what comes back, is killed; the same call goes on
writer    a process without a cluster is killed while a file is half written, or else between two; the same call goes on

A kill is SIGKILL, of a real process. After it, each file in the folder must hold what an undisturbed run had there, to
1e-6, and so must measures.json in the end. A small random model reads some of the book's stories.
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file

from tutorial_lib import bert, measure
from tutorial_lib.measure.corpus import Corpus
from tutorial_lib.measure.workers import local
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.training.save import save

RELATIVE, CHUNK = 1e-6, 8


def given(folder, n_stories):
    """A corpus and a model in a folder, as arguments of `measure`."""
    texts = [story.text.replace("\n", " ") for story in stories(n_stories)]
    (folder / "corpus.txt").write_text("\n".join(texts), encoding="utf-8")
    tokenizer = WordPiece.train(texts, 300)
    torch.manual_seed(0)
    shape = bert.Config(len(tokenizer), d_model=96, n_layers=3, n_heads=4, d_ff=384, n_positions=256)
    save(bert.Bert(shape, mlm=True, nsp=True).eval(), tokenizer, folder / "model")
    return {"corpus": folder / "corpus.txt", "model": str(folder / "model"), "chunk": CHUNK}


def run(settings, folder, **more):
    """What a process of its own does: one thread, as the cluster's workers have."""
    torch.set_num_threads(1)
    measure.measure(**settings, folder=folder, **more)


def expected(settings, folder):
    """measures.json of an undisturbed run; the sums of each chunk; the sums of the first k chunks."""
    run(settings, folder, workers=1)
    job = measure.Job(**json.loads((folder / measure.JOB).read_text()))
    each = [measure.sums_of_texts(job, texts) for _, texts in Corpus(settings["corpus"], CHUNK).chunks()]
    results, first = measure.Results(folder / "again", job), {}
    (folder / "again").mkdir()
    for number, sums in enumerate(each):
        results.put(number, sums)
        first[number + 1] = results.sums
    return json.loads((folder / measure.MEASURES).read_text()), each, first


def agree(a, b):
    """Whether two values of JSON, or arrays, are the same to 1e-6: of the value, and in lists of the largest."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(agree(a[name], b[name]) for name in a)
    if isinstance(a, list) and not all(isinstance(each, (int, float)) for each in a):
        return len(a) == len(b) and all(map(agree, a, b))
    if a is None or isinstance(a, str):
        return a == b
    a, b = np.asarray(a, float), np.asarray(b, float)
    return a.shape == b.shape and np.abs(a - b).max(initial=0) <= RELATIVE * np.abs(a).max(initial=0)


def check(folder, wanted):
    """Raises AssertionError where a file holds what it should not. Returns how many files were left half written."""
    measures, each, first = wanted
    if (folder / measure.MEASURES).exists():
        assert agree(json.loads((folder / measure.MEASURES).read_text()), measures), "measures.json is wrong"
    if (folder / measure.SUMS).exists():
        found = load_file(folder / measure.SUMS)
        assert any(agree(found, sums) for sums in first.values()), "the sums are of no number of chunks"
    for path in folder.glob("chunk-*.safetensors"):
        assert agree(load_file(path), each[int(path.stem.removeprefix("chunk-"))]), f"{path.name} is wrong"
    return len(list(folder.glob("*.part")))


def trial(kind, settings, folder, wanted, cluster, seconds, rng, context):
    """One kill. Returns whether it met work that was not done, and how many files it left half written."""
    moment = rng.uniform(0, seconds)
    if kind == "worker":
        while len(cluster.scheduler_info["workers"]) < len(cluster.workers):  # one was killed before, and comes back
            time.sleep(0.1)
        ended, met = threading.Event(), []

        def strike():
            while not (alive := [worker.pid for worker in cluster.workers.values() if worker.pid]):
                time.sleep(0.01)
            os.kill(rng.choice(alive), signal.SIGKILL)
            met.append(not ended.is_set())

        timer = threading.Timer(moment, strike)
        timer.start()
        run(settings, folder, cluster=cluster.scheduler_address)
        ended.set()
        timer.join()
        return met[0], check(folder, wanted)
    where = {"cluster": cluster.scheduler_address} if kind == "client" else {"workers": 1}
    process = context.Process(target=run, args=(settings, folder), kwargs=where)
    process.start()
    time.sleep(moment)
    if kind == "writer":
        while process.is_alive() and not list(folder.glob("*.part")):
            pass
    process.kill()
    process.join()
    met = process.exitcode == -signal.SIGKILL and not (folder / measure.MEASURES).exists()
    unfinished = check(folder, wanted)
    run(settings, folder, **where)
    check(folder, wanted)
    return met, unfinished


def main(*arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=20, help="kills of each kind (default: %(default)s)")
    parser.add_argument("--stories", type=int, default=160, help="texts of the corpus (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng, context = random.Random(options.seed), multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tutorial_lib.measure", "distributed"])  # so that a process starts at once
    with tempfile.TemporaryDirectory() as folder, local(2) as cluster:
        folder = Path(folder)
        settings = given(folder, options.stories)
        wanted = expected(settings, folder / "expected")
        for kind in ("worker", "client", "writer"):
            n_met, n_unfinished = 0, 0
            where = {"workers": 1} if kind == "writer" else {"cluster": cluster.scheduler_address}
            for name in ("cold", "warm"):
                start = time.monotonic()
                run(settings, folder / f"{kind}-{name}", **where)
            seconds = time.monotonic() - start
            for number in range(options.trials):
                here, start = folder / f"{kind}-{number}", time.monotonic()
                met, unfinished = trial(kind, settings, here, wanted, cluster, seconds, rng, context)
                assert (here / measure.MEASURES).exists() and not list(here.glob("chunk-*"))
                n_met += met
                n_unfinished += bool(unfinished)
                print(f"{kind} {number + 1}: {'in the middle' if met else 'behind the end'}"
                      f"{', a file half written' * bool(unfinished)}, {time.monotonic() - start:.1f} s", flush=True)
            print(f"{kind}: {options.trials} kills, {n_met} of them in the middle of a run, {n_unfinished} with a file "
                  f"half written; all files right, all runs finished, equal to {RELATIVE}", flush=True)

