"""Guesses that are asked again after a day, a week and a month: by the reader's calendar, in the reader's browser."""

import datetime
import json
import re

import pytest

from tests.accessible import ALONE, RULES, audit
from tests.book.conftest import bare_pages

# A word that refers to something outside the card, and its meaning there.
NEEDS_PAGE = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(below|above|here|now)\b",
        r"(?<!of )\b(this|these)\b(?! book)",
        r"\bthe (next|last|previous|first) (section|chapter|page|figure|table|cell)\b",
        r"\bthe (figure|picture|drawing|view|chart|list|section|chapter|page|cell|document)s?\b",
        r"\bthe (same|real) (table|text|sentence|picture|figure)s?\b",
        r"\b(we|our|us)\b",
        r"\b(?-i:[RLNAG]) \d",  # a section of a document
    )
]
# A question that begins like this refers to an earlier statement.
GOES_ON = re.compile(
    r"(it|its|they|their|them|he|his|she|her|both|those|that|then|the (two|three|four|five|six|seven|others?))\b",
    re.IGNORECASE,
)
START = datetime.date(2026, 11, 27)
# CHOICE and NUMBER are on light pages, which open in half the time of a heavy one.
CHOICE = "limits/enough-numbers"
NUMBER = "embeddings/cat-and-dog"
NOT_ASKED = "embeddings/two-the"
OTHER = "architectures/two-sizes"
ENTRIES = """() => Object.fromEntries(Object.entries(localStorage).filter(([name]) => name.startsWith('again:'))
    .map(([name, entry]) => [name.slice(6), JSON.parse(entry)]))"""
KEEP = "all => Object.entries(all).forEach(([name, one]) => localStorage['again:' + name] = JSON.stringify(one))"
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
CLOSED = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('none'); }});"
MOVING = "() => [...document.querySelectorAll('.again *, .again-mark')].filter(e => e.getAnimations().length).length"
STILL = "* { transition: none !important; animation: none !important; }"
# Answer all questions on the page that asks, correctly, as fast as a script can: the questions, and the page's replies.
ASKED = """() => [...Array(BOOK_CARDS.length)].map(() => {
  const box = document.querySelector('.again .guess'), all = css => [...box.querySelectorAll(css)];
  const truth = JSON.parse(box.dataset.truth), question = all('legend')[0].textContent;
  const place = item => all('.guess-items li').findIndex(line => line.dataset.item === item);
  if (typeof truth === 'number') all('input')[0].value = truth;
  else if (typeof truth === 'string') all('input').find(input => input.value === truth).click();
  else truth.forEach((item, to) => {
    while (place(item) > to) all('.guess-items li')[place(item)].querySelector('button').click();
  });
  all('.guess-commit')[0].click();
  const says = [box.dataset.state, question, all('.guess-because')[0].textContent, all('.guess-again a')[0].href];
  document.activeElement.click();
  return says;
})"""


def points_at_page(question, *others):
    """The first words of a question, its choices and its reason that mean nothing without their page.

    >>> points_at_page("Which key wins?", "k1", "Because the table below says so."), points_at_page("It grows. How?")
    ('below', 'It')
    >>> points_at_page("Which of these is longest?", "k1", "Because this book has seen it.")
    """
    start = GOES_ON.match(question)
    found = [start] if start else [word.search(text) for text in (question, *others) for word in NEEDS_PAGE]
    return next((match[0] for match in found if match), None)


def test_no_card_speaks_of_its_page(site):
    script = (site / "_static" / "cards.js").read_text(encoding="utf-8")
    cards = json.loads(script.removeprefix("BOOK_CARDS = ").rstrip(";\n"))
    words = {card["name"]: points_at_page(card["question"], *card["items"], card["because"]) for card in cards}
    assert len(cards) > 20 and {name: word for name, word in words.items() if word} == {}


def entry(step, day=0):
    return {"step": step, "asked": (START + datetime.timedelta(day)).isoformat()}


