"""The live models in a real browser, from files, without a network: equal to Python's, and safe from typed text.

Loading a model takes a browser a second or two, so tests that only ask share a tab.
"""

import base64
import functools
import random
import re
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from tests.accessible import audit
from tests.views.conftest import turn
from tests.views.examples import HOSTILE, WITHOUT, alike, ask, take_from_worker, write_pages
from tests.views.test_tokenizer import varied_texts
from tutorial_book.experiments.golden import trace_of
from tutorial_lib import load
from tutorial_lib.bert import Bert
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import tokenizer_of
from tutorial_lib.trace import silence
from tutorial_lib.views import engine, gaze_view, head_view, model_view, neuron_view, story_view
from tutorial_lib.weights.eight_bits import rounded_model

MODELS = ("all-MiniLM-L6-v2", "book-bert", "book-gpt")
AGE = "book-gpt-20"
TEXTS = [
    "We sat on the bank of the river and fished.",
    "a",
    "Serendipitous bears: unbelievable!! 12345",
    "In 1998 the committee of the town decided, after long debates about money and water, that the old bridge should "
    "be torn down and replaced by a new one made of steel, which nobody liked.",
]
BEGIN = "Mia had a kite. She lost it in the"
EXAMPLE = "The bear opened the door with a smile."
ONE_BY_ONE = """async ([texts, options]) => {
  const found = [];
  for (const text of texts) found.push((await tutorialLib.tokenize(text, options)).ids);
  return found;
}"""
# Every value of a text's trace as [name, shape, numbers in base64]: JSON would take seconds for this many numbers.
TRACE = """async ([text, options]) => {
  const { stops, ids } = await tutorialLib.trace(text, options);
  const packed = Object.entries(stops).map(([name, { shape, values }]) => {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength), letters = [];
    for (let i = 0; i < bytes.length; i += 32768) letters.push(String.fromCharCode(...bytes.subarray(i, i + 32768)));
    return [name, shape, btoa(letters.join(''))];
  });
  return [ids, packed];
}"""
LOAD = """async () => {
  const shares = [];
  await Promise.all([tutorialLib.load(undefined, (share) => shares.push(share)), tutorialLib.load()]);
  const { bytes } = await tutorialLib.load(undefined, (share) => shares.push(share));
  return [shares, bytes];
}"""
LONG = " ".join(TEXTS[3].split() * 7)  # more than 200 words
# What leaves its view to a side, and the picture if it is wider than its view or taller than the screen.
BURST = """root => {
  const edge = root.getBoundingClientRect(), parts = root.querySelectorAll('.tl-picture, .tl-picture *');
  const out = [...parts].filter(e => {
    const box = e.getBoundingClientRect();
    return e.checkVisibility() && box.width && (box.left < edge.left - 1 || box.right > edge.right + 1);
  });
  const picture = root.querySelector('.tl-picture'), bursts = picture.scrollWidth > picture.clientWidth;
  if (bursts || picture.getBoundingClientRect().height > innerHeight) out.push(picture);
  return out.map(e => e.tagName + ' ' + e.className);
}"""
BOXES = """look => {
  const [one, ...more] = [...document.querySelectorAll(look)].map(part => part.getBoundingClientRect());
  return more.map(box => [box.x - one.x, box.y - one.y, box.width, box.height].map(Math.round)); }"""
# The text that the first view shows, of tokens that are whole words.
TEXT = """() => [...document.querySelectorAll('.tl-token[aria-label^=query]')].map(e => e.ariaLabel.split(': ')[1])
  .slice(1, -1).join(' ')"""


@pytest.fixture(scope="module")
def site(tmp_path_factory, bert, tok):
    folder = tmp_path_factory.mktemp("live")
    texts = load_texts("documents")
    for name in (*MODELS, AGE):
        engine.write_model(folder, name, *load(name, "cpu"), texts if name == MODELS[0] else ())
    example = tok.encode(EXAMPLE)
    first, second = head_view(bert, example), neuron_view(bert, example)
    views = [head_view(bert, example), model_view(bert, example, 2, 5), neuron_view(bert, example, 0, 4, query=2),
             gaze_view(bert, example, layer=0, head=4)]  # fmt: skip
    tale = story_view(*load("book-gpt", "cpu"), BEGIN, ages={"20 steps": AGE, "all": "book-gpt"})
    attention = "".join(each._repr_html_() for each in views)
    pages = {"first": first, "second": second, "story": tale}
    write_pages(folder, {name: view._repr_html_() for name, view in pages.items()} | {"attention": attention})
    return folder


