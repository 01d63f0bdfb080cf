"""Learning a vocabulary: the merges are those that counting by hand gives, and those of Hugging Face's trainer."""

import json
import math
from collections import Counter

import pytest

from tutorial_lib.tokenization import BPE, WordPiece, bpe_score, learn_merges, wordpiece_score


def test_bpe_learns_the_merges_of_hugging_faces_trainer(lines, tmp_path):
    from tokenizers import ByteLevelBPETokenizer

    theirs = ByteLevelBPETokenizer()
    theirs.train_from_iterator(lines, vocab_size=1500, special_tokens=["<|endoftext|>"], show_progress=False)
    theirs.save_model(str(tmp_path))
    ours = BPE.train(lines, 1500)
    assert ours.vocab == json.loads((tmp_path / "vocab.json").read_text(encoding="utf-8"))
    merges = (tmp_path / "merges.txt").read_text(encoding="utf-8").splitlines()[1:]
    assert [" ".join(pair) for pair in ours.merges] == merges


def test_order_of_texts_does_not_change_the_vocabulary(lines):
    for kind in (BPE, WordPiece):
        first, again, turned = kind.train(lines, 600), kind.train(lines, 600), kind.train(lines[::-1], 600)
        assert first.tokens == again.tokens == turned.tokens
        assert len(first) == 600


def test_bpe_and_wordpiece_choose_different_first_merges():
    """q is always before u, but e and r meet more often: each score has its own winner."""
    texts = ["qu"] * 6 + ["er"] * 7 + ["e"] * 20 + ["r"] * 20
    words = Counter({("q", "u"): 6, ("e", "r"): 7, ("e",): 20, ("r",): 20})
    start = ["e", "q", "r", "u"]
    assert learn_merges(words, start, 5, bpe_score, str.__add__)[1] == [("e", "r")]
    assert learn_merges(words, start, 5, wordpiece_score, str.__add__)[1] == [("q", "u")]
    assert BPE.train(texts, 258).merges == [("e", "r")]
    assert WordPiece.train(texts, 14).tokens[-1] == "qu"


def test_wordpiece_score_is_the_log_likelihood_gain():
    """Of the pair's own tokens, at the counts before the merge: 3 pairs, tokens that occur 4 and 5 times, of 20."""
    apart = 3 * (math.log(4 / 20) + math.log(5 / 20))
    assert wordpiece_score(3, 4, 5, 20) == pytest.approx(3 * math.log(3 / 20) - apart)


def test_counts_stay_right_while_merging_overlapping_pairs():
    """Against a trainer that counts everything again in each round."""
    words = Counter({tuple("banana"): 3, tuple("bandana"): 2, tuple("aaaaa"): 2, tuple("nab"): 4})
    _, merges = learn_merges(words, list("abdn"), 12, bpe_score, str.__add__)
    corpus, age, expected = dict(words), {c: i for i, c in enumerate("abdn")}, []
    while len(age) < 12:
        pairs = Counter()
        for word, n in corpus.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        best = min((pair for pair in pairs), key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        if pairs[best] < 2:
            break
        expected.append(best)
        age.setdefault("".join(best), len(age))
        corpus = {_replace(word, best): n for word, n in corpus.items()}
    assert merges == expected and len(merges) > 5


def _replace(word: tuple, pair: tuple) -> tuple:
    if len(word) < 2:
        return word
    if word[:2] == pair:
        return (pair[0] + pair[1], *_replace(word[2:], pair))
    return (word[0], *_replace(word[1:], pair))


def test_little_text_gives_fewer_tokens_than_asked_for():
    assert len(BPE.train(["abc"], 1000)) == 257
    assert len(WordPiece.train(["abc"], 1000)) == 5 + 2 * 3
    assert len(BPE.train([""], 257)) == 257


def test_words_of_known_characters_are_never_unknown(lines):
    tok = WordPiece.train(lines, 400)
    letters = "".join(sorted(set("".join(tok.words(" ".join(lines))))))
    assert "[UNK]" not in tok.tokenize(letters + " " + letters[::-1])


def test_training_ignores_special_tokens_in_the_texts():
    assert BPE.train(["<|endoftext|>"] * 9, 300).tokens == BPE.train([""], 300).tokens
    assert WordPiece.train(["[MASK]"] * 9, 300).tokens == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@pytest.mark.parametrize("kind", [BPE, WordPiece])
def test_a_saved_vocabulary_loads_as_it_was(kind, lines, tmp_path):
    tok = kind.train([*lines, "# \u2028 ## é"], 500)
    tok.save(tmp_path / "new" / "folder")
    again = kind.from_pretrained(tmp_path / "new" / "folder")
    assert again.tokens == tok.tokens
    assert again.encode(" ".join(lines)).ids == tok.encode(" ".join(lines)).ids
    names = sorted(file.name for file in (tmp_path / "new" / "folder").iterdir())
    assert names == {BPE: ["merges.txt", "vocab.json"], WordPiece: ["tokenizer_config.json", "vocab.txt"]}[kind]


def test_a_cased_tokenizer_stays_cased_when_saved(tmp_path):
    tok = WordPiece.train(["Bear Éclair 熊熊"] * 2, 60, lowercase=False, strip_accents=True, split_chinese=False)
    tok.save(tmp_path)
    assert WordPiece.from_pretrained(tmp_path).words("Bear Éclair 熊熊") == ["Bear", "Eclair", "熊熊"]


@pytest.mark.parametrize("kind", [BPE, WordPiece])
@pytest.mark.parametrize(
    "texts, size, error, message",
    [
        ("one text", 300, TypeError, "texts must be a list of str, got str"),
        (None, 300, TypeError, "texts must be a list of str, got NoneType"),
        (["a", b"b"], 300, TypeError, r"texts\[1\] must be a str, got bytes"),
        ([], 300, ValueError, "texts must contain at least one text, got none"),
        (["a"], 3, ValueError, "vocab_size must be a whole number of at least .* got 3"),
        (["a"], 300.0, ValueError, "vocab_size must be .* got 300.0"),
        (["a\ud83d"], 300, ValueError, r"texts\[0\] must be valid Unicode"),
    ],
)
def test_training_rejects_wrong_texts_and_sizes(kind, texts, size, error, message):
    with pytest.raises(error, match=message):
        kind.train(texts, size)
