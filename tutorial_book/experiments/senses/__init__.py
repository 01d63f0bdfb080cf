"""Is a homonym's sense a cluster, and do distances encode a sentence's tree? With the controls for both.

A module loads when one of its names is first used. Sources: Reif et al. 2019; Hewitt and Manning 2019; Hewitt and
Liang 2019.
"""

from tutorial_lib import late

__getattr__, __dir__, __all__ = late(__name__, {
    "clusters": "halves place_of_halves",
    "probe": "edges fit_probe probe_distances right_edges spearman",
    "reader": "story_heads",
    "trees": "Tree by_word chain hand_made read_tree shuffled_layers steps story_trees tree_of word_vectors",
})