@pytest.fixture(scope="module")
def open_page(live_tabs, site):
    return lambda page: live_tabs(f"{site.as_uri()}/{page}")


@pytest.fixture(scope="module")
def machine(open_page):
    """The tab that all tests may ask, with its engine: the kernel, or plain JavaScript."""
    @functools.cache
    def machine(without=""):
        tab = open_page("first.html")
        take_from_worker(tab, without)
        return tab

    return machine


def stops_of(tab, text, **options):
    """Ids, and each stop by name."""
    ids, packed = tab.evaluate(TRACE, [text, options])
    return ids, {name: np.frombuffer(base64.b64decode(data), "<f4").reshape(shape) for name, shape, data in packed}


@pytest.mark.parametrize(
    "without, most", [pytest.param("", 2e-3, id="kernel"), pytest.param(WITHOUT, 1e-5, id="plain JavaScript")]
)
@pytest.mark.parametrize("name", MODELS)
def test_every_stop_equals_pythons_rounded_model(name, without, most, machine):
    """The kernel rounds what it multiplies to 16 bits, so it is off by more; the plain one rounds nothing more."""
    tab, (model, tokenizer) = machine(without), load(name, "cpu")
    kind = tab.evaluate("name => tutorialLib.load(name)", name)["machine"]
    assert kind == ("plain JavaScript" if without else "WebAssembly")
    texts = [["Anna had a red ball. She"]] if name == "book-gpt" else [["a bear", "the door opens"], [TEXTS[0]]]
    if name == MODELS[0] and not without:  # plain JavaScript is slow
        texts += [[text] for text in TEXTS[1:]]
    model = rounded_model(model).double()
    for place, (text, *pair) in enumerate(texts):
        encoding = tokenizer.encode(text, *pair)
        options = {"pair": pair[0]} if pair else {}
        if place > 1:
            options["stops"] = ["layer.5.output"]  # errors of intermediate values show there, and travel faster
        ids, stops = stops_of(tab, text, model=name, **options)
        with torch.no_grad():
            expected = trace_of(model, ids, encoding.token_type_ids if pair else None)
        wanted = options.get("stops", [stop for stop in expected if not stop.startswith(("pooler", "nsp"))])
        expected = {stop: expected[stop] for stop in wanted}
        assert ids == encoding.ids and set(stops) == set(expected)
        for stop, X in expected.items():
            hidden = np.isinf(X)
            assert stops[stop].shape == X.shape and (np.isinf(stops[stop]) == hidden).all()
            off = np.abs(stops[stop][~hidden] - X[~hidden]).max() / np.abs(X[~hidden]).max()
            assert off < most, (stop, off)


def test_rounding_weights_hardly_turns_vectors(machine, bert):
    texts = [text for name in ("documents", "posts", "stories") for text in load_texts(name)][::16]
    cosines = []
    for text in texts:
        ids, stops = stops_of(machine(), text, stops=["layer.5.output"])
        with torch.no_grad():
            expected = bert([ids])[0]
        cosines += torch.cosine_similarity(torch.tensor(stops["layer.5.output"]), expected, dim=-1).tolist()
    assert len(texts) > 25 and min(cosines) > 0.999 and np.median(cosines) > 0.9998


@pytest.mark.parametrize("name, n", [(MODELS[0], 1000), ("book-gpt", 500)])
def test_tokens_equal_pythons(name, n, machine):
    tokenizer = tokenizer_of(name)
    texts = varied_texts(tokenizer_of(MODELS[0]), n)
    for text, ids in zip(texts, machine().evaluate(ONE_BY_ONE, [texts, {"model": name}]), strict=True):
        expected = tokenizer.encode(text).ids
        assert ids == (expected if len(expected) <= 128 else ids), repr(text)
        assert len(ids) == min(128, len(expected))


