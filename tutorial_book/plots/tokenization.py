"""Figures of the chapter "From text to tokens": cuts, searches, vocabularies, batches (R 2.1, 11, L 3.2.2, 4.2.1)."""

from difflib import SequenceMatcher

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnnotationBbox, DrawingArea
from matplotlib.patches import Circle, Patch

from tutorial_book.plots.base import COLORS, HAIRLINE, TINTS
from tutorial_book.plots.parts import bare, box, note, panel_grid, plate, write
from tutorial_lib.tokenization.vocabulary import KINDS, kind

PAIR = TINTS["first text"], TINTS["second text"]  # neighbors in `token_cuts`, segments in `batch_grid`
KEPT, FOUND, LOST = TINTS["the rest"], TINTS["first text"], TINTS["second text"]
SIGNS = {" ": "␣", "\u00a0": "␣", "\t": "→"}


# --- Letters in columns ----------------------------------------------------------------------------------------------


def strip(width, lines, columns, top=0.7):
    """Create bare axes with one column per letter, and lines counted from the top. width: inches; lines: height too."""
    _, ax = plt.subplots(figsize=(width, lines))
    ax.set(xlim=(0, columns), ylim=(lines - top, -top))
    ax.axis("off")
    return ax


def tile(ax, start, line, text, length=None, height=0.5, color=KEPT, edge="white", **look):
    """Draw a box over the columns of a text, with the text in its middle."""
    length = length or len(text)
    box(ax, start + length / 2, line, length, height, facecolor=color, edgecolor=edge)
    letter(ax, start + length / 2, line, text, **look)


def letter(ax, x, y, text, **look):
    """Write a text in a typewriter's letters. The font has no bear: it is drawn."""
    if text != "🐻":
        write(ax, x, y + 0.01, text, **{"family": "monospace"} | look)
        return
    area = DrawingArea(12, 12)
    ears = [Circle((x, 9.4), 2.2, facecolor="white", edgecolor="black") for x in (2.2, 9.8)]
    face = Circle((6, 5.5), 5.2, facecolor="white", edgecolor="black")
    inner = {(4.1, 6.8): 0.7, (7.9, 6.8): 0.7, (6, 4): 1.3}  # eyes and nose
    for part in (*ears, face, *(Circle(place, radius, color="black") for place, radius in inner.items())):
        area.add_artist(part)
    ax.add_artist(AnnotationBbox(area, (x, y), frameon=False, pad=0))


def token_cuts(text, tokens, unit="token"):
    """Draw one text cut in several ways, one line each. tokens: name -> tokens, found in text one after the other.

    ``##`` and the byte-level mark ``Ġ`` are not drawn, and capitals are ignored in the search for a token. unit: the
    unit of the count next to a name.

    >>> ax = token_cuts("a bearness", {"pieces": ["a", "bear", "##ness"]})
    >>> [t.get_text() for t in ax.texts[-3:]]
    ['a', 'bear', 'ness']
    """
    ax = strip(min(7.4, 0.26 * len(text) + 0.2), 0.61 * len(tokens) + 0.1, len(text))
    ax.set_ylim(len(tokens) - 0.7, -0.7)
    for line, (name, cut) in enumerate(tokens.items()):
        ax.text(0, line - 0.36, f"{name}: {len(cut)} {unit}{'s' * (len(cut) != 1)}", va="bottom")
        end = 0
        for number, token in enumerate(cut):
            piece = token.removeprefix("##").replace("Ġ", " ")
            start = text.lower().find(piece.lower(), end)
            if start < 0:
                raise ValueError(f"tokens[{name!r}] must be pieces of text in order; {token!r} is not in the rest")
            end = start + len(piece)
            tile(ax, start, line - 0.07, piece, color=PAIR[number % 2])
    return ax


