"""The tokenizer explorer: what Python draws, and that the page cuts every text as the library does."""

import random
import unicodedata

import pytest

from tutorial_lib.tokenization import BPE, WordPiece, kinds
from tutorial_lib.tokenization.wordpiece import SPECIAL
from tutorial_lib.views import base, tokenizer_explorer

HOSTILE = "<img src=x onerror=alert(1)> </script><script>alert(2)</script>"
LARGEST_PAYLOAD = 150_000  # characters in the page for BERT's vocabulary
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
TRIES = "root => root.querySelector('.tl-tries').textContent.replace(/\\s+/g, ' ')"


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


def test_the_page_cuts_two_thousand_varied_texts_as_the_library_does(tok, open_view):
    root = open_view(tokenizer_explorer(tok)).locator(".tl-view")
    texts = varied_texts(tok, 2000)
    for text, ids in zip(texts, root.evaluate(IDS_OF, texts), strict=True):
        assert ids == tok.encode(text).ids[1:-1], repr(text)


@pytest.mark.parametrize("lowercase, strip_accents, split_chinese", [(False, None, True), (True, False, False)])
def test_the_page_follows_the_settings_of_the_tokenizer(tok, open_view, lowercase, strip_accents, split_chinese):
    texts = varied_texts(tok, 200) + ["İstanbul É É Σίσυφος 熊猫"]
    ours = WordPiece.train(texts, 6000, lowercase, strip_accents, split_chinese)
    root = open_view(tokenizer_explorer(ours)).locator(".tl-view")
    for text, ids in zip(texts, root.evaluate(IDS_OF, texts), strict=True):
        assert ids == ours.encode(text).ids[1:-1], repr(text)


def members(kind):
    return [chr(code) for a, b in zip(kind.first, kind.last) for code in range(a, b + 1)]


@pytest.mark.long
def test_the_page_folds_every_character_as_the_library_does(open_view):
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


def test_the_whole_vocabulary_is_small(tok):
    assert len(tokenizer_explorer(tok).data["vocabulary"]) < LARGEST_PAYLOAD


@pytest.mark.parametrize("text", ["", "a", "é熊🐻\0", "ab" * 3000, "".join(map(chr, range(1, 0xD800, 7)))])
def test_the_page_gets_back_what_was_packed(text, open_view, tok):
    tab = open_view(tokenizer_explorer(WordPiece(SPECIAL)))
    tab.add_script_tag(content=base.shortened(base.JS / "common.js"))
    assert tab.evaluate("packed => TL.inflate(packed)", base.pack_text(text)) == text


STARTS = ["", "The bear, serendipitous!", "ab" * 60, "bear\ue123 日本 ☃☃x [MASK][MASK]", HOSTILE]


@pytest.mark.parametrize("text", STARTS)
def test_the_page_starts_with_what_python_drew(tok, open_view, text):
    view = tokenizer_explorer(tok, text)
    static = open_view(view, javascript=False).locator(".tl-view")
    alive = open_view(view).locator(".tl-view")
    for look in (SHOWN, TRIES) if text else ():
        assert alive.evaluate(look) == static.evaluate(look)
    assert alive.locator(".tl-say").inner_text() == static.locator(".tl-say").inner_text()
    alive.locator("textarea").fill(text + " ")
    if text:
        assert alive.evaluate(SHOWN) == static.evaluate(SHOWN)
        assert alive.evaluate(TRIES) == static.evaluate(TRIES)


def test_pieces_without_javascript_are_those_of_the_tokenizer(tok, open_view):
    root = open_view(tokenizer_explorer(tok, "The bearness!"), javascript=False).locator(".tl-view")
    pieces = [["the"], ["bear", "##ness"], ["!"]]
    assert root.evaluate(SHOWN) == [[f"{piece} {tok.vocab[piece]}" for piece in word] for word in pieces]
    assert root.locator(".tl-typed").inner_text() == "The bearness!"
    assert root.locator("textarea").count() == 0


