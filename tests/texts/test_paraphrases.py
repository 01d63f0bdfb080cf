import re

from tutorial_lib.texts import load_texts


def words(text):
    return set(re.findall(r"[a-z']+", text.lower()))


def shared(a, b):
    """The share of the two sentences' words that both have (Jaccard)."""
    return len(words(a) & words(b)) / len(words(a) | words(b))


def test_decoys_share_more_words_than_paraphrases():
    triples = load_texts("paraphrases")
    assert len(triples) == 32 and len({text for triple in triples for text in triple}) == 96
    for sentence, paraphrase, decoy in triples:
        assert shared(sentence, paraphrase) < 0.15 and shared(sentence, decoy) > 0.25, sentence
        assert shared(sentence, decoy) > shared(sentence, paraphrase) + 0.15, sentence


def test_no_paraphrase_keeps_a_content_word():
    for sentence, paraphrase, _ in load_texts("paraphrases"):
        assert not {word for word in words(sentence) & words(paraphrase) if len(word) > 3}