def test_pairs_have_segments_long_texts_are_cut(machine, tok):
    pair = machine().evaluate("tutorialLib.tokenize('a bear', {pair: 'the door opens'})")
    expected = tok.encode("a bear", "the door opens")
    assert (pair["ids"], pair["segments"], pair["cut"]) == (expected.ids, expected.token_type_ids, 0)
    long = machine().evaluate("tutorialLib.tokenize('bear '.repeat(300))")
    assert (len(long["ids"]), long["cut"], long["tokens"][-1]) == (128, 174, "[SEP]")


def test_silenced_heads_are_pythons(machine, bert):
    ids, stops = stops_of(machine(), TEXTS[0], stops=["layer.5.output"], silence=[[2, 5], [3, 0]])
    with torch.no_grad():
        expected = rounded_model(bert)([ids], keep=silence([(2, 5), (3, 0)]))[0].numpy()
        untouched = bert([ids])[0].numpy()
    assert np.abs(stops["layer.5.output"] - expected).max() < 0.01 < np.abs(untouched - expected).max()


def test_many_texts_take_no_more_memory(machine):
    traces = "async texts => { for (const text of texts) await tutorialLib.trace(text, {stops: []}); }"
    machine().evaluate(traces, ["bear " * 120])
    before = machine().evaluate("tutorialLib.memory()")
    machine().evaluate(traces, random.Random(0).choices(load_texts("posts"), k=50))
    assert machine().evaluate("tutorialLib.memory()") == before


def test_next_tokens_have_pythons_probabilities(machine):
    """With the cache: on by one token and by several, back, and past the last position."""
    gpt, tokenizer = load("book-gpt", "cpu")
    gpt = rounded_model(gpt)
    ids = [tokenizer.vocab["<|endoftext|>"], *tokenizer.encode(BEGIN).ids]
    new = tokenizer.encode(" park. Leo found it").ids
    step = "async ([text, ids]) => Array.from((await tutorialLib.next(text, ids, {model: 'book-gpt'})).logits)"
    for written in ([], new[:1], new[:2], new, new[:1], [new[0]] * 130):
        with torch.no_grad():
            expected = gpt([(ids + written if len(written) < 100 else written)[-128:]])[0][0, -1]
        found = torch.tensor(machine().evaluate(step, [BEGIN, written]))
        assert (found.softmax(-1) - expected.softmax(-1)).abs().max() < 2e-3


def test_first_view_takes_the_readers_sentence(open_page, tok):
    """By keyboard, press or typing alone; for everyone before and after; and runs no text."""
    tab = open_page("first.html")
    tab.wait_for_selector(".tl-live")
    assert "32 MB" in tab.locator(".tl-live").inner_text()
    assert list(audit(tab, [".tl-view"], turn=turn)) == []

    said = tab.locator(".tl-say")
    example = said.inner_text()
    tab.get_by_label("Your sentence").focus()
    tab.keyboard.type(TEXTS[2])
    tab.keyboard.press("Enter")
    tab.get_by_role("link", name="Link to this").wait_for()
    assert list(audit(tab, [".tl-view"], turn=turn)) == []
    tokens = tok.encode(TEXTS[2]).tokens
    assert tab.locator(".tl-token").count() == 2 * len(tokens)
    assert "at least 0.99" in tab.locator(".tl-live [role=status]").inner_text()
    ask(tab.locator(".tl-view"), EXAMPLE)
    assert alike(*(text.split(", ")[1] for text in (said.inner_text(), example)))  # the strongest weight
    tab.get_by_label("Your sentence").fill("Bears")  # once the model is loaded, typing is enough
    tab.wait_for_function(f"({TEXT})() === 'bears'")
    ask(tab.locator(".tl-view"), "".join(HOSTILE))
    assert "< im ##g" in tab.evaluate(TEXT) and tab.locator("img").count() == 0


