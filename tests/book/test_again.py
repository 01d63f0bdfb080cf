"""Guesses that come back after a day, a week and a month: by the reader's calendar, in the reader's browser alone."""

import datetime
import json

import pytest

from tests.accessible import ALONE, RULES, audit
from tests.book.conftest import bare_pages

START = datetime.date(2026, 11, 27)
# All on a light page, which opens in half the time of a heavy one; `marks` looks at one that is lighter still.
CHOICE, NUMBER, NOT_ASKED = "embeddings/to-the-last-bit", "embeddings/cat-and-dog", "#guess-two-the"
ENTRIES = """() => Object.fromEntries(Object.entries(localStorage).filter(([name]) => name.startsWith('again:'))
    .map(([name, entry]) => [name.slice(6), JSON.parse(entry)]))"""
SIZE = {"width": 1280, "height": 900}
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
# Answer the question on the page that asks, rightly, as fast as a script can: what was asked, and what the page says.
ASKED = """() => {
  const box = document.querySelector('.again .guess'), all = css => [...box.querySelectorAll(css)];
  const { kind, truth } = { ...box.dataset, truth: JSON.parse(box.dataset.truth) };
  const asked = { count: document.querySelector('.again-count').innerText, question: all('fieldset')[0].textContent };
  const place = item => all('.guess-items li').findIndex(line => line.dataset.item === item);
  if (kind === 'number') all('input')[0].value = truth;
  else if (kind === 'choice') all('input').find(input => input.value === truth).click();
  else truth.forEach((item, to) => {
    while (place(item) > to) all('.guess-items li')[place(item)].querySelector('button').click();
  });
  all('.guess-commit')[0].click();
  const because = all('.guess-because')[0].innerText, stands = all('.guess-again a')[0].getAttribute('href');
  document.activeElement.click();
  return { ...asked, state: box.dataset.state, because, stands: stands.split('/').pop() };
}"""
CLOSED = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('none'); }});"


def entry(step, asked=START):
    return {"step": step, "asked": asked.isoformat()}


class Reader:
    """A browser with a reader in front of it, and a calendar that the test turns."""

    def __init__(self, browser, site, bare=False, **options):
        self.context = browser.new_context(**{"viewport": SIZE, "offline": True} | options)
        if bare:
            bare_pages(self.context)
        self.context.route("**/mathjax/**", lambda route: route.abort())
        self.book, self.light = (site / "book").as_uri(), (site / "_static" / "book.css").as_uri()
        self.tab = self.context.new_page()
        self.complaints, self.loaded = [], []
        self.tab.on("pageerror", self.complain)
        self.tab.on("request", lambda request: self.loaded.append(request.url.rpartition("/")[2]))
        self.day(0)

    def forget(self):
        """As new, which takes a tenth of a new browser's time."""
        self.tab.goto(self.light)
        self.tab.evaluate("localStorage.clear(), sessionStorage.clear()")
        self.tab.set_viewport_size(SIZE)
        self.complaints.clear()
        self.loaded.clear()
        self.day(0)

    def complain(self, error):
        """The theme's own scripts may stumble where a browser keeps nothing; ours may not."""
        if "/again.js" in error.stack or "/guess.js" in error.stack:
            self.complaints.append(error.stack)

    def day(self, days, hour=9):
        moment = datetime.datetime.combine(START, datetime.time(hour)) + datetime.timedelta(days=days)
        self.tab.clock.set_fixed_time(moment)

    def open(self, page):
        self.tab.goto(f"{self.book}/{page}.html", wait_until="load")
        return self.tab

    def keep(self, entries):
        """Have the browser hold these guesses, as if made on their pages."""
        if self.tab.url != self.light:
            self.tab.goto(self.light)  # a page without scripts: all files share what a browser keeps
        for guess, one in entries.items():
            self.tab.evaluate("([name, one]) => localStorage.setItem('again:' + name, one)", [guess, json.dumps(one)])

    def entries(self):
        return self.tab.evaluate(ENTRIES)

    def answer(self, right=True):
        """Answer the question on the page that asks, a number or a choice."""
        box = self.tab.locator(".again .guess")
        truth, kind = json.loads(box.get_attribute("data-truth")), box.get_attribute("data-kind")
        if kind == "number":
            box.locator("input").fill(str(truth if right else truth + 1e6))
        else:
            values = box.locator("input").evaluate_all("inputs => inputs.map(input => input.value)")
            box.locator("input").nth(next(i for i, value in enumerate(values) if (value == truth) == right)).check()
        box.locator(".guess-commit").first.click()
        return box.get_attribute("data-state")

    def next(self):
        self.tab.locator(".again .guess button:focus").click()

    def said(self):
        return self.tab.locator(".again-said").inner_text()


