"""The live models in a real browser, from files, with no network: equal to Python's, and safe from what is typed."""

import base64
import os
import random
import re
import shutil
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from tests.accessible import audit
from tests.programs import program
from tests.views.test_tokenizer import HOSTILE, varied_texts
from tutorial_lib import load
from tutorial_lib.bert import Bert
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import tokenizer_of
from tutorial_lib.trace import silence
from tutorial_lib.views import forward_pass, gaze_view, head_view, live, model_view, neuron_view, story_view
from tutorial_lib.weights.rounded import rounded_model

MODELS = ("all-MiniLM-L6-v2", "book-bert", "book-gpt")
AGE = "book-gpt-20"
TEXTS = [
    "We sat on the bank of the river and fished.",
    "a",
    "Serendipitous bears: unbelievable!! 12345",
    "In 1998 the committee of the town decided, after long debates about money and water, that the old bridge should "
    "be torn down and replaced by a new one made of steel, which nobody liked.",
]
STORY = "Anna had a red ball. She"
BEGIN = "Mia had a kite. She lost it in the"
EXAMPLE = [("The bear opened the door with a smile.", "bear", 0)]
WITHOUT = "delete globalThis.WebAssembly;"  # in the worker: a browser that has none
ONE_BY_ONE = """async ([texts, options]) => {
  const found = [];
  for (const text of texts) found.push((await tutorialLib.tokenize(text, options)).ids);
  return found;
}"""
# Every stop of a text as [name, shape, numbers in base64]: JSON of so many numbers would take seconds.
TRACE = """async ([text, options]) => {
  const { stops, ids } = await tutorialLib.trace(text, options);
  const packed = Object.entries(stops).map(([name, { shape, values }]) => {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength), letters = [];
    for (let i = 0; i < bytes.length; i += 32768) letters.push(String.fromCharCode(...bytes.subarray(i, i + 32768)));
    return [name, shape, btoa(letters.join(''))];
  });
  return [ids, packed];
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory, bert, tok):
    """A folder as `make book` leaves it in _static/live, and a page with the first view beside it."""
    folder = tmp_path_factory.mktemp("live")
    live.write_worker(folder)
    texts = load_texts("documents")
    for name in (*MODELS, AGE):
        live.write_model(folder, name, *load(name, "cpu"), texts if name == MODELS[0] else ())
    shutil.copy(live.HERE / "page.js", folder)
    view = forward_pass(bert, tok, EXAMPLE, texts[:3])._repr_html_()
    example = tok.encode(EXAMPLE[0][0])
    views = [head_view(bert, example), model_view(bert, example, 2, 5), neuron_view(bert, example, 0, 4, query=2)]
    gpt, letters = load("book-gpt", "cpu")
    tale = story_view(gpt, letters, BEGIN, ages={"20 steps": AGE, "all": "book-gpt"})
    pages = {"first": view, "second": view, "story": tale._repr_html_()}
    pages["gaze"] = gaze_view(bert, example, layer=0, head=4)._repr_html_()
    pages["attention"] = "".join(each._repr_html_() for each in views)
    page = (
        '<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>Live</title>'
        '<meta name="viewport" content="width=device-width"><script src="page.js"></script><body><main>'
    )
    for name, content in pages.items():
        (folder / f"{name}.html").write_text(f"{page}{content}</main>", encoding="utf-8")
    return folder


@pytest.fixture
def open_page(open_live, site):
    def opened(page="first.html", without=""):
        """A tab with this page; `without`: what the worker lacks."""
        tab = open_live(f"{site.as_uri()}/{page}")
        if without:
            tab.evaluate(
                """code => Object.defineProperty(tutorialLib, 'source', {
                  set(source) { this.text = code + source; }, get() { return this.text; } })""",
                without,
            )
        return tab

    return opened


def stops_of(tab, text, **options):
    """Ids, and each stop by name."""
    ids, packed = tab.evaluate(TRACE, [text, options])
    return ids, {name: np.frombuffer(base64.b64decode(data), "<f4").reshape(shape) for name, shape, data in packed}


def differences(model, tokenizer, ids, stops):
    """How far each stop is from Python's, as a share of its largest number; names and shapes must be the same."""
    with torch.no_grad():
        trace = model.trace([ids])
    names = [name for name in trace if not name.startswith(("pooler", "nsp"))]
    assert set(names) == set(stops)
    off = {}
    for name in names:
        expected = trace[name].detach().numpy().reshape(stops[name].shape)  # Python's have an axis of texts besides
        assert stops[name].shape == trace[name].shape[-stops[name].ndim :]
        hidden = np.isinf(expected)
        assert (np.isinf(stops[name]) == hidden).all()
        off[name] = np.abs(stops[name][~hidden] - expected[~hidden]).max() / np.abs(expected[~hidden]).max()
    return off


