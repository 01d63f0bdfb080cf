"""L's vocabulary, that of bert-base-cased, which is not part of this book: its contents, computed now or stored.

Source: L 3.2.1, 4.2.1, 4.3.
"""

from tutorial_book.experiments import stored
from tutorial_lib import weights
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece, anatomy

NAME = "bert-base-cased"
LOOKED_UP = "[PAD] [UNK] [CLS] [SEP] [MASK] the of and a an . bear Bear".split()


def cased() -> dict:
    """Return the numbers of `measure`, computed now if the vocabulary is on this machine, else the stored ones.

    >>> cased()["size"], cased()["ids"]["bear"], cased()["ids"]["Bear"]
    (28996, 4965, 8073)
    """
    here = NAME in weights.available(vocabulary=True)
    return measure(WordPiece.from_pretrained(NAME)) if here else stored("cased-vocabulary")


def measure(tok: WordPiece) -> dict:
    """Describe a cased vocabulary. "size", "kinds", "blocks" (the first six), "shares" are those of `anatomy`.

    "ids": token -> id, of some. "ascii": how many of the ids 106 to 199 are ASCII. "letters": the mean length of the
    first and of the last 1,000 words of letters. "texts": the documents' sentences, and the one with the bear also with
    "an" for "a" -> tokens and ids, without [CLS] and [SEP].
    """
    parts, words = anatomy(tok.vocab), [len(token) for token in tok.tokens[tok.vocab["the"] :] if token.isalpha()]
    texts = load_texts("documents")
    texts += [text.replace(" a serend", " an serend") for text in texts if " a serend" in text]
    tokens = {text: tok.tokenize(text) for text in texts}
    return {
        "size": parts.size,
        "kinds": parts.kinds,
        "blocks": [list(block) for block in parts.blocks[:6]],
        "shares": {"##": round(parts.continuation_share, 6), "alphanumeric": round(parts.alphanumeric_share, 6)},
        "ids": {token: tok.vocab[token] for token in LOOKED_UP},
        "ascii": sum(token.isascii() for token in tok.tokens[106:200]),
        "letters": [sum(some) / len(some) for some in (words[:1000], words[-1000:])],
        "texts": {text: [cut, [tok.vocab[token] for token in cut]] for text, cut in tokens.items()},
    }
