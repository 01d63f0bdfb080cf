"""The page where the teacher marks: keys, what is kept, what a student's text may do there, and who can reach it."""

import http.client
import json
import threading
import time
from pathlib import Path

import pytest

from coursework import marking, results, rosters, words
from coursework.marks import Marks
from tests.coursework.conftest import ASSIGNMENT, FULL, WRITTEN
from tests.coursework.test_feedback import DOT

HOSTILE = Path(__file__).with_name("hostile.txt").read_text(encoding="utf-8")
ANSWERS = {"ada": "A dot product of $d_k$ terms has variance $d_k$.", "bob": HOSTILE, "kim": "Because.", "lee": ""}


@pytest.fixture
def where(tmp_path):
    """A folder of results with four students, one of whom wrote nothing."""
    for student, text in ANSWERS.items():
        pictures = {WRITTEN: {'x" onerror="alert(1)': ("image/png", DOT)}} if student == "bob" else {}
        code = {"attention": "def attention(Q):\n    x = '</pre><script>alert(1)</script>\u202e'"}
        own = {"own-attention": f"<{student}>"}
        answers = {**code, WRITTEN: text}
        one = Marks(student, ASSIGNMENT, points=dict(FULL), answers=answers, pictures=pictures, me=student, own=own)
        results.save(tmp_path, one)
    return tmp_path


@pytest.fixture
def server(where):
    with marking.Server(where, ASSIGNMENT) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def tab(server, browser):
    page = browser.new_page()
    page.asked, page.dialogs = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(server.address)
    yield page
    page.close()


def kept(where):
    return {key: (word.points, word.comment) for key, word in words.read(where, ASSIGNMENT).items()}


def test_the_page_has_all_answers_and_the_rubric(where):
    page = marking.page(where, ASSIGNMENT)
    assert page.count(f'data-question="{WRITTEN}"') == 3 and page.count('data-question="oral"') == 4
    assert "Nothing was written here. 0 points: \u2068lee\u2069." in page and "<em>Common mistake:</em>" in page
    assert "variance <code>d_k</code>" in page  # the rubric's formulas
    words.give(where, ASSIGNMENT, {("ada", WRITTEN): words.Word(3, "", "another")})
    words.give(where, ASSIGNMENT, {("bob", WRITTEN): words.Word(2)})
    page = marking.page(where, ASSIGNMENT)
    order = [part.partition('"')[0] for part in page.split('data-student="')[1:4]]
    assert order == ["ada", "kim", "bob"]  # what is marked comes last, except where the answer has changed
    assert page.count("has changed since you marked it") == 1 and 'value="3"' in page
    photo = {"extra": [("markdown", "![](attachment:a.png)")], "pictures": {"added-0": {"a.png": ("image/png", DOT)}}}
    results.save(where, Marks("max", ASSIGNMENT, points=dict(FULL), **photo))  # the answer, in a cell below
    elsewhere = {"answers": {WRITTEN: "Mine."}, "extra": [("markdown", "A note.")]}
    results.save(where, Marks("ned", ASSIGNMENT, points=dict(FULL), **elsewhere))
    page = marking.page(where, ASSIGNMENT)
    assert f'{DOT}" alt="added-0a.png">' in page
    assert page.count("<details open>") == page.count("<details>") == 1  # no key opens it, and max's answer is there


def test_partners_of_a_group_are_asked_too(server, where):
    """Each has their own five minutes, about the work of the one who handed in; the words are marked once."""
    groups = {"ada": "1", "zoe": "1", "max": "2"}
    students = {name: rosters.Student(name, row=(("group", group),)) for name, group in groups.items()}
    rosters.keep(where, ASSIGNMENT, students)
    page, sheet = marking.page(where, ASSIGNMENT), marking.sheet(where, ASSIGNMENT)
    assert 'data-student="zoe" data-question="oral"' in page and page.count('data-student="zoe"') == 1
    assert "<h2>zoe</h2>" in sheet and ">max<" not in page + sheet
    for student, status in (("zoe", 200), ("max", 400)):
        connection = http.client.HTTPConnection(server.host, timeout=10)
        connection.request("POST", server.path, json.dumps({**SENT, "student": student, "question": "oral"}))
        assert connection.getresponse().status == status
        connection.close()
    assert kept(where) == {("zoe", "oral"): (2, "c")}