@pytest.fixture(scope="module")
def shared(browser):
    readers = {}  # made with the first test that has a site

    def of(site, bare):
        readers[bare] = readers.get(bare) or Reader(browser, site, bare)
        return readers[bare]

    yield of
    for reader in readers.values():
        reader.context.close()


@pytest.fixture
def reader(request, shared, site):
    """Pages have nothing but what asks, or the theme's styles and scripts, too: where a test is marked `whole`."""
    reader = shared(site, bare=not hasattr(request, "param"))
    reader.forget()
    yield reader
    reader.context.unroute("**/cards.js")
    assert reader.complaints == []


whole = pytest.mark.parametrize("reader", ["whole"], indirect=True)


@pytest.fixture
def other(request, browser, site):
    """Another browser of the same reader: a test may change it for good."""
    reader = Reader(browser, site, bare=getattr(request, "param", "bare") == "bare")
    yield reader
    reader.context.close()
    assert reader.complaints == []


def make(reader, guess=CHOICE):
    page, name = guess.split("/")
    tab = reader.open(page)
    tab.locator(f"#guess-{name} button", has_text="Show me").click()
    return tab


def marks(reader, page="assignments"):
    return reader.open(page).locator(".again-mark, .again-line").all_inner_texts()


def test_a_guess_comes_back_the_next_day_and_no_page_says_so_before(reader):
    reader.day(0, hour=23)
    tab = make(reader)
    assert tab.locator("#guess-to-the-last-bit .guess-again").inner_text() == "It comes back on Saturday, November 28."
    assert reader.entries() == {CHOICE: entry(0)}
    assert marks(reader) == marks(reader, "index") == []
    reader.day(1, hour=0)
    assert marks(reader) == ["↺ 1"]
    assert marks(reader, "index") == ["↺ 1", "1 guess comes back today, some ten seconds each."]
    reader.tab.locator(".again-mark").click()
    reader.tab.wait_for_selector(".again .guess")
    assert reader.tab.get_by_role("group", name="Do the two agree?").count() == 1


def test_a_guess_that_needs_its_page_does_not_come_back(reader):
    tab = reader.open("embeddings")
    tab.locator(f"{NOT_ASKED} button", has_text="Show me").evaluate("button => button.click()")
    assert reader.entries() == {} and tab.locator(".guess-again").count() == 0


def test_right_ones_come_back_after_a_week_and_a_month_and_then_rest(reader):
    reader.keep({CHOICE: entry(0)})
    for day, step, says in ((1, 1, "back in a week."), (8, 2, "back in a month."), (38, 3, "it rests now.")):
        reader.day(day - 1)
        assert marks(reader) == []
        reader.day(day)
        assert marks(reader) == ["↺ 1"]
        reader.open("again")
        assert reader.answer() == "right" and says in reader.tab.locator(".guess-again").inner_text()
        assert reader.entries() == {CHOICE: entry(step, START + datetime.timedelta(day))}
    reader.day(4000)
    assert marks(reader) == []
    assert "at rest" in reader.open("again").locator(".again-keep").inner_text()


@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize("look", [False, True])
def test_a_wrong_one_and_one_that_is_looked_up_start_again_at_a_day(reader, step, look):
    reader.keep({NUMBER: entry(step)})
    reader.day(45)
    tab = reader.open("again")
    if look:
        tab.locator(".again button", has_text="Show me").click()
    else:
        assert reader.answer(right=False) == "wrong"
    assert reader.entries() == {NUMBER: entry(0, START + datetime.timedelta(45))}
    assert "It comes back tomorrow." in tab.locator(".guess-again").inner_text()
    assert tab.locator(".again .guess-because").is_visible()


def test_each_card_of_the_book_asks_and_knows_its_answer(reader):
    tab = reader.open("again")
    tab.add_script_tag(url="../_static/cards.js")
    cards = tab.evaluate("BOOK_CARDS")
    assert len(cards) >= 40 and {card["kind"] for card in cards} == {"choice", "number", "order"}
    reader.keep({f"{card['page']}/{card['name']}": entry(0) for card in cards})
    reader.day(3)
    tab = reader.open("again")
    tab.wait_for_selector(".again .guess")
    for number, card in enumerate(sorted(cards, key=lambda card: card["name"])):
        asked = tab.evaluate(ASKED)
        assert card["question"] in asked.pop("question")
        assert asked == {
            "count": f"{number + 1} of {len(cards)}",
            "state": "right",
            "because": card["because"],
            "stands": f"{card['page']}.html#guess-{card['name']}",
        }
    week = (START + datetime.timedelta(10)).strftime("%A, %B ") + str((START + datetime.timedelta(10)).day)
    text = f"Nothing is due today. The next {len(cards)} come back on {week}."
    assert tab.locator(".again-count").inner_text() == text