@pytest.mark.parametrize(
    "without, most",
    [pytest.param("", 2e-3, id="kernel"), pytest.param(WITHOUT, 1e-5, id="plain JavaScript")],
)
@pytest.mark.parametrize("name", MODELS)
def test_every_stop_is_that_of_pythons_model_with_the_same_rounded_weights(name, without, most, open_page):
    """The kernel rounds what it multiplies to 16 bits, so it is off by more; the plain one rounds nothing more."""
    tab, (model, tokenizer) = open_page(without=without), load(name, "cpu")
    model = rounded_model(model)
    machine = tab.evaluate("name => tutorialLib.load(name)", name)["machine"]
    assert machine == ("plain JavaScript" if without else "WebAssembly")
    for text in TEXTS if name == MODELS[0] else [STORY, "The"]:
        ids, stops = stops_of(tab, text, model=name)
        assert ids == tokenizer.encode(text).ids
        off = differences(model, tokenizer, ids, stops)
        assert max(off.values()) < most, max(off, key=off.get)


def test_vectors_are_near_those_of_the_model_that_is_not_rounded(open_page, bert, tok):
    tab, texts = open_page(), [text for name in ("documents", "posts", "stories") for text in load_texts(name)][::8]
    cosines = []
    for text in texts:
        ids, stops = stops_of(tab, text, stops=["layer.5.output"])
        with torch.no_grad():
            expected = bert([ids])[0]
        cosines += torch.cosine_similarity(torch.tensor(stops["layer.5.output"]), expected, dim=-1).tolist()
    assert len(texts) > 50 and min(cosines) > 0.999 and np.median(cosines) > 0.9998


@pytest.mark.parametrize("name, n", [(MODELS[0], 1000), ("book-gpt", 500)])
def test_tokens_are_pythons(name, n, open_page):
    tab, tokenizer = open_page(), tokenizer_of(name)
    texts = varied_texts(tokenizer_of(MODELS[0]), n)
    for text, ids in zip(texts, tab.evaluate(ONE_BY_ONE, [texts, {"model": name}]), strict=True):
        expected = tokenizer.encode(text).ids
        assert ids == (expected if len(expected) <= 128 else ids), repr(text)
        assert len(ids) == min(128, len(expected))


def test_a_pair_has_segments_and_a_long_text_is_cut_and_says_by_how_much(open_page, tok, bert):
    tab = open_page()
    pair = tab.evaluate("tutorialLib.tokenize('a bear', {pair: 'the door opens'})")
    expected = tok.encode("a bear", "the door opens")
    assert (pair["ids"], pair["segments"], pair["cut"]) == (expected.ids, expected.token_type_ids, 0)
    long = tab.evaluate("tutorialLib.tokenize('bear '.repeat(300))")
    assert (len(long["ids"]), long["cut"], long["tokens"][-1]) == (128, 174, "[SEP]")