def test_attention_views_take_the_readers_sentence(open_page, bert, tok):
    """Each then shows what Python would have prepared; layer and head stay unchanged."""
    tab = open_page("attention.html")
    one, all_heads, neurons, gaze = views = tab.locator(".tl-view").all()
    one.locator("select").first.select_option("3")
    text = "The dogs that chased the cat were tired."
    for view in views:
        ask(view, text)
    encoding = tok.encode(text)
    assert one.locator(".tl-token").count() == 2 * len(encoding.tokens)
    assert alike(one.locator(".tl-say").inner_text(), head_view(bert, encoding, 3, 0).say)
    pressed = all_heads.locator("button[aria-pressed=true]").first
    assert pressed.get_attribute("aria-label") == "layer 2, head 5"
    place = neurons.get_by_label("Query").evaluate("select => +select.value")
    assert encoding.tokens[place].isalnum()
    assert alike(neurons.locator(".tl-say").inner_text(), neuron_view(bert, encoding, 0, 4, place).say)
    assert alike(gaze.locator(".tl-say").inner_text(), gaze_view(bert, encoding, 0, 4).say)
    ask(gaze, "A door")  # a shorter one leaves nothing of the longer one: a complaint of the page fails the test
    tab.set_viewport_size({"width": 700, "height": 900})
    tab.wait_for_timeout(200)
    assert gaze.locator(".tl-gaze button").all_inner_texts() == ["[CLS]", "a", "door", "[SEP]"]


def test_asking_word_is_whole(open_page, tok):
    """Of every view that picks one. The texts: pieces, marks, a name in pieces."""
    tab, chosen = open_page("attention.html"), "[aria-pressed=true], option:checked"
    for view in tab.locator(".tl-view").all()[2:]:
        for text in ("Serendipitous bears: unbelievable!! 12345", "Well ... no.", "Michelangelo and Tetris!"):
            ask(view, text)
            tokens = tok.encode(text).tokens
            words = {one for one, after in zip(tokens, tokens[1:]) if one.isalnum() and not after.startswith("##")}
            shown = view.locator(chosen).all_inner_texts()
            assert any(re.sub(r"^\d+: ", "", each) in words for each in shown), (text, shown)


@pytest.mark.parametrize("page", ["attention", "story"])
@pytest.mark.parametrize("width", [1280, 390])
def test_200_words_stay_in_their_view(page, width, open_page):
    tab = open_page(f"{page}.html")
    tab.set_viewport_size({"width": width, "height": 900})
    for view in tab.locator(".tl-view").all():
        for text in (LONG, "a" * 400):  # and a word without an end
            ask(view, text)
            tab.wait_for_timeout(100)
            assert view.locator(".tl-live input").input_value() == text
            assert view.evaluate(BURST) == []


def test_link_arrives_answered(open_page):
    """In a browser that never had the model; and if the page is already open. Another view keeps its example."""
    tab = open_page("attention.html#view=neuron_view&text=Bears+ran+to+me.")
    neurons, others = tab.locator(".tl-view").nth(2), tab.locator(".tl-view").first
    neurons.get_by_role("link", name="Link to this").wait_for()
    assert "ran" in neurons.get_by_label("Query").inner_text()
    assert others.get_by_label("Your sentence").input_value() == "" and "ran" not in others.inner_text()
    tab.goto(tab.url.split("#")[0] + "#view=head_view&text=Two+doors")
    others.locator("[aria-label='query 2: doors']").wait_for()


def test_link_brings_what_the_sender_chose(open_page):
    """Menus, sliders and pressed buttons of each view; a press on one's own link changes nothing."""
    state = "root => [root.querySelector('.tl-say').textContent, root.querySelectorAll('[aria-pressed=true]').length]"

    def choose(view, place):
        selects = view.locator(".tl-controls select")
        if place in ("attention0", "attention2"):
            selects.nth(1).select_option("2")
        if place == "attention0":
            view.locator(".tl-tile").nth(2).click()
            view.locator(".tl-token").nth(1).click()
        if place == "attention1":
            view.locator(".tl-grid button").nth(40).click()
        if place == "attention3":
            view.locator(".tl-gaze button").nth(4).click()
        if place == "story0":
            selects.first.select_option("0")
            view.get_by_label("Temperature").fill("0.3")

    for page, count in {"attention": 4, "story": 1}.items():
        sender, arrived = open_page(f"{page}.html"), open_page(f"{page}.html")
        for i in range(count):
            view, other = (tab.locator(".tl-view").nth(i) for tab in (sender, arrived))
            ask(view, "Three bears saw a door")
            choose(view, f"{page}{i}")
            sender.wait_for_timeout(300)
            shown, link = view.evaluate(state), view.get_by_role("link", name="Link to this")
            link.click()
            assert view.evaluate(state) == shown
            arrived.goto(arrived.url.split("#")[0] + link.get_attribute("href"))
            other.get_by_role("link", name="Link to this").wait_for()
            arrived.wait_for_timeout(300)
            assert other.evaluate(state) == shown, (page, i)