@whole
def test_it_works_by_keyboard_alone_and_says_so_to_a_screen_reader(reader):
    reader.keep({CHOICE: entry(0), NUMBER: entry(0)})
    reader.day(1)
    tab = reader.open("again")
    tab.locator(".again fieldset input").focus()
    tab.keyboard.type("0.42")
    tab.keyboard.press("Enter")
    assert tab.locator(".again .guess [role=status]").inner_text() == "You guessed 0.42, rightly: 0.424."
    assert tab.evaluate("document.activeElement.textContent") == "Next"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.closest('.again .guess').dataset.guess") == "to-the-last-bit"
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.textContent") == "Done"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.textContent").startswith("Nothing is due today.")


def test_what_is_asked_stays_asked_when_the_reader_leaves_in_between(reader):
    reader.keep({CHOICE: entry(0), NUMBER: entry(0)})
    reader.day(1)
    reader.open("again")
    reader.answer()
    assert marks(reader) == ["↺ 1"]


def test_no_page_loads_the_cards_before_they_are_needed(reader, site):
    assert [page.name for page in (site / "book").glob("*.html") if "/cards.js" in page.read_text("utf-8")] == []
    make(reader)
    for page in ("index", "again"):
        reader.open(page)
    reader.day(1)
    reader.open("embeddings")
    assert "again.js" in " ".join(reader.loaded) and "cards.js" not in reader.loaded
    reader.open("again").wait_for_selector(".again .guess")
    assert "cards.js" in reader.loaded


def saved(reader, button, folder):
    with reader.tab.expect_download() as download:
        reader.tab.get_by_role("button", name=button, exact=True).click()
    download.value.save_as(folder / "saved")
    return (folder / "saved").read_text(encoding="utf-8")


def take_in(reader, text):
    """Give a file to the page that asks; what the page says of it."""
    reader.tab.evaluate("document.querySelector('.again-said').textContent = ''")
    file = {"name": "guesses.json", "mimeType": "application/json", "buffer": text.encode()}
    reader.tab.locator("input[type=file]").set_input_files(file)
    reader.tab.wait_for_function("document.querySelector('.again-said').textContent")
    return reader.said()


def test_another_browser_takes_what_one_saved(reader, other, tmp_path):
    kept = {CHOICE: entry(1), NUMBER: entry(3)}
    reader.keep(kept)
    reader.open("again")
    text = saved(reader, "Save them as a file", tmp_path)
    other.open("again")
    assert take_in(other, text) == "Taken in: 2 guesses."
    assert other.entries() == kept
    assert take_in(other, text) == "Taken in: 0 guesses. 2 were here already."


def test_of_two_entries_for_one_guess_the_one_asked_later_stays(reader):
    reader.day(9)
    reader.keep({CHOICE: entry(0, START + datetime.timedelta(5)), NUMBER: entry(2)})
    reader.open("again")
    theirs = {CHOICE: entry(3, START), NUMBER: entry(0, START + datetime.timedelta(8))}
    assert take_in(reader, json.dumps({"guesses": theirs})) == "Taken in: 1 guess. 1 was here already."
    assert reader.entries() == {CHOICE: entry(0, START + datetime.timedelta(5)), NUMBER: theirs[NUMBER]}


BAD_FILES = [
    "",
    "{",
    "[]",
    "null",
    '"text"',
    "7",
    '{"guesses": []}',
    '{"guesses": "all"}',
    "<script>x</script>",
    "\0" * 9,
]


def test_a_bad_file_changes_nothing_and_the_page_says_so(reader):
    reader.keep({CHOICE: entry(1)})
    reader.open("again")
    for text in [*BAD_FILES, '{"guesses": {}}' + " " * 1_100_000]:
        assert take_in(reader, text) == "Nothing was changed: this is not a file of guesses.", text[:40]
        assert reader.entries() == {CHOICE: entry(1)}


