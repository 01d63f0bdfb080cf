"""L 4.4.1 and 4.4.2: synonymous sentences, difference vectors, Tables 6 and 7, and the text's reading of them."""

import re
from functools import lru_cache
from itertools import combinations

import numpy as np
from scipy.cluster.hierarchy import linkage

from tutorial_book.claims.claim import claims_of
from tutorial_book.experiments import stored
from tutorial_lib.geometry import contrast_cosines, difference_vectors, distance_matrix, neighbor_purity
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
    """Return the groups of L 4.4.1, sentences by group. Seven of the ten meeting sentences are this book's, not L's."""
    return load_texts("synonyms")


def labelled():
    """Return all sentences of the groups, the name of each one's group, and whether that means something."""
    texts = [text for members in sentence_groups().values() for text in members]
    labels = np.array([group for group, members in sentence_groups().items() for _ in members])
    return texts, labels, ~np.char.startswith(labels, "random")


@lru_cache
def group_vectors(model=None):
    """Return a model's [CLS] vectors of these sentences after the last layer, and the rest of `labelled`."""
    texts, *rest = labelled()
    return embed(texts, model, "cls", device="cpu"), *rest


# --- L 4.4.1 Topology of embeddings --------------------------------------------------------------------------------


claim("L-4.4.1-groups-apart", "In Figure 23, the four groups of sentences are clearly different components (here: "
      "joined within a growing distance in the full space, they are four pieces, and three only at more than 1.5 times "
      "that distance).", True, lambda: four_over_three("bert-base-cased") > 1.5, needs="bert-base-cased",
      stands_in=True, note="Seven of the ten meeting sentences are this book's.")

claim("L-4.4.1-pieces", "The four groups are clearly different components (here, on the default model: joined within "
      "a growing distance, they are four pieces, and three only at more than 1.5 times that distance).", True,
      lambda: four_over_three() > 1.5,
      note="At 1.87 times; with random weights at 1.1 and by word counts at 1.07, which chance gives, too. That the "
           "groups are apart is evidence for semantic content only beyond what their words tell: by neighbors, vectors "
           "that count words keep them apart as well.")


def four_over_three(model=None):
    """Return at how many times the distance at which the groups with a meaning are four pieces they become three."""
    X, _, meant = group_vectors(model)
    joins = linkage(distance_matrix(X[meant])[np.triu_indices(meant.sum(), 1)], "single")[::-1, 2]
    return joins[2] / joins[3]


@claim("L-4.4.1-nonsense", "The two types of random sentences are quite similar, with a level of differentiation "
       "(here: the two centers are each other's nearest; the neighbor purity between the two is above 0.75).",
       [True, True], needs="bert-base-cased", stands_in=True,
       note="The random sentences are this book's. The number of tokens alone tells most of them apart.")
def _():
    X, labels, meant = group_vectors("bert-base-cased")
    centers = {group: X[labels == group].mean(axis=0) for group in sentence_groups()}
    kinds = ["random characters", "random words"]
    nearest = [min(set(centers) - {kind}, key=lambda group: np.linalg.norm(centers[group] - centers[kind]))
               for kind in kinds]
    return [nearest == kinds[::-1], neighbor_purity(X[~meant], labels[~meant]) > 0.75]


@claim("L-4.4.1-sense", "The model can tell nonsense from non-nonsense (here, the default model's [CLS]: of 40 "
       "built-in texts, and of the same with their words shuffled, more than six in ten are nearer to the average of "
       "their own kind, of 40 others; chance is one half).", True,
       note="0.70; with random weights 0.49 to 0.53. L's kinds of nonsense cannot show it: there the nearest neighbors "
            "of 0.89 are of the same kind, but with random weights of 0.97 and more, and by length alone of 0.99.")
def _():
    texts = [re.sub(r"[^\w ]", "", text) for text in load_texts("encyclopedia")[:80]]
    rng = np.random.default_rng(0)
    shuffled = [" ".join(rng.permutation(text.split())) for text in texts]
    kinds = [embed(part, pooling="cls", device="cpu") for part in (texts, shuffled)]
    means = [X[::2].mean(axis=0) for X in kinds]
    nearer = [np.linalg.norm(X[1::2] - own, axis=1) < np.linalg.norm(X[1::2] - other, axis=1)
              for X, own, other in zip(kinds, means, means[::-1], strict=True)]
    return bool(np.mean(nearer) > 0.6)


# --- L 4.4.2 Algebra of embeddings ---------------------------------------------------------------------------------


@lru_cache
def contrasts(model=None, collection="sentence-pairs"):
    """Return a model's difference vectors for the six contrasts: the default's, of this library's own pairs."""
    sides = {name: zip(*load_texts(collection)[name.lower()], strict=True) for name in TABLE_6}
    return {name: difference_vectors(*(embed(list(side), model, "cls", device="cpu") for side in both))
            for name, both in sides.items()}


claim("L-4.4.2-within", "Many of the differences are clearly correlated within a type (Figure 24; here, on the default "
      "model with L's pairs, as stored: the average cosine within each type is above 0.1).", True,
      lambda: min(stored("luisto-pairs")["cls"]["within"]) > 0.1,
      note="0.59 to 0.95. Random weights have, with this book's pairs, 0.4 or more in five types (a type repeats its "
           "words), and 0.05 for female and male.")

claim("L-4.4.2-separated",
      "The differences of the types are separated from each other (here, in the default model with this book's pairs: "
      "the share of nearest neighbors by cosine that are of the same type).", True,
      lambda: neighbor_purity(np.concatenate([*contrasts().values()]), np.repeat(range(6), 16), metric="cosine"),
      expected=1.0, tolerance=0.01,
      note="Random weights have 0.92 to 0.96 and word counts 0.92: a type exchanges few words, so most of it needs no "
           "meaning.")

claim("L-4.4.2-doctor-default", "The contrast of doctor and nurse runs against that of female and male (here, in the "
      "default model with L's pairs, as stored: the 95 % interval of their cosine is below −0.2).", True,
      lambda: stored("luisto-pairs")["cls"]["intervals"][[*TABLE_7].index(("Doctor-Nurse", "Female-Male"))][1] < -0.2,
      note="−0.38 [−0.43, −0.32]; with this book's pairs −0.36.")

claim("L-4.4.2-table-7", "Table 7: the cosines of the average difference vectors, in its order.", [*TABLE_7.values()],
      lambda: contrast_cosines(contrasts("bert-base-cased", "luisto-pairs"))[np.triu_indices(6, 1)],
      needs="bert-base-cased and luisto-pairs")
