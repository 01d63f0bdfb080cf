"""The view that trains a model, in a browser, from files, with no network: equal to `train`, and never stuck."""

import math
import re
import shutil
from functools import partial

import numpy as np
import pytest
import torch
from live import SCRIPTS, Mailbox, in_chromium, in_firefox
from safetensors import safe_open
from safetensors.numpy import save_file

from tests.accessible import audit
from tests.programs import program
from tests.views.conftest import turn
from tests.views.examples import HOSTILE, PAGE, slide_to
from tutorial_lib.gpt import GPT
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import BPE
from tutorial_lib.training import Settings
from tutorial_lib.views import engine, training_view
from tutorial_lib.views.training import N_STORIES

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")
WORDS, LETTERS, REPEATS, OWN = range(4)  # the menu of texts
near = partial(pytest.approx, rel=1e-3, abs=1e-12)  # the table shows five digits
# All that the worker tells from now on is in window.heard.
LISTEN = """window.heard = [];
window.Worker = class extends Worker {
  constructor(...all) {
    window.trainer = super(...all);
    this.addEventListener("message", ({ data }) => heard.push(data));
  }
};"""
LOSSES = "heard.filter((one) => one.kind === 'progress').flatMap((one) => one.losses)"
# What a reader's presses come to in any browser: the losses of three single steps on letters that repeat.
PRESSES = """async function pressed() {
  const root = document.querySelector(".tl-view"), menu = root.querySelector("select");
  const button = [...root.querySelectorAll("button")].find((one) => one.textContent === "One step");
  menu.value = 2;
  menu.dispatchEvent(new Event("change"));
  for (let n = 1; n < 4; n++) for (button.click(); LOSSES.length < n; ) await new Promise((go) => setTimeout(go, 20));
  return LOSSES;
}""".replace("LOSSES", LOSSES)
SPOKEN = """() => {
  window.spoken = [];
  const say = document.querySelector(".tl-say"), told = () => say.ariaLive === "off" || spoken.push(performance.now());
  new MutationObserver(told).observe(say, { childList: true });
}"""
BROKEN = """() => {  // numbers of the table that take more than one line
  const cells = [...document.querySelectorAll(".tl-hand tr:nth-child(n + 3) td")], range = document.createRange();
  return cells.flatMap(({ firstChild: text }) => [...text.data.matchAll(/[^ ]+/g)].filter(({ index, 0: number }) => {
    range.setStart(text, index);
    range.setEnd(text, index + number.length);
    return range.getClientRects().length > 1;
  }).map(String));
}"""
PLACES = """() => [...document.querySelectorAll(".tl-view :is(button, input, select)")]
  .filter((one) => one.checkVisibility() && !one.closest(".tl-heads"))
  .map((one) => [one.dataset.part, one.getBoundingClientRect()])
  .map(([name, { x, y, width, height }]) => [name, x + scrollX, y + scrollY, width, height])"""
STALLS = """async () => {
  const times = [performance.now()];
  for (; times.at(-1) < times[0] + 2000; times.push(performance.now())) await new Promise((go) => setTimeout(go, 5));
  const longest = Math.max(...times.slice(1).map((time, i) => time - times[i]));
  return longest / (times.at(-1) - times[0]);  // a share, so that a busy machine counts on both sides
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder as `make book` leaves it, with the view on a page."""
    folder = tmp_path_factory.mktemp("training")
    engine.write_training(folder, BPE.from_pretrained("book-gpt"), [story.text for story in stories(N_STORIES)])
    shutil.copy(engine.HERE / "page.js", folder)
    page = PAGE.format(f'<script src="page.js"></script><script>{LISTEN}</script>', training_view()._repr_html_())
    (folder / "view.html").write_text(page, encoding="utf-8")
    return folder


