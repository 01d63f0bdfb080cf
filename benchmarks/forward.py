"""Our BERT against transformers' BertModel: the time of a forward pass.

Two paths: the fused kernel against their "sdpa", judged, and readable attention against their "eager". And against the
physical limit: only the matrix products of such a pass, without bias, activation, softmax or LayerNorm.
"""

import sys

import torch
from harness import Bench
from transformers import BertModel
from transformers.utils import logging

from tutorial_lib import weights
from tutorial_lib.bert import Bert

SHAPES = {(1, 16): 0.85, (8, 128): 1.0, (32, 128): 1.0, (4, 512): 1.0}  # (batch, length) -> limit


def products(model, batch, length):
    """Return a call that computes the matrix products of a forward pass, on meaningless numbers."""
    c, device = model.config, model.embeddings.tokens.weight.device
    X, H = torch.randn(batch * length, c.d_model, device=device), torch.randn(batch * length, c.d_ff, device=device)
    W, W_1, W_2 = (torch.randn(sizes, device=device) for sizes in
                   ((c.d_model, c.d_model), (c.d_model, c.d_ff), (c.d_ff, c.d_model)))  # fmt: skip
    Q = torch.randn(batch * c.n_heads, length, c.d_model // c.n_heads, device=device)
    A = torch.randn(batch * c.n_heads, length, length, device=device)

    def run():
        for _ in range(c.n_layers):
            for _ in range(4):  # queries, keys, values, output
                X @ W
            Q @ Q.transpose(1, 2)
            A @ Q
            X @ W_1
            H @ W_2

    return run


@torch.no_grad()
def main():
    logging.disable_progress_bar()
    bench, ours = Bench("forward"), Bert.from_pretrained()
    device = ours.embeddings.tokens.weight.device

    def pair(shape, path, implementation, limit=None):
        theirs = BertModel.from_pretrained(weights.resolve(), attn_implementation=implementation).eval().to(device)
        ids = torch.randint(1000, 30_000, shape, device=device)
        mask = torch.ones_like(ids)
        mask[0, shape[1] // 2 :] = 0  # one text is padded, so that both models use their mask
        fused = path == "fused"
        bench.compare(f"{path} forward, {shape[0]} x {shape[1]}", lambda: ours(ids, mask, fused=fused),
                      f"transformers, {implementation}", lambda: theirs(ids, mask), limit, seconds=8)  # fmt: skip

    for shape, limit in SHAPES.items():
        pair(shape, "fused", "sdpa", limit)
    pair((8, 128), "readable", "eager")
    ids = torch.randint(1000, 30_000, (8, 128), device=device)
    bare = products(ours, 8, 128)
    bench.compare("fused forward, 8 x 128", lambda: ours(ids, fused=True), "its matrix products alone", bare)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
