"""Change the model while it reads the sentences with two senses, and store where the word ends: stored/which.json.

    python -m tutorial_book measure which        about 5 minutes on one core

The page on "bank" reads these numbers. Sets of sentences: "set 1", "set 2" and "hard" are never used for an axis;
"stored" are those that make it, "topics" those of the controls. For each sentence, the last x in hundredths, or how far
it moves:

    first, late, only    the word listens in the first 0 to 6 layers; only from layer 1 to 7 on; only in layer 1 to 6
    hidden, muted, edges     of all other words, all heads, all edges: the largest push toward the other side, the
                             largest push away from it, and the mean of all others but the first
    hidden sides, ...        how many of them change the side, and how many there are
    shuffled                 six orders of the words
    top head                 the head that pushes most, counted from 0
    top word                 whether the word that pushes most if hidden is a small word such as "the"; has the largest
                             edge; gets the largest weight in layer 1, over all heads; how many words are small
"""

from __future__ import annotations

import numpy as np

from tutorial_book.experiments.which import CONTROLS, HOMONYMS, STRIP, uses, words
from tutorial_lib import load

# set -> its words, the kind of its sentences and their sets, and whether everything or only listening is measured
SETS = {
    "set 1": (HOMONYMS, ("plain", 1), True),
    "set 2": (HOMONYMS, ("plain", 2), True),
    "hard": (HOMONYMS, ("hard",), True),
    "stored": (HOMONYMS, ("stored",), False),
    "topics": (CONTROLS, ("stored",), False),
}
SMALL = set(
    "a an the this that each every another all both of in on at by to from with for into under over after before "
    "between during around along beside above near through and or but so than because although while when his her "
    "its their our your my mine he she it they we i you him them us me is are was were be been has have had can could "
    "will must do does did not nobody there here too only again down up out off how what".split()
)


def hundredths(values):
    return np.rint(100 * np.asarray(values)).astype(int).tolist()


def listening(found, text):
    """Return the last x if the word listens in some layers only."""
    n = found.n_layers
    first = np.tri(n + 1, n, -1, dtype=bool)
    ends = found.heard(text, np.concatenate([first, ~first, np.eye(n, dtype=bool)]))[:, -1, 0]
    return dict(zip(("first", "late", "only"), map(hundredths, np.split(ends, [n + 1, 2 * n + 2]))))


def pushes(name, before, after):
    """Return how far the changes push toward the other side, and how many change the side. after: last x."""
    push = np.sort((before - np.ravel(after)) * np.sign(before))[::-1]
    moved = [push[0], -push[-1], push[1:].mean()]
    return {name: hundredths(moved), f"{name} sides": [int((push > abs(before)).sum()), len(push)]}


def effects(found, text):
    """Return all that is measured of a sentence."""
    tokens, ids, at = found.read(text)
    told = listening(found, text)
    before = found.run(ids[None], at)[0, -1, 0]
    others, hidden = found.hidden(text)
    places, edges = found.edges(text)
    of_words = [pieces[0] in places for pieces in others]  # not of marks
    others = [pieces for pieces, is_word in zip(others, of_words, strict=True) if is_word]
    hidden = hidden[of_words, -1, 0]
    muted, edges = found.muted(text)[:, -1, 0], edges[..., -1, 0]
    told |= pushes("hidden", before, hidden) | pushes("muted", before, muted) | pushes("edges", before, edges)
    told["shuffled"] = hundredths(found.shuffled(text)[1][:, -1, 0])
    side = np.sign(before)
    told["top head"] = [int((side * muted).argmin())]
    weights = found.model.trace(ids[None], only="layer.0.attention.weights")["layer.0.attention.weights"]
    top = others[(side * hidden).argmin()]
    by_edge = places[(side * edges).min(0).argmin()]
    by_weight = places[weights[0, :, at, places].mean(0).argmax().item()]
    small = [tokens[pieces[0]] in SMALL and len(pieces) == 1 for pieces in others]
    told["top word"] = [int(small[others.index(top)]), int(by_edge in top), int(by_weight in top), sum(small)]
    return told


def record(*, names=None, most=None):
    """Return set -> measure -> a row for each sentence. names, most: for a short try, some words and sentences."""
    model, tok = load(device="cpu")
    sets = {}
    for kind, (of_words, which, everything) in SETS.items():
        rows = []
        for name in of_words:
            if names is None or name in names:
                found = uses(model, tok, name)
                measure = effects if everything else listening
                rows += [measure(found, use.text) for use in words()[name].pick(*which)[:most]]
                print(f"{kind}, {name}", flush=True)
        if rows:
            sets[kind] = {measure: [row[measure] for row in rows] for measure in rows[0]}
    return {"which": {"settings": {"STRIP": STRIP}, "sets": sets}}
