"""L 4.4.1 and 4.4.2: synonymous sentences, difference vectors, Tables 6 and 7, and how the text reads them."""

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from tutorial_book.claims.claim import FAILS, ITSELF, READING, claims_of
from tutorial_book.experiments.collections import stored
from tutorial_lib.geometry import average_cosine, contrast_cosines, cosine_matrix, difference_vectors, neighbor_purity
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

claim = claims_of("meaning")

TABLE_6 = {
    "Bright-Dim": ("The bright light illuminated the room.", "The dim light illuminated the room."),
    "Doctor-Nurse": ("The doctor was walking down the street.", "The nurse was walking down the street."),
    "Female-Male": ("She went home.", "He went home."),
    "Finnish-Czech": (
        "The Finnish scientist discovered a new element.",
        "The Czech scientist discovered a new element.",
    ),
    "Funny-Sad": ("The movie was so funny, we couldn't believe it.", "The movie was so sad, we couldn't believe it."),
    "Laugh-Cry": ("The baby was laughing.", "The baby was crying."),
}

TABLE_7 = dict(
    zip(
        combinations(TABLE_6, 2),
        [0.002, 0.056, 0.097, 0.133, 0.145, -0.644, -0.046, 0.018, 0.150, 0.018, -0.073, -0.064, -0.022, -0.173, 0.465],
        strict=True,
    )
)


@lru_cache
def sentence_groups():
    """The groups of L 4.4.1, sentences by group. Seven of the ten meeting sentences are this book's, not L's."""
    return load_texts("synonyms")


def labelled():
    """All sentences of the groups, the name of each one's group, and whether that means something."""
    texts = [text for members in sentence_groups().values() for text in members]
    labels = np.array([group for group, members in sentence_groups().items() for _ in members])
    return texts, labels, ~np.char.startswith(labels, "random")


@lru_cache
def group_vectors(model=None):
    """A model's [CLS] vectors of these sentences after the last layer, and the rest of `labelled`."""
    texts, *rest = labelled()
    return embed(texts, model, "cls", device="cpu"), *rest


def by_size():
    """Table 7's pairs, the cosine of largest size first."""
    return sorted(TABLE_7, key=lambda pair: -abs(TABLE_7[pair]))


def goes_with(contrast, other):
    """The word of the other contrast that goes with the second word of the contrast, by the sign in Table 7.

    A difference runs from the first word to the second, so a positive cosine joins the second words.
    """
    cosine = TABLE_7.get((contrast, other), TABLE_7.get((other, contrast)))
    return other.split("-")[1 if cosine > 0 else 0]


# --- L 4.4.1 Topology of embeddings --------------------------------------------------------------------------------

claim("L-4.4.1-templates", "Each template with three slots of three synonyms gives 27 sentences.", 27,
      lambda: [len(set(sentence_groups()[group])) for group in ("hello", "new car", "happy boss")], expected=[27] * 3)

claim("L-4.4.1-groups", "There are four sets of sentences and two of random ones (here: the groups of this library's "
      "file, which follows L's list).", True, lambda: len(sentence_groups()), expected=4 + 2, kind=READING)

claim("L-4.4.1-meeting-file", "The full list of meeting sentences is in sentence_pairs_extended.json (here: how many "
      "of the file's sentences speak of a meeting).", 10, lambda: stored()["meetings"], kind=READING,
      verdict=FAILS, note="None does: the file holds the pairs of L 4.4.2 only.")


@claim("L-4.4.1-within", "The sentences are more similar within each group than between different groups (here, on the "
       "default model: the mean cosines, for each group).", True, note="0.95 within and 0.70 between; without "
       "coordinate 99, in which all [CLS] vectors are alike, 0.87 and 0.25.")
def _():
    X, labels, meant = group_vectors()
    C, labels = cosine_matrix(X[meant]), labels[meant]
    np.fill_diagonal(C, np.nan)
    return all(np.nanmean(C[labels == group][:, labels == group]) > C[labels == group][:, labels != group].mean()
               for group in set(labels))