def test_a_head_that_is_silenced_is_the_one_that_python_silences(open_page, bert, tok):
    options = {"stops": ["layer.5.output"], "silence": [[2, 5], [3, 0]]}
    ids, stops = stops_of(open_page(), TEXTS[0], **options)
    with torch.no_grad():
        expected = rounded_model(bert)([ids], keep=silence([(2, 5), (3, 0)]))[0].numpy()
        untouched = bert([ids])[0].numpy()
    assert np.abs(stops["layer.5.output"] - expected).max() < 0.01 < np.abs(untouched - expected).max()


def test_two_hundred_texts_take_no_more_memory_than_the_longest(open_page):
    tab = open_page()
    size = """async texts => {
      for (const text of texts) await tutorialLib.trace(text, {stops: []});
    }"""
    tab.evaluate(size, ["bear " * 120])
    memory = "() => tutorialLib.memory()"
    before = tab.evaluate(memory)
    tab.evaluate(size, random.Random(0).choices(load_texts("posts"), k=200))
    assert tab.evaluate(memory) == before


def chosen(tab):
    return tab.locator(".tl-controls select").first.locator("option:checked").inner_text()


def in_theme(tab, theme):
    tab.evaluate("theme => document.documentElement.dataset.theme = theme", theme)


def press(tab, text):
    tab.get_by_label("Your sentence").fill(text)
    tab.get_by_role("button", name="Show").click()
    tab.get_by_role("link", name="Link to this").wait_for()


def test_the_first_view_takes_the_readers_sentence(open_page, bert, tok):
    tab = open_page()
    assert "32 MB" in tab.locator(".tl-live").inner_text()
    press(tab, TEXTS[2])
    tokens = tok.encode(TEXTS[2]).tokens
    assert tab.locator(".tl-chip").count() == len(tokens)
    assert chosen(tab) == TEXTS[2]
    assert f"{len(tokens)} tokens" in tab.locator(".tl-say").inner_text()
    tab.get_by_role("button", name="8").click()
    assert "The nearest of the book’s" in tab.locator(".tl-say").inner_text()
    assert "at least 0.99" in tab.get_by_role("status").inner_text()
    tab.get_by_label("Your sentence").fill("Bears")  # once the model is there, typing is enough
    tab.wait_for_function("document.querySelector('.tl-controls option:checked').textContent === 'Bears'")


def test_what_the_view_draws_is_what_python_would_prepare(open_page, bert, tok):
    """The text of the example, computed in the page, gives the same stage as the one that Python made."""
    tab = open_page()
    tab.wait_for_selector(".tl-live")

    def cosines_of_the_second_token():
        tab.get_by_label("Token").select_option("2")
        return [float(text.replace("−", "-")) for text in tab.locator(".tl-rows .tl-number").all_inner_texts()]

    tab.get_by_role("button", name="7").click()
    made = cosines_of_the_second_token()
    press(tab, EXAMPLE[0][0])
    assert len(made) == 7 and np.allclose(cosines_of_the_second_token(), made, atol=0.011)


def alike(said, expected):
    """The same words, and numbers that the rounded weights move by little."""
    number = r"\d+\.\d+"
    numbers = ([float(x) for x in re.findall(number, text)] for text in (said, expected))
    return np.allclose(*numbers, atol=0.01, rtol=0.03) and re.sub(number, "#", said) == re.sub(number, "#", expected)