class Reader:
    """A browser with a reader, and a calendar that the test advances."""

    def __init__(self, browser, site, storage=""):
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
        self.context.route("**/mathjax/**", lambda route: route.abort())
        self.context.add_init_script(storage)
        self.site = site.as_uri()
        self.complaints = []
        self.loaded = []
        self.tab = self.context.new_page()
        self.tab.on("pageerror", self.complain)
        self.tab.on("request", lambda request: self.loaded.append(request.url.rpartition("/")[2]))
        self.day(0)

    def complain(self, error):
        """The theme's own scripts may fail if a browser stores nothing; ours may not."""
        if "/again.js" in error.stack or "/guess.js" in error.stack:
            self.complaints.append(error.stack)

    def day(self, days, hour=9):
        moment = datetime.datetime.combine(START, datetime.time(hour)) + datetime.timedelta(days=days)
        self.tab.clock.set_fixed_time(moment)

    def open(self, page="again"):
        self.tab.goto(f"{self.site}/book/{page}.html", wait_until="load")
        return self.tab

    def keep(self, entries):
        """Make the browser store exactly these guesses, as if made on their pages."""
        self.tab.goto(f"{self.site}/_static/book.css")  # without scripts: all files share a browser's storage
        self.tab.evaluate("localStorage.clear()")
        self.tab.evaluate(KEEP, entries)

    def entries(self):
        return self.tab.evaluate(ENTRIES)

    def make(self, guess):
        """Look at the answer of a guess on its own page; its box."""
        page, name = guess.split("/")
        box = self.open(page).locator(f"#guess-{name}")
        box.locator("button", has_text="Show me").evaluate("button => button.click()")
        return box

    def marks(self, page="assignments"):
        return self.open(page).locator(".again-mark:visible, .again-line:visible").all_inner_texts()

    def answer(self, right=True):
        """Answer the question on the page that asks, a number or a choice; return when it will be asked again."""
        box = self.tab.locator(".again .guess")
        truth = json.loads(box.get_attribute("data-truth"))
        if box.get_attribute("data-kind") == "number":
            box.locator("input").fill(str(truth if right else truth + 1e6))
        else:
            box.locator(f"input[value='{truth}']" if right else f"input:not([value='{truth}'])").first.check()
        box.locator(".guess-commit").first.click()
        assert box.get_attribute("data-state") == ("right" if right else "wrong")
        return box.locator(".guess-again").inner_text()

    def said(self):
        return self.tab.locator(".again-said").inner_text()

    def saved(self, button, file):
        with self.tab.expect_download() as download:
            self.tab.get_by_role("button", name=button, exact=True).click()
        download.value.save_as(file)
        return file.read_text(encoding="utf-8")

    def take_in(self, text):
        """Give a file to the page that asks; return the page's reply."""
        self.tab.evaluate("document.querySelector('.again-said').textContent = ''")
        file = {"name": "guesses.json", "mimeType": "application/json", "buffer": text.encode()}
        self.tab.locator("input[type=file]").set_input_files(file)
        self.tab.wait_for_function("document.querySelector('.again-said').textContent")
        return self.said()


@pytest.fixture(scope="module")
def shared(browser, site):
    """On pages that contain only the parts that ask: they open in a third of the time."""
    reader = Reader(browser, site)
    bare_pages(reader.context)
    yield reader
    reader.context.close()


@pytest.fixture
def reader(shared):
    shared.keep({})
    shared.loaded.clear()
    shared.day(0)
    yield shared
    assert shared.complaints == []


@pytest.fixture
def whole(request, browser, site):
    """On pages that also have the theme's styles and scripts, in a separate browser that a test may change."""
    reader = Reader(browser, site, storage=getattr(request, "param", ""))
    yield reader
    reader.context.close()
    assert reader.complaints == []


