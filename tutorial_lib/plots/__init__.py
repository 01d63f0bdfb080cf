"""Matplotlib figures of the book, one module for each subject. `use_style()` first, then draw.

Every function draws into the axes that it is given (or its own new ones) and returns them; axes are named with units.
"""

from tutorial_lib.plots.attention import (
    attention_steps,
    gradient_norms,
    named_points,
    printed_and_computed,
    products,
    rankings,
    saturation,
    similarity_maps,
    temperatures,
    variances,
)
from tutorial_lib.plots.base import COLORS, as_array, heatmap, use_style
from tutorial_lib.plots.bert import (
    activations,
    by_component,
    coordinates,
    layer_diagram,
    norms,
    parameter_bars,
)
from tutorial_lib.plots.collections import by_layer, four_distributions
from tutorial_lib.plots.embeddings import (
    cosines_by_layer,
    embedding_sum,
    one_hot_product,
    random_cosines,
    senses,
)
from tutorial_lib.plots.evolution import layer_paths, parting_curves, step_curves
from tutorial_lib.plots.heads import (
    compass,
    cross_weights,
    head_grid,
    split_diagram,
    training_mask,
    update_norms,
)
from tutorial_lib.plots.meaning import curves_by_layer, difference_arrows, sentence_groups, swap_histogram
from tutorial_lib.plots.position_vectors import cosines_by_distance, local_periods, position_maps, turning_planes
from tutorial_lib.plots.positions import (
    coordinate_wavelengths,
    cosine_histogram,
    encodings,
    influences,
    position_breaks,
    rnn_and_transformer,
    shift_circles,
    similarity_curves,
)
from tutorial_lib.plots.probing import learning_curves, probe_planes, word_probabilities
from tutorial_lib.plots.questions import dimension_by_window, opposites_by_layer, rounding_by_layer, token_kinds
from tutorial_lib.plots.seeing import concentration, explained, pictures
from tutorial_lib.plots.shape import dimension_curves, flat_clouds, layer_profiles, ratio_lines
from tutorial_lib.plots.token_vectors import cosine_tails, mean_histograms, norms_along_ids, variance_curves
from tutorial_lib.plots.tokenization import batch_grid, token_cuts, vocabulary_blocks, vocabulary_sizes
from tutorial_lib.plots.uses import intervals

__all__ = [
    "COLORS",
    "activations",
    "as_array",
    "attention_steps",
    "batch_grid",
    "by_component",
    "by_layer",
    "compass",
    "concentration",
    "coordinate_wavelengths",
    "coordinates",
    "cosine_histogram",
    "cosine_tails",
    "cosines_by_distance",
    "cosines_by_layer",
    "cross_weights",
    "curves_by_layer",
    "difference_arrows",
    "dimension_by_window",
    "dimension_curves",
    "embedding_sum",
    "encodings",
    "explained",
    "flat_clouds",
    "four_distributions",
    "gradient_norms",
    "head_grid",
    "heatmap",
    "influences",
    "intervals",
    "layer_diagram",
    "layer_paths",
    "layer_profiles",
    "learning_curves",
    "local_periods",
    "mean_histograms",
    "named_points",
    "norms",
    "norms_along_ids",
    "one_hot_product",
    "opposites_by_layer",
    "parameter_bars",
    "parting_curves",
    "pictures",
    "position_breaks",
    "position_maps",
    "printed_and_computed",
    "probe_planes",
    "products",
    "random_cosines",
    "rankings",
    "ratio_lines",
    "rnn_and_transformer",
    "rounding_by_layer",
    "saturation",
    "senses",
    "sentence_groups",
    "shift_circles",
    "similarity_curves",
    "similarity_maps",
    "split_diagram",
    "step_curves",
    "swap_histogram",
    "temperatures",
    "token_cuts",
    "token_kinds",
    "training_mask",
    "turning_planes",
    "update_norms",
    "use_style",
    "variance_curves",
    "variances",
    "vocabulary_blocks",
    "vocabulary_sizes",
    "word_probabilities",
]