class Reader:
    """A reader who presses, types and reads in a tab."""

    def __init__(self, tab):
        self.tab, self.root = tab, tab.locator(".tl-view")

    def choose(self, text):
        self.root.locator("select").first.select_option(str(text))

    def press(self, name):
        self.root.get_by_role("button", name=name, exact=True).click()

    def forget(self):
        self.tab.evaluate("window.confirm = () => true; 0")
        self.press("Forget")

    def heard(self, kind, count=1):
        """The last of `count` things of this kind that the worker has told."""
        found = f"heard.filter((one) => one.kind === '{kind}')[{count - 1}]"
        return self.tab.wait_for_function(found).json_value()

    def losses(self, count):
        for n in [*range(20, count, 20), count]:  # each wait has its own limit, long enough for 20 steps
            self.tab.wait_for_function(f"{LOSSES}.length >= {n}")
        return self.tab.evaluate(LOSSES)[:count]

    def say(self, pattern):
        """Wait until the sentence says this."""
        self.tab.wait_for_function(
            "pattern => new RegExp(pattern).test(document.querySelector('.tl-say').textContent)", arg=pattern
        )
        return self.root.locator(".tl-say").inner_text()


@pytest.fixture
def reader(tabs, site):
    tabs.allowed = ("file:", "blob:")
    return Reader(tabs.open(f"{site.as_uri()}/view.html", reduced_motion="reduce"))


@pytest.mark.parametrize("text", [REPEATS, OWN, pytest.param(WORDS, marks=pytest.mark.long), LETTERS])
def test_run_equals_the_python_lines_it_shows(text, reader, tmp_path, monkeypatch):
    """The losses of steps, to a millionth of a nat, and the weights that are saved, as `from_pretrained` reads them."""
    reader.choose(text)
    if text == OWN:  # 1,800 different signs, so that rare ones are put together
        own = "".join(chr(0x4E00 + (i * i) % 1800) for i in range(6000)) + "\n<b>&amp;</b>"
        (tmp_path / "text.txt").write_text(own, encoding="utf-8")
        reader.root.get_by_label("Your text").fill(own)
    reader.root.get_by_label("Seed").fill("3")
    slide_to(reader.root, "Learning rate", 4)
    for n in (1, 2, 3):
        reader.press("One step")
        reader.losses(n)
    with reader.tab.expect_download() as download:
        reader.press("Save the model")
    download.value.save_as(path := tmp_path / "mine.safetensors")
    monkeypatch.chdir(tmp_path)
    lines, bound = reader.root.locator("pre").text_content(), {}
    assert lines.count("settings)") == 1
    exec(lines.replace("settings)", "settings, until=3)"), bound)
    assert bound["settings"] == Settings(2000, lr=3e-3, seed=3)  # also the default warmup
    assert reader.losses(3) == pytest.approx(bound["curve"]["loss"], abs=1e-6)
    saved, trained = GPT.from_pretrained(path, "cpu"), dict(bound["gpt"].named_parameters())
    for name, W in saved.named_parameters():
        if not name.endswith("W_K.bias"):
            assert torch.allclose(W, trained[name], atol=2e-5), name
    if text == REPEATS:  # the loss on 128 texts: fewer are too easy or too hard by chance
        many, some = {}, lines.split("from tutorial_lib.gpt")[0].replace("in range(32)", "in range(128)")
        exec(some, many)
        held = many["loss"](bound["gpt"], torch.Generator().manual_seed(4))
        assert reader.heard("sample", 4)["held"] == pytest.approx(held.item(), abs=1e-4)
    reader.forget()
    reader.choose((text + 1) % 4)
    reader.root.get_by_label("Seed").fill("0")
    reader.root.locator("input[type=file]").set_input_files(path)
    reader.heard("ready", 2)
    said = reader.say("trained numbers from the file.*The menus show how it was trained")
    assert ("a new warmup" in said) == (text != OWN)  # the file has no text to train on
    inputs = reader.root.locator("select, input[type=number], input[type=range]").all()
    assert [one.input_value() for one in inputs] == [str(text), "0", "3", "4"]
    reader.press("Write")
    reader.heard("wrote", 10)
    reader.press("One step")  # goes on from the saved weights
    if text == OWN:
        reader.say("The file has no text")
    else:
        assert reader.losses(4)[3] < reader.losses(1)[0] + 0.1