def test_guess_comes_back_the_next_day(reader):
    reader.day(0, hour=23)
    assert reader.make(NOT_ASKED).locator(".guess-again").count() == 0 and reader.entries() == {}
    says = reader.make(CHOICE).locator(".guess-again").inner_text()
    assert says == "It comes back on Saturday, November 28." and reader.entries() == {CHOICE: entry(0)}
    assert reader.marks() == reader.marks("index") == reader.marks("again") == []
    reader.day(1, hour=0)
    assert reader.marks("index") == ["↺ 1", "1 guess comes back today, about ten seconds each."]
    assert reader.marks() == ["↺ 1"] and "cards.js" not in reader.loaded
    reader.tab.locator(".again-mark").click()
    reader.tab.get_by_role("group", name="How few numbers").wait_for()
    assert "cards.js" in reader.loaded
    reader.tab.evaluate("localStorage.setItem('guesses', 'off')")  # read without guesses: no mark, but the page asks
    assert reader.marks() == reader.marks("index") == []
    reader.open().locator(".again .guess").wait_for()


def test_guess_rests_after_three_right_answers(reader):
    reader.keep({CHOICE: entry(0)})
    for day, step, says in ((1, 1, "back in a week."), (8, 2, "back in a month."), (38, 3, "it rests now.")):
        reader.day(day - 1)
        assert reader.marks() == []
        reader.day(day)
        assert reader.marks() == ["↺ 1"]
        reader.open()
        assert says in reader.answer() and reader.entries() == {CHOICE: entry(step, day)}
    reader.day(4000)
    assert reader.marks() == []
    assert "at rest" in reader.open().locator(".again-keep").inner_text()


def test_wrong_guess_starts_again_at_a_day(reader):
    """Looking up an answer does the same. Unasked questions stay due when the reader leaves."""
    reader.keep({NUMBER: entry(1), CHOICE: entry(2)})
    reader.day(45)
    reader.open()
    assert "It comes back tomorrow." in reader.answer(right=False)
    assert reader.tab.locator(".again .guess-because").is_visible()
    assert reader.marks() == ["↺ 1"]
    reader.open().locator(".again button", has_text="Show me").click()
    assert "It comes back tomorrow." in reader.tab.locator(".guess-again").inner_text()
    assert reader.entries() == {NUMBER: entry(0, 45), CHOICE: entry(0, 45)}


def test_each_card_asks_and_knows_its_answer(reader):
    tab = reader.open()
    tab.add_script_tag(url="../_static/cards.js")
    cards = sorted(tab.evaluate("BOOK_CARDS"), key=lambda card: card["name"])
    assert len(cards) >= 40 and {card["kind"] for card in cards} == {"choice", "number", "order"}
    reader.keep({f"{card['page']}/{card['name']}": entry(0) for card in cards})
    reader.day(3)
    reader.open().wait_for_selector(".again .guess")
    place = f"{reader.site}/book/{{page}}.html#guess-{{name}}"
    expected = [["right", card["question"], card["because"], place.format(**card)] for card in cards]
    assert tab.evaluate(ASKED) == expected
    text = f"Nothing is due today. The next {len(cards)} come back on Monday, December 7."
    assert tab.locator(".again-count").inner_text() == text


def test_file_carries_guesses_to_another_browser(reader, tmp_path):
    kept = {CHOICE: entry(1, 5), NUMBER: entry(3)}
    reader.day(9)
    reader.keep(kept)
    reader.open()
    text = reader.saved("Save them as a file", tmp_path / "guesses.json")
    reader.keep({})
    reader.open()
    assert reader.take_in(text) == "Imported: 2 guesses." and reader.entries() == kept
    assert reader.take_in(text) == "Imported: 0 guesses. 2 were already here."
    theirs = {CHOICE: entry(3), NUMBER: entry(0, 8)}  # asked earlier, and asked later
    assert reader.take_in(json.dumps({"guesses": theirs})) == "Imported: 1 guess. 1 was already here."
    assert reader.entries() == {CHOICE: kept[CHOICE], NUMBER: theirs[NUMBER]}


