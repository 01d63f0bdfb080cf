"""A cloud of vectors too large for memory: sums that one fast pass collects, and that two machines can add.

`Cloud` documents the sums, and a test compares them with the formulas; everything below it serves speed. `spectrum`,
`anisotropy`, `pca_dimension`, `participation_ratio`, `outlier_coordinates`, `average_cosine` and `cone_index` accept a
`Cloud` in place of the vectors, so each is defined only once. Source: Chan, Golub and LeVeque 1983 (merging the mean
and scatter of two parts).
"""

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, reduce

import numpy as np
from threadpoolctl import threadpool_limits

from tutorial_lib.arguments import check_has, whole_number

BLOCK = 1024  # rows at once: 1.5 MB of 384 float32 coordinates, so that only the first pass over them reads from memory
PART = 8 * BLOCK  # rows around one center, and for one thread
SAFE = 1e-24, 1e24  # the largest squared length for which float32 is enough; other parts are computed in float64
LARGEST = 1e150  # length, so that sums of squares stay in range in float64
VALUE_STEPS = 4  # bins between a number and its double
NORM_STEPS = 32


def _edges(steps, low, high):
    """Return bin edges from 2^low to 2^high, with this many bins of equal width from each power of two to the next."""
    return np.append(np.ldexp(1 + np.arange(steps) / steps, np.arange(low, high)[:, None]), 2.0**high)


NORM_EDGES = _edges(NORM_STEPS, -10, 20)  # about 0.001 to 1,000,000
VALUE_EDGES = np.concatenate([-_edges(VALUE_STEPS, -10, 10)[::-1], _edges(VALUE_STEPS, -10, 10)])  # -1,024 to 1,024