def cleaned(texts):
    """Draw the treatment of each character of some texts before the vocabulary is used, and the resulting words.

    texts: text -> the replacement of each of its characters, with spaces where a word is cut off.

    >>> ax = cleaned({"É!": ["e", " ! "]})
    >>> [t.get_text() for t in ax.texts if t.get_text() in ("É", "e", "!")]
    ['É', '!', 'e', '!']
    """
    ax = strip(7.4, 0.74 * len(texts), max(map(len, texts)))
    ax.set_ylim(2.3 * len(texts) - 0.9, -0.4)
    for name, line in (("text", 0), ("words", 1)):
        ax.text(-0.3, line, name, ha="right", va="center")
    for number, (text, folded) in enumerate(texts.items()):
        line = 2.3 * number
        for place, (character, new) in enumerate(zip(text, folded, strict=True)):
            changed = new.strip() not in (character, "")
            white = {"color": "#808080"} if not new.strip() else {}
            letter(ax, place + 0.5, line, SIGNS.get(character, character), **white)
            if changed:
                box(ax, place + 0.5, line, 0.94, 0.72, facecolor=LOST, zorder=0)
        start = 0
        for word in "".join(new.strip() if new.strip() == new else f" {new.strip() or '_'} " for new in folded).split():
            if word != "_":
                tile(ax, start + 0.03, line + 1, "", len(word) - 0.06, 0.72, FOUND)
                for place, character in enumerate(word):
                    letter(ax, start + place + 0.5, line + 1, character)
            start += len(word)
    return ax


def longest_match(word, cut, vocab):
    """Draw WordPiece's search for the pieces of a word: a line for each candidate, the longest first, until one fits.

    cut: the pieces that it finds. vocab: token -> id, which is written next to each.

    >>> ax = longest_match("bears", ["bear", "##s"], {"bear": 4562, "##s": 2015})
    >>> [t.get_text() for t in ax.texts if "id" in t.get_text()]
    ['found: bear, id 4562', 'found: ##s, id 2015']
    """
    tried, start = [], 0
    for piece in cut:
        end = start + len(piece.removeprefix("##"))
        tried += [(start, longer, None) for longer in range(len(word), end, -1)] + [(start, end, piece)]
        start = end
    height = 0.25 * len(tried) + 0.1
    ax = strip(7.4, height, 1.9 * len(word))
    ax.set_ylim(len(tried) - 0.4, -0.6)
    for line, (start, end, piece) in enumerate(tried):
        color, ink = (FOUND, "black") if piece else ("white", "#808080")
        for place in range(start, end):
            box(ax, place + 0.5, line, 1, 0.84, facecolor=color, edgecolor=HAIRLINE, lw=0.6)
            letter(ax, place + 0.5, line, word[place], color=ink, weight="bold" if piece else "normal")
        if start:
            letter(ax, start - 0.5, line, "##", color=ink)
        if piece:
            ax.text(len(word) + 0.6, line, f"found: {piece}, id {vocab[piece]}", va="center")
        else:
            ax.plot([start + 0.15, end - 0.15], [line, line], color="#808080", linewidth=0.8)
            ax.text(len(word) + 0.6, line, "not in the vocabulary", va="center", color="#808080")
    return ax


def byte_tape(texts, visible):
    """Draw texts above their bytes, and each byte's number above its visible character.

    visible: the character of each byte, by its number.

    >>> axes = byte_tape(["é"], {195: "Ã", 169: "©"})
    >>> [t.get_text() for t in axes[0].texts]
    ['é', '195', 'Ã', '169', '©']
    """
    figure, axes = panel_grid(len(texts), size=(8.6, 1.3))
    for ax, text in zip(axes, texts):
        place = 0
        for character in text:
            length = len(character.encode())
            tile(ax, place, 0, SIGNS.get(character, character), length, 0.8, PAIR[1])
            for byte in character.encode():
                tile(ax, place, 1, str(byte), 1, 0.8, FOUND)
                letter(ax, place + 0.5, 2, visible[byte])
                place += 1
        ax.set(xlim=(0, max(len(text.encode()) for text in texts)), ylim=(2.5, -0.5), xticks=[], yticks=[])
        bare(ax)
    axes[0].set_yticks(range(3), ["text", "bytes", "written"])
    figure.phone = {"columns": 2, "panel_height": 1.0}
    return axes