@claim("L-4.4.1-groups-apart", "In Figure 23, the four groups of sentences are clearly different components.", True,
       needs="bert-base-cased",
       note="Computed as a neighbor purity above 0.95 in the full space. Even if it holds, it does not show that "
            "meaning is the reason: vectors that count words, without a model, have a purity of 1 (see the chapter).")
def _():
    X, labels, meant = group_vectors("bert-base-cased")
    return neighbor_purity(X[meant], labels[meant]) > 0.95


@claim("L-4.4.1-words-alone",
       "That the groups are apart is evidence for a connection between semantic content and the vectors' topology.",
       True, verdict=FAILS,
       note="Not by itself. Vectors that count words, with no model behind them, keep the groups apart just as "
            "cleanly, because the sentences of a template share most of their words. Paraphrases with other words are "
            "a fair test.")
def _():
    texts, labels, meant = labelled()
    words = sorted({word for text in texts for word in text.split()})
    counts = np.array([[text.split().count(word) for word in words] for text in texts])
    return neighbor_purity(counts[meant], labels[meant]) < 0.95  # they would have to fail, for it to be evidence


@claim("L-4.4.1-nonsense", "The two types of random sentences are quite similar, with a level of differentiation.",
       [True, True], needs="bert-base-cased",
       note="Computed as: the two centers are each other's nearest; and neighbor purity between the two is above 0.75. "
            "The number of tokens alone tells most of them apart.")
def _():
    X, labels, meant = group_vectors("bert-base-cased")
    centers = {group: X[labels == group].mean(axis=0) for group in sentence_groups()}
    kinds = ["random characters", "random words"]
    nearest = [min(set(centers) - {kind}, key=lambda group: np.linalg.norm(centers[group] - centers[kind]))
               for kind in kinds]  # fmt: skip
    return [nearest == kinds[::-1], neighbor_purity(X[~meant], labels[~meant]) > 0.75]


claim("L-4.4.1-sense", "The model can tell nonsense from non-nonsense (here, the default model: more than four in five "
      "nearest neighbors are of the same of the two kinds; chance is about one half).", True,
      lambda: neighbor_purity(group_vectors()[0], group_vectors()[2]) > 0.8,
      note="0.89. So can anyone who knows the words: it takes no meaning.")

# --- L 4.4.2 Algebra of embeddings ---------------------------------------------------------------------------------

claim("L-4.4.2-minimal", "Table 6: the two sentences of each pair differ in one word.", True,
      lambda: [sum(a != b for a, b in zip(first.split(), second.split(), strict=True))
               for first, second in TABLE_6.values()], expected=6 * [1], kind=READING)

claim("L-4.4.2-all-pairs", "Table 7 has a row for every two of the six contrasts.", True, lambda: len(TABLE_7),
      expected=comb(6, 2), kind=ITSELF)


@lru_cache
def contrasts(model=None, collection="sentence-pairs"):
    """A model's difference vectors for the six contrasts: the default's, of this library's own pairs."""
    sides = {name: zip(*load_texts(collection)[name.lower()], strict=True) for name in TABLE_6}
    return {name: difference_vectors(*(embed(list(side), model, "cls", device="cpu") for side in both))
            for name, both in sides.items()}


claim("L-4.4.2-within", "Many of the differences are clearly correlated within a type (Figure 24; here, on the default "
      "model with this library's pairs: the average cosine within each type is above 0.1).", True,
      lambda: all(average_cosine(differences) > 0.1 for differences in contrasts().values()))

claim("L-4.4.2-separated",
      "and separated from each other (here: most nearest neighbors by cosine are of the same type).", True,
      lambda: neighbor_purity(np.concatenate([*contrasts().values()]), np.repeat(range(6), 16), metric="cosine") > 0.5)

claim("L-4.4.2-doctor-default", "Being a nurse goes with being a woman, in the model (here, in the default model: the "
      "cosine of the two contrasts is below −0.2).", True,
      lambda: contrast_cosines({name: contrasts()[name] for name in ("Doctor-Nurse", "Female-Male")})[0, 1] < -0.2,
      note="−0.36.")