def test_the_chosen_word_tells_each_match_that_was_tried(tok, open_view):
    root = open_view(tokenizer_explorer(tok, "bearness of bears")).locator(".tl-view")
    rounds = root.locator(".tl-tries li")
    assert rounds.nth(0).locator("s").all_inner_texts() == ["bearness", "bearnes", "bearne", "bearn"]
    assert rounds.locator("b").all_inner_texts() == ["✓ bear", "✓ ##ness"]
    root.get_by_role("button", name="of").press("Enter")
    assert root.locator(".tl-tries li b").all_inner_texts() == ["✓ of"]
    assert root.locator('[aria-pressed="true"]').all_inner_texts() == [f"of\n{tok.vocab['of']}"]
    assert root.locator(".tl-say").inner_text() == "of: of"


@pytest.mark.parametrize("view, pieces", [("tokenizer_explorer", ["bear", "##ness"]), ("gaze_view", ["a"])])
def test_a_link_brings_its_text(tok, open_view, view, pieces):
    tab = open_view(tokenizer_explorer(tok, "a"))
    tab.goto(f"{tab.url}#view={view}&text=bearness")
    tab.reload()
    root = tab.locator(".tl-view")
    root.evaluate(IDS_OF, [])  # once the vocabulary is there
    assert root.evaluate(SHOWN) == [[f"{piece} {tok.vocab[piece]}" for piece in pieces]]


@pytest.mark.parametrize(
    "text, told",
    [
        ("bear☃☃", "nothing matches"),
        ("x" * 101, "too long to be cut"),
        ("[MASK]", "a special token, kept as it stands"),
    ],
)
def test_what_is_not_cut_says_why(tok, open_view, text, told):
    root = open_view(tokenizer_explorer(tok, "a")).locator(".tl-view")
    root.locator("textarea").fill(text)
    assert told in root.locator(".tl-tries").inner_text()


def test_a_typed_hostile_text_is_shown_not_run(tok, open_view):
    vocab = [*SPECIAL, "<img src=x onerror=alert(1)>", "<b>"]
    tab = open_view(tokenizer_explorer(tok, HOSTILE), tokenizer_explorer(WordPiece(vocab), "<b>"))
    root = tab.locator(".tl-view").first
    root.locator("textarea").fill("")
    assert root.locator(".tl-say").inner_text().startswith("0 tokens from 0 characters")
    root.locator("textarea").fill(HOSTILE)
    assert root.locator("img").count() == 0
    assert "onerror" not in "".join(root.locator(".tl-piece").all_inner_texts())  # it is cut: one ##rror
    assert "".join(sum(root.evaluate(SHOWN), [])).startswith("< ")


def test_it_is_accessible_and_fits_a_phone(assert_accessible, tok):
    assert_accessible(tokenizer_explorer(tok))
    assert_accessible(tokenizer_explorer(tok, "x" * 100 + " antidisestablishmentarianism" + "熊" * 90))


def test_printed_it_shows_the_text_that_was_typed(tok, open_view):
    tab = open_view(tokenizer_explorer(tok))
    tab.locator("textarea").fill("Grinning bears")
    assert not tab.locator(".tl-typed").is_visible()
    tab.emulate_media(media="print")
    assert tab.locator(".tl-typed").inner_text() == "Grinning bears"
    assert not tab.locator("textarea").is_visible()


def test_bad_input_is_refused_by_name(tok):
    with pytest.raises(TypeError, match="tok must be a WordPiece tokenizer, got BPE"):
        tokenizer_explorer(BPE.train(["a b"], 260))
    with pytest.raises(TypeError, match="text must be a str, got int"):
        tokenizer_explorer(tok, 3)
    with pytest.raises(ValueError, match="text must hold whole characters"):
        tokenizer_explorer(tok, "\ud83d")
    with pytest.raises(ValueError, match="tok must have tokens without line breaks"):
        tokenizer_explorer(WordPiece([*SPECIAL, "a\nb"]))
