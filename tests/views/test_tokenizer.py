"""The tokenizer explorer: the page cuts every text as the library does, and says how."""

import random
import unicodedata

import pytest

from tutorial_lib.tokenization import WordPiece, kinds
from tutorial_lib.tokenization.wordpiece import SPECIAL
from tutorial_lib.views import base, tokenizer_explorer

IDS_OF = """async (root, texts) => {
  const box = root.querySelector('textarea');
  while (box.readOnly) await new Promise(requestAnimationFrame);
  return texts.map(text => {
    box.value = text;
    box.dispatchEvent(new Event('input'));
    return [...root.querySelectorAll('.tl-words small')].map(e => Number(e.textContent));
  });
}"""
# An older browser: it leaves the letters that came last to Unicode as they are.
FORGET = """young => {
  const lower = String.prototype.toLowerCase;
  String.prototype.toLowerCase = function () { return young.includes(String(this)) ? String(this) : lower.call(this); };
}"""
FOLDED = "([data, characters]) => characters.map(Folder(data))"
SHOWN = """root => [...root.querySelectorAll('.tl-words li')].map(li =>
  [...li.querySelectorAll('.tl-piece')].map(p => p.textContent))"""


def varied_texts(tok, n):
    """Texts of known words, of any characters that Unicode has a name for, of accents, spaces, special tokens."""
    rng = random.Random(0)
    named = [chr(code) for code in range(0x2FA20) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    latin = [c for c in named if ord(c) < 0x250]
    words = [token.removeprefix("##") for token in tok.tokens]
    makers = [
        lambda: rng.choice(words) + rng.choice(["", " ", ", ", "'"]),
        lambda: rng.choice(words).title() + rng.choice(words) + " ",
        lambda: "".join(rng.choices(latin, k=rng.randint(1, 8))),
        lambda: "".join(rng.choices(named, k=rng.randint(1, 5))),
        lambda: rng.choice([*SPECIAL, "[mask]", "[CLS", "[[SEP]]", "##ing", "\t", "\r\n", "\u3000", "\0", "\ufffd"]),
        lambda: unicodedata.normalize("NFD", "".join(rng.choices(latin, k=4))),
        lambda: rng.choice("aé熊") * rng.choice([99, 100, 101, 120]),
    ]
    weights = [5, 3, 4, 3, 2, 2, 0.2]
    return ["".join(m() for m in rng.choices(makers, weights, k=rng.randint(0, 9))) for _ in range(n)]


def assert_cuts(root, tokenizer, texts):
    for text, ids in zip(texts, root.evaluate(IDS_OF, texts), strict=True):
        assert ids == tokenizer.encode(text).ids[1:-1], repr(text)


def pieces(tok, *words):
    return [[f"{piece} {tok.vocab[piece]}" for piece in word.split()] for word in words]


def test_page_cuts_varied_texts_as_python(tok, open_view):
    assert_cuts(open_view(tokenizer_explorer(tok)).locator(".tl-view"), tok, varied_texts(tok, 2000))


@pytest.mark.parametrize("lowercase, strip_accents, split_chinese", [(False, None, True), (True, False, False)])
def test_page_follows_the_tokenizers_settings(tok, open_view, lowercase, strip_accents, split_chinese):
    texts = varied_texts(tok, 200) + ["İstanbul É É Σίσυφος 熊猫"]
    ours = WordPiece.train(texts, 6000, lowercase, strip_accents, split_chinese)
    assert_cuts(open_view(tokenizer_explorer(ours)).locator(".tl-view"), ours, texts)


def members(kind):
    return [chr(code) for a, b in zip(kind.first, kind.last) for code in range(a, b + 1)]


@pytest.mark.long
def test_page_folds_every_character_as_python(open_view):
    """All of Unicode, in an older browser: a single wrong letter would cut a reader's word differently."""
    view = tokenizer_explorer(WordPiece(SPECIAL))
    tab = open_view(view)
    tab.add_script_tag(content=base.shortened(base.JS / "wordpiece.js"))
    known = [chr(code) for code in range(0xE0200) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]
    young = [c for kind, _ in kinds.YOUNG_CAPITALS for c in members(kind)]
    known += [*members(kinds.WHOLE), *young]
    tab.evaluate(FORGET, young)
    expected = [kinds.fold(c, lowercase=True, strip_accents=True, split_chinese=True) for c in known]
    folded = tab.evaluate(FOLDED, [view.data, known])
    assert [c for c, ours, page in zip(known, expected, folded, strict=True) if ours != page] == []


def test_page_unpacks_any_text(open_view):
    tab = open_view(tokenizer_explorer(WordPiece(SPECIAL)))
    tab.add_script_tag(content=base.shortened(base.JS / "common.js"))
    for text in ("", "a", "é熊🐻\0", "ab" * 3000, "".join(map(chr, range(1, 0xD800, 7)))):
        assert tab.evaluate("packed => TL.inflate(packed)", base.pack_text(text)) == text


def test_pieces_need_no_script(tok, open_view):
    root = open_view(tokenizer_explorer(tok, "The bearness!"), javascript=False).locator(".tl-view")
    assert root.evaluate(SHOWN) == pieces(tok, "the", "bear ##ness", "!")
    assert root.locator(".tl-typed").inner_text() == "The bearness!"
    assert root.locator("textarea").count() == 0


def test_chosen_word_shows_each_match_tried(tok, open_view):
    tab = open_view(tokenizer_explorer(tok, "bearness of bears"))
    root, rounds = tab.locator(".tl-view"), tab.locator(".tl-tries li")
    assert rounds.nth(0).locator("s").all_inner_texts() == ["bearness", "bearnes", "bearne", "bearn"]
    assert rounds.locator("b").all_inner_texts() == ["✓ bear", "✓ ##ness"]
    root.get_by_role("button", name="of").press("Enter")
    assert rounds.locator("b").all_inner_texts() == ["✓ of"]
    assert root.locator('[aria-pressed="true"]').all_inner_texts() == [f"of\n{tok.vocab['of']}"]
    assert root.locator(".tl-say").inner_text() == "of: of"
    for text, reason in (
        ("bear☃☃", "nothing matches"),
        ("x" * 101, "too long to be cut"),
        ("[MASK]", "a special token, kept unchanged"),
    ):
        root.locator("textarea").fill(text)
        assert reason in root.locator(".tl-tries").inner_text()
    root.locator("textarea").fill("")
    assert root.locator(".tl-say").inner_text().startswith("0 tokens from 0 characters")
    root.locator("textarea").fill("<img src=x onerror=alert(1)>")
    assert root.locator("img").count() == 0 and root.evaluate(SHOWN)[0] == pieces(tok, "<")[0]


@pytest.mark.parametrize("view, word", [("tokenizer_explorer", "bear ##ness"), ("gaze_view", "a")])
def test_link_brings_its_text(tok, open_view, view, word):
    tab = open_view(tokenizer_explorer(tok, "a"))
    tab.goto(f"{tab.url}#view={view}&text=bearness")
    tab.reload()
    root = tab.locator(".tl-view")
    root.evaluate(IDS_OF, [])  # once the vocabulary is there
    assert root.evaluate(SHOWN) == pieces(tok, word)


def test_print_shows_the_typed_text(tok, open_view):
    tab = open_view(tokenizer_explorer(tok))
    tab.locator("textarea").fill("Grinning bears")
    assert not tab.locator(".tl-typed").is_visible()
    tab.emulate_media(media="print")
    assert tab.locator(".tl-typed").inner_text() == "Grinning bears"
    assert not tab.locator("textarea").is_visible()