claim("L-4.4.2-table-7", "Table 7: the cosines of the average difference vectors, in its order.", [*TABLE_7.values()],
      lambda: contrast_cosines(contrasts("bert-base-cased", "luisto-pairs"))[np.triu_indices(6, 1)],
      needs="bert-base-cased and luisto-pairs")

PAIRS_NOTE = "In the file that L links to, the six contrasts have 10, 9, 13, 9, 9 and 12 pairs (stored counts)."


def pair_counts():
    """How many pairs each contrast of Table 6 has in L's own file."""
    return [stored()["pairs"][name.lower()] for name in TABLE_6]


claim("L-4.4.2-about-10", "There are about 10 sentence pairs from each category (within 1).", 10, pair_counts,
      expected=[10] * 6, tolerance=1, kind=READING, verdict=FAILS, note=PAIRS_NOTE)

claim("L-4.4.2-sets-of-10", "The arrows of Figure 24 are averages of 10 differences each.", 10, pair_counts,
      expected=[10] * 6, kind=READING, verdict=FAILS, note=PAIRS_NOTE)

claim("L-4.4.2-smallest", "The smallest similarity is between", ["Bright-Dim", "Doctor-Nurse"],
      lambda: list(min(TABLE_7, key=TABLE_7.get)), kind=ITSELF, verdict=FAILS,
      note="0.002 is the one nearest to 0, the smallest in size, and that is what the text means. The smallest number "
           "in Table 7 is −0.644, the strongest relation of all.")

claim("L-4.4.2-nearest-0", "The cosine of the least size is between", ["Bright-Dim", "Doctor-Nurse"],
      lambda: list(by_size()[-1]), kind=ITSELF)

claim("L-4.4.2-mood", "The cosine of Funny-Sad and Laugh-Cry is quite high: it is the largest of Table 7.",
      ["Funny-Sad", "Laugh-Cry"], lambda: list(max(TABLE_7, key=TABLE_7.get)), kind=ITSELF)

claim("L-4.4.2-brightness", "Brightness and mood have some higher correlation: Bright-Dim with Funny-Sad and with "
      "Laugh-Cry are above the median size of Table 7.", True,
      lambda: {("Bright-Dim", "Funny-Sad"), ("Bright-Dim", "Laugh-Cry")} <= {*by_size()[:7]}, kind=ITSELF,
      note="They are fifth and sixth of fifteen. Doctor-Nurse with Laugh-Cry, 0.150, is larger and not mentioned.")

claim("L-4.4.2-dim", "By the sign of the cosines, dim goes with", ["Sad", "Cry"],
      lambda: [goes_with("Bright-Dim", "Funny-Sad"), goes_with("Bright-Dim", "Laugh-Cry")], kind=ITSELF)

claim("L-4.4.2-finnish", "Finnish people are more likely to cry than the Czech: by the sign, crying goes with",
      "Finnish", lambda: goes_with("Laugh-Cry", "Finnish-Czech"), kind=ITSELF,
      note="−0.173 is the third in size; the table gives no interval and no test.")

claim("L-4.4.2-bias", "Being a nurse goes with being a woman: by the sign, nurse goes with", "Female",
      lambda: goes_with("Doctor-Nurse", "Female-Male"), kind=ITSELF)

claim("L-4.4.2-bias-size", "The cosine of Doctor-Nurse and Female-Male is the largest in size.", -0.644,
      lambda: TABLE_7[by_size()[0]], kind=ITSELF)

claim("L-4.4.2-happy",
      "One of the average difference vectors stands for “more sad than happy”: some contrast runs from happy to sad.",
      True, lambda: any("happy" in first for first, _ in TABLE_6.values()), kind=ITSELF, verdict=FAILS,
      note="No contrast of Table 6 has the word happy: Funny-Sad runs from funny to sad, Laugh-Cry from laughing to "
           "crying.")
