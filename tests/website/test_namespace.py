"""A chapter's values that its test can read, and why others were left out."""

import io

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from website.build.namespace import MOST_BYTES, Names, pack


def kept(code="", **namespace):
    """Return the rest of a namespace after it has run this code."""
    namespace |= {"__name__": "__main__"}
    exec(code, namespace)
    return Names("heads", pack(namespace))


def test_numbers_arrays_and_small_models_are_kept():
    model = torch.nn.Linear(3, 2)
    page = kept(n=3, found={"a": (1, None)}, rows=np.eye(2), X=torch.ones(2), model=model)
    assert (page.n, page.found) == (3, {"a": (1, None)})
    assert (page.rows == np.eye(2)).all() and (page.X == 1).all() and (page.model.weight == model.weight).all()


def test_imports_and_hidden_names_are_left_out():
    page = kept("import math\nfrom pathlib import Path\nfrom math import sqrt\n_hidden = 1\nIn = []\nx = sqrt(4)")
    with pytest.raises(AttributeError, match="chapter heads has no name math, only x$"):
        page.math


@pytest.mark.parametrize(
    "value, reason",
    [
        (np.zeros(MOST_BYTES, np.uint8), "more than 2,000,000 bytes"),
        (torch.nn.Linear(1_000, 1_000), "more than 2,000,000 bytes"),
        (Figure(), "belongs to a figure"),
        ((number for number in range(3)), "cannot be pickled"),
        (io.TextIOWrapper(io.BytesIO()), "cannot be pickled"),
    ],
    ids=["array", "model", "figure", "generator", "open file"],
)
def test_values_left_out_have_a_reason(value, reason):
    page = kept(n=1, value=value)
    with pytest.raises(AttributeError, match=f"the chapter heads did not store value: .*{reason}"):
        page.value
    assert page.n == 1


def test_functions_and_classes_come_with_what_they_need():
    page = kept("import math\nn = 4\ndef root(): return math.sqrt(n)\ndef twice(): return 2 * root()")
    assert page.twice() == 4
    page = kept("class Point(tuple): pass\na, b = Point('a'), [Point('b')]")
    assert type(page.a) is type(page.b[0]) is page.Point


def test_shared_values_are_kept_once():
    """As for a model, which is too large, in the functions that run it."""
    namespace = {"__name__": "__main__", "large": np.zeros(MOST_BYTES)}
    exec("pair = [large, large]\ndef total(): return large.sum()", namespace)
    packed = pack(namespace)
    with pytest.raises(AttributeError, match="did not store large"):
        Names("heads", packed).pair
    page = Names("heads", packed, large=np.ones(3))
    assert page.total() == 3 and page.pair[0] is page.pair[1] is page.large