class Cloud:
    """The sums that one pass over vectors of d coordinates collects: about 8 d^2 bytes, however many vectors there are.

    d: number of coordinates. without: numbers of coordinates; `rest` is then the cloud without them. `add(X)` reads a
    chunk, `merge(other)` and `a + b` join clouds of the same d and `without`. Their order only changes the last digits,
    and adding chunk by chunk equals merging their clouds, to the last bit. `arrays()` is all that needs to be saved.

    Sums are kept in float64. Products of vectors in float32 (or a narrower type) are computed in float32, in blocks,
    around a nearby center; results equal those in memory to 1e-6: of the value, of 1 for cosines, of the largest for
    shares of variance. (If many vectors are copies, the effective number is equal to 1e-5.) Vectors in float64 are
    computed in float64.

    n, mean (d,), covariance (d, d)  of the sample: divided by n - 1
    norm_mean, norm_std              of the vectors' lengths, as np.mean and np.std
    norm_counts, value_counts        histograms of lengths and of all coordinates together: counts below the first of
                                     NORM_EDGES or VALUE_EDGES, between them, and beyond the last. A value at an edge
                                     counts to the side away from 0.

    >>> from tutorial_lib.geometry import average_cosine
    >>> cloud = Cloud(2, without=[1])
    >>> cloud.add([[3.0, 4.0], [0.0, 2.0]]).add([[6.0, 8.0]])
    Cloud(d=2, n=3, without=(1,))
    >>> cloud.mean.round(2).tolist(), round(cloud.norm_mean, 2), cloud.rest.mean.tolist()
    ([3.0, 4.67], 5.67, [3.0])
    >>> round(average_cosine(cloud), 2)
    0.87
    """

    def __init__(self, d, without=()):
        d = whole_number("d", d, 1, "a number of coordinates (an int, 1 or more)")
        check_has("without", without, "numbers of coordinates", "__iter__")
        allowed = f"numbers of coordinates, from 0 to {d - 1}"
        self.without = tuple(sorted({whole_number("without", i, 0, allowed, d - 1) for i in without}))
        if len(self.without) == d:
            raise ValueError(f"without must leave a coordinate, got all {d}")
        views = 1 + bool(self.without)  # with all coordinates; without some
        self.n = 0
        self.mean = np.zeros(d)
        self.scatter = np.zeros((d, d))  # sum of (x - mean)^T (x - mean)
        self.units = np.zeros((views, d))  # sum of unit vectors
        self.zeros = np.zeros(views, int)  # rows of zeros
        self.lengths = np.zeros(views)  # mean length
        self.spread = np.zeros(views)  # sum of (length - mean)^2
        self.length_counts = np.zeros((views, len(NORM_EDGES) + 1), int)
        self.counts = np.zeros((views, len(VALUE_EDGES) + 1), int)

    def __repr__(self):
        return f"Cloud(d={len(self.mean)}, n={self.n}" + f", without={self.without}" * bool(self.without) + ")"

    def __len__(self):
        return self.n

    def add(self, X):
        """Count the rows of X (n, d), NumPy's or torch's, and return the cloud. Empty: nothing changes.

        Raises TypeError if X contains no numbers, ValueError if its shape does not fit, or a row contains NaN, infinity
        or is longer than 1e150. Then nothing is counted.
        """
        import torch

        X = _as_rows(X, len(self.mean))
        if len(X) <= PART:
            return self.merge(_part(X, 0, self.without)) if len(X) else self
        starts = range(0, len(X), PART)
        cores = torch.get_num_threads()
        share = max(1, cores // len(starts))  # with all cores for each part's products, it would take twice as long
        with threadpool_limits(share, "blas"), ThreadPoolExecutor(cores) as pool:
            parts = pool.map(lambda i: _part(X[i : i + PART], i, self.without), starts)
            return self.merge(reduce(Cloud.merge, parts))

    def merge(self, other):
        """Count the vectors of another cloud, too, and return this one. Raises ValueError if they do not fit."""
        if len(self.mean) != len(other.mean) or self.without != other.without:
            raise ValueError(f"other must be a cloud like this one, {self!r}, got {other!r}")
        if other.n:
            n = self.n + other.n
            share = other.n / n
            step = other.mean - self.mean
            longer = other.lengths - self.lengths
            self.scatter += other.scatter
            self.scatter += np.outer(self.n * share * step, step)
            self.spread += other.spread + self.n * share * longer**2
            self.mean += share * step
            self.lengths += share * longer
            for name in ("units", "zeros", "length_counts", "counts"):
                getattr(self, name)[...] += getattr(other, name)
            self.n = n
        return self

    def __add__(self, other):
        return Cloud(len(self.mean), self.without).merge(self).merge(other)

    def arrays(self):
        """Return the cloud as a dict of arrays, for np.savez; `Cloud.of` turns it back into a cloud."""
        return {name: np.array(value) for name, value in vars(self).items()}

    @classmethod
    def of(cls, arrays):
        """Return the cloud of these `arrays()`, as np.load gives them. Raises ValueError if they do not fit.

        >>> Cloud.of(Cloud(2).add([[1.0, 2.0]]).arrays())
        Cloud(d=2, n=1)
        """
        check_has("arrays", arrays, "a dictionary of arrays, as `Cloud.arrays` gives it", "keys")
        missing = sorted(set(vars(cls(1))) - set(arrays.keys()))
        if missing:
            raise ValueError(f"arrays must be a dictionary from `Cloud.arrays`, but {', '.join(missing)} is missing")
        cloud = cls(len(arrays["mean"]), np.asarray(arrays["without"], int).tolist())
        for name, empty in cloud.arrays().items():
            array = np.asarray(arrays[name])
            if array.shape != empty.shape:
                raise ValueError(f"arrays must contain {name} of shape {empty.shape}, got {array.shape}")
            if name not in ("n", "without"):
                setattr(cloud, name, array.astype(empty.dtype))
        cloud.n = int(arrays["n"])
        return cloud

    @property
    def rest(self):
        """Return the cloud of the same vectors without the coordinates `without`."""
        if not self.without:
            return self
        kept = np.delete(np.arange(len(self.mean)), self.without)
        rest = Cloud(len(kept))
        rest.n = self.n
        rest.mean = self.mean[kept]
        rest.scatter = self.scatter[np.ix_(kept, kept)]
        rest.units = self.units[1:, kept]
        for name in ("zeros", "lengths", "spread", "length_counts", "counts"):
            setattr(rest, name, getattr(self, name)[1:].copy())
        return rest

    @property
    def covariance(self):
        if self.n < 2:
            raise ValueError(f"a covariance needs at least 2 vectors, got {self.n}")
        return self.scatter / (self.n - 1)

    norm_mean = property(lambda self: float(self.lengths[0]))
    norm_std = property(lambda self: float((self.spread[0] / max(self.n, 1)) ** 0.5))
    norm_counts = property(lambda self: self.length_counts[0])
    value_counts = property(lambda self: self.counts[0])


def _as_rows(X, d):
    """X as an array (n, d) of float32 or float64."""
    if hasattr(X, "detach"):  # a torch tensor, without importing torch
        X = X.detach().cpu()
        X = (X.float() if X.dtype.itemsize == 2 else X).numpy()  # NumPy has no bfloat16
    X = np.asarray(X)
    if X.dtype.kind not in "biuf" and X.size:
        raise TypeError(f"X must be an array of real numbers, got {X.dtype}")
    if X.ndim != 2 or X.shape[1] != d:
        raise ValueError(f"X must be a matrix with {d} columns, one vector per row, got shape {X.shape}")
    return X.astype(np.float32 if X.dtype.kind == "f" and X.dtype.itemsize <= 4 else np.float64, copy=False)


@np.errstate(all="ignore")  # values that are not finite are reported below
def _part(X, start, without):
    """Return the cloud of the rows X (n, d); the first of them is row `start` of all rows added.

    One product, of the rows [x - c, 1, 1 / |x|], gives the scatter around a center c, and the sums of the vectors and
    of the unit vectors. Lengths come from |x|^2 = |c|^2 + 2 c (x - c) + |x - c|^2: far from 0, a float32 square of x
    would lose the differences between lengths; this keeps them. If x is much shorter than c and x - c, it is the
    reverse; such rows are computed from x itself, in float64.
    """
    cloud = Cloud(X.shape[1], without)
    views = np.ones((X.shape[1], len(cloud.zeros)), X.dtype)  # 1 if a coordinate counts
    views[list(without), 1:] = 0
    center = X[0] + (X[:BLOCK] - X[0]).mean(0)  # if all are equal, then exactly this one
    products = _products(cloud, X, center, views)
    if products is None:
        return _part(X.astype(np.float64), start, without)
    products, squares = products
    if not (squares[:, 0] <= LARGEST**2).all():  # one NaN can make the center NaN, and so all lengths: search for it
        bad = (~(np.linalg.norm(X.astype(np.float64), axis=1) <= 0.999 * LARGEST)).argmax()  # 0.999: rounding
        got = f"{X[bad][np.abs(X[bad]).argmax()]:g} in row {start + bad}"
        raise ValueError(f"X must be finite, with no vector longer than {LARGEST:g}, got {got}")
    _put_together(cloud, center, views, products, np.sqrt(squares))
    return cloud


def _products(cloud, X, center, views):
    """Return the product of the rows [x - c, 1, 1 / |x|] with themselves, and the rows' squared lengths (n, views).

    The cloud gets the sums outside the product: counts of values, unit vectors of rows near 0. None if float32
    is not precise enough.
    """
    n, d = X.shape
    far = np.square(center, dtype=np.float64) @ views
    along = 2 * views * center[:, None]
    without = list(cloud.without)
    squares = np.empty((n, views.shape[1]))
    products = np.zeros((d + 1 + views.shape[1],) * 2)
    rows, space, product = (np.ones(shape, X.dtype) for shape in ((BLOCK, len(products)), (BLOCK, d), products.shape))
    for first in range(0, n, BLOCK):  # reuse the memory: to allocate more takes as long as to compute
        block = X[first : first + BLOCK]
        rows = rows[: len(block)]
        space = space[: len(block)]
        Y = np.subtract(block, center, out=rows[:, :d])
        apart = far + np.square(Y, out=space) @ views  # (b, views)
        if X.dtype == np.float32 and not SAFE[0] < apart.max() < SAFE[1]:
            return None
        lengths = apart + Y @ along  # squared
        near = (lengths < 0.1 * apart).any(1)
        lengths[near] = np.square(block[near], dtype=np.float64) @ views
        inverses = np.where(lengths > 0, lengths**-0.5, 0)
        cloud.units += inverses[near].T @ block[near]
        inverses[near] = 0
        cloud.units += np.outer(inverses.sum(0), center)
        rows[:, d + 1 :] = inverses
        products += np.matmul(rows.T, rows, out=product)
        squares[first : first + BLOCK] = lengths
        cloud.counts += _count(block, space)
        cloud.counts[1:] -= _count(block[:, without], space[:, : len(without)].copy())
    return products, squares


def _put_together(cloud, center, views, products, norms):
    """Add the sums for a product around a center, and the lengths (n, views), to the cloud."""
    n = len(norms)
    d = len(center)
    total = products[d, :d]  # of x - c
    cloud.n = n
    cloud.mean = center + total / n
    cloud.scatter = products[:d, :d] - np.outer(total, total / n)
    np.fill_diagonal(cloud.scatter, cloud.scatter.diagonal().clip(min=0))  # below this, float32 squares vanish
    cloud.units = (cloud.units + products[d + 1 :, :d]) * views.T
    cloud.zeros = (norms == 0).sum(0)
    cloud.lengths = norms.mean(0)
    cloud.spread = np.square(norms - cloud.lengths).sum(0)
    for counts, lengths in zip(cloud.length_counts, norms.T):
        counts[:] = np.bincount(np.searchsorted(NORM_EDGES, lengths, side="right"), minlength=len(counts))


def _count(X, space):
    """Count the numbers of X in each bin of VALUE_EDGES by their first bits, which is faster than comparing."""
    import torch

    shift, bins = _bits(X.dtype)
    size = X.dtype.itemsize
    codes = np.right_shift(X.view(f"u{size}"), shift, out=space.view(f"u{size}")).view(f"i{size}")
    counts = torch.bincount(torch.from_numpy(codes.ravel()), minlength=len(bins))  # NumPy's would copy the codes
    return np.bincount(bins, counts, len(VALUE_EDGES) + 1).astype(int)


@lru_cache
def _bits(dtype):
    """Return how many last bits of a float to drop so that sign, exponent and two more remain; each code's bin."""
    kind = np.finfo(dtype)
    shift = kind.nmant - 2  # VALUE_STEPS are 2^2
    codes = np.arange(2 ** (kind.bits - shift), dtype=f"u{dtype.itemsize}")
    ends = (codes << codes.dtype.type(shift)).view(dtype)  # of all numbers with this code, the nearest to 0
    right, left = (np.searchsorted(VALUE_EDGES, ends, side) for side in ("right", "left"))
    return shift, np.where(np.signbit(ends), left, right)
