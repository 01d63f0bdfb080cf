"""Figures of the chapter "From text to tokens": cuts, vocabularies, batches (R 2.1, 11, L 3.2.2, 4.2.1)."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch

from tutorial_book.plots.base import COLORS, TINTS
from tutorial_book.plots.parts import bare, box, plate, write
from tutorial_lib.tokenization.vocabulary import KINDS, kind

PAIR = TINTS["first text"], TINTS["second text"]  # neighbors in `token_cuts`, segments in `batch_grid`


def token_cuts(text, tokens):
    """One text cut in several ways, one line each. tokens: name -> the tokens, each found in text after the one before.

    ``##`` and the byte-level mark ``Ġ`` are not drawn, and capitals do not count when a token is looked for.

    >>> ax = token_cuts("a bearness", {"pieces": ["a", "bear", "##ness"]})
    >>> [t.get_text() for t in ax.texts[-3:]]
    ['a', 'bear', 'ness']
    """
    _, ax = plt.subplots(figsize=(0.17 * len(text) + 0.2, 0.62 * len(tokens) + 0.1))
    for line, (name, cut) in enumerate(tokens.items()):
        ax.text(0, line - 0.36, f"{name}: {len(cut)} token{'s' * (len(cut) != 1)}", va="bottom", fontsize=9)
        end = 0
        for number, token in enumerate(cut):
            piece = token.removeprefix("##").replace("Ġ", " ")
            start = text.lower().find(piece.lower(), end)
            if start < 0:
                raise ValueError(f"tokens[{name!r}] must be pieces of text in order; {token!r} is not in the rest")
            end = start + len(piece)
            middle = start + len(piece) / 2
            box(ax, middle, line - 0.07, len(piece), 0.5, facecolor=PAIR[number % 2], edgecolor="white")
            write(ax, middle, line - 0.08, piece, family="monospace")
    ax.set(xlim=(0, len(text)), ylim=(len(tokens) - 0.7, -0.7))
    ax.axis("off")
    return ax


def vocabulary_sizes(curves, points):
    """Tokens per sentence against the number of tokens in the vocabulary, which is on a logarithmic axis.

    curves: name -> (sizes, tokens per sentence). points: name -> (size, tokens per sentence).

    >>> ax = vocabulary_sizes({"BPE": ([300, 600], [47, 29])}, {"words": (1215, 16)})
    >>> ax.get_xlabel()
    'tokens in the vocabulary'
    """
    _, ax = plt.subplots(figsize=(5.4, 3.6))
    for (name, (sizes, lengths)), color, marker in zip(curves.items(), COLORS, "osD^"):
        ax.plot(sizes, lengths, color=color, marker=marker, label=name)
    for name, (size, length) in points.items():
        ax.plot(size, length, "*", color="black", markersize=11)
        side = {"xytext": (9, 0), "ha": "left"} if size < 5_000 else {"xytext": (0, 12), "ha": "center"}
        ax.annotate(name, (size, length), textcoords="offset points", va="center", **side)
    ax.set(xscale="log", ylim=(0, None), xlabel="tokens in the vocabulary", ylabel="tokens per sentence (mean)")
    ax.margins(x=0.12)
    ax.legend()
    return ax


def vocabulary_blocks(vocabularies, n_bins=48):
    """What kinds of tokens lie where in the ids: shares in bins of equal width, one panel for each vocabulary.

    vocabularies: name -> the tokens in the order of their ids, at least as many as bins.

    >>> axes = vocabulary_blocks({"tiny": ["[PAD]", "a", "bear", "##s"]}, n_bins=4)
    >>> axes[0].get_xlabel()
    'id'
    """
    small = [name for name, tokens in vocabularies.items() if len(tokens) < n_bins]
    if small:
        raise ValueError(f"vocabularies must hold at least n_bins = {n_bins} tokens each; {small[0]!r} is smaller")
    shown = {"special or unused": KINDS[:2]}
    shown |= {name: (name,) for name in ("one character", "word", "continuation", "other")}
    figure, axes = plt.subplots(len(vocabularies), 1, figsize=(5.4, 1.9 * len(vocabularies) + 0.6), squeeze=False)
    for ax, (name, tokens) in zip(axes[:, 0], vocabularies.items()):
        edges = np.linspace(0, len(tokens), n_bins + 1)
        kinds = [kind(token) for token in tokens]
        bottom = np.zeros(n_bins)
        for (label, members), color, hatch in zip(shown.items(), COLORS, ("", "", "", "////", "")):
            ids = [id for id, token_kind in enumerate(kinds) if token_kind in members]
            share = np.histogram(ids, edges)[0] / np.histogram(np.arange(len(tokens)), edges)[0]
            look = {"color": color, "hatch": hatch, "edgecolor": "white", "linewidth": 0.3}
            ax.bar(edges[:-1], share, np.diff(edges), bottom, align="edge", label=label, **look)
            bottom += share
        ax.set(title=f"{name}: {len(tokens):,} tokens", xlabel="id", ylabel="share", xlim=(0, len(tokens)), ylim=(0, 1))
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return axes[:, 0]


def batch_grid(batch):
    """A batch as the rectangle that it is: one row for each input, each cell a token and its id, colored by segment.

    batch: an `Encoding` of lists of lists, from `batch`. Padding, where the mask is 0, is hatched.

    >>> from tutorial_lib.tokenization import WordPiece
    >>> ax = batch_grid(WordPiece.from_pretrained().batch(["I love mathematics!", "What?"]))
    >>> ax.texts[0].get_text()
    '[CLS]\\n101'
    """
    n_rows, n_columns = len(batch.ids), len(batch.ids[0])
    _, ax = plt.subplots(figsize=(0.68 * n_columns, 0.58 * n_rows + 0.9))
    parts = batch.tokens, batch.ids, batch.token_type_ids, batch.attention_mask
    padding = {"facecolor": "white", "hatch": "////"}
    for row in range(n_rows):
        for column, (token, id, segment, mask) in enumerate(zip(*(part[row] for part in parts), strict=True)):
            look = {"facecolor": PAIR[segment]} if mask else padding
            box(ax, column, row, edgecolor="#999999", lw=0.6, **look)
            write(ax, column, row, f"{token}\n{id}", fontsize=7.6, bbox=None if mask else plate())
    n_segments = 1 + max(map(max, batch.token_type_ids))
    looks = {f"segment {number}": {"facecolor": PAIR[number]} for number in range(n_segments)}
    looks["padding: mask 0"] = padding
    handles = [Patch(edgecolor="#999999", label=name, **look) for name, look in looks.items()]
    ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2)
    ax.set(xlim=(-0.5, n_columns - 0.5), ylim=(n_rows - 0.5, -0.5), xlabel="position")
    ax.set(xticks=range(n_columns), yticks=[])
    bare(ax)
    return ax
