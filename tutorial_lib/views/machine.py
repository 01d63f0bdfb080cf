"""One sentence through the machine: from text to tokens, vectors, attention, a layer, all layers, and a text's vector.

Sources: R 4-9, L 3.2. The order of the book's chapters is the order of the stages.
"""

import html
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from tutorial_lib.arguments import check_has, whole_number
from tutorial_lib.bert import Bert
from tutorial_lib.geometry.similarity import cosine
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.vectors import pool
from tutorial_lib.views.base import View, pack_text
from tutorial_lib.views.neurons import number
from tutorial_lib.views.traces import as_place, name_of, pack, unpack
from tutorial_lib.weights.files import read_json

_DATA = read_json(Path(__file__).parent / "forward_pass.json")
STAGES = _DATA["stages"]  # title, the chapters that explain it; js/forward_pass.js draws them in this order
CHAPTERS = _DATA["chapters"]  # their titles
SAYS = _DATA["says"]  # what is told of each stage
STEPS = ("attention.output", "attention_norm", "feed_forward")  # of layer 0, before its output
CUT = 98  # percent of a strip's bars stand in full; the longest are cut, or one coordinate would flatten all others
HEIGHT = 10  # of a strip's longest bar: a letter from "A" (-10) over "K" (0) to "U" (+10)


def forward_pass(
    model: Bert, tokenizer: WordPiece, texts: Sequence[tuple[str, str, int]], others: Sequence[str] = (), start: int = 1
) -> View:
    """A text's way through the model, in eight stages that can be played and scrubbed.

    model: a `Bert`. tokenizer: its `WordPiece`. texts: a list of (text, token, head): the text, the token that is
    followed first, and the head of layer 0 that is shown first; the reader may choose others. others: texts that the
    last stage compares with, by the cosine of mean vectors. start: the stage that is shown first, from 1.

    Returns a `View`. Ids, cosines and whatever is said are the model's; q · k and weights follow from queries and keys
    of two bytes a number; vectors are drawn as bars of 21 heights. Raises ValueError where a token is not in its text.

    >>> from tutorial_lib.bert import Bert
    >>> from tutorial_lib.tokenization import WordPiece
    >>> model, tokenizer = Bert.from_pretrained(), WordPiece.from_pretrained()
    >>> forward_pass(model, tokenizer, [("The bank lent us money.", "bank", 3)])
    One sentence through the machine (an interactive view: it needs a notebook or a page)
    """
    check_has("model", model, "a Bert", "trace", "embeddings")
    check_has("tokenizer", tokenizer, "its WordPiece", "encode", "batch")
    check_has("texts", texts, "a list of (text, token, head)", "__len__")
    check_has("others", others, "a list of texts", "__len__")
    start = whole_number("start", start, 1, f"from 1 to {len(STAGES)}", len(STAGES))
    if not texts:
        raise ValueError("texts must be a list of (text, token, head), at least one, got none")
    if any(isinstance(one, str) or len(one) != 3 for one in texts):
        raise ValueError(f"texts must be a list of (text, token, head), got {texts!r:.60}")
    encodings = [tokenizer.encode(text) for text, _, _ in texts]
    traces = [_trace(model, encoding) for encoding in encodings]
    ends = [_mean(trace) for trace in traces]
    compared = np.stack([_mean(_trace(model, tokenizer.encode(text))) for text in others]) if others else None
    runs = []
    for (text, token, head), encoding, trace, end in zip(texts, encodings, traces, ends, strict=True):
        if token not in encoding.tokens:
            raise ValueError(f"token must be one of {' '.join(encoding.tokens)}, got {token!r}")
        run = _run(text, encoding, trace, end) | {"token": encoding.tokens.index(token)}
        run["head"] = as_place("head", head, model.config.n_heads)
        near = cosine(compared, end).tolist() if others else []
        run["others"] = sorted(zip(others, near, strict=True), key=lambda pair: -pair[1])
        runs.append(run)
    longest = max(traces, key=lambda trace: len(trace["embeddings.positions"]))
    shared = {
        "positions": _strips(longest["embeddings.positions"]),
        "segment": _strips(longest["embeddings.segments"][:1])[0],
        "heads": model.config.n_heads,
        "d_k": model.config.d_model // model.config.n_heads,
    }
    stages = [(title, [(name, CHAPTERS[name]) for name in names]) for title, names in STAGES]
    says = _tell(runs[0], shared)
    packed = pack_text(json.dumps(shared | {"runs": runs}, separators=(",", ":")))
    data = {"stages": stages, "start": start, "runs": packed}
    label = "One sentence through the machine"
    return View("forward_pass", data, _list(runs[0], says), label, says[0], ["attention", "bars", "live"])


