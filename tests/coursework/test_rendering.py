"""What students wrote, as formgrader shows it: nothing of it runs, loads, breaks or waits."""

import json
import time
import weakref
from pathlib import Path

import pytest

from coursework import gradebook, rendering, sources
from coursework.marks import Marks
from tests.coursework.conftest import ASSIGNMENT, cell

WRITTEN = "why-square-root"
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PICTURES = {"my dot.png": ("image/png", DOT), "other.png": ("image/png", DOT)}
HOSTILE = Path(__file__).with_name("hostile.txt").read_text(encoding="utf-8")
SLOW = [  # quadratic or worse in mistune, bleach or pygments
    *("[" * 50_000, "*a **b _c " * 5_000, "> " * 25_000, "\\begin{a}" * 5_500, "\\\\(" * 16_000, "```\n" * 12_000),
    *("a|b\n-|-\n" + "a|b\n" * 12_000, "*_" * 25_000, "a\n=\n" * 12_000, "$x$ " * 12_500, "`a` " * 12_500),
]
SLOW_CODE = [" \n" * 25_000, "a." * 25_000, "..\n" * 16_000]


def hostile(**how):
    points = dict.fromkeys(sources.points(ASSIGNMENT, marks=("check",)), 0)
    return Marks("mallory", ASSIGNMENT, points=points, **how)


# --- Markdown --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, html",
    [
        ("**Because** *a* `b`", "<p><strong>Because</strong> <em>a</em> <code>b</code></p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("$a < b$", '<p><span class="tex2jax_process">$a &lt; b$</span></p>'),
        ("$\\href{x}{y}$", "<p><code>$\\href{x}{y}$</code></p>"),
        ("a < b & c", "<p>a &lt; b &amp; c</p>"),
        ("[the paper](https://x.org)", "<p>the paper (https://x.org)</p>"),
        ("![alt](attachment:my%20dot.png)", f'<p><img src="data:image/png;base64,{DOT}" alt="my dot.png"></p>'),
        (f"![alt](data:image/png;base64,{DOT})", f"<p>(picture alt: data:image/png;base64,{DOT})</p>"),
        ("![alt](attachment:no.png)", "<p>(picture alt: attachment:no.png)</p>"),
        ("```python\na = 1\n\nb\n```", "<pre><code>a = 1\n\nb</code></pre>"),
        ("|a|\n|-|\n|b|", "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>"),
    ],
)
def test_what_honest_students_write_is_readable(text, html):
    pictures = {"my dot.png": PICTURES["my dot.png"]} if "my%20" in text else {}
    found = rendering.rendered(text, pictures)
    if "<pre>" not in found:
        found = found.replace("\n", "").replace("  ", "")
    assert found.replace("\n</code>", "</code>").strip() == html


def test_html_has_only_allowed_tags_and_addresses():
    html = rendering.rendered(HOSTILE, PICTURES)
    tags = [tag.split(">")[0] for tag in html.split("<")[1:]]
    assert {tag for tag in tags if " " in tag} == {
        'span class="tex2jax_process"',
        *(f'img src="data:image/png;base64,{DOT}" alt="{name}"' for name in PICTURES),
    }
    assert {tag.strip("/") for tag in tags if " " not in tag} <= rendering.TAGS | {"span"}
    assert not [piece for piece in html.split('"tex2jax_process">')[1:] if "\\href" in piece.split("</span>")[0]]


@pytest.mark.parametrize(
    "tex, shown_so",
    [
        ("$" + "x" * (rendering.MOST_FORMULA - 2) + "$", "span"),
        ("$" + "x" * (rendering.MOST_FORMULA - 1) + "$", "code"),
        ("$$x$$", "span"),
        ("$$\\def\\a{x}$$", "code"),
        ("\\begin{align}x\\end{align}", "span"),
        ("\\begin{align}\\style{x}{y}\\end{align}", "code"),
    ],
)
def test_long_or_unsafe_formula_is_shown_as_code(tex, shown_so):
    assert f"<{shown_so}" in rendering.rendered(tex) and len(rendering.rendered(tex)) >= len(tex)


def test_formulas_beyond_a_number_are_shown_as_code():
    html = rendering.rendered("$x$ " * (rendering.MOST_FORMULAS + 1))
    assert (html.count("<span"), html.count("<code>")) == (rendering.MOST_FORMULAS, 1)


def test_unused_pictures_are_shown_after_the_text():
    html = rendering.rendered("![](attachment:other.png)", PICTURES)
    assert html.count(DOT) == 2 and html.index("other.png") < html.index("my dot.png")
    assert rendering.as_typed("<b>", PICTURES).count(DOT) == 2


def test_what_is_named_many_times_is_shown_once():
    html = rendering.rendered("![a]\n" * 1_500 + "\n\n[a]: attachment:dot.png\n", {"dot.png": ("image/png", DOT)})
    assert html.count(DOT) == 1 and html.count("again") == 1_499
    assert len(rendering.rendered("[a]\n" * 1_500 + f"\n\n[a]: https://x.example/{'y' * 25_000}\n")) < 1_000_000


def test_text_that_makes_too_much_html_is_refused(monkeypatch):
    monkeypatch.setattr(rendering, "MOST_HTML", 10_000)
    with pytest.raises(rendering.TooLong):
        rendering.rendered("![a]" * 100 + "\n\n[a]: https://x.example/" + "y" * 200)


# --- cells -----------------------------------------------------------------------------------------------------------


