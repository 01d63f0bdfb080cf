"""The page *What survived* agrees with the chapters' last runs."""

import pytest

from tutorial_book.experiments import stored
from tutorial_book.experiments.survived import ROWS, computed, gathered

VALUES = stored("survived")["rows"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_stored_values_are_those_of_the_chapters(row, pages):
    """To a hundredth of it, because another processor may round differently. Otherwise measure `survived` again."""
    assert VALUES[row.name] == pytest.approx(computed(row, pages.names(row.chapter)), rel=0.01, abs=0.002)


def test_gathering_visits_each_chapter_once():
    asked = []

    class Anything(dict):
        def __getattr__(self, name):
            raise LookupError(name)

    with pytest.raises(LookupError):
        gathered(lambda chapter: asked.append(chapter) or Anything())
    assert sorted(asked) == sorted({row.chapter for row in ROWS})
    assert len({row.name for row in ROWS}) == len(ROWS) == len(VALUES)


def test_two_chapters_agree_on_coordinate_223(pages):
    """The share of coordinate 223 after layer 5: in `shape` over one draw of tokens, in `loud` over all."""
    shape = pages.names("shape").of_one_coordinate["share of coordinate 223"][5]
    assert shape == pytest.approx(pages.names("loud").by_layer["encyclopedia"][5][1], abs=0.02)