def test_one_weight_can_be_followed_by_hand(reader):
    """AdamW's means and the weight's new value, by the numbers of the table and nothing else."""
    reader.choose(LETTERS)
    top, tops = "document.querySelector('.tl-view svg').getBoundingClientRect().top + scrollY", set()
    for t in (1, 2, 3):
        tops.add(reader.tab.evaluate(top))
        reader.press("One step")
        followed = reader.heard("followed", t)
        fell = followed["fell"]
        cells = reader.root.locator(".tl-hand td").all_text_contents()
        numbers = [float(number.replace("−", "-")) for cell in cells[2:] for number in cell.split(" → ")]
        p, loss, push, before, g, clipped, m, new_m, v, new_v, *rest = numbers
        corrected, root_v, rate, nudge, decay, after, p_after = rest
        assert (loss, push) == near((-math.log(p), 1 - p)) and abs(clipped) <= abs(g)
        assert (new_m, new_v) == near((0.9 * m + 0.1 * clipped, 0.95 * v + 0.05 * clipped**2))
        assert (corrected, root_v) == near((new_m / (1 - 0.9**t), math.sqrt(new_v / (1 - 0.95**t))))
        assert (nudge, after) == near((-rate * corrected / root_v, before + nudge + decay))
        assert fell == (p_after < p) == reader.root.get_by_text("It fell, although it was pushed up").is_visible()
        assert followed["against"] == (m * g < 0)
        for name in f"in the table of tokens, row “{cells[1]}”, column", "weight + both parts of the nudge":
            assert reader.root.get_by_role("rowheader", name=name).is_visible()
    assert len(tops | {reader.tab.evaluate(top)}) == 1  # the chart stays where it was
    why = reader.root.get_by_text("By g alone, the weight would move the other way")
    for against in (True, False):
        followed["against"] = against
        reader.tab.evaluate("data => trainer.onmessage({ data })", followed)
        assert why.is_visible() == against
    warms = f"× 1 in {Settings.warmup} steps, then"
    for words in ("this step’s 16 pieces of text", warms, "softmax", "size that g", "pull toward 0"):
        assert reader.root.get_by_role("rowheader", name=words).count() == 1
    assert reader.root.locator(".tl-samples tr td:first-child").all_inner_texts() == ["3", "0"]
    # Stop tells the sample of a step that was just told.
    reader.tab.evaluate("trainer.onmessage({ data: heard.findLast((one) => one.kind === 'sample') })")
    assert reader.root.locator(".tl-samples tr td:first-child").all_inner_texts() == ["3", "0"]


def test_training_falls_below_counting_and_takes_no_more_memory(reader):
    """300 steps on letters that repeat: far below guessing; the kernel's memory stays as it was."""
    reader.choose(REPEATS)
    reader.press("Train")
    reader.losses(300)
    reader.press("Stop")
    said = reader.say(r"Step [3-9]\d\d: its loss is [01]\.\d+ nats.*better than guessing.*looks most at what followed")
    found = reader.tab.evaluate("heard.filter((one) => one.kind === 'progress').map((one) => one.bytes)")
    assert found[0] > 1e6 and len(set(found)) == 1, said
    steps = reader.tab.evaluate("heard.filter((one) => one.kind === 'sample').map((one) => one.step)")
    assert steps[:11] == [0, 10, 20, 40, 60, 80, 100, 150, 200, 250, 300]
    held = reader.tab.evaluate("heard.filter((one) => one.kind === 'sample').map((one) => one.held)")
    assert held[0] > 3 and held[-1] < 1 and ("Now it copies" in said) == (held[-1] < 0.7)
    assert reader.root.locator(".tl-samples td").nth(2).inner_text().startswith("after qjwxzkqj: ")
    reader.press("Silence this head")
    assert reader.heard("muted")["after"] > reader.heard("muted")["before"] + 0.5
    said = reader.root.locator(".tl-small[role=status]").inner_text()
    assert re.match(r"At step [3-9]\d\d, with layer 0, head 0 silenced, the loss", said)
    assert said.endswith("The head works again now.")
    reader.press("Go on")
    reader.losses(len(reader.tab.evaluate(LOSSES)) + 1)