def growing(text, cuts):
    """Draw a word after each merge that changed it: the last merge is blue. cuts: number of merges -> tokens.

    >>> ax = growing("ab", {0: ["a", "b"], 7: ["ab"]})
    >>> [t.get_text() for t in ax.texts]
    ['0', 'a', 'b', '2', '7', 'ab', '1', 'merges', 'tokens']
    """
    ax = strip(7.4, 0.32 * len(cuts) + 0.3, len(text))
    ax.set_ylim(len(cuts) - 0.4, -1.2)
    before = None
    for line, (n_merges, cut) in enumerate(cuts.items()):
        ax.text(-0.3, line, f"{n_merges:,}", ha="right", va="center")
        start = 0
        for token in cut:
            piece = token.replace("Ġ", "␣")
            new = before is not None and token not in before
            tile(ax, start, line, piece, height=0.84, color=FOUND if new else KEPT, edge=HAIRLINE)
            start += len(piece)
        ax.text(len(text) + 0.3, line, f"{len(cut)}", va="center")
        before = cut
    ax.text(-0.3, -0.9, "merges", ha="right", va="center")
    ax.text(len(text) + 0.3, -0.9, "tokens", va="center")
    return ax


def round_trip(backs, counts, total):
    """Draw texts and their decoded encodings; if the two differ, both are marked.

    backs: text -> {name of a tokenizer: the decoded text}. counts: name -> how many of `total` sentences are restored.

    >>> ax = round_trip({"US": {"WordPiece": "us", "BPE": "US"}}, {"WordPiece": 0, "BPE": 9}, total=9)
    >>> len(ax.patches)  # two letters, before and after
    4
    """
    names = list(next(iter(backs.values())))
    width = 2 + max(len(text) for row in backs.items() for text in (row[0], *row[1].values()))
    ax = strip(8.8, 0.42 * (len(backs) + 2), width * (1 + len(names)) - 2)
    ax.set_ylim(len(backs) + 0.6, -1.4)
    for column, name in enumerate(("text", *names)):
        ax.text(width * column, -0.9, name, va="center", weight="bold")
        count = f"{counts[name]} come back" if column else f"{total} sentences"
        ax.text(width * column, len(backs) + 0.2, count, va="center")
    for line, (text, row) in enumerate(backs.items()):
        lost = set()
        for column, back in enumerate(row.values(), start=1):
            places = SequenceMatcher(None, text, back, autojunk=False).get_opcodes()
            lost |= {place for tag, first, end, *_ in places if tag != "equal" for place in range(first, end)}
            new = {place for tag, _, _, first, end in places if tag != "equal" for place in range(first, end)}
            spell(ax, width * column, line, back, new)
        spell(ax, 0, line, text, lost)
    return ax


def spell(ax, start, line, text, marked):
    """Draw a text, one column per letter; marked positions have a color behind them."""
    for place, character in enumerate(text):
        if place in marked:
            box(ax, start + place + 0.5, line, 1, 0.7, facecolor=LOST, edgecolor="none", zorder=0)
        letter(ax, start + place + 0.5, line, "␣" if character == " " and place in marked else character)


# --- Vocabularies and batches ----------------------------------------------------------------------------------------


def vocabulary_sizes(curves, points):
    """Draw tokens per sentence against the size of the vocabulary, on a logarithmic axis.

    curves: name -> (sizes, tokens per sentence). points: name -> (size, tokens per sentence).

    >>> ax = vocabulary_sizes({"BPE": ([300, 600], [47, 29])}, {"words": (1215, 16)})
    >>> ax.get_xlabel()
    'tokens in the vocabulary'
    """
    _, ax = plt.subplots(figsize=(7.4, 3.3))
    sides = [{"offset": (8, 4)}, {"offset": (-8, 0), "ha": "right"}]
    for (name, (sizes, lengths)), color, marker, side in zip(curves.items(), COLORS, "os", sides):
        ax.plot(sizes, lengths, color=color, marker=marker)
        note(ax, name, (sizes[0], lengths[0]), color=color, fontsize=10, **side)
    for name, (size, length) in points.items():
        ax.plot(size, length, "*", color="black", markersize=11)
        side = {"xytext": (9, 0), "ha": "left"} if size < 5_000 else {"xytext": (0, 12), "ha": "center"}
        ax.annotate(name, (size, length), textcoords="offset points", va="center", **side)
    ax.set(xscale="log", ylim=(0, None), xlabel="tokens in the vocabulary", ylabel="tokens per sentence (mean)")
    ax.margins(x=0.12)
    return ax