def test_a_hostile_file_is_inert_and_its_good_entries_are_taken(reader):
    attack = "<img src=x onerror='window.broken = true'>"
    hostile = {
        CHOICE: entry(0) | {"more": attack, "__proto__": {"x": 1}},
        NUMBER: {"step": attack, "asked": "2026-11-27"},
        "bert/share-of-attention": {"step": 1, "asked": attack},
        "bert/wrong-tokens": {"step": 99, "asked": "2026-11-27"},
        "cost/weights-of-512": {"step": 1, "asked": "2026-02-31"},
        "heads/twelve-heads": {"step": 0.5, "asked": "2026-11-27"},
        "heads/two-sizes": [1, "2026-11-27"],
        "decoders/kept": None,
        "positions/kind-of-map": {"step": 2, "asked": "2099-01-01"},  # a clock that was wrong
        attack: entry(0),
        "__proto__": entry(0),
        "theme": entry(0),
        f"../guess:{CHOICE}": entry(0),
    }
    before = reader.open("again").evaluate("Object.keys(localStorage).sort()")
    said = take_in(reader, json.dumps({"guesses": hostile, "__proto__": {"polluted": True}}))
    assert said == "Taken in: 2 guesses. 11 entries are left out: damaged, or not of this book."
    assert reader.entries() == {CHOICE: entry(0), "positions/kind-of-map": entry(2)}
    assert reader.tab.evaluate("window.broken === undefined && ({}).polluted === undefined && ({}).step === undefined")
    assert set(reader.tab.evaluate("Object.keys(localStorage)")) - set(before) == {
        f"again:{CHOICE}",
        "again:positions/kind-of-map",
    }


def test_what_a_browser_keeps_may_be_damaged_too(reader):
    reader.keep({CHOICE: "x", NUMBER: {"step": 0}, "attention/no-such": entry(0), "heads/twelve-heads": entry(0)})
    reader.tab.evaluate("localStorage.setItem('again:heads/two-sizes', '{')")
    reader.day(1)
    tab = reader.open("again")
    tab.wait_for_selector(".again .guess")
    assert tab.locator(".again-count").inner_text() == "1 of 1"  # the book has one of them


def test_a_clock_that_was_wrong_hides_no_guess_for_years(reader):
    reader.keep({CHOICE: entry(2, datetime.date(2099, 1, 1))})
    assert marks(reader) == ["↺ 1"]


def test_the_deck_is_ankis_text_format(reader, tmp_path):
    reader.keep({CHOICE: entry(0), "tokenization/cut-of-unreadable": entry(3)})
    reader.open("again")
    mine, book = saved(reader, "Cards for Anki", tmp_path), saved(reader, "Cards for Anki, of the whole book", tmp_path)
    heads = [line for line in mine.splitlines() if line.startswith("#")]
    assert heads[:4] == ["#separator:tab", "#html:true", "#guid column:1", "#tags column:4"]
    assert book.splitlines()[: len(heads)] == heads and mine.endswith("\n")
    notes = [line.split("\t") for line in mine.splitlines()[len(heads) :]]
    assert [note[0] for note in notes] == [f"transformers/{CHOICE}", "transformers/tokenization/cut-of-unreadable"]
    (_, front, back, tags), unreadable = notes
    assert front.endswith("Do the two agree?<br>• to the last bit<br>• only up to rounding")
    assert back.startswith("to the last bit<br>Because multiplying") and tags == "transformers embeddings"
    assert '"' not in mine
    assert unreadable[2].startswith("un·rea·dable<br>Because")
    notes = [line.split("\t") for line in book.splitlines()[len(heads) :]]
    assert len(notes) >= 40 and all(len(note) == 4 and all(note) for note in notes)
    assert len({note[0] for note in notes}) == len(notes)
    strange = 'a\t<b> & "c"\nd'
    reader.tab.evaluate("text => { BOOK_CARDS = [{...BOOK_CARDS[0], because: text}]; }", strange)
    (line,) = saved(reader, "Cards for Anki, of the whole book", tmp_path).splitlines()[len(heads) :]
    assert line.split("\t")[2].endswith("<br>a &lt;b&gt; &amp; &quot;c&quot;<br>d")


def test_erasing_leaves_the_guesses_of_the_pages_and_forgetting_a_guess_erases_it(reader):
    make(reader)
    make(reader, NUMBER)
    reader.open("again").get_by_role("button", name="Erase them").click()
    assert reader.said().startswith("Erased.") and reader.entries() == {}
    tab = reader.open("embeddings")
    assert tab.locator("#guess-cat-and-dog").get_attribute("data-state") == "seen" and reader.entries() == {}
    tab.locator("#guess-cat-and-dog button", has_text="Forget this guess").click()
    tab.locator("#guess-cat-and-dog button", has_text="Show me").click()
    assert reader.entries() == {NUMBER: entry(0)}
    reader.keep({"heads/two-sizes": entry(1)})
    tab = reader.open("embeddings")
    tab.locator(".guess-tally button", has_text="this chapter").click()
    assert reader.entries() == {"heads/two-sizes": entry(1)} and tab.locator(".guess-again").count() == 0
    reader.day(30)
    tab = reader.open("embeddings")
    tab.locator(".guess-tally button", has_text="all").click()
    assert reader.entries() == {} and tab.locator(".again-mark").count() == 0


