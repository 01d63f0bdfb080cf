"""The small grammar of English and Spanish: agreement, order and alignment, checked by independent rules."""

from collections import defaultdict

import pytest

from tutorial_lib.texts.translations import PAD, START, STOP, translations, vocabulary

PAIRS = translations(6000)
VERBS = {"pintó", "vendió", "encontró", "compró", "vio", "perdió"}
ADVERBS = {"ayer", "hoy", "finalmente"}
FEMININE = {"niña", "hermana", "tía", "reina", "casa", "mesa", "flor", "llave", "silla", "camisa"}
MASCULINE = {"niño", "hermano", "tío", "rey", "libro", "mapa", "reloj", "sombrero", "árbol", "barco"}


def phrases(pair):
    """The two noun phrases of a Spanish sentence, as lists of words, and whether its verb is plural."""
    words = [word for word in pair.target if word not in ADVERBS]
    at = next(i for i, word in enumerate(words) if word in VERBS or word.endswith("ron"))
    return words[:at], words[at + 1 :], words[at] not in VERBS


@pytest.mark.parametrize(
    "english, spanish",
    [
        ("the black clocks", "los relojes negros"),
        ("these old tables", "estas mesas viejas"),
        ("our big green book", "nuestro libro verde grande"),
        ("a big green flower", "una flor verde grande"),
        ("some red keys", "unas llaves rojas"),
        ("an old key", "una llave vieja"),
        ("my tree", "mi árbol"),
    ],
)
def test_phrases_are_spanish(english, spanish):
    """Written by hand; the phrase is at the end of some sentence, after the verb."""
    n = len(english.split())
    found = {" ".join(pair.target[-n:]) for pair in PAIRS if " ".join(pair.source[-n:]) == english}
    assert found == {spanish}


def test_whole_sentences_are_spanish():
    by_source = {" ".join(pair.source): " ".join(pair.target) for pair in PAIRS}
    assert by_source["this brother sold some black clocks"] == "este hermano vendió unos relojes negros"
    last = "la niña perdió el sombrero verde grande"
    assert by_source["the girl lost the big green hat yesterday"] == f"ayer {last}"


def test_a_becomes_an_before_a_vowel():
    before = {(pair.source[i], pair.source[i + 1][0] in "aeiou") for pair in PAIRS for i in range(len(pair.source) - 1)
              if pair.source[i] in ("a", "an")}  # fmt: skip
    assert before == {("a", False), ("an", True)}


def test_each_source_word_has_one_target_word():
    for pair in PAIRS:
        assert sorted(pair.aligned) == list(range(len(pair.source))) and len(pair.target) == len(pair.source)


def test_aligned_words_are_forms_of_one_word():
    """An English word has at most four Spanish forms, and they begin with one letter (except "el, la, los, las")."""
    forms = defaultdict(set)
    for pair in PAIRS:
        for word, place in zip(pair.target, pair.aligned, strict=True):
            forms[pair.source[place]].add(word)
    assert forms.pop("the") == {"el", "la", "los", "las"}
    assert all(len(found) <= 4 and len({word[0] for word in found}) == 1 for found in forms.values())
    assert forms["painted"] == {"pintó", "pintaron"} and forms["red"] == {"rojo", "roja", "rojos", "rojas"}


def test_adjectives_and_verb_agree():
    for pair in PAIRS:
        subject, thing, many = phrases(pair)
        assert subject[1].endswith("s") == many
        for article, noun, *adjectives in (subject, thing):
            plural = noun.endswith("s")
            assert all(adjective.endswith("s") == plural for adjective in adjectives)
            gender = {adjective.removesuffix("s")[-1] for adjective in adjectives} & {"o", "a"}
            if article not in ("mi", "mis"):
                feminine = article.removesuffix("s")[-1] == "a"
                assert gender <= {"a" if feminine else "o"}


def test_articles_and_adjectives_agree_with_the_noun():
    seen = set()
    for pair in PAIRS:
        for article, noun, *adjectives in phrases(pair)[:2]:
            single = noun if noun in FEMININE | MASCULINE else noun.removesuffix("s")
            single = single if single in FEMININE | MASCULINE else single.removesuffix("e")
            assert single in FEMININE | MASCULINE
            wrong = ("o", "os", "el", "un", "este") if single in FEMININE else ("a", "as")  # "mi", "paciente" are both
            assert not [word for word in (article, *adjectives) if word.endswith(wrong)], (article, noun, adjectives)
            seen.add(single)
    assert seen == FEMININE | MASCULINE and len(seen) == 20


def test_the_order_changes():
    """Words that keep their position are the minority, so copying positions differs from aligning."""
    same = [i == place for pair in PAIRS for i, place in enumerate(pair.aligned)]
    assert 0.2 < sum(same) / len(same) < 0.45


def test_seed_fixes_sentences_and_none_comes_twice():
    assert translations(50) == PAIRS[:50] and translations(50, seed=1) != PAIRS[:50]
    assert len({tuple(pair.source) for pair in PAIRS}) == len(PAIRS) == 6000


def test_the_vocabulary_is_the_words_of_both_languages():
    found = vocabulary()
    used = {word for pair in PAIRS for word in (*pair.source, *pair.target)}
    assert set(found) == used | {"[PAD]", "[START]", "[STOP]"} and list(found.values()) == list(range(len(found)))
    assert (found["[PAD]"], found["[START]"], found["[STOP]"]) == (PAD, START, STOP)


@pytest.mark.parametrize("n", [-1, 2.5, 1_000_001])
def test_how_many_is_checked(n):
    with pytest.raises(ValueError, match="n must be a number of sentences"):
        translations(n)
