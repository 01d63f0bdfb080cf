"""Our BERT against transformers' BertModel: median time of a forward pass as a ratio, both timed in the same run.

`make bench` runs this. The two paths: readable attention against their "eager", the fused kernel against their "sdpa".
Runs alternate between ours and theirs, so that a slow moment of the machine hits both.
"""

import argparse
import statistics
import time

import torch
from transformers import BertModel
from transformers.utils import logging

from tutorial_lib import weights
from tutorial_lib.bert import Bert

SHAPES = [(1, 16), (8, 128), (32, 128), (4, 512)]  # (batch, length)
LIMITS = {"readable": 1.35, "fused": 1.05}


def seconds(run, device):
    """The wall-clock time of one call, in seconds."""
    start = time.perf_counter()
    run()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def ratio(ours, theirs, device, budget):
    """(median of ours / theirs, ours in ms, theirs in ms), from alternating runs for about `budget` seconds."""
    seconds(ours, device), seconds(theirs, device)  # warm up
    pairs, end = [], time.perf_counter() + budget
    while time.perf_counter() < end or len(pairs) < 7:
        pairs.append((seconds(ours, device), seconds(theirs, device)))
    mine, other = (statistics.median(column) for column in zip(*pairs))
    return mine / other, mine * 1e3, other * 1e3


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8, help="time for each row of the table (default 8)")
    budget = parser.parse_args().seconds
    logging.disable_progress_bar()
    ours = Bert.from_pretrained()
    device = ours.embeddings.tokens.weight.device
    print(f"default model, float32, {device}, {torch.get_num_threads()} threads, torch {torch.__version__}")
    print(f"{'path':10}{'batch':>6}{'length':>7}{'ours ms':>9}{'theirs ms':>10}{'ratio':>7}{'limit':>7}")
    for path, implementation in (("readable", "eager"), ("fused", "sdpa")):
        theirs = BertModel.from_pretrained(weights.resolve(), attn_implementation=implementation).eval().to(device)
        for batch, length in SHAPES:
            ids = torch.randint(1000, 30_000, (batch, length), device=device)
            mask = torch.ones_like(ids)
            mask[0, length // 2 :] = 0  # one text is padded, so that both models use their mask
            fused = path == "fused"
            value, mine, other = ratio(
                lambda: ours(ids, mask, fused=fused), lambda: theirs(ids, mask), device, budget
            )
            print(f"{path:10}{batch:6}{length:7}{mine:9.1f}{other:10.1f}{value:7.2f}{LIMITS[path]:7.2f}")


if __name__ == "__main__":
    main()