BAD_FILES = ["", "{", "[]", "null", '"text"', "7", '{"guesses": []}', '{"guesses": "all"}', "<script>x</script>", "\0"]


def test_bad_and_hostile_files_do_no_harm(reader):
    reader.keep({CHOICE: entry(1)})
    names = "Object.keys(localStorage)"
    before = reader.open().evaluate(names)
    for text in [*BAD_FILES, '{"guesses": {}}' + " " * 1_100_000]:
        assert reader.take_in(text) == "Nothing was changed: this is not a file of guesses.", text[:40]
    attack = "<img src=x onerror='window.broken = true'>"
    hostile = {
        CHOICE: entry(0, 1) | {"more": attack, "__proto__": {"x": 1}},
        NUMBER: {"step": attack, "asked": "2026-11-27"},
        "bert/share-of-attention": {"step": 1, "asked": attack},
        "bert/wrong-tokens": {"step": 99, "asked": "2026-11-27"},
        "cost/weights-of-512": {"step": 1, "asked": "2026-02-31"},
        "heads/twelve-heads": {"step": 0.5, "asked": "2026-11-27"},
        OTHER: [1, "2026-11-27"],
        "decoders/kept": None,
        "seeing/linked-pictures": {"step": 2, "asked": "2099-01-01"},  # a clock that was wrong
        attack: entry(0),
        "__proto__": entry(0),
        "theme": entry(0),
        f"../guess:{CHOICE}": entry(0),
    }
    said = reader.take_in(json.dumps({"guesses": hostile, "__proto__": {"polluted": True}}))
    assert said == "Imported: 1 guess. 1 was already here. 11 entries were left out: damaged, or not from this book."
    assert reader.entries() == {CHOICE: entry(1), "seeing/linked-pictures": entry(2)}
    assert {*reader.tab.evaluate(names)} == {*before, "again:seeing/linked-pictures"}
    assert reader.tab.evaluate("window.broken === undefined && ({}).polluted === undefined && ({}).step === undefined")


def test_damaged_entries_of_a_browser_are_ignored(reader):
    """But a guess from the future was made when the clock was wrong, so it comes back at once."""
    future = {"step": 2, "asked": "2099-01-01"}
    reader.keep({CHOICE: "x", NUMBER: {"step": 0}, "attention/no-such": entry(0), "heads/twelve-heads": future})
    reader.tab.evaluate("localStorage.setItem('again:architectures/two-sizes', '{')")
    reader.day(1)
    tab = reader.open()
    tab.wait_for_selector(".again .guess")
    assert tab.locator(".again-count").inner_text() == "1 of 1"  # the book has one of them


def test_deck_is_in_the_text_format_of_anki(reader, tmp_path):
    deck = tmp_path / "deck.txt"
    reader.keep({CHOICE: entry(0), "tokenization/cut-of-unreadable": entry(3)})
    reader.open()
    *heads, choice, order = (line.split("\t") for line in reader.saved("Cards for Anki", deck).splitlines())
    assert heads[:4] == [["#separator:tab"], ["#html:true"], ["#guid column:1"], ["#tags column:4"]]
    name, front, back, tags = choice
    assert name == f"transformers/{CHOICE}" and tags == "transformers limits"
    assert front.endswith("for some query?<br>• 4<br>• 12<br>• 46<br>• 384")
    assert back.startswith("4<br>Because ") and order[2].startswith("un·rea·dable<br>Because")
    book = reader.saved("Cards for Anki, of the whole book", deck).splitlines()
    notes = [line.split("\t") for line in book[len(heads) :]]
    assert len({note[0] for note in notes}) == len(notes) >= 40 and {len(note) for note in notes} == {4}
    strange = 'a\t<b> & "c"\nd'
    reader.tab.evaluate("text => { BOOK_CARDS = [{...BOOK_CARDS[0], because: text}]; }", strange)
    assert "<br>a &lt;b&gt; &amp; &quot;c&quot;<br>d\t" in reader.saved("Cards for Anki, of the whole book", deck)