def _trace(model, encoding):
    """All values of one text, without the axis of texts."""
    trace = {name: value.detach().cpu() for name, value in model.trace(**encoding.inputs).items()}
    return {name: value if name == "embeddings.positions" else value[0] for name, value in trace.items()}


def _layers(trace):
    """What goes into layer 0, and what each layer gives: (n_layers + 1, n, d_model)."""
    names = ["embeddings.output"]
    while f"layer.{len(names) - 1}.output" in trace:
        names.append(f"layer.{len(names) - 1}.output")
    return torch.stack([trace[name] for name in names]).numpy()


def _mean(trace):
    """The text's vector: the mean of its tokens' last vectors, (d_model,)."""
    last = torch.from_numpy(_layers(trace)[-1])
    return pool(last[None], torch.ones(1, len(last), dtype=torch.bool), "mean")[0, 0].numpy()


def _run(text, encoding, trace, end):
    """What the script needs of one text."""
    layers = _layers(trace)
    values = trace["layer.0.attention.values"].swapaxes(0, 1).flatten(1)  # (n, d_model): the heads side by side
    return {
        "text": text,
        "tokens": encoding.tokens,
        "ids": list(encoding.ids),
        "rows": _strips(trace["embeddings.tokens"]),
        "q": pack(trace["layer.0.attention.queries"].numpy()[None]),
        "k": pack(trace["layer.0.attention.keys"].numpy()[None]),
        "v": _strips(values),
        "steps": [_strips(trace[f"layer.0.{name}"]) for name in STEPS],
        "layers": [_strips(X) for X in layers],
        "cosines": [cosine(X, layers[0]).tolist() for X in layers],
        "end": _strips(end[None])[0],
    }


def _strips(X):
    """Each row of X as a string: one letter for each coordinate, from "A" (the longest bar down) to "U" (up).

    >>> _strips(np.array([[0.0, 1.0, -1.0]]))
    ['KUA']
    """
    X = np.asarray(X, dtype=np.float64)
    top = np.percentile(np.abs(X), CUT) or 1
    levels = np.rint(np.clip(X / top, -1, 1) * HEIGHT).astype(int) + ord("K")
    return [bytes(row.tolist()).decode("ascii") for row in levels]


def attention_of(run: dict, shared: dict, token: int, head: int) -> tuple[np.ndarray, np.ndarray]:
    """What the script computes from the rounded queries and keys: q · k and the weights of one token, each (n,)."""
    shape = (1, shared["heads"], len(run["tokens"]), shared["d_k"])
    Q, K = unpack(run["q"], shape)[0, head], unpack(run["k"], shape)[0, head]
    products = K @ Q[token]
    e = np.exp((products - products.max()) / np.sqrt(shared["d_k"]))
    return products, e / e.sum()


def _tell(run, shared):
    """One sentence or two for each stage; the script says the same of any token and head."""
    i = run["token"]
    head = run["head"]
    d_k = shared["d_k"]
    d_model = shared["heads"] * d_k
    name = name_of(run["tokens"], i)
    products, weights = attention_of(run, shared, i, head)
    best = int(weights.argmax())
    cosines = [number(layer[i]) for layer in run["cosines"][1:]]
    values = {
        "n": len(run["tokens"]),
        "pieces": SAYS["pieces"] * any(token.startswith("##") for token in run["tokens"]),
        "name": name,
        "row": run["ids"][i],
        "i": i,
        "d_model": d_model,
        "head": head,
        "product": number(products[best]),
        "to": name_of(run["tokens"], best),
        "d_k": d_k,
        "weight": weights[best],
        "heads": shared["heads"],
        "first": cosines[0],
        "cosines": ", ".join(cosines),
        "nearest": SAYS["nearest"].format(len(run["others"]), run["others"][0][0]) if run["others"] else "",
    }
    return [say.format(**values) for say in SAYS["stages"]]


def _list(run, says):
    """The default state: the stages in words, for the first text."""
    items = []
    for (title, chapters), say in zip(STAGES, says, strict=True):
        links = ", ".join(f'<a href="{name}.html">{html.escape(CHAPTERS[name])}</a>' for name in chapters)
        items.append(f"<li><b>{html.escape(title)}.</b> {html.escape(say)} ({links})</li>")
    return f'<p class="tl-sentence">{html.escape(run["text"])}</p><ol class="tl-told">{"".join(items)}</ol>'
