"""Generation: ours with the cache against transformers' generate, and against ours without it. Reported, not judged.

Greedy, one text, the same weights: random ones in the shape of the smallest GPT-2, and the book's own decoder. 64
new tokens, which must be the same.
"""

import sys

import torch
from harness import Bench
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.utils import logging

from tutorial_lib import weights
from tutorial_lib.generation import generate
from tutorial_lib.gpt import GPT

NEW, PROMPT = 64, 8  # tokens


def models():
    """name -> a decoder of transformers."""
    torch.manual_seed(0)
    yield "GPT-2's shape", GPT2LMHeadModel(GPT2Config())
    yield "book-gpt", GPT2LMHeadModel.from_pretrained(weights.resolve("book-gpt"), dtype=torch.float32)


@torch.no_grad()
def main():
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    bench = Bench("generation")
    told = dict(max_new_tokens=NEW, do_sample=False, pad_token_id=0, attention_mask=torch.ones(1, PROMPT).long())
    for name, peer in models():
        peer = peer.eval()
        peer.generation_config.eos_token_id = None  # all tokens, whatever they are
        gpt, ids = GPT.from_hf(peer), list(range(5, 5 + PROMPT))
        runs = [
            lambda gpt=gpt, ids=ids: generate(gpt, ids, NEW),
            lambda peer=peer, ids=ids: peer.generate(torch.tensor([ids]), **told)[0, PROMPT:].tolist(),
            lambda gpt=gpt, ids=ids: generate(gpt, ids, NEW, cache=False),
        ]
        first, *others = (run() for run in runs)
        if any(tokens != first for tokens in others):
            raise SystemExit(f"{name}: the tokens differ, so the times would mean nothing")
        ours, theirs, without = runs
        bench.compare(f"generate, {name}", ours, "transformers, cached", theirs, seconds=12)
        bench.compare(f"generate, {name}", ours, "ours without the cache", without, seconds=0, least=3)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