def test_rate_that_is_too_large_ends_above_guessing(reader):
    reader.choose(REPEATS)
    slide_to(reader.root, "Learning rate", 11)
    reader.press("Train")
    reader.losses(60)
    reader.press("Stop")
    reader.say("worse than guessing.*at a learning rate of 1, each step overshoots")
    room = """svg => {
      const words = [...svg.querySelectorAll("text")].find((one) => one.textContent.includes("ones are cut off"));
      return svg.querySelector(".tl-batches").getBoundingClientRect().top - words.getBoundingClientRect().bottom;
    }"""
    assert reader.root.locator("svg").first.evaluate(room) >= -1  # the curve does not strike the words through


@pytest.mark.parametrize(
    "own, says",
    [
        ("", "There is no text yet"),
        ("a", "The text has 1 character; it needs at least 1,000."),
        ("a" * 5000, "only one character, “a”"),
        ("ab" * 1_100_000, "2,200,000 characters; it needs at most 2,000,000"),
        ("".join(HOSTILE) * 40, "random numbers"),
        ("天地玄黄宇宙洪荒" * 400 + "".join(map(chr, range(0x4E00, 0x5400))), "500 different tokens"),
        ("The bear, 12 rivers. " * 50_000, "different tokens"),
    ],
    ids=["empty", "short", "one letter", "too long", "hostile", "Chinese", "1 MB"],
)
def test_any_text_gives_a_sentence_and_never_a_freeze(own, says, reader):
    reader.choose(OWN)
    fill = "(box, text) => { box.value = text; box.dispatchEvent(new Event('input')); }"
    reader.root.get_by_label("Your text").evaluate(fill, own)
    reader.press("Train")
    reader.say(re.escape(says))
    if "different" in says or "random" in says:
        reader.losses(3)
        reader.press("Write")
        reader.heard("wrote", 3)
        assert reader.root.locator("img, script:not([type])").count() == 1  # the view's own
    else:
        assert reader.root.get_by_role("button", name="Train", exact=True).count() == 1
        box = reader.root.get_by_label("Your text")
        assert box.evaluate("box => !box.validity.valid")
        box.fill("Bears")
        assert box.evaluate("box => box.validity.valid")
        assert reader.root.locator(".tl-say").inner_text() == "Press Train. The model starts from random numbers."


def test_example_of_the_heads_is_from_the_text_that_is_learned(reader):
    """Not from one that was refused; the reader's own example stays."""
    reader.choose(OWN)
    box, look = reader.root.get_by_label("Your text"), reader.root.get_by_label("Where its heads look")
    for own, says in [("refused", "The text has 7 characters"), ("The bear. " * 200, "random numbers")]:
        box.fill(own)
        reader.press("One step")
        reader.say(says)
    reader.heard("followed")
    assert look.input_value().startswith("The bear. The")
    look.fill("a bear")
    reader.forget()
    reader.press("One step")
    reader.heard("followed", 2)
    assert look.input_value() == "a bear"