def test_a_class_is_marked_with_keys(tab, where, monkeypatch):
    """Where the answer to a comment is slow, the points that come after it stay."""
    checked = words.checked
    monkeypatch.setattr(words, "checked", lambda *how: (how[-1] or time.sleep(0.5), checked(*how))[1])

    def press(keys):
        for key in keys.split():
            tab.keyboard.press(key)
        return tab.locator("article[aria-current] h3").inner_text()

    assert press("") == "ada" and press("3 . 5 Enter") == "bob"
    press("j c")
    tab.keyboard.type("Why?")
    for number in (1, 2):  # a click into another answer's field leads there
        tab.locator("article textarea").nth(number).click()
    tab.keyboard.type(" k j 1")
    assert press("Escape 1 Enter") == "ada"  # the five minutes, which come last
    assert [press("u") for _ in range(4)] == ["bob", "kim", "lee", "bob"]
    press("0 Enter")
    right = {("ada", WRITTEN): (3.5, ""), ("bob", WRITTEN): (0, ""), ("kim", WRITTEN): (1, "Why? k j 1")}
    for _ in range(100):  # the page forbids the `eval` that playwright's own waiting needs
        if kept(where) == right:
            break
        tab.wait_for_timeout(100)
    tab.wait_for_timeout(700)
    assert kept(where) == right
    given = words.read(where, ASSIGNMENT)["ada", WRITTEN]
    assert given.answer == words.digest(results.load(where, ASSIGNMENT, "ada"), WRITTEN)


def test_points_beyond_the_question_are_not_kept(tab, where):
    tab.locator("article input").first.fill("9")
    tab.keyboard.press("Enter")
    tab.wait_for_timeout(200)
    assert tab.locator("article[aria-current] h3").inner_text() == "ada" and not kept(where)
    tab.locator("article input").first.fill("2")
    tab.route("**/*", lambda route: route.abort())
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".failed output")
    assert "not saved" in tab.locator(".failed output").inner_text() and not kept(where)


def test_nothing_a_student_wrote_runs_or_loads(tab, server):
    tab.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
    assert set(tab.asked) - {f"data:image/png;base64,{DOT}"} == {server.address} and not tab.dialogs
    assert tab.locator("article a, article script, article style, article form, article iframe").count() == 0
    assert tab.locator("article img").count() == 1 and tab.locator("article img").evaluate("one => one.naturalWidth")
    shown = tab.locator("[data-student=bob] pre").first.inner_text()
    assert shown.strip() == HOSTILE.strip()


SENT = {"student": "ada", "question": WRITTEN, "points": "2", "comment": "c", "answer": "x"}
BAD = [
    [], 7, None, {}, {**SENT, "student": "nobody"}, {**SENT, "question": "softmax-hidden"}, {**SENT, "points": "5"},
    {**SENT, "points": "1e999"}, {**SENT, "question": "../x"},
]  # fmt: skip
# name -> (method, path, headers, what is sent, the answer's status)
REQUESTS = {
    "points for words": ("POST", "{path}", {}, SENT, 200),
    "another path": ("GET", "/", {}, SENT, 404), "a path without its secret": ("GET", "/x/", {}, SENT, 404),
    "another name of this machine": ("GET", "{path}", {"Host": "evil.example"}, SENT, 404),
    "no length": ("POST", "{path}", {"Transfer-Encoding": "identity"}, SENT, 400),
    "a long body": ("POST", "{path}", {"Content-Length": "9999999999"}, SENT, 400),
    "another site's form": ("POST", "{path}", {"Host": "evil.example"}, SENT, 404),
    **{f"bad: {sent}": ("POST", "{path}", {}, sent, 400) for sent in BAD},
}  # fmt: skip


@pytest.mark.parametrize("name", REQUESTS)
def test_only_points_for_words_from_the_page_are_kept(name, server, where):
    method, path, headers, sent, status = REQUESTS[name]
    connection = http.client.HTTPConnection(server.host, timeout=10)
    connection.request(method, path.format(path=server.path), json.dumps(sent), headers)
    answer = connection.getresponse()
    assert answer.status == status and len(answer.read()) < 100
    assert kept(where) == ({("ada", WRITTEN): (2, "c")} if status == 200 else {})
    connection.close()
