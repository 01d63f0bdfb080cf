"""R 2.1 and 11.1-11.5, L 3.2.1, 3.2.2 and 4.2.1: from text to tokens and their ids, recomputed."""

import re

import torch

from tutorial_book.claims.claim import FAILS, ROUND, claims_of
from tutorial_book.claims.quotes import BEAR, IDS, LOVE, TOKENS
from tutorial_book.claims.tools import bert, tokenizer, trained_bpe
from tutorial_book.experiments.tokenization import cased
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import anatomy

claim = claims_of("tokenization")

# --- R 2.1 Tokenization --------------------------------------------------------------------------------------------

claim("R-2.1-learning", "The word “learning” can be represented as “learn” and “ing” (here: in BERT's vocabulary, "
      "with ##ing for the second).", "learning",
      lambda: tokenizer().decode([tokenizer().vocab[piece] for piece in ("learn", "##ing")]),
      note="BERT itself has “learning” as one token, id 4083: frequent words stay whole. R's own list in 11.5 uses it.")


@claim("R-2.1-strategies", "Word-level tokens need a very large vocabulary, characters a very small one and much "
       "longer sequences; subwords lie between (here, on the built-in encyclopedia: distinct tokens, and tokens in "
       "all, by words and signs, by subwords learned from it, and by characters).", True, expected=[True, True],
       note="1,548, 512 and 72 distinct; 4,049, 7,929 and 19,537 in all. The number of subwords is chosen, here at "
            "most 700. BERT's 30,522 are made for far more text: in this one, in small letters, 1,629 of them occur, "
            "and 1,500 words and signs.")
def _():
    texts = load_texts("encyclopedia")
    ways = re.compile(r"\w+|[^\w\s]").findall, trained_bpe().tokenize, list
    tokens = [[token for text in texts for token in split(text)] for split in ways]
    distinct, total = ([count(some) for some in tokens] for count in (lambda some: len(set(some)), len))
    return [distinct[0] > 2 * distinct[1] > 4 * distinct[2], total[0] < total[1] < total[2] > 4 * total[0]]


# --- R 11.1-11.5 What the Python code prints -----------------------------------------------------------------------

ALGEBRA = "Linear algebra is at the core of machine learning"

claim("R-11.1-special-ids", "[CLS] has ID 101 and [SEP] has ID 102.", [101, 102],
      lambda: [tokenizer().vocab["[CLS]"], tokenizer().vocab["[SEP]"]])

claim("R-11.1-frame", "[CLS] stands at the start of every input, [SEP] at the end of each sentence.", True,
      lambda: tokenizer().encode("One.", "Two.").tokens, expected=["[CLS]", "one", ".", "[SEP]", "two", ".", "[SEP]"],
      note="At the end of each text that is given: two sentences in one text get a single [SEP].")


@claim("R-11.1-mask", "The attention mask makes the model ignore padding (here: whether on the default model a text's "
       "vectors are the same with 8 padding tokens as without; and whether they are without the mask).", True,
       expected=[True, False], note="Without the mask they differ by up to 0.89.")
def _():
    bare, padded = (tokenizer().encode(LOVE, pad_to=n) for n in (None, 14))
    masks = bare.attention_mask, padded.attention_mask, 14 * [1]
    X, *others = (bert()([e.ids], [mask])[0, :6] for e, mask in zip((bare, padded, padded), masks, strict=True))
    return [torch.allclose(X, other, atol=1e-5) for other in others]


claim("R-11.1-what-is-ai", "“What is AI?” has 3 tokens, “How does machine learning work?” 5.", [3, 5],
      lambda: [len(tokenizer().tokenize(text)) for text in ("What is AI?", "How does machine learning work?")],
      verdict=FAILS, note="They have 3 and 5 words; the question mark is a token, too. With [CLS] and [SEP] they are "
      "6 and 8.")


claim("R-11.2-lower-case", "bert-base-uncased lower-cases all text (here: capitals change no token of the stories).",
      True, lambda: all(tokenizer().tokenize(text.upper()) == tokenizer().tokenize(text.lower())
                        for text in load_texts("stories")))

claim("R-11.3-tokens", "The tokens of “I love mathematics!”.", ["i", "love", "mathematics", "!"],
      lambda: tokenizer().tokenize(LOVE))

claim("R-11.3-ids", "The ids of the tokens of “I love mathematics!”.", [1045, 2293, 5597, 999],
      lambda: [tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)])

claim("R-11.4-ids", "Input IDs, padded to 20.", [101, 1045, 2293, 5597, 999, 102] + 13 * [0],
      lambda: tokenizer().encode(LOVE, pad_to=20).ids, verdict=FAILS,
      note="The printed list has 19 entries, one zero too few; R's text says 14 zeros. (In transformers 5, encode_plus "
           "is gone: call the tokenizer itself.)")

claim("R-11.4-mask", "Attention mask.", 6 * [1] + 14 * [0], lambda: tokenizer().encode(LOVE, pad_to=20).attention_mask)

claim("R-11.4-types", "Token type ids.", 20 * [0], lambda: tokenizer().encode(LOVE, pad_to=20).token_type_ids)

