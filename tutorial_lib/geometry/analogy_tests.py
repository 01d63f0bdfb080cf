"""Is "doctor" to "nurse" as "he" to "she", with parallel steps, or is that chance? Two tests. L 4.4.2.

The cosine of the two steps is `contrasts.contrast_cosines`; both tests work for any two directions. The sentences are
in the collection "sentence-pairs"; the words used as a baseline are in the chapter `meaning`.
"""

import numpy as np

from tutorial_lib.arguments import check_seed, whole_number
from tutorial_lib.geometry.arrays import as_vectors
from tutorial_lib.geometry.contrasts import as_contrasts
from tutorial_lib.geometry.similarity import cosine, unit
from tutorial_lib.geometry.statistics import PermutationTest, permutation_p


def sign_flip_test(first, second, n_permutations=4999, seed=0):
    """Return the two-sided p-value for the inner product of two contrasts' averages.

    Null hypothesis: which sentence of a pair comes first is arbitrary in at least one of the contrasts. Then swapping
    the sentences of some pairs, which flips the signs of their differences, changes nothing. The signs of one contrast
    are flipped at random while the other stays fixed, then the reverse, and the larger p-value counts. The statistic is
    the inner product, not the cosine: if a contrast's differences are all similar, flipped signs make their average
    shorter but do not turn it, and a cosine only changes its sign.

    Both: (n_pairs, d). With n pairs there are at most 2^(n-1) different outcomes, so 5 pairs cannot give p < 1/16.
    Raises ValueError if the widths differ.

    >>> north = [[0.1, 1.0], [-0.2, 1.0], [0.1, 1.2], [0.0, 0.9], [0.2, 1.0], [-0.1, 1.1], [0.1, 0.8]]
    >>> sign_flip_test(north, north, n_permutations=999) < 0.05
    True
    """
    n = whole_number("n_permutations", n_permutations, 1, "an int, 1 or more")
    first, second = as_contrasts({"first": first, "second": second}).values()
    rng = np.random.default_rng(check_seed("seed", seed))
    p_values = []
    for flipped, other in ((first, second), (second, first)):
        along = flipped @ other.mean(axis=0)  # (n_pairs,)
        signs = rng.choice([-1.0, 1.0], size=(n, len(along)))
        p_values.append(permutation_p(abs(along.sum()), np.abs(signs @ along)))
    return max(p_values)


def swap_test(direction, difference, words):
    """Test whether a difference is more aligned with a direction than the swap of two random words is. Two-sided.

    `words`: (n_words, d), one vector for each word, computed in the same way as the two vectors behind `difference`
    (averages over the same sentence frames). The null is the cosine of `direction` (d,) with the difference of every
    two words, n (n - 1) / 2 of them. They share words, so they are not independent: p only says how rare the observed
    cosine is among swaps. Raises ValueError if widths differ, or for fewer than two words.

    >>> swap_test([1.0, 0.0], [3.0, 0.1], [[0.0, 0.0], [0.1, 1.0], [0.0, 2.0], [0.3, 3.0]])
    PermutationTest(observed=0.999, p=0.143, n=6)
    """
    words = as_vectors("words", words, least=2)
    direction = as_vectors("direction", [direction])
    difference = as_vectors("difference", [difference])
    widths = [direction.shape[1], difference.shape[1], words.shape[1]]
    if len(set(widths)) > 1:
        raise ValueError(f"direction, difference and words must have the same width, got {widths}")
    i, j = np.triu_indices(len(words), k=1)
    swaps = words[j] - words[i]  # (n_swaps, d)
    null = np.clip(unit(swaps, "the swaps of words") @ unit(direction, "direction")[0], -1, 1)
    observed = float(cosine(difference, direction)[0])
    return PermutationTest(observed, permutation_p(abs(observed), np.abs(null)), null)
