"""`embed` against sentence-transformers, ONNX Runtime and OpenVINO: texts to vectors, tokenization included.

Same weights, texts and pooling (mean). Texts of mixed lengths, the book's own: one word to a whole paragraph. ONNX
Runtime gets what a user would give it: the graph fused by its own optimizer, Hugging Face's tokenizer in Rust, and the
batches that `embed` makes, because it makes none. In int8, as you would use it only for speed, the vectors differ; the
report gives the smallest cosine with ours and the share of the ten nearest texts kept. ONNX Runtime and torch find the
scale of each matrix of activations at run time; OpenVINO's is calibrated on 100 other texts, after dividing the large
activations and multiplying the weights by the same factor (SmoothQuant, Xiao et al. 2023).
"""

import copy
import logging
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import torch
from harness import Bench
from tokenizers import Tokenizer
from transformers import BertModel
from transformers.utils.logging import disable_progress_bar

from tutorial_lib import vectors, weights
from tutorial_lib.bert import Bert
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors.batches import TOKENS, batches

N_TEXTS, TOLERANCE = 200, 1e-5


def mixed():
    """Return different texts of 1 to some 200 words, equally many short and long: openings of posts and paragraphs."""
    draw = np.random.default_rng(0)
    words = [text.split() for name in ("posts", "encyclopedia") for text in load_texts(name)]
    found = {}
    while len(found) < N_TEXTS:
        start, n = draw.integers(len(words)), round(np.exp(draw.uniform(0, np.log(200))))
        several = sum((words[(start + i) % len(words)] for i in range(20)), [])
        found[" ".join(several[:n])] = None
    return list(found)


def sentence_transformer(folder):
    """The model and mean pooling, nothing else."""
    from sentence_transformers import SentenceTransformer

    with warnings.catch_warnings():  # these two have moved in version 6, and older ones have them only here
        warnings.simplefilter("ignore", DeprecationWarning)
        from sentence_transformers.models import Pooling, Transformer

    modules = [Transformer(str(folder)), Pooling(weights.read_config(folder)["hidden_size"], "mean")]
    return SentenceTransformer(modules=modules, device="cpu")


class Last(torch.nn.Module):
    """Only the last layer's vectors, for the export."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        return self.model(ids, attention_mask=mask).last_hidden_state


def exported(source, to):
    """Write the fused float32 graph and its int8 version: the paths of both."""
    from onnx import TensorProto
    from onnxruntime.quantization import quantize_dynamic
    from onnxruntime.transformers.optimizer import optimize_model

    model = BertModel.from_pretrained(source, attn_implementation="eager")
    ids = torch.ones(2, 7, dtype=torch.long)
    free = {0: "batch", 1: "length"}
    plain, fused, int8 = (to / f"{name}.onnx" for name in ("plain", "fused", "int8"))
    torch.onnx.export(Last(model).eval(), (ids, ids), plain, input_names=["ids", "mask"], output_names=["X"],
                      dynamic_axes={"ids": free, "mask": free, "X": free}, opset_version=17, dynamo=False)  # fmt: skip
    c = model.config
    fusing = dict(model_type="bert", num_heads=c.num_attention_heads, hidden_size=c.hidden_size)
    optimize_model(str(plain), **fusing).save_model_to_file(str(fused))
    quantize_dynamic(fused, int8, extra_options={"DefaultTensorType": TensorProto.FLOAT})
    return fused, int8


def onnx_runtime(path):
    """(ids, mask) -> the last layer's vectors, by ONNX Runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.add_session_config_entry("session.force_spinning_stop", "1")  # its threads do not spin while ours work
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda ids, mask: session.run(None, {"ids": ids, "mask": mask})[0]


def openvino_int8(path, tokenizer):
    """The same by OpenVINO, in int8: the graph calibrated on texts that are not measured."""
    import nncf
    import openvino

    texts = [text for name in ("posts", "encyclopedia") for text in load_texts(name)]
    chosen = [texts[i] for i in np.random.default_rng(1).permutation(len(texts))[:100]]
    samples = [np.array([tokenizer.encode(text).ids]) for text in chosen]
    data = nncf.Dataset(samples, lambda ids: [ids, np.ones_like(ids)])
    kind = nncf.ModelType.TRANSFORMER
    model = nncf.quantize(openvino.Core().read_model(path), data, model_type=kind, subset_size=len(samples))
    compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": torch.get_num_threads()})
    return lambda ids, mask: compiled([ids, mask])[0]


