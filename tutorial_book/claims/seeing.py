"""L 2.2 and 2.3: the Hopf link and its pictures, and PCA as a measure of dimension, recomputed."""

from functools import lru_cache

import numpy as np
from scipy.spatial.distance import pdist

from tutorial_book.claims.claim import claims_of
from tutorial_lib import geometry

claim = claims_of("seeing")

# --- L 2.3.1 Projections to 2D -------------------------------------------------------------------------------------


@lru_cache
def picture(method, **settings):
    """Return the Hopf link of 200 points as t-SNE or UMAP shows it."""
    return getattr(geometry, method)(geometry.hopf_link(100)[0], **settings)


def circles(points):
    """Return the points of the Hopf link's first and of its second circle."""
    _, circle = geometry.hopf_link(len(points) // 2)
    return points[circle == 0], points[circle == 1]


@claim("L-2.3.1-nonlinear", "PCA is linear, t-SNE and UMAP are not (here: the share of each picture that no affine map "
       "of the points explains: PCA, t-SNE, UMAP; above a tenth).", True, expected=[False, True, True])
def _():
    points = geometry.hopf_link(100)[0]
    affine = np.column_stack([points, np.ones(len(points))])
    shown = geometry.pca(points).coordinates, picture("tsne"), picture("umap")
    left = [np.linalg.norm(Y - affine @ np.linalg.lstsq(affine, Y, rcond=None)[0]) / np.linalg.norm(Y) for Y in shown]
    return [bool(share > 0.1) for share in left]


claim("L-2.3.1-pca", "PCA does not separate the circles (here: how often they cross in its picture).", True,
      lambda: geometry.crossings(*circles(geometry.pca(geometry.hopf_link(100)[0]).coordinates)), expected=2,
      note="No flat shadow separates them: a link with linking number 1 has two crossings or more in each.")

claim("L-2.3.1-separate", "In t-SNE's and UMAP's pictures two separate closed curves appear (here: crossings in each).",
      True, lambda: [geometry.crossings(*circles(picture(method))) for method in ("tsne", "umap")], expected=[0, 0],
      note="With the default settings. So the pictures do not show that they are linked: linked circles cross twice or "
           "more in every shadow. t-SNE with a perplexity of 90 for 200 points shows them crossed. Neither is torn: "
           "the widest gap between neighbors is 2.1 times the median gap at most.")

claim("L-2.3.1-components",
      "In both pictures the two components are told apart (here: the share of nearest neighbors on the same circle).",
      True, lambda: [geometry.neighbor_purity(picture(method), geometry.hopf_link(100)[1])
                     for method in ("tsne", "umap")], expected=[1.0, 1.0])


@claim("L-2.3.1-hyperplane", "The two components cannot be separated by any hyperplane.", True,
       note="The center of one circle is a point of the other, so an affine function that is positive on the first is "
            "positive at a point of the second.")
def _():
    flat, upright = circles(geometry.hopf_link(100)[0])
    return bool(np.linalg.norm(upright - flat.mean(0), axis=1).min() < 1e-12)


@claim("L-2.3.1-distances", "Distances and cosine similarities are not preserved by t-SNE and UMAP (here: of all pairs "
       "of the link's points, the distances in the picture and in space correlate by less than 0.8, and so do the "
       "cosines, seen from the center).", True, expected=4 * [True],
       note="Distances 0.71 and 0.44, cosines 0.19 and 0.15; in PCA's picture 0.94 and 0.89. L says “any properties”, "
            "but one is kept, which both methods are made for: nine of ten nearest neighbors on the link stay, or "
            "more. With a perplexity of 90, t-SNE has 0.93 and 0.86.")
def _():
    link = geometry.hopf_link(100)[0]
    measures = pdist, lambda X: pdist(X - X.mean(0), "cosine")
    return [np.corrcoef(measure(link), measure(picture(method)))[0, 1] < 0.8
            for measure in measures for method in ("tsne", "umap")]


# --- L 2.3.2 PCA-based dimensional analysis ------------------------------------------------------------------------


def directions_needed(points, share=1.0):
    """Return how many of PCA's directions contain that share of the variance."""
    return int((geometry.pca(points, n=10).shares.cumsum() < share - 1e-9).sum()) + 1


claim("L-2.3.2-dimensions", "The curves of the three cubes alone show their dimensions; the dataset has 10.",
      [7, 8, 9, 10], lambda: [*(directions_needed(geometry.cubes()[0][geometry.cubes()[1] == i]) for i in range(3)),
                              directions_needed(geometry.cubes()[0])],
      note="Each reaches 100 % at its dimension, in similar steps (12 to 16 % for the first): a cube's variance is the "
           "same in all directions, up to chance.")

claim("L-2.3.2-total",
      "From the curve of the whole dataset one can get very little insight (here: one direction holds more than 90 %).",
      True, lambda: bool(geometry.pca(geometry.cubes()[0]).shares[0] > 0.9),
      note="It is the way from the other two cubes to the shifted one.")