def test_the_views_of_attention_take_the_readers_sentence(open_page, bert, tok):
    """What each then shows is what Python would have prepared; layer and head stay where they were."""
    tab = open_page("attention.html")
    tab.wait_for_function("document.querySelectorAll('.tl-live').length === 3")
    text, first = "The dogs that chased the cat were tired.", tab.locator(".tl-view").first
    first.locator("select").first.select_option("3")
    n = len(tok.encode(text).tokens)
    for view in tab.locator(".tl-view").all():
        view.get_by_label("Your sentence").fill(text)
        view.get_by_role("button", name="Show").click()
        view.get_by_role("link", name="Link to this").wait_for()
    encoding = tok.encode(text)
    assert first.locator(".tl-token").count() == 2 * n
    assert alike(first.locator(".tl-say").inner_text(), head_view(bert, encoding, 3, 0).say)
    second, third = tab.locator(".tl-view").nth(1), tab.locator(".tl-view").nth(2)
    assert second.locator("button[aria-pressed=true]").first.get_attribute("aria-label") == "layer 2, head 5"
    place = third.get_by_label("Query").evaluate("select => +select.value")
    assert encoding.tokens[place] == "chased"
    assert alike(third.locator(".tl-say").inner_text(), neuron_view(bert, encoding, 0, 4, place).say)


