"""Measurements on clouds of vectors: similarity, dimension (TwoNN), groups (silhouette), bias, projections.

All functions work on plain arrays, NumPy's or torch's, and know nothing about models. A module loads when one of its
names is first used, so a chapter depends only on the measurements it uses.
"""

from tutorial_lib import late

__getattr__, __dir__, __all__ = late(__name__, {
    "contextuality": "center_groups explainable_variance self_similarity sentence_similarity",
    "analogy_tests": "sign_flip_test swap_test",
    "contrasts": "contrast_cosines difference_vectors",
    "controls": "Control center cosine_parts distance_shares leave_out norm_shares remove_main standardize whiten",
    "curves": "Turn clock_hands correlation_dimension lag_distances local_dimension turn_period",
    "directions": "Nearest PlanePath TokenPlane best_probability inverse_unembedding layer_agreement logit_lens "
    "measure_overlap nearest_by_measure own_scores plane_path token_plane top_tokens",
    "gates": "GATES gate_example gate_of gate_scores without_tokens",
    "groups": "group_test linear_accuracy neighbor_purity silhouette",
    "heads": "MapShares attention_pattern head_statistics hits induction_score map_shares offset_hits selectors "
    "sign_test weighted_norms word_weights",
    "homology": "persistence",
    "links": "crossings linking_number",
    "neighbors": "nearest_neighbors",
    "pairs": "ExtremePairs extreme_pairs",
    "paths": "GroupDistances Steps group_distances random_walks step_alignment steps",
    "projection": "PCA ProjectionQuality cubes hopf_link pca projection_quality tsne umap",
    "scales": "Scale dimension_by_scale doubling_dimension",
    "shape": "anisotropy effective_number entropy outlier_coordinates participation_ratio pca_dimension spectrum "
    "value_entropy",
    "similarity": "Distributions ToMean average_cosine cka cone_index cosine cosine_matrix distance_matrix "
    "distributions to_mean",
    "statistics": "PermutationTest bootstrap_interval holm jackknife_interval mean_interval permutation_p",
    "streaming": "NORM_EDGES VALUE_EDGES Cloud",
    "subspaces": "effective_rank principal_angles product_svd random_subspace subspace_overlap variance_seen",
    "two_nn": "distinct intrinsic_dimension neighbor_ratios ratio_dimension sampled_ratios",
})