def torch_int8(bert):
    """Return the same by torch: each weight matrix in int8."""
    from torch.ao.quantization import quantize_dynamic

    small = quantize_dynamic(copy.deepcopy(bert), {torch.nn.Linear})

    def run(ids, mask):
        with torch.inference_mode():
            return small(ids, mask, fused=True).numpy()

    return run


def embed_by(run, tokenizer, batches, width):
    """texts -> vectors by `run`, in these batches of indices."""

    def embed(texts):
        rows = np.empty((len(texts), width), np.float32)
        encodings = tokenizer.encode_batch(texts)
        for batch in batches:
            longest = max(len(encodings[i].ids) for i in batch)
            ids, mask = np.zeros((2, len(batch), longest), np.int64)
            for row, i in enumerate(batch):
                n = len(encodings[i].ids)
                ids[row, :n], mask[row, :n] = encodings[i].ids, 1
            X = run(ids, mask)
            rows[batch] = (X * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return rows

    return embed


def kept(X, Y, k=10):
    """Return the smallest cosine of rows of X and Y, and the share of each row's k nearest rows that is the same."""
    near = []
    U, V = (Z / np.linalg.norm(Z, axis=1, keepdims=True) for Z in (X, Y))
    for Z in (U, V):
        cosines = Z @ Z.T
        np.fill_diagonal(cosines, -np.inf)
        near.append(np.argsort(-cosines, axis=1)[:, :k])
    same = [len(set(a) & set(b)) / k for a, b in zip(*map(np.ndarray.tolist, near), strict=True)]
    return (U * V).sum(1).min(), np.mean(same)


def main():
    disable_progress_bar()
    warnings.filterwarnings("ignore")  # the exporter's
    logging.disable(logging.WARNING)  # the quantizer's
    bench, folder, texts = Bench("embed"), weights.resolve(), mixed()
    bert = Bert.from_pretrained(device="cpu")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(bert.config.n_positions)
    ids = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    parts = list(batches(order, ids, 32, TOKENS["cpu"]))
    bench.report("texts", len(texts), "texts")
    for quarter, name in ((0, "shortest"), (0.5, "median"), (1, "longest")):
        bench.report(f"{name} text", np.quantile([len(row) for row in ids], quarter), "tokens")

    def ours():
        return vectors.embed(texts, bert)

    X = ours()
    st = sentence_transformer(folder)
    with tempfile.TemporaryDirectory() as made:
        fused, int8 = exported(folder, Path(made))
        by = partial(embed_by, tokenizer=tokenizer, batches=parts, width=bert.config.d_model)
        peers = [
            ("sentence-transformers", lambda texts: st.encode(texts, show_progress_bar=False), 0.6),
            ("ONNX Runtime, float32", by(onnx_runtime(fused)), 1.0),
            ("ONNX Runtime, int8", by(onnx_runtime(int8)), None),
            ("OpenVINO, int8", by(openvino_int8(fused.with_name("plain.onnx"), tokenizer)), None),
            ("torch, int8", by(torch_int8(bert)), None),
        ]
    for peer, theirs, limit in peers:
        apart = np.abs(X - theirs(texts)).max()
        if limit and apart > TOLERANCE:
            raise SystemExit(f"vectors differ by {apart:.1e} from the vectors of {peer}: the times would mean nothing")
        bench.report(f"largest difference from {peer}", apart, "")
        if limit is None:
            smallest, share = kept(X, theirs(texts))
            bench.report(f"smallest cosine with {peer}", smallest, "")
            bench.report(f"the ten nearest that {peer} keeps", 100 * share, "%")
        bench.compare("embed, mixed lengths", ours, peer, lambda theirs=theirs: theirs(texts), limit, seconds=20)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
