"""The page of what survived says what the chapters' own last runs say, and what they tell of cosines agrees with it."""

import build_book
import pytest

from tests.chapters.conftest import packed_names
from tutorial_book.experiments.survived import FAILED, PARTLY, PASSED, ROWS, gathered, stored, verdict

names = pytest.importorskip("names")
VALUES = stored()
SAID = {row.name: verdict(row, *VALUES[row.name]) for row in ROWS}


def page_of(chapter):
    return names.Names(chapter, packed_names(chapter))


def text_of(chapter):
    return (build_book.ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_is_stored_is_what_the_chapter_computed(row):
    """To a hundredth of it: another processor may round otherwise. Else run tools/gather_survived.py."""
    assert VALUES[row.name] == pytest.approx(list(map(float, row.read(page_of(row.chapter)))), rel=0.01, abs=0.002)


def test_all_rows_are_gathered_from_one_page_of_each_chapter():
    asked = []

    class Anything(dict):
        def __getattr__(self, name):
            raise LookupError(name)

    with pytest.raises(LookupError):
        gathered(lambda chapter: asked.append(chapter) or Anything())
    assert sorted(asked) == sorted({row.chapter for row in ROWS})
    assert len({row.name for row in ROWS}) == len(ROWS) == 20 == len(VALUES)


def test_eight_pass_two_in_part_and_ten_fail(prose):
    counts = [sum(said == kind for said in SAID.values()) for kind in (PASSED, PARTLY, FAILED)]
    assert counts == [8, 2, 10]
    assert "Twenty findings on what is in a transformer's vectors" in prose


def test_ls_questions_are_answered_as_the_rows_are(prose):
    questions = ("1", "3a", "3b", "3c")
    of = {question: {SAID[row.name] for row in ROWS if row.question == question} for question in questions}
    assert of["1"] == {PASSED} and "Yes, and it passes its controls." in prose
    assert all(of[part] == {PASSED, FAILED} for part in ("3a", "3b", "3c"))
    assert "In each of the three one finding passes and one does not." in prose
    assert [SAID[name] for name in ("homonyms", "clusters", "one-motion")] == [PASSED, FAILED, FAILED]


# What chapters say of cosines: the chapter, its sentence, the row, and whether the row says so, too.
STATEMENTS = [
    ("collections", "Without it the average falls to a third or less.", "alike", lambda one, other: other <= one / 3),
    ("shape", "the average cosine rises by more than two thirds, and one coordinate of 384 makes nearly all", "cone",
     lambda one, other: one > 1.8 * other),
    ("loud", "one coordinate, 223, adds most from layer 2 on, and more than half after layer 5", "cone",
     lambda one, other: 0.4 < other / one < 0.6),
    ("loud", "In its own zero each cluster has an average cosine of about 0. But so has", "local",
     lambda one, other: min(one, other) > 0.99),
    ("evolution", "A cosine of 0.2 looks like nearly 1.", "one-motion", lambda one, other: other > 0.9),
    ("meaning", "larger than what any of 435 swaps of two occupations gives", "bias", lambda one, other: one > other),
    ("meaning", "Spoon to fork is like other swaps", "spoon", lambda one, other: one < other),
]  # fmt: skip


@pytest.mark.parametrize("chapter, sentence, name, says", STATEMENTS, ids=[f"{row[0]}-{row[2]}" for row in STATEMENTS])
def test_what_a_chapter_tells_of_cosines_agrees(chapter, sentence, name, says):
    assert sentence in text_of(chapter)
    assert says(*VALUES[name])


def test_each_row_on_cosines_has_its_statement_and_two_of_them_are_one_coordinates(prose):
    rows = {row.name for row in ROWS if row.cosine}
    assert rows == {name for _, _, name, _ in STATEMENTS}
    assert "Of the six lines above whose numbers are cosines, two pass in part or fail because of one" in prose
    assert len(rows) == 6 and [SAID[name] for name in ("alike", "cone")] == [FAILED, PARTLY]


def test_two_chapters_that_measure_one_thing_give_one_number():
    """The share of coordinate 223 after layer 5: in `shape` over one draw of tokens, in `loud` over all."""
    shape = page_of("shape").of_one_coordinate["share of coordinate 223"][5]
    loud = page_of("loud").by_layer["encyclopedia"][5][1]
    assert shape == pytest.approx(loud, abs=0.02) and shape == pytest.approx(0.63, abs=0.01)
