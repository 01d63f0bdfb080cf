"""Which of a chapter's values its test can look at."""

import io

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

names = pytest.importorskip("names")
pytest.importorskip("cloudpickle")


def kept(**namespace):
    return names.Names("heads", names.pack({"__name__": "__main__"} | namespace))


def defined(code):
    """What a kernel has after it has run this code."""
    namespace = {"__name__": "__main__"}
    exec(code, namespace)
    return names.Names("heads", names.pack(namespace))


def test_numbers_arrays_and_small_models_are_kept():
    model = torch.nn.Linear(3, 2)
    page = kept(n=3, found={"a": (1, None)}, rows=np.eye(2), X=torch.ones(2), model=model)
    assert (page.n, page.found) == (3, {"a": (1, None)})
    assert (page.rows == np.eye(2)).all() and (page.X == 1).all()
    assert (page.model.weight == model.weight).all()


def test_what_a_chapter_imports_or_hides_is_none_of_its_names():
    page = defined("import math\nfrom pathlib import Path\nfrom math import sqrt\n_hidden = 1\nIn = []\nx = sqrt(4)")
    with pytest.raises(AttributeError, match="the chapter heads has no math; it has x$"):
        page.math


@pytest.mark.parametrize(
    "value, reason",
    [
        (np.zeros(names.MOST_BYTES, np.uint8), "more than 2,000,000 bytes"),
        (torch.nn.Linear(1_000, 1_000), "more than 2,000,000 bytes"),
        (Figure(), "belongs to a figure"),
        ((number for number in range(3)), "cannot be pickled"),
        (io.TextIOWrapper(io.BytesIO()), "cannot be pickled"),
    ],
    ids=["array", "model", "figure", "generator", "open file"],
)
def test_what_is_left_out_says_why(value, reason):
    page = kept(n=1, value=value)
    with pytest.raises(AttributeError, match=f"the chapter heads has value, but it was not kept: .*{reason}"):
        page.value
    assert page.n == 1


def test_a_name_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(AttributeError, match="the chapter heads has no far; it has n, near"):
        kept(n=1, near=2).far


def test_a_function_comes_with_what_it_refers_to():
    page = defined("import math\nn = 4\ndef root(): return math.sqrt(n)\ndef twice(): return 2 * root()")
    assert page.twice() == 4


def test_a_class_of_the_chapter_is_one_class():
    page = defined("class Point(tuple): pass\na, b = Point('a'), [Point('b')]")
    assert type(page.a) is type(page.b[0]) is page.Point


def test_what_two_names_share_is_kept_once_and_may_be_given():
    """As for a model, which is too large, in the functions that run it."""
    large = np.zeros(names.MOST_BYTES)
    namespace = {"__name__": "__main__", "large": large}
    exec("pair = [large, large]\ndef total(): return large.sum()", namespace)
    packed = names.pack(namespace)
    with pytest.raises(AttributeError, match="has large, but it was not kept"):
        names.Names("heads", packed).pair
    page = names.Names("heads", packed, large=np.ones(3))
    assert page.total() == 3 and page.pair[0] is page.pair[1] is page.large