def test_link_to_a_page_without_model_says_so(bert, tok, tmp_path, site, live_tabs):
    for file in ("page.js", "attention.html"):
        shutil.copy(site / file, tmp_path)
    tab = live_tabs((tmp_path / "attention.html").as_uri() + "#view=gaze_view&text=Bears")
    says = tab.locator(".tl-view").nth(3).get_by_role("status")
    tab.get_by_text("The file worker.js is not beside this page").wait_for()
    assert says.inner_text().count(". ") == 0 and says.inner_text().endswith(".")
    gaze_view(bert, tok.encode("a bear")).save(tmp_path / "alone.html")
    alone = live_tabs((tmp_path / "alone.html").as_uri() + "#view=gaze_view&text=Bears")
    assert "This file lacks the model" in alone.get_by_role("status").inner_text()


def test_focus_stays_where_a_press_redraws(open_page):
    tab = open_page("story.html")
    ask(tab.locator(".tl-view"), "Leo went to the")
    tab.locator(".tl-next button").nth(2).press("Enter")
    tab.wait_for_function("document.querySelector('.tl-told mark').textContent !== ''")
    focused = "[...document.querySelectorAll('.tl-next button')].indexOf(document.activeElement)"
    assert tab.evaluate(focused) == 2
    tab = open_page("attention.html")
    view = tab.locator(".tl-view").first
    ask(view, "A door")
    view.get_by_label("Your sentence").fill("Bears and doors")  # asks in a moment, while the reader goes on
    view.locator(".tl-controls select").first.focus()
    view.locator("[aria-label='query 3: doors']").wait_for()
    assert tab.evaluate("document.activeElement.closest('label').textContent").startswith("Layer")