def test_text_that_repeats_itself_is_not_called_unread(reader):
    reader.choose(OWN)
    assert reader.root.locator("svg path[stroke-dasharray]").count() == 0  # nothing is counted yet
    reader.root.get_by_label("Your text").fill("ab" * 1000)
    reader.root.get_by_label("Write on from").fill("a♥b")
    reader.press("Write")
    reader.say("Unknown to the model and left out: ♥$")
    read = reader.root.locator("[data-part=wrote]").inner_text()
    assert read.startswith("ab") and "♥" not in read
    reader.root.get_by_label("Write on from").fill("ab")
    reader.press("Write")
    assert reader.root.locator(".tl-say").inner_text().startswith("Step 0: its loss is")
    reader.press("Train")
    reader.say("At step .*the end of the text, which repeats what it has read, so it was almost always sure and right")
    reader.forget()
    assert reader.root.get_by_text("Each row is a token").count() == 0


@pytest.mark.parametrize("seed", ["-5", "1.5", "", "1e9"])
def test_seed_that_is_no_whole_number_is_refused(seed, reader):
    reader.root.get_by_label("Seed").fill(seed)
    reader.press("Train")
    reader.say("The seed must be a whole number from 0 to 9,999.")
    assert reader.root.get_by_role("button", name="Train", exact=True).count() == 1


@pytest.fixture
def after(reader):
    """Call it with a step, its held-out loss and losses of batches to get the sentence of the view."""
    reader.press("One step")
    sample = reader.heard("sample", 2) | {"names": None}

    def tell(step, held, *losses, **more):
        progress = {"kind": "progress", "run": sample["run"], "losses": losses, "seconds": 1}
        told = [progress, sample | {"step": step, "held": held} | more]
        reader.tab.evaluate("told => told.forEach((data) => trainer.onmessage({ data }))", told)
        return reader.root.locator(".tl-say").inner_text()

    return tell


def test_copying_of_names_is_said_when_it_is_measured(reader, after):
    assert all(6 < nats < 9 for nats in reader.heard("sample", 2)["names"])
    words = "Of the words in this step’s row below, 50% occur in the text."
    copies = "Now it copies names: one already in the story costs 1.00 nats, a new one 4.50."
    for told in (1, 3.5, 4):
        said = after(1, 5.0, names=[told, 4.5], words=0.5)
        assert words in said and (copies in said) == (told == 1)


def test_loss_that_rises_or_is_old_is_not_praised(reader, after):
    loss, unsure = "3.00 nats on text it has not read", "as unsure as if 20 of the 1,500 tokens were equally likely"
    assert after(1, 7.4).endswith(". It is no better than guessing among all 1,500 tokens.")
    assert after(1, 6.0).endswith("It is better than guessing, but not better than counting tokens.")
    assert after(10, 3.0, *[3.1] * 9).startswith(f"Step 10: its loss is {loss}, so it is {unsure}. It is better than")
    says = f"At step 10, its loss was {loss}"
    assert after(10, 3.0, *[3.1] * 5).startswith(f"{says}, so it was {unsure}. It was better than")
    slide_to(reader.root, "Learning rate", 10)
    assert "better than" in after(10, 3.0)
    assert after(10, 3.0, 3.1) == f"{says}. Since then, you have moved the learning rate."
    risen = "Since then, you have moved the learning rate, and the loss on its batches has risen to 4.00 nats."
    assert after(10, 3.0, *[4.1] * 9) == f"{says}. {risen}"
    says, overshoots = "nats on text it has not read.", "at a learning rate of 0.3, each step overshoots."
    risen = f"That is above its lowest, 3.00 nats at step 10: {overshoots}"
    assert after(25, 4.2) == f"Step 25: its loss is 4.20 {says} {risen}"
    assert after(25, 2.9, *[4.1] * 10) == (
        f"At step 25, its loss was 2.90 {says} Since then, the loss on its batches has risen to 4.10 nats: {overshoots}"
    )
    wrong = f"That is worse than guessing, as it is sure of wrong tokens: {overshoots}"
    assert after(45, 8.2, *[8.1] * 10) == f"Step 45: its loss is 8.20 {says} {wrong}"
    assert after(55, 65.8, *[24.0] * 10) == f"Step 55: its loss is 65.80 {says} {wrong}"
    by_heart = "That is above its lowest, 2.90 nats at step 25: it learns its training text by heart."
    assert after(65, 3.6, *[0.5] * 10) == f"Step 65: its loss is 3.60 {says} {by_heart}"