def vocabulary_blocks(vocabularies, n_bins=48):
    """Draw which kinds of tokens have which ids: shares in bins of equal width, one panel for each vocabulary.

    vocabularies: name -> the tokens in the order of their ids, at least as many as bins.

    >>> axes = vocabulary_blocks({"tiny": ["[PAD]", "a", "bear", "##s"]}, n_bins=4)
    >>> axes[0].get_xlabel()
    'id'
    """
    small = [name for name, tokens in vocabularies.items() if len(tokens) < n_bins]
    if small:
        raise ValueError(f"vocabularies must contain at least n_bins = {n_bins} tokens each; {small[0]!r} is smaller")
    shown = {"special or unused": KINDS[:2]}
    shown |= {name: (name,) for name in ("one character", "word", "continuation", "other")}
    figure, axes = plt.subplots(len(vocabularies), 1, figsize=(7.4, 1.6 * len(vocabularies) + 0.5), squeeze=False)
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
    # A kind too rare to be visible has no entry in the legend.
    entries = [same[0] for same in zip(*(ax.containers for ax in axes[:, 0]))
               if max(bar.get_height() for bars in same for bar in bars) > 0.02]  # fmt: skip
    figure.legend(entries, [entry.get_label() for entry in entries], loc="outside upper left", ncols=4)
    return axes[:, 0]


def batch_grid(batch):
    """Draw a batch as the model's input: for each text its tokens, and below them the three lists of numbers.

    batch: an `Encoding` of lists of lists, from `batch`. Colors are segments; padding, where the mask is 0, is hatched.

    >>> from tutorial_lib.tokenization import WordPiece
    >>> ax = batch_grid(WordPiece.from_pretrained().batch(["I love mathematics!", "What?"]))
    >>> [t.get_text() for t in ax.texts[:4]]
    ['[CLS]', '101', '0', '1']
    """
    n_rows, n_columns = len(batch.ids), len(batch.ids[0])
    _, ax = plt.subplots(figsize=(min(9, 0.8 * n_columns + 1), 1.2 * n_rows + 0.6))
    parts = batch.tokens, batch.ids, batch.token_type_ids, batch.attention_mask
    padding = {"facecolor": "white", "hatch": "////"}
    for row in range(n_rows):
        for column, (token, *numbers) in enumerate(zip(*(part[row] for part in parts), strict=True)):
            look = {"facecolor": PAIR[numbers[1]]} if numbers[2] else padding
            box(ax, column, 4.6 * row, edgecolor="#999999", lw=0.6, **look)
            size = 9 - 0.2 * max(0, len(token) - 8)
            write(ax, column, 4.6 * row, token, fontsize=size, bbox=None if numbers[2] else plate())
            for line, number in enumerate(numbers, start=1):
                write(ax, column, 4.6 * row + line, number, fontsize=9, color="black" if numbers[2] else "#808080")
    n_segments = 1 + max(map(max, batch.token_type_ids))
    looks = {f"segment {number}": {"facecolor": PAIR[number]} for number in range(n_segments)}
    looks["padding: mask 0"] = padding
    handles = [Patch(edgecolor="#999999", label=name, **look) for name, look in looks.items()]
    ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2)
    lines = [4.6 * row + line for row in range(n_rows) for line in range(4)]
    ax.set(xlim=(-0.5, n_columns - 0.5), ylim=(lines[-1] + 0.5, -0.6), xticks=range(n_columns), xlabel="position")
    ax.set_yticks(lines, n_rows * ["tokens", "ids", "segments", "mask"])
    bare(ax)
    return ax