def test_pieces_are_joined_on_request(open_page, bert, tok):
    """Weights to a word's pieces are added, those from them averaged."""
    view, text = open_page("attention.html").locator(".tl-view").first, "Serendipitous dogs bark."
    ask(view, text)
    tokens = tok.encode(text).tokens
    names = "all => all.map(token => token.getAttribute('aria-label').split(': ')[1])"

    def shown(way):
        view.locator(".tl-ways").select_option(label=way)
        found = view.locator(".tl-token").evaluate_all(names)
        return found[: len(found) // 2]

    assert shown("without [CLS] and [SEP]") == tokens[1:-1]
    assert shown("only whole words") == ["serendipitous", "dogs", "bark", "."]
    assert "pieces are added" in view.locator(".tl-say").inner_text()
    with torch.no_grad():
        A = bert.trace(**tok.encode(text).inputs)["layer.0.attention.weights"][0, 0].numpy()
    pieces, bark = slice(1, tokens.index("dogs")), tokens.index("bark")
    view.locator(".tl-token").nth(0).click()
    own, other = A[pieces, pieces].sum(1).mean(), A[pieces, bark].mean()
    best, most = max([("serendipitous", own), ("bark", other)], key=lambda one: one[1])
    assert f"“{best}” ({most:.2f})"[:-2] in view.locator(".tl-say").inner_text()
    assert shown("all") == tokens


def test_drawings_and_lists_are_saved_as_svg(open_page, live_tabs, tmp_path):
    def saved(page, text=""):
        tab = open_page(page)
        if text:
            tab.set_viewport_size({"width": 390, "height": 900})
            ask(tab.locator(".tl-view"), text)
        with tab.expect_download() as download:
            tab.get_by_role("button", name="Save as SVG").first.click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return tab, path

    _, drawing = saved("attention.html")
    text = drawing.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert drawing.name == "head_view.svg" and root.tag.endswith("}svg") and float(root.get("width")) > 100
    assert re.search(r"stroke: (rgb|hsl|okl|color)", text)
    assert "var(--" not in re.sub(r"--hue:[^;]*;", "", text) and "script" not in text
    tab, lists = saved("story.html")
    after = live_tabs(lists.as_uri())
    then, now = (page.evaluate(BOXES, ".tl-picture, .tl-picture *") for page in (tab, after))
    assert len(now) > 30 and np.abs(np.array(now) - then).max() <= 1  # by rounding
    said = "document.querySelector('.tl-picture').textContent"
    assert after.evaluate(said) == tab.evaluate(said)
    _, long = saved("story.html", LONG)
    assert float(ElementTree.parse(long).getroot().get("height")) > 1000  # all of it, though the page scrolls it


def test_only_shipped_models_are_live(bert, tok):
    encoding = tok.encode("a bear")
    assert "live" not in head_view(bert.trace(**encoding.inputs), encoding).data
    assert "live" not in head_view(Bert(bert.config), encoding).data
    assert head_view(bert, encoding).data["live"] == bert.source == MODELS[0]


def test_story_takes_beginning_token_and_age(open_page):
    tab = open_page("story.html")

    def told():
        """The likeliest token's probability, and how many tokens have a chance."""
        share, number = re.search(r"with ([\d.]+); ([\d,]+|no other)", tab.locator(".tl-say").inner_text()).groups()
        return float(share), int(number.replace(",", "")) if number != "no other" else 1

    before = told()
    tab.get_by_label("Temperature").fill("0.5")
    cold = told()
    assert cold[0] > before[0] and 100 < cold[1] <= before[1]
    tab.get_by_label("top-p").fill("0.5")
    assert told()[0] > cold[0] and told()[1] < 100
    ask(tab.locator(".tl-view"), "Leo had a")
    first = tab.locator(".tl-next button").first
    word, written = first.inner_text(), "document.querySelector('.tl-told mark').textContent"
    first.click()
    tab.wait_for_function(f"{written} !== ''")
    assert tab.locator(".tl-told").inner_text().strip() == f"Leo had a {word}"
    tab.get_by_label("Trained for").select_option("0")
    tab.wait_for_function(f"{written} === ''")
    tab.get_by_role("button", name="Write on").click()
    tab.wait_for_function(f"{written}.length > 3")
    tab.get_by_role("button", name="Write on").wait_for()
    assert list(audit(tab, [".tl-view"], turn=turn)) == []


def test_link_and_next_page_keep_the_sentence(open_page, site):
    text = "A bear & a <b>door</b>"
    tab = open_page("first.html#view=head_view&text=A+bear+%26+a+%3Cb%3Edoor%3C%2Fb%3E")
    tab.get_by_role("link", name="Link to this").wait_for()
    assert tab.get_by_label("Your sentence").input_value() == text
    assert tab.evaluate(TEXT) == "a bear & a < b > door < / b >"
    tab.goto((site / "second.html").as_uri())
    assert tab.get_by_label("Your sentence").input_value() == text
    query = "document.querySelector('.tl-controls label:nth-child(3)').textContent"
    tab.wait_for_function(f"{query}.includes('8: door')")  # the remembered one is computed automatically
    tab.get_by_label("Your sentence").fill("No press")
    tab.wait_for_function(f"{query}.includes('2: press')")


def test_failed_load_can_be_tried_again(open_page, site):
    """It then takes no more memory than a load without failure, which comes in parts, as the page reports once."""
    tab, hidden = open_page("first.html"), site / "hidden"
    part = site / "all-MiniLM-L6-v2-3.js"
    part.rename(hidden)
    try:
        error = tab.evaluate("tutorialLib.load().catch((error) => error.message)")
    finally:
        hidden.rename(part)
    assert "all-MiniLM-L6-v2-3.js is not beside this page" in error
    shares, size = open_page("second.html").evaluate(LOAD)
    assert shares == [k / engine.FILES for k in range(1, engine.FILES + 1)]
    assert tab.evaluate(LOAD)[1] == size


def test_missing_files_are_named(live_tabs, site, tmp_path):
    for file in ("page.js", "first.html"):
        shutil.copy(site / file, tmp_path)
    tab = live_tabs((tmp_path / "first.html").as_uri())
    tab.get_by_label("Your sentence").fill("a bear")
    tab.get_by_role("button", name="Show").click()
    tab.get_by_text("The file worker.js is not beside this page").wait_for()