def test_a_cell_is_one_line_of_html():
    (source,) = rendering.cells([("a", "markdown", "```\nx\n\n<b>\n```")], {}).values()
    assert "\n" not in source and "x&#10;&#10;&lt;b&gt;" in source and source.startswith("<div")
    assert "[" not in rendering.boxed("[" * 9)  # nbconvert looks from each for a link, through all that follows


@pytest.mark.parametrize("text", [SLOW[3], SLOW[5]])
def test_what_takes_too_long_is_shown_as_typed(text, monkeypatch):
    monkeypatch.setattr(rendering, "SECONDS", 0.2)  # a quick processor renders the second of them in one second
    texts = [("a", "markdown", "**a**"), ("slow", "markdown", text[:-10] + " <b>"), ("b", "markdown", "**b**")]
    found = rendering.cells(texts, {"slow": PICTURES})
    assert "<strong>" in found["a"] and "<pre>**b**" in found["b"]
    assert "&lt;b&gt;" in found["slow"] and found["slow"].count(DOT) == 2


def test_it_does_not_ring_where_python_calls_back():
    class Token:
        pass

    ends = []

    def _remove(_):
        end = time.process_time() + 0.06
        while time.process_time() < end:
            pass
        ends.append(end)

    token = Token()
    reference = weakref.ref(token, _remove)
    with pytest.raises(rendering.TooLong), rendering.at_most(0.02):
        del token
        while time.process_time() < ends[0] + 1:
            pass
    assert reference() is None


def test_one_students_texts_have_one_bound():
    found = rendering.cells([(f"a{i}", "code", "x = 1\n" * 8_000) for i in range(50)], {})
    assert sum(map(len, found.values())) < rendering.MOST_SHOWN + 100 * len(found)
    assert "more characters stand in the notebook itself" in found["a49"]


@pytest.mark.parametrize(
    "code, kept",
    [
        ("\n\ndef f():\n\n\n    return 1\n", "\n\ndef f():\n\n\n    return 1\n"),
        ("a" + "\n \t" * 1_000 + "\nb", "a\n\n\nb"),
    ],
    ids=["usual", "blank"],
)
def test_code_keeps_at_most_two_blank_lines(code, kept):
    assert rendering.few_blank_lines(code) == kept


def test_slow_to_color_code_is_shown_in_part():
    code = "def f(x):\n    return x\n" * 200  # a slow machine colors 1,000 lines in more than the limit
    assert rendering.colored_in_time(code) == code
    assert "more characters stand in the notebook" in rendering.colored_in_time("x='%" + "0" * 50_000)


def test_gradebook_shows_answers_as_code_or_escaped_text():
    notebook = gradebook.clean_notebook(hostile(answers={"softmax": "a = '<b>'\n", WRITTEN: "<b>"}))
    assert cell(notebook, "softmax").source == "a = '<b>'\n" and "&lt;b&gt;" in cell(notebook, WRITTEN).source
    assert notebook.metadata.language_info.pygments_lexer == "python3"


# --- formgrader itself -----------------------------------------------------------------------------------------------


def submission(formgrader, student):
    """The address where formgrader shows a student's notebook."""
    waiting = json.loads(formgrader(f"formgrader/api/submitted_notebooks/{ASSIGNMENT}/{ASSIGNMENT}"))
    (number,) = [one["id"] for one in waiting if one["student"] == student]
    return f"formgrader/submissions/{number}/"


@pytest.mark.long
def test_formgrader_runs_and_loads_nothing_of_a_students(course, formgrader, browser):
    extra = [
        ("markdown", HOSTILE),
        ("code", "%%html\n<script>alert(1)</script>"),
        ("markdown", "![](attachment:x.png)"),
    ]
    pictures = {WRITTEN: PICTURES, "added-2": {"x.png": PICTURES["other.png"]}}
    answers = {WRITTEN: HOSTILE + "![](attachment:my%20dot.png)", "softmax": "</script><script>alert(1)</script>"}
    gradebook.record(course, [hostile(answers=answers, extra=extra, pictures=pictures)], {})
    page, elsewhere, dialogs = browser.new_page(), {}, []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))

    def seen(route):
        local = route.request.url.startswith((formgrader.url, "data:"))
        if not local or not route.request.is_navigation_request() and "formgrader/" not in route.request.url:
            elsewhere.setdefault(student, set()).add(route.request.url)
        route.continue_() if local else route.abort()

    page.route("**/*", seen)
    for student in ("ada", "mallory"):
        page.goto(formgrader.url + submission(formgrader, student), wait_until="load")
    assert elsewhere["mallory"] == elsewhere["ada"]  # MathJax, from where nbgrader loads it
    links = page.locator(".nbgrader_cell a, .rendered_html a:not(.anchor-link)")
    assert links.count() == 0 and not dialogs
    loaded = page.locator("#notebook img").evaluate_all("all => all.map(one => one.complete && one.naturalWidth > 0)")
    assert loaded == [True] * 3
    page.close()


@pytest.mark.timed
def test_formgrader_shows_slow_texts_in_seconds(course, formgrader):
    """And an answer with a picture that is not there, which was an error 500."""
    answers = {WRITTEN: "![](attachment:x)", "softmax": SLOW_CODE[0], "attention": SLOW_CODE[1]}
    extra = [("code", SLOW_CODE[2]), *(("markdown", text) for text in SLOW)]
    gradebook.record(course, [hostile(answers=answers, extra=extra)], {})
    address = submission(formgrader, "mallory")
    before = time.monotonic()
    assert "attachment:x" in formgrader(address)
    assert time.monotonic() - before < 30  # 5 s on a machine with nothing else to do; minutes without any bound
