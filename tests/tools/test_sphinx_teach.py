"""A page for the teacher takes objectives, guesses and answers from its chapter, and its links carry a text."""

import html
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("myst_nb")
BeautifulSoup = pytest.importorskip("bs4").BeautifulSoup
sphinx_teach = pytest.importorskip("sphinx_teach")

TOOLS = Path(sphinx_teach.__file__).parent
CONF = """
extensions = ["myst_nb", "sphinx_finding", "sphinx_guess", "sphinx_opening", "sphinx_proof", "sphinx_lab"]
extensions += ["sphinx_times", "sphinx_teach"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
nb_execution_mode = "off"
html_theme = "basic"
exclude_patterns = ["out", "jupyter_execute"]
"""
CHAPTER = """# Keys

:::{opening} Which key wins?
Two keys.
:::

:::{outcomes}
:mirrors: R 4

- tell one key from two;
- draw $x$.

*Measured here:* two keys.
:::

:::{guess} key
Two compete. Which wins?

- `k1`
- $k_2$

Because it is *longer*.
:::
"""
NUMBER = ":::{guess} growth\n:unit: times\nHow much?\n\nBecause so.\n:::\n"
ORDER = ":::{guess} near\n:order: from near to far\nHow?\n\n- car\n- cat\n\nBecause so.\n:::\n"
PLAN = """# Teach: Keys

:::{objectives}
:::

:::{hands} key
Most say k1.
:::

:::{hands} near
They know.
:::

:::{hands} growth
Offer 2 and 4.
:::

See {live}`gaze_view: A door & a bear.` and {live}`context: One. | Two?`
"""


def output(name, value):
    text = f'<p data-guess="{name}" data-answer="{html.escape(json.dumps(value))}">The answer</p>'
    return {"output_type": "display_data", "data": {"text/html": text, "text/plain": "."}, "metadata": {}}


def cell(*outputs):
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": list(outputs), "source": "1"}


def text(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def build(folder, plans):
    """Chapters as notebooks with outputs; the extension reads a chapter's Markdown, which lies beside them."""
    (folder / "teach").mkdir(parents=True)
    (folder / "conf.py").write_text(CONF + f"import sys; sys.path.insert(0, {str(TOOLS)!r})\n")
    pages = "\n".join(["keys", *(f"teach/{name}" for name in plans)])
    (folder / "index.md").write_text(f"# Book\n\n```{{toctree}}\n{pages}\n```\n")
    cells = [text(CHAPTER), cell(output("key", "k_2")), text(ORDER), cell(output("near", ["cat", "car"]))]
    cells += [text(NUMBER), cell(output("growth", 4.02))]
    python = {"language_info": {"name": "python", "pygments_lexer": "python"}}
    notebook = {"cells": cells, "metadata": python, "nbformat": 4, "nbformat_minor": 4}
    (folder / "keys.ipynb").write_text(json.dumps(notebook))
    for name, plan in plans.items():
        (folder / "teach" / f"{name}.md").write_text(plan)
    source = folder / "keys.source"
    source.write_text(CHAPTER + ORDER + NUMBER)
    patch = "import sphinx_teach, sphinx_opening\nfrom pathlib import Path\n"
    patch += f"sphinx_teach.FromChapter.source = lambda self: Path({str(source)!r}).read_text()\n"
    with (folder / "conf.py").open("a") as conf:
        conf.write(patch)
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(folder), str(folder / "out")]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of a small site, and what its build complained of."""
    folder = tmp_path_factory.mktemp("teach")
    run = build(folder, {"keys": PLAN, "lost": "# Teach: Lost\n\n:::{hands} far\nNobody knows.\n:::\n"})
    assert run.returncode == 0, run.stderr
    return folder / "out", run.stderr.splitlines()


@pytest.fixture(scope="module")
def pages(built):
    return {
        name: BeautifulSoup((built[0] / f"{name}.html").read_text(), "html.parser") for name in ("keys", "teach/keys")
    }


def test_the_objectives_are_the_outcomes_of_the_chapter(pages):
    items = [item.get_text().strip() for item in pages["teach/keys"].select("section > ul li")]
    assert [item.split()[0] for item in items] == ["tell", "draw"]
    assert "Measured" not in pages["teach/keys"].text


def test_a_show_of_hands_asks_tells_what_the_class_says_and_then_what_is_true(pages):
    box = pages["teach/keys"].select(".hands")[0]
    parts = ["A show of hands", "Which wins?", "k1", "k_2", "Most say k1.", "The answer: ", "Because it is longer."]
    places = [box.get_text().find(part) for part in parts]
    assert -1 not in places and places == sorted(places)
    assert "k_2" in box.find("strong", string="The answer: ").parent.get_text()
    assert box.find(id=True) is None  # the chapter's page has the guess's own anchor


def test_an_order_is_answered_as_a_list(pages):
    box = pages["teach/keys"].select(".hands")[1]
    assert "from near to far" in box.get_text()
    assert [item.get_text().strip() for item in box.select("ol li")] == ["cat", "car"]


def test_a_number_has_its_unit_in_the_question_and_in_the_answer(pages):
    lines = [line.get_text().strip() for line in pages["teach/keys"].select(".hands")[2].select("p")]
    assert lines[1:] == ["How much?", "___ times", "Offer 2 and 4.", "The answer: 4.02 times.", "Because so."]


def test_a_link_to_a_view_carries_its_texts(pages):
    links = {link.get_text(): link["href"] for link in pages["teach/keys"].select("a[href*='#view=']")}
    assert links == {
        "A door & a bear.": "../keys.html#view=gaze_view&text=A+door+%26+a+bear.",
        "One. / Two?": "../keys.html#view=context&text=One.&text2=Two%3F",
    }


def test_a_chapter_with_a_page_for_the_teacher_leads_to_it(pages):
    link = pages["keys"].select_one(".outcomes a[href='teach/keys.html']")
    assert link.get_text() == "Teach it"
    assert pages["keys"].select_one(".outcomes a[href='../slides/keys.html']").get_text() == "Slides"
    assert pages["keys"].select_one(".outcomes a[href='../sheets/keys.html']").get_text() == "On one page"


def test_a_page_for_the_teacher_leads_to_the_slides_and_to_the_sheet(pages):
    assert pages["teach/keys"].select_one("a[href='../../slides/keys.html']")
    assert pages["teach/keys"].select_one("a[href='../../sheets/keys.html']")


def test_a_show_of_hands_for_a_guess_that_the_chapter_has_not_is_the_one_complaint_and_stops_the_build(built):
    (told,) = built[1]
    assert "lost.md:3: WARNING: hands: lost has no guess far" in told  # `make book` turns a warning into an error


def test_a_page_is_made_again_when_its_chapter_is():
    env = SimpleNamespace(found_docs={"book/heads", "book/bert", "book/teach/heads", "book/teach/bert", "index"})
    assert sphinx_teach.outdated(None, env, set(), {"book/heads", "index"}, set()) == ["book/teach/heads"]