def test_texts_and_sentences_name_their_step_while_it_trains(reader, after):
    """A sentence comes with its row, and is read aloud only if none was for a while."""
    reader.tab.evaluate("trainer.terminate()")
    reader.press("Go on")
    reader.press("Write")
    run, live = reader.heard("sample")["run"], []
    for step, written in (200, "step 200"), (300, "steps 200 to 300"), (400, "steps 200 to 400"):
        assert after(step, 3.0, *[3.1] * (100 if live else 199)).startswith(f"At step {step}, its loss was")
        live.append(reader.root.locator(".tl-say").get_attribute("aria-live"))
        reader.tab.evaluate("run => trainer.onmessage({ data: { kind: 'wrote', run, text: '!' } })", run)
        assert reader.root.get_by_text(f"Written at {written}:").is_visible()
    assert live.count("polite") < 2


def test_slip_does_not_forget_what_has_learned(reader, tmp_path):
    """Nor does Forget move the learning rate. A text may, and says so. A file that is no model is refused."""
    reader.tab.evaluate("window.asked = []; window.confirm = (text) => asked.push(text) > 3; 0")  # no, no, no, yes
    soon = reader.root.get_by_text("One small picture per head will appear here")
    assert soon.is_visible()
    reader.press("One step")
    reader.heard("followed")
    soon.wait_for(state="hidden")
    reader.choose(REPEATS)
    reader.root.get_by_label("Size").select_option("2")
    reader.root.get_by_label("Seed").fill("5")
    reader.root.get_by_label("Seed").blur()
    reader.say("The model is kept")
    assert "now at step 1?" in reader.tab.evaluate("asked[0]")
    assert {one.input_value() for one in reader.root.locator("select, input[type=number]").all()} == {"0"}
    reader.press("Go on")
    assert reader.root.locator(".tl-say").inner_text().startswith("At step 1, its loss was")
    for text, says in [(REPEATS, "now 0.003, which"), (LETTERS, "now 0.006, which"), (WORDS, "random numbers.$")]:
        reader.choose(text)
        assert ("The learning rate is" in reader.say(says)) == (text != WORDS)
    slide_to(reader.root, "Learning rate", 7)
    reader.press("One step")
    reader.heard("followed", 2)
    reader.press("Forget")
    assert reader.tab.evaluate("asked.slice(4)") == ["Forget this model, now at step 1?"]
    reader.say("Forgotten. The learning rate stays 0.02. The next press starts from random numbers.")
    soon.wait_for(state="visible")
    (tmp_path / "other.safetensors").write_bytes(b"not at all a file of weights")
    reader.root.locator("input[type=file]").set_input_files(tmp_path / "other.safetensors")
    reader.say("not a file that this page has saved")


def test_file_is_opened_before_any_press(reader, tmp_path):
    reader.choose(REPEATS)
    (tmp_path / "other.safetensors").write_bytes(b"not at all a file of weights")
    reader.root.locator("input[type=file]").set_input_files(tmp_path / "other.safetensors")
    reader.say("not a file that this page has saved.$")


def test_stop_stops_first_and_then_the_seed_asks(reader):
    """Else the press ends the typing of a seed, the reader agrees to forget the model, and a new run starts."""
    reader.tab.evaluate("window.confirm = () => true; 0")
    reader.choose(REPEATS)
    reader.press("Train")
    reader.losses(3)
    reader.root.get_by_label("Seed").fill("5")
    reader.press("Stop")
    reader.say("^Step ")
    assert reader.root.get_by_role("button", name="Go on", exact=True).is_visible()
    reader.root.get_by_label("Seed").blur()
    reader.say("^Forgotten.")
    assert reader.root.get_by_role("button", name="Train", exact=True).is_visible()


