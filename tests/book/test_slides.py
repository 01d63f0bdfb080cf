"""Slides and sheets show the content of their chapter, in an order that reveals no answer too early."""

import re
import shutil

import pytest

from tests.book.decks import NAMES, ROOT, SITE, SMALL, built, chapter, link, page, question, shown, slides

source = pytest.importorskip("website.slides.source")
classroom = pytest.importorskip("website.slides")
formulas = pytest.importorskip("website.directives.formulas")
pytestmark = built
chapters = pytest.mark.parametrize("name", NAMES)


@chapters
def test_lesson_follows_the_plan_step_by_step(name):
    there = shown(name)
    notes = [source.words(slide.select_one("aside.notes")) for slide in slides(name)]
    assert min(map(len, notes)) > 10
    at = 0
    plan = source.read_plan(SITE, ROOT, name)
    assert len(plan.questions) == 3 and all(plan.questions)
    for step in plan.steps:
        of_step = [place for place, note in enumerate(notes) if f"{step.minutes}. {step.title}" in note]
        assert of_step and of_step == list(range(at + 1, of_step[-1] + 1)), f"{step.title} is not in its turn"
        at = of_step[-1]
        items = [what for kind, what in step.shows if kind not in ("quote", "board")]
        assert [what for what in items if what not in there[: at + 1]] == []
    assert source.words(slides(name)[at + 1].h2) == "Homework" and at + 2 <= 24
    lesson = "".join(map(str, slides(name)[: at + 1]))
    for line in (line for part in plan.board for line in part.find_all("li", recursive=False)):
        assert source.words(line) in source.words(source.BeautifulSoup(lesson, "html.parser")), "no step draws it"


@chapters
def test_slides_show_the_chapter_and_spoil_no_guess(name):
    there = shown(name)
    items = {item.name: item for item in chapter(name).items}
    assert [item.name for item in items.values() if not item.folded and item.name not in there] == []
    for item in (item for item in items.values() if item.name in there):
        before = there[: there.index(item.name)]
        assert item.guess in ("", *before), f"{item.name} comes before {item.guess}"


def test_board_comes_before_its_figure():
    board, figure = slides("attention")[2:4]
    assert source.words(board.h2) == "One row, on the board" and link(figure) == "fig-one-row"
    assert source.words(board.select_one("aside.notes")).startswith("6–18. One row, on the board")
    for place in ("aside.notes", ".fragment"):
        assert board.select_one(f"{place} table"), f"the board picture is not in {place}"


@chapters
def test_sentence_to_take_home_is_the_plans(name):
    plan = source.words(page("book/teach", name)).lower()
    for title in page("slides", name).select("section.words > p.ask"):
        sentence = title.find_next_sibling("p")
        if sentence and source.words(title).lower() in plan:  # not the slide about the rest of the chapter
            assert source.words(sentence).lower() in plan


@chapters
def test_no_slide_is_empty(name):
    for slide in slides(name)[1:]:
        shown = [part for part in slide.find_all(recursive=False) if part.name not in ("h2", "aside")]
        texts = [source.words(part) for part in shown]
        there = any(part.select("img, svg, .tl-view, .math") or part.name == "figure" for part in shown)
        assert there or len(" ".join(texts).split()) >= 5, source.words(slide.h2)


@chapters
def test_poll_marks_the_answer_of_the_chapter_once(name):
    guesses = {question(item.element): item.element for item in chapter(name).items if item.kind == "guess"}
    for slide in (slide for slide in slides(name) if "poll" in slide["class"]):
        guess = guesses[question(slide)]
        marked = [source.words(one) for one in slide.select(".choices [data-true]")]
        truth, because = (slide.select_one(f".answer.fragment {part}") for part in (".guess-truth", ".guess-because"))
        right = source.words(guess.select_one(".guess-truth"))
        assert source.words(truth) == right and source.words(because).startswith("Because ")
        if guess["data-kind"] == "choice":
            assert marked == [right]
        else:
            assert len(marked) == (guess["data-kind"] == "number" and bool(slide.select(".choices")))


@chapters
def test_sheet_has_formulas_and_findings_of_its_chapter(name):
    sheet = page("sheets", name)
    whole = chapter(name).head.parent
    findings = [source.words(finding) for finding in whole.select(".finding")]
    assert [source.words(finding) for finding in sheet.select(".finding")] == findings != []
    glosses = formulas.glosses()
    for line, formula in zip(sheet.select(".formula"), whole.select("div.math:has(> .eqno)"), strict=True):
        known = glosses.get(formula["id"].removeprefix("equation-"), {})
        number = formula.select_one(".eqno").get_text()
        assert line.a["href"] == f"../book/{name}.html#{formula['id']}" and line.a.get_text() + "#" == number
        assert line.select_one(".math").get_text() == formula.get_text().replace(number, "", 1)
        for term, meaning in zip(line.select("dt"), line.select("dd"), strict=True):
            told = re.sub(r"\\\((.*?)\\\)", r"$\1$", source.words(meaning))
            assert {known[letter] for letter in re.findall(r"\\\((.*?)\\\)", term.get_text())} == {told}


@chapters
def test_drawings_have_a_layout_for_slides_only(name):
    for picture in page("slides", name).select(".stage > picture.drawing"):
        (own,) = picture.select("source[srcset*='-slide']")
        assert ("-dark" in own["srcset"]) == ("in-dark" in picture["class"]) and float(own["data-letters"]) >= 8
        assert (SITE / "slides" / own["srcset"]).is_file()
    assert page("slides", name).select_one("picture.drawing")
    assert not chapter(name).head.parent.select("[srcset*='-slide']")


def test_figures_with_small_letters_are_on_slides():
    assert SMALL.keys() <= {what for name in NAMES for what in shown(name)}


def test_slides_are_made_again_after_a_change(tmp_path):
    site = tmp_path / "_build" / "html"
    source = tmp_path / "book" / "teach" / "bert.md"
    for folder in (site / "book" / "teach", source.parent):
        folder.mkdir(parents=True)
    for name in ("bert.html", "teach/bert.html"):
        shutil.copyfile(SITE / "book" / name, site / "book" / name)
    (site / "_images").symlink_to(SITE / "_images")
    shutil.copyfile(ROOT / "book" / "teach" / "bert.md", source)

    def made():
        return [classroom.make(tmp_path), classroom.make(tmp_path)]

    assert made() == [1, 0]
    (site / "sheets" / "bert.html").unlink()
    page = site / "book" / "bert.html"
    page.write_text(page.read_text(encoding="utf-8").replace("Because ", "Because indeed ", 1), encoding="utf-8")
    assert made() == [1, 0]
    assert "Because indeed" in (site / "slides" / "bert.html").read_text(encoding="utf-8")
    (site / "sheets" / "bert.html").unlink()
    assert made() == [1, 0]