def test_special_tokens_are_left_out_and_pieces_joined_on_request(open_page, bert, tok):
    """Weights to a word's pieces are added, those from them averaged."""
    tab = open_page("attention.html")
    view, text = tab.locator(".tl-view").first, "Serendipitous dogs bark."
    view.get_by_label("Your sentence").fill(text)
    view.get_by_role("button", name="Show", exact=True).click()
    view.get_by_role("link", name="Link to this").wait_for()
    tokens = tok.encode(text).tokens
    names = "all => all.map(token => token.getAttribute('aria-label').split(': ')[1])"

    def shown(way):
        view.locator(".tl-ways").select_option(label=way)
        found = view.locator(".tl-token").evaluate_all(names)
        return found[: len(found) // 2]

    assert shown("without [CLS] and [SEP]") == tokens[1:-1]
    assert shown("whole words alone") == ["serendipitous", "dogs", "bark", "."]
    assert "pieces are added" in view.locator(".tl-say").inner_text()
    with torch.no_grad():
        A = bert.trace(**tok.encode(text).inputs)["layer.0.attention.weights"][0, 0].numpy()
    pieces = slice(1, tokens.index("dogs"))
    view.locator(".tl-token").nth(0).click()
    said = view.locator(".tl-say").inner_text()
    to = {"serendipitous": A[pieces, pieces].sum(1).mean()} | {
        word: A[pieces, tokens.index(word)].mean() for word in ("dogs", "bark", ".")
    }
    best = max(to, key=to.get)
    assert f"attends most to “{best}” ({to[best]:.2f})"[:-2] in said
    assert shown("all") == tokens


def test_a_drawing_is_saved_as_an_svg_with_its_colors(open_page, tmp_path):
    tab = open_page("attention.html")
    button = tab.get_by_role("button", name="Save as SVG").first
    with tab.expect_download() as download:
        button.click()
    download.value.save_as(tmp_path / "saved.svg")
    text = (tmp_path / "saved.svg").read_text(encoding="utf-8")
    assert download.value.suggested_filename == "head_view.svg"
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("}svg") and float(root.get("width")) > 100
    assert re.search(r"stroke: (rgb|hsl|okl|color)", text)
    assert "var(--" not in re.sub(r"--hue:[^;]*;", "", text) and "script" not in text


def test_a_view_without_a_drawing_is_saved_as_it_looks(open_page, open_live, tmp_path):
    tab = open_page("first.html")  # lists of bars
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save as SVG").click()
    saved = tmp_path / "saved.svg"
    download.value.save_as(saved)
    looks = """look => {
      const [one, ...more] = [...document.querySelectorAll(look)].map(part => part.getBoundingClientRect());
      return more.map(box => [box.x - one.x, box.y - one.y, box.width, box.height].map(Math.round)); }"""
    parts = ".tl-picture, .tl-picture *"
    before = tab.evaluate(looks, parts)
    assert len(before) > 30
    after = open_live(saved.as_uri())
    assert np.abs(np.array(after.evaluate(looks, parts)) - before).max() <= 1  # a pixel, by rounding
    said = "document.querySelector('.tl-picture').textContent"
    assert after.evaluate(said) == tab.evaluate(said)


def test_a_view_of_another_models_attention_is_not_live(bert, tok):
    encoding = tok.encode("a bear")
    assert "live" not in head_view(bert.trace(**encoding.inputs), encoding).data
    assert "live" not in head_view(Bert(bert.config), encoding).data
    assert head_view(bert, encoding).data["live"] == bert.source == MODELS[0]


def test_a_shorter_sentence_leaves_nothing_of_the_longer_one(open_page):
    tab = open_page("gaze.html")
    press(tab, "A door")
    # Words move, and bows are drawn again: a complaint of the page fails the test.
    tab.set_viewport_size({"width": 700, "height": 900})
    tab.wait_for_timeout(200)
    assert tab.locator(".tl-gaze button").all_inner_texts() == ["[CLS]", "a", "door", "[SEP]"]


def test_a_story_goes_on_by_the_models_own_probabilities_with_its_cache(open_page):
    tab, (gpt, tokenizer) = open_page("story.html"), load("book-gpt", "cpu")
    gpt = rounded_model(gpt)
    ids = [tokenizer.vocab["<|endoftext|>"], *tokenizer.encode(BEGIN).ids]
    new = tokenizer.encode(" park. Leo found it").ids
    step = "async ([text, ids]) => Array.from((await tutorialLib.next(text, ids, {model: 'book-gpt'})).logits)"
    for n in (0, 1, 2, len(new), 1):  # on, by one token and by several; and back
        with torch.no_grad():
            expected = gpt([ids + new[:n]])[0][0, -1]
        found = torch.tensor(tab.evaluate(step, [BEGIN, new[:n]]))
        assert (found.softmax(-1) - expected.softmax(-1)).abs().max() < 2e-3
    long = [new[0]] * 130  # more than there are positions
    with torch.no_grad():
        expected = gpt([long[-128:]])[0][0, -1]
    assert (torch.tensor(tab.evaluate(step, [BEGIN, long])).softmax(-1) - expected.softmax(-1)).abs().max() < 2e-3


def test_the_story_takes_the_readers_beginning_a_chosen_token_and_an_age(open_page):
    tab = open_page("story.html")

    def told():
        """The likeliest token's probability, and how many tokens may come."""
        share, number = re.search(r"with ([\d.]+); ([\d,]+|no other)", tab.locator(".tl-say").inner_text()).groups()
        return float(share), int(number.replace(",", "")) if number != "no other" else 1

    before = told()
    tab.get_by_label("Temperature").fill("0.5")
    cold = told()
    assert cold[0] > before[0] and 100 < cold[1] <= before[1]
    tab.get_by_label("top-p").fill("0.5")
    assert told()[0] > cold[0] and told()[1] < 100
    tab.get_by_label("Begin a story").fill("Leo had a")
    tab.get_by_role("button", name="Show").click()
    tab.get_by_role("link", name="Link to this").wait_for()
    first = tab.locator(".tl-next button").first
    word = first.inner_text()
    first.click()
    tab.wait_for_function("document.querySelector('.tl-told mark').textContent !== ''")
    assert tab.locator(".tl-told").inner_text().strip() == f"Leo had a {word}"
    tab.get_by_label("Trained for").select_option("0")
    tab.wait_for_function("document.querySelector('.tl-told mark').textContent === ''")
    tab.get_by_role("button", name="Write on").click()
    tab.wait_for_function("document.querySelector('.tl-told mark').textContent.length > 3")
    tab.get_by_role("button", name="Write on").wait_for()
    assert list(audit(tab, [".tl-view"], turn=in_theme)) == []


def test_a_link_carries_the_sentence_and_the_next_page_needs_no_press(open_page, site):
    tab = open_page("first.html#text=A+bear+%26+a+%3Cb%3Edoor%3C%2Fb%3E")
    assert tab.get_by_label("Your sentence").input_value() == "A bear & a <b>door</b>"
    assert tab.evaluate("typeof tutorialLib.source") == "undefined"  # nothing was loaded
    tab.get_by_role("button", name="Show").click()
    tab.get_by_role("link", name="Link to this").wait_for()
    tab.goto((site / "second.html").as_uri())
    assert tab.get_by_label("Your sentence").input_value() == "A bear & a <b>door</b>"
    told = "document.querySelector('.tl-controls option:checked').textContent"
    tab.wait_for_function(f"{told} === 'A bear & a <b>door</b>'")  # the remembered one is computed by itself
    tab.get_by_label("Your sentence").fill("No press")
    tab.wait_for_function(f"{told} === 'No press'")


def test_hostile_text_is_shown_and_never_run(open_page):
    tab = open_page()
    press(tab, HOSTILE)
    for stage in "12345678":
        tab.get_by_role("button", name=stage).first.click()
    assert HOSTILE in chosen(tab)
    assert tab.locator("img").count() == 0


def test_a_large_model_comes_in_parts_and_the_page_hears_how_much_is_there(open_page):
    tab = open_page()
    shares = tab.evaluate(
        """async () => {
          const shares = [];
          await Promise.all([tutorialLib.load(undefined, (share) => shares.push(share)), tutorialLib.load()]);
          await tutorialLib.load(undefined, (share) => shares.push(share));
          return shares;
        }"""
    )
    assert shares == [k / live.FILES for k in range(1, live.FILES + 1)]


def test_a_load_that_failed_can_be_tried_again_and_takes_no_more_memory(open_page, site):
    tab, hidden = open_page(), site / "hidden"
    part = site / "all-MiniLM-L6-v2-3.js"
    part.rename(hidden)
    try:
        error = tab.evaluate("tutorialLib.load().catch((error) => error.message)")
    finally:
        hidden.rename(part)
    assert "all-MiniLM-L6-v2-3.js is not beside this page" in error
    again = tab.evaluate("tutorialLib.load()")["bytes"]
    assert again == open_page("second.html").evaluate("tutorialLib.load()")["bytes"]


def test_a_file_that_is_missing_is_told(open_page, site, tmp_path, browser):
    for file in ("page.js", "first.html"):
        shutil.copy(site / file, tmp_path)
    context = browser.new_context(offline=True)
    tab = context.new_page()
    tab.goto((tmp_path / "first.html").as_uri())
    tab.get_by_label("Your sentence").fill("a bear")
    tab.get_by_role("button", name="Show").click()
    tab.get_by_text("The file worker.js is not beside this page.").wait_for()
    context.close()


def test_the_box_is_accessible_before_and_after_the_press_and_works_by_keyboard_alone(open_page):
    tab = open_page()
    tab.wait_for_selector(".tl-live")
    assert list(audit(tab, [".tl-view"], turn=in_theme)) == []
    tab.keyboard.press("Tab")
    tab.keyboard.type("By keyboard alone")
    tab.keyboard.press("Enter")
    tab.get_by_role("link", name="Link to this").wait_for()
    assert list(audit(tab, [".tl-view"], turn=in_theme)) == []


def test_the_kernel_is_what_its_source_compiles_to(tmp_path):
    """Byte for byte, where the compiler is the one that made it: another version writes other code."""
    program("clang with wasm-ld")
    version = subprocess.run(["clang", "--version"], capture_output=True, text=True).stdout
    if f"version {live.CLANG}." not in version:
        pytest.skip(f"the kernel was made by clang {live.CLANG}, here is {version.splitlines()[0]}")
    live.compile_kernel(tmp_path / "kernel.wasm")
    assert (tmp_path / "kernel.wasm").read_bytes() == (live.HERE / "kernel.wasm").read_bytes()
    assert os.path.getsize(live.HERE / "kernel.wasm") < 12_500