def test_reader_can_erase_guesses_that_come_back(reader):
    """Guesses on the pages stay. A guess that is forgotten on its page does not come back."""
    reader.make(CHOICE)
    reader.make(NUMBER)
    reader.open().get_by_role("button", name="Erase them").click()
    assert reader.said().startswith("Erased.") and reader.entries() == {}
    tab = reader.open("embeddings")
    box = tab.locator("#guess-cat-and-dog")
    assert box.get_attribute("data-state") == "seen" and reader.entries() == {}
    box.locator("button", has_text="Forget this guess").click()
    box.locator("button", has_text="Show me").click()
    tab.evaluate(KEEP, {OTHER: entry(1)})
    assert reader.entries() == {NUMBER: entry(0), OTHER: entry(1)}
    tab.locator(".guess-tally button", has_text="this chapter").click()
    assert reader.entries() == {OTHER: entry(1)} and tab.locator(".guess-again").count() == 0
    tab.locator(".guess-tally button", has_text="all").click()
    assert reader.entries() == {}


@pytest.mark.parametrize("whole", [FULL, CLOSED], indirect=True, ids=["full", "closed"])
def test_browser_without_storage_is_not_a_failure(whole):
    box = whole.make(CHOICE)
    assert box.get_attribute("data-state") == "seen"
    assert "this question cannot come back" in box.locator(".guess-again").inner_text()
    tab = whole.open()
    assert whole.said().startswith("Your browser keeps nothing more") and tab.locator(".again-count").is_visible()
    assert "could not be kept" in whole.take_in(json.dumps({"guesses": {CHOICE: entry(0)}}))


def test_guess_stays_due_if_it_cannot_be_kept(reader):
    reader.keep({CHOICE: entry(0), NUMBER: entry(0)})
    reader.day(1)
    tab = reader.open()
    tab.evaluate(f"() => {{ {FULL} }}")
    assert "could not keep this" in reader.answer()
    tab.locator(".again .guess button:focus").click()
    assert tab.locator(".again-count").inner_text() == "2 of 2"
    assert reader.entries() == {CHOICE: entry(0), NUMBER: entry(0)}
    reader.context.route("**/cards.js", lambda route: route.abort())  # the cards are missing
    reader.open().wait_for_function("document.querySelector('.again-said').textContent")
    reader.context.unroute("**/cards.js")
    assert reader.said().startswith("The cards did not load.") and len(reader.entries()) == 2


def test_whole_page_works_by_keyboard_and_for_everyone(whole):
    whole.keep({CHOICE: entry(0), NUMBER: entry(0)} | {f"page/{number}": entry(0) for number in range(98)})
    whole.day(1)
    tab = whole.open("embeddings")
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.locator(".switch:visible").count() == 3 and tab.locator(".again-mark").inner_text() == "↺ 100"
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    whole.open().locator(".again fieldset input").focus()
    tab.keyboard.type("0.42")
    tab.keyboard.press("Enter")
    assert tab.locator(".again .guess [role=status]").inner_text() == "You guessed 0.42, rightly: 0.424."
    assert tab.evaluate("document.activeElement.textContent") == "Next" and tab.evaluate(MOVING) == 0
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.closest('.again .guess').dataset.guess") == "enough-numbers"
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.textContent") == "Done"
    tab.add_style_tag(content=STILL)
    tab.evaluate(ALONE, ".again")
    problems = [*audit(tab, [".again"], [*RULES, "best-practice"])]
    tab.locator(".again .guess button", has_text="Done").press("Enter")
    assert tab.evaluate("document.activeElement.textContent").startswith("Nothing is due today.")
    problems += audit(tab, [".again"], [*RULES, "best-practice"])
    whole.day(40)
    whole.open("index").add_style_tag(content=STILL)
    tab.evaluate(ALONE, ".again-mark, .again-line")
    problems += audit(tab, [".again-mark", ".again-line"])
    assert not problems, "\n".join(problems)