@pytest.mark.parametrize(
    "other, storage", [("bare", FULL), ("whole", CLOSED)], indirect=["other"], ids=["full", "closed"]
)
def test_a_browser_that_keeps_nothing_is_told_and_nothing_breaks(other, storage):
    reader = other
    reader.context.add_init_script(storage)
    tab = make(reader)
    assert tab.locator("#guess-to-the-last-bit").get_attribute("data-state") == "seen"
    assert "this question cannot come back" in tab.locator("#guess-to-the-last-bit .guess-again").inner_text()
    tab = reader.open("again")
    assert reader.said().startswith("Your browser keeps nothing more") and tab.locator(".again-count").is_visible()
    assert "no room" in take_in(reader, json.dumps({"guesses": {CHOICE: entry(0)}}))


def test_when_the_storage_fills_up_while_it_asks_the_guess_stays_due(reader):
    reader.keep({CHOICE: entry(0), NUMBER: entry(0)})
    reader.day(1)
    tab = reader.open("again")
    tab.evaluate(f"() => {{ {FULL} }}")
    reader.answer()
    assert "could not keep this" in tab.locator(".guess-again").inner_text()
    reader.next()
    assert tab.locator(".again-count").inner_text() == "2 of 2"
    assert reader.entries() == {CHOICE: entry(0), NUMBER: entry(0)}


def test_where_the_cards_are_missing_the_page_says_so(reader):
    reader.context.route("**/cards.js", lambda route: route.abort())
    reader.keep({CHOICE: entry(0)})
    reader.day(1)
    reader.open("again").wait_for_function("document.querySelector('.again-said').textContent")
    assert reader.said().startswith("The cards did not load.") and reader.entries() == {CHOICE: entry(0)}


def test_who_reads_without_guesses_sees_no_mark_and_may_still_be_asked(reader):
    reader.keep({CHOICE: entry(0)})
    reader.tab.evaluate("localStorage.setItem('guesses', 'off')")
    reader.day(1)
    tab = reader.open("index")
    assert tab.locator(".again-mark:visible, .again-line:visible").count() == 0
    tab = reader.open("again")
    tab.wait_for_selector(".again .guess")
    assert tab.locator(".again .guess").is_visible()


def test_without_javascript_the_page_says_what_it_needs(browser, site):
    reader = Reader(browser, site, java_script_enabled=False)
    assert "needs JavaScript" in reader.open("again").locator(".again").inner_text()
    reader.context.close()


@whole
def test_it_is_for_everyone_in_both_themes_and_on_a_phone(reader):
    """An answer, then nothing due, and the mark and the line of the front page."""
    still = "* { transition: none !important; animation: none !important; }"
    reader.keep({CHOICE: entry(0)})
    reader.day(1)
    tab, problems = reader.open("again"), []
    tab.add_style_tag(content=still)
    for act in (lambda: reader.answer(right=False), reader.next):
        act()
        tab.evaluate(ALONE, ".again")
        problems += audit(tab, [".again"], [*RULES, "best-practice"])
    reader.day(2)
    reader.open("index").add_style_tag(content=still)
    tab.evaluate(ALONE, ".again-mark, .again-line")
    problems += audit(tab, [".again-mark", ".again-line"])
    assert not problems, "\n".join(problems)


@whole
def test_the_mark_has_room_beside_both_switches_on_a_phone(reader):
    reader.keep({f"page/{number}": entry(0) for number in range(100)})
    reader.day(1)
    tab = reader.open("embeddings")
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.locator(".switch:visible").count() == 3 and tab.locator(".again-mark").inner_text() == "↺ 100"
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


@whole
def test_nothing_moves(reader):
    reader.keep({CHOICE: entry(0)})
    reader.day(1)
    tab = reader.open("again")
    tab.wait_for_selector(".again .guess")
    moving = (
        "() => [...document.querySelectorAll('.again *, .again-mark')].filter(e => e.getAnimations().length).length"
    )
    reader.answer()
    assert tab.evaluate(moving) == 0