def test_refused_file_leaves_the_model(reader, tmp_path):
    def saved(name="again"):
        with reader.tab.expect_download() as download:
            reader.press("Save the model")
        download.value.save_as(tmp_path / name)
        return (tmp_path / name).read_bytes()

    reader.tab.evaluate("window.confirm = () => true; 0")
    reader.choose(REPEATS)
    reader.press("One step")
    right = saved("right.safetensors")
    with safe_open(tmp_path / "right.safetensors", "np") as file:
        about = file.metadata()
    save_file({"one": np.zeros(1, "f4")}, lacks := tmp_path / "lacks.safetensors", about)
    (garbage := tmp_path / "garbage.safetensors").write_bytes(b"not at all a file of weights")
    files = reader.root.locator("input[type=file]")
    reader.tab.evaluate("window.asked = []; window.confirm = (text) => asked.push(text) > 1; 0")  # no, yes
    for wrong, says in [(garbage, "saved. The model is kept.$"), (lacks, "lacks transformer.* The model is kept.$")]:
        files.set_input_files(wrong)
        reader.say(says)
        assert saved() == right
    reader.press("Go on")
    for file, says in [(garbage, "not a file"), ("right.safetensors", "^The model is kept.$")]:
        files.set_input_files(tmp_path / file)
        reader.say(says)
        reader.losses(len(reader.tab.evaluate(LOSSES)) + 3)
        assert reader.root.get_by_role("button", name="Stop", exact=True).is_visible()
        assert reader.tab.evaluate("asked.length") == (file == "right.safetensors")
    files.set_input_files(tmp_path / "right.safetensors")
    reader.say("trained numbers from the file")
    assert reader.root.get_by_role("button", name="Train", exact=True).is_visible()
    assert saved() == right


def test_typing_never_waits_and_sentences_are_seldom(reader):
    reader.choose(LETTERS)
    reader.press("Train")
    reader.losses(12)
    reader.tab.evaluate(SPOKEN)
    assert reader.tab.evaluate(STALLS) < 0.4
    box = reader.root.get_by_label("Where its heads look")
    box.fill("")
    box.press_sequentially("A bear had a ball.")
    assert box.input_value() == "A bear had a ball."
    looked = "heard.some((one) => one.kind === 'look' && one.tokens.join('') === 'A bear had a ball.')"
    reader.tab.wait_for_function(looked)
    spoken = reader.tab.evaluate("spoken")
    assert all(after - before > 450 for before, after in zip(spoken, spoken[1:]))


def test_view_at_work_is_accessible_by_keys_and_on_a_phone(reader):
    reader.root.locator("select").first.focus()
    reader.tab.keyboard.press("ArrowDown")
    reader.tab.keyboard.press("ArrowDown")
    step = reader.root.get_by_role("button", name="One step")
    while not step.evaluate("button => button === document.activeElement"):
        reader.tab.keyboard.press("Tab")
    reader.tab.keyboard.press("Enter")
    reader.heard("followed")
    reader.root.locator(".tl-heads button").nth(2).press("Enter")
    assert "Layer 1, head 0" in reader.root.get_by_text("Each row is a token").inner_text()
    reader.root.locator("summary").press("Enter")
    problems = list(audit(reader.tab, [".tl-view"], turn=turn))
    assert not problems, "\n".join(problems)
    reader.tab.set_viewport_size({"width": 390, "height": 900})
    assert reader.tab.evaluate(BROKEN) == []
    assert min(height for *_, height in reader.tab.evaluate(PLACES)) >= 40  # for a finger


def test_buttons_keep_their_place(reader):
    """However long the sentences and the tables."""
    places, height = reader.tab.evaluate(PLACES), "document.documentElement.scrollHeight"
    before = reader.tab.evaluate(height)
    assert len(places) > 10
    reader.press("Train")
    reader.heard("sample", 2)
    assert reader.tab.evaluate(PLACES) == places
    for name, kind in (("Stop", "sample"), ("Silence this head", "muted"), ("One step", "followed")):
        reader.press(name)
        reader.heard(kind, 1)
        assert reader.tab.evaluate(PLACES) == places
    assert reader.tab.evaluate(height) > before + 300