claim("R-11.5-ids", "Input IDs of the pair, padded to 20.",
      [101, 1045, 2293, 5597, 999, 102, 7399, 11208, 2003, 2012, 1996, 4563, 1997, 3698, 4083, 102, 0, 0, 0, 0],
      lambda: tokenizer().encode(LOVE, ALGEBRA, pad_to=20).ids)


@claim("R-11.5-mask", "Attention mask and token type ids of the pair.",
       [15 * [1] + 4 * [0], 6 * [0] + 9 * [1] + 4 * [0]], verdict=FAILS,
       note="The printed lists have 19 entries, and are one token short. There are 16 tokens, and so 16 ones in the "
            "mask; the second text and its [SEP] are ten tokens of segment 1.")
def _():
    encoding = tokenizer().encode(LOVE, ALGEBRA, pad_to=20)
    return [encoding.attention_mask, encoding.token_type_ids]


# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------

claim("L-3.2.1-tokens", "The tokens of the bear sentence.", TOKENS, lambda: cased()["texts"][BEAR][0],
      note="BERT's uncased vocabulary also gives 18, but cuts the rare word into ser ##end ##ip ##ito ##us.")

claim("L-3.2.1-ids", "The ids of the bear sentence.", IDS, lambda: cased()["texts"][BEAR][1], verdict=FAILS,
      note="All but one: “a” is 170, one of the ASCII characters that L 4.2.1 puts at 106 to 199; 1126 is “an”. The "
           "printed list matches, id for id, that of “with an serendipitous smile”, as L 3.2.5 quotes the sentence.")

# --- L 3.2.2 From words to indices ---------------------------------------------------------------------------------

claim("L-3.2.2-bearness", "“bearness” can be made with “##ness”.", ["bear", "##ness"],
      lambda: tokenizer().tokenize("bearness"))

claim("L-3.2.2-every-character", "“Coarsely”, in the worst case there is a token for each character, so that rare "
      "words, typing errors and nonsense can be expressed, too (here: “serendipitous”, “stonger”, “xqq”, without [UNK] "
      "in BERT's uncased vocabulary).", True,
      lambda: ["[UNK]" not in tokenizer().tokenize(word) for word in ("serendipitous", "stonger", "xqq")],
      expected=3 * [True],
      note="For the characters that the vocabulary has. A word with any other, such as 🐻, becomes [UNK]. Byte-level "
           "BPE can write every text, in 256 kinds of bytes.")


claim("L-3.2.2-middle", "Subwords are the middle ground: common words such as “the”, “and”, “bear” are tokens, rarer "
      "ones are cut (here: “serendipitous”; in tokens).", True,
      lambda: [len(tokenizer().tokenize(word)) for word in ("the", "and", "bear", "serendipitous")],
      expected=[1, 1, 1, 5])

claim("L-3.2.2-finbert-vocabulary", "FinBERT has around 50k tokens.", 50_000,
      lambda: len(tokenizer("bert-base-finnish-cased-v1").vocab), tolerance=ROUND,
      needs="the vocabulary of bert-base-finnish-cased-v1")

claim("L-3.2.2-finbert-continuations", "26 % of FinBERT's tokens start with ##.", 26,
      lambda: 100 * anatomy(tokenizer("bert-base-finnish-cased-v1").vocab).continuation_share, tolerance=0.5,
      needs="the vocabulary of bert-base-finnish-cased-v1")

# --- L 4.2.1 The tokenization --------------------------------------------------------------------------------------

claim("L-4.2.1-ids", "The ids of [PAD], [UNK], [CLS], [SEP], [MASK], the, of, and.",
      [0, 100, 101, 102, 103, 1103, 1104, 1105],
      lambda: [cased()["ids"][token] for token in "[PAD] [UNK] [CLS] [SEP] [MASK] the of and".split()],
      note="The uncased vocabulary has the same special ids, 994 [unused] up to 998, 68 ASCII characters (no capitals) "
           "from 999, other characters up to 1995, and the, of, and at 1996 to 1998.")


claim("L-4.2.1-single-characters", "Ids 106 to 1102 are single characters, 106 to 199 of them ASCII (here: 94).", True,
      lambda: [*cased()["blocks"][4], cased()["ascii"]],
      expected=["one character", 106, 1102, 199 - 106 + 1])

claim("L-4.2.1-unused", "Ids 1 to 99 are [unused], and so are 104 and 105.", [1, 99, 104, 105],
      lambda: [id for kind, *ends in cased()["blocks"] if kind == "unused" for id in ends])

claim("L-4.2.1-continuations", "About 22 % of the tokens start with ##.", 22,
      lambda: 100 * cased()["shares"]["##"], tolerance=0.5, note="22.3 %. The uncased vocabulary: 19.1 %.")

claim("L-4.2.1-alphanumeric", "About 77 % of the tokens are alphanumeric.", 77,
      lambda: 100 * cased()["shares"]["alphanumeric"], tolerance=0.5,
      note="76.6 %. The uncased vocabulary: 77.0 %.")

claim("L-4.2.1-short-words", "Common short words seem to appear higher on the list (here: the mean length of the first "
      "1,000 words of letters is less than that of the last by more than one letter).", True,
      lambda: cased()["letters"][0] + 1 < cased()["letters"][1],
      note="5.2 letters against 7.1; in the uncased vocabulary 5.4 against 7.2.")
