"""How `measure` scales: texts a second with one worker and with more, each on one thread, and with one on all cores.

    python benchmarks/measure.py        a minute; needs Dask: pip install -e ".[cluster]"

The default model reads the book's stories. Runs take turns, so that a slow moment of the machine hits all; a rate is
that between the first chunks, when each worker has loaded the model, and the last. Medians, and the lowest and highest.
"""

import argparse
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path

import torch

from tutorial_lib.bert import Bert
from tutorial_lib.cost import operations
from tutorial_lib.measure import measure
from tutorial_lib.texts.generated import stories


def rate(corpus, folder, workers, n_texts):
    """Texts a second once all workers are at work, and the seconds of the whole call."""
    told, start = [], time.perf_counter()
    measure(corpus, None, folder, n_texts, workers, tell=lambda progress: told.append(time.perf_counter()))
    late = told[2 * workers - 1 :]  # the model is loaded, and each worker is in its second chunk
    return (len(late) - 1) * n_texts / (late[-1] - late[0]), time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stories", type=int, default=400, help="texts of the corpus (default: %(default)s)")
    parser.add_argument("--chunk", type=int, default=10, help="texts in a chunk (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed (default: %(default)s)")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="how many (default: 1 2)")
    options = parser.parse_args()
    cores = torch.get_num_threads()
    print(f"{platform.machine()}, {cores} threads, torch {torch.__version__}, load before: {os.getloadavg()[0]:.1f}")
    runs = [(n, 1) for n in options.workers] + [(1, cores)] * (cores > 1)
    found = {each: [] for each in runs}
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.txt")
        corpus.write_text("\n".join(story.text.replace("\n", " ") for story in stories(options.stories)))
        for number in range(options.rounds):
            for workers, threads in runs:
                # What the call divides among its workers.
                torch.set_num_threads(workers * threads)
                to = Path(folder, f"{workers}-{threads}-{number}")
                found[workers, threads].append(rate(corpus, to, workers, options.chunk))
        n_tokens = measure(corpus, None, to, options.chunk, 1)["layers"]["0"]["n"] / options.stories
    c = Bert.from_pretrained(device="cpu").config
    each = c.n_layers * sum(operations(n_tokens, c.d_model, c.d_ff)) + n_tokens * (c.n_layers + 1) * c.d_model**2
    print(f"{options.stories} texts of {n_tokens:.0f} tokens, {each:.2e} multiplications each")
    print("workers  threads of each  texts/s (lowest-highest)  times one  multiplications/s of each  whole call")
    one = statistics.median(texts for texts, _ in found[1, 1]) if (1, 1) in found else float("nan")
    for (workers, threads), rows in found.items():
        texts = sorted(each for each, _ in rows)
        middle, whole = statistics.median(texts), statistics.median(seconds for _, seconds in rows)
        print(f"{workers:7}  {threads:15}  {middle:7.1f} ({texts[0]:.1f}-{texts[-1]:.1f})  {middle / one:18.2f}  "
              f"{middle * each / workers:25.2e}  {whole:8.1f} s")  # fmt: skip


if __name__ == "__main__":
    main()
