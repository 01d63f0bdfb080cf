"""Generation: ours with the cache against ours without it, and against transformers' generate, all in the same run.

`make bench` runs this. Greedy, one text, the same weights: random ones in the shape of the smallest GPT-2 and in half
its width and depth, and the book's own decoder, as far as its positions go. Runs alternate, and the fastest of each
counts: whatever else the machine does only makes a run slower. "busy" is the same ratio by the processor's own time.
The tokens must be the same.
"""

import argparse
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.utils import logging

from tutorial_lib import weights
from tutorial_lib.generation import generate
from tutorial_lib.gpt import GPT

NEW, PROMPT = 256, 8  # tokens
CACHE, PEER = 5, 1.05  # the judgment: at least so many times as fast as without; at most so much of the peer's time


def models():
    """name -> a decoder of transformers."""
    torch.manual_seed(0)
    yield "random, GPT-2's shape", GPT2LMHeadModel(GPT2Config())
    # So narrow a model with the whole vocabulary would mostly compute scores, which the cache does not change.
    half = GPT2Config(vocab_size=12_500, n_embd=384, n_layer=6, n_head=6, n_positions=512)
    yield "random, half of that", GPT2LMHeadModel(half)
    yield "book-gpt", GPT2LMHeadModel.from_pretrained(weights.resolve("book-gpt"), dtype=torch.float32)


def seconds(run):
    """The wall-clock time of one call, the processor's time, and what it returned."""
    start, busy = time.perf_counter(), time.process_time()
    value = run()
    return time.perf_counter() - start, time.process_time() - busy, value


def fastest(runs, order, rounds):
    """name -> (wall, processor) seconds of its fastest run, after checking that all return the same.

    order: which run follows which in a round, so that a slow moment of the machine hits all. The first of each kind
    is not counted: it warms up.
    """
    times, tokens = {name: [] for name in runs}, None
    for name in [*runs, *order * rounds]:
        *took, value = seconds(runs[name])
        times[name].append(took)
        tokens = tokens or value
        if value != tokens:
            raise SystemExit(f"{name} gives other tokens than {next(iter(runs))}")
    return {name: [min(column) for column in zip(*found[1:])] for name, found in times.items()}


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rounds", type=int, default=2, help="of ours and theirs twice and once without the cache (default 2)"
    )
    options = parser.parse_args()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    print(f"greedy, float32, cpu, {torch.get_num_threads()} threads, torch {torch.__version__}")
    print(
        f"{'model':25}{'new':>5}  {'compared with':15}{'ours ms':>9}{'other ms':>9}{'ratio':>7}{'busy':>7}{'limit':>8}"
    )
    for name, peer in models():
        peer = peer.eval()
        peer.generation_config.eos_token_id = None  # all tokens, whatever comes
        ours, ids = GPT.from_hf(peer), list(range(5, 5 + PROMPT))
        n = min(NEW, ours.config.n_positions - PROMPT)
        told = dict(max_new_tokens=n, do_sample=False, pad_token_id=0, attention_mask=torch.ones(1, PROMPT).long())
        runs = {
            "ours": lambda: generate(ours, ids, n),
            "without cache": lambda: generate(ours, ids, n, cache=False),
            "transformers": lambda: peer.generate(torch.tensor([ids]), **told)[0, PROMPT:].tolist(),
        }
        times = fastest(runs, ["ours", "transformers", "ours", "transformers", "without cache"], options.rounds)
        (wall, busy), (their_wall, their_busy), (whole, whole_busy) = (
            times[key] for key in ("ours", "transformers", "without cache")
        )
        rows = (
            ("without cache", whole, whole / wall, whole_busy / busy, f">={CACHE:.0f}" if n == NEW else ""),
            ("transformers", their_wall, wall / their_wall, busy / their_busy, f"<={PEER:.2f}"),
        )
        for other, took, ratio, by_processor, limit in rows:
            print(f"{name:25}{n:5}  {other:15}{wall / n * 1e3:9.2f}{took / n * 1e3:9.2f}{ratio:7.2f}"
                  f"{by_processor:7.2f}{limit:>8}")  # fmt: skip


if __name__ == "__main__":
    main()