def test_focus_and_sentences_have_room(reader):
    """The frame of the field in focus is not cut off, and three lines do not touch the chart."""
    box = reader.root.get_by_label("Where its heads look")
    box.focus()
    frame = "box => { const s = getComputedStyle(box); return parseInt(s.outlineWidth) + parseInt(s.outlineOffset); }"
    right = "one => one.getBoundingClientRect().right"
    assert box.evaluate(right) + box.evaluate(frame) <= reader.root.locator(".tl-picture").evaluate(right)
    say = reader.root.locator(".tl-say")
    end = say.evaluate("say => { say.textContent = 'a '.repeat(400); return say.getBoundingClientRect().bottom; }")
    assert reader.root.locator("svg").first.bounding_box()["y"] > end + 4


def test_attention_is_seen_in_the_dark(reader):
    """In the color of the page's theme, and pale weights are not lost: a row's squared opacities add up to 1."""
    reader.tab.evaluate("document.documentElement.dataset.theme = 'dark'")
    reader.press("One step")
    reader.heard("followed")
    first = "document.querySelector('.tl-heads canvas').getContext('2d').getImageData(0, 0, 1, 1).data.join()"
    reader.root.locator("svg rect").first.wait_for()
    assert reader.tab.evaluate(first) == "242,160,208,255"
    seen = reader.root.locator("svg rect").evaluate_all("all => all.map((one) => +one.getAttribute('fill-opacity'))")
    n = reader.root.locator("svg[aria-label^=Layer] text").count() / 2
    assert sum(opacity**2 for opacity in seen) == pytest.approx(n, rel=0.05) and n > 9


@pytest.mark.parametrize(
    "text, says",
    [
        ("ΩΩΩΩΩ", "^The model knows none of these characters.$"),
        ("Zoë Ω1", "^Unknown to the model and left out: ë Ω 1 Each row is a token"),
        ("", "^Type a text here.$"),
        ("T", "Layer 0, head 0.$"),
        ("Tom lost T", r"Layer 0, head 0: \d+% .* previous token. Where a token comes again, \d+% of the attention is"),
    ],
)
def test_heads_tell_which_characters_they_cannot_see(text, says, reader):
    reader.choose(LETTERS)
    reader.root.get_by_label("Where its heads look").fill(text)
    reader.press("One step")
    reader.heard("followed")
    told = reader.root.locator("[data-part=mapSay]")
    told.wait_for()
    assert re.search(says, told.inner_text())
    assert not reader.root.get_by_text("One small picture per head will appear here").is_visible()


def test_each_text_comes_with_a_hint(reader):
    reader.choose(REPEATS)
    reader.say("repeats 6 to 15 random letters, so only copying predicts them.*try one layer.*now 0.003, which")
    reader.choose(OWN)
    reader.say("Paste a text or drop a file. A model learns a short text by heart.")
    reader.root.locator("summary").click()
    assert reader.root.get_by_text("It ends after 2,000 steps; this page goes on until you press Stop.").is_visible()


def test_page_grows_by_less_than_40_kb_before_the_press():
    assert len(training_view()._repr_html_().encode()) < 40_000


@pytest.mark.long
def test_firefox_trains_as_chromium_does(browser, site):
    program("Firefox")
    shutil.copy(SCRIPTS / "visit.js", site)
    scripts = f'<script src="visit.js"></script><script>{PRESSES}\ntell(pressed());</script>'
    page = (site / "view.html").read_text(encoding="utf-8").replace("</main>", f"</main>{scripts}")
    (site / "pressed.html").write_text(page, encoding="utf-8")
    address = (site / "pressed.html").as_uri()
    with Mailbox(site) as box:
        assert in_firefox(address, box) == in_chromium(address, browser)
