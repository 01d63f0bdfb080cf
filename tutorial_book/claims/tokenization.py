"""R 2.1 and 11.1-11.5, L 3.2.1, 3.2.2 and 4.2.1: from text to tokens and their ids, recomputed."""

import torch

from tutorial_book.claims.claim import ARITHMETIC, DIFFERS, FAILS, ROUND, claims_of
from tutorial_book.claims.quotes import BEAR, IDS, LOVE, TOKENS
from tutorial_book.claims.tools import bert, tokenizer
from tutorial_book.experiments.tokenization import cased
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import anatomy

claim = claims_of("tokenization")

# --- R 2.1 Tokenization --------------------------------------------------------------------------------------------

claim("R-2.1-learning", "The word “learning” can be represented as “learn” and “ing” (here: by BERT's vocabulary; R "
      "names none).", ["learn", "ing"], lambda: tokenizer().tokenize("learning"), verdict=DIFFERS,
      note="BERT has “learning” as one token, id 4083: R's own list in 11.5 uses it. Frequent words stay whole. A "
           "piece that continues a word would be written ##ing; “serendipitous” shows such pieces.")


@claim("R-2.1-strategies", "Word-level tokens need a very large vocabulary, characters a very small one and much "
       "longer sequences; subwords lie between (here: on the stories: distinct tokens, and tokens in all, by words, "
       "subwords and characters).", True, expected=[True, True])
def _():
    texts = [text.lower() for text in load_texts("stories")]
    ways = str.split, tokenizer().tokenize, list
    tokens = [[token for text in texts for token in split(text)] for split in ways]
    distinct = [len(set(some)) for some in tokens]
    total = [len(some) for some in tokens]
    return [distinct[0] > distinct[1] > distinct[2], 4 * total[0] < total[2] > 3 * total[1]]


# --- R 11.1-11.5 What the Python code prints -----------------------------------------------------------------------

ALGEBRA = "Linear algebra is at the core of machine learning"

claim("R-11.1-mathematics", "“mathematics” may remain one token.", ["mathematics"],
      lambda: tokenizer().tokenize("mathematics"))

claim("R-11.1-special-ids", "[CLS] has ID 101 and [SEP] has ID 102.", [101, 102],
      lambda: [tokenizer().vocab["[CLS]"], tokenizer().vocab["[SEP]"]])

claim("R-11.1-rarer",
      "Rarer words could be split into multiple subwords (here: “serendipitous”, by the number of its tokens).", True,
      lambda: len(tokenizer().tokenize("serendipitous")) > 1, note="5: ser ##end ##ip ##ito ##us.")

claim("R-11.1-unique-ids", "Each token is mapped to a unique integer (here: looked up, the tokens of BERT's list have "
      "the numbers of their lines, which needs that none stands there twice).", True,
      lambda: [*map(tokenizer().vocab.get, tokenizer().tokens)] == [*range(len(tokenizer()))])

claim("R-11.1-frame", "[CLS] stands at the start of every input, [SEP] at the end of each sentence.", True,
      lambda: tokenizer().encode("One.", "Two.").tokens, expected=["[CLS]", "one", ".", "[SEP]", "two", ".", "[SEP]"])


@claim("R-11.1-mask", "The attention mask makes the model ignore padding (here: on the default model, a text's vectors "
       "are the same with 8 padding tokens as without).", True)
def _():
    bare, padded = (tokenizer().encode(LOVE, pad_to=n) for n in (None, 14))
    X, Y = (bert()([e.ids], [e.attention_mask])[0, :6] for e in (bare, padded))
    return torch.allclose(X, Y, atol=1e-5)


claim("R-11.1-what-is-ai", "“What is AI?” has 3 tokens.", 3, lambda: len(tokenizer().tokenize("What is AI?")),
      verdict=FAILS, note="3 words but 4 tokens: what, is, ai, ?. With [CLS] and [SEP] 6.")

claim("R-11.1-how-does", "“How does machine learning work?” has 5 tokens.", 5,
      lambda: len(tokenizer().tokenize("How does machine learning work?")), verdict=FAILS,
      note="5 words but 6 tokens: the question mark is one. With [CLS] and [SEP] 8.")


@claim("R-11.1-padding", "Padded with zeros, sequences of a batch have one length.", True)
def _():
    batch = tokenizer().batch(["What is AI?", "How does machine learning work?"])
    return len(batch.ids[0]) == len(batch.ids[1]) and batch.ids[0][-2:] == [0, 0] == batch.attention_mask[0][-2:]


claim("R-11.2-lower-case", "bert-base-uncased lower-cases all text (here: capitals change no token of the stories).",
      True, lambda: all(tokenizer().tokenize(text.upper()) == tokenizer().tokenize(text.lower())
                        for text in load_texts("stories")))

claim("R-11.2-vocabulary", "BERT has a “30,000-word vocabulary” (here: the tokens that may be words).", 30_000,
      lambda: sum(not token.startswith(("##", "[")) and len(token) > 1 for token in tokenizer().vocab), tolerance=ROUND,
      verdict=FAILS,
      note="It has 30,522 tokens, about 30,000, but not all are words: 5 special, 994 unused, 5,828 pieces that start "
           "with ##, 997 single characters; the other 22,698 come closest.")

claim("R-11.3-tokens", "The tokens of “I love mathematics!”.", ["i", "love", "mathematics", "!"],
      lambda: tokenizer().tokenize(LOVE))

claim("R-11.3-ids", "The ids of the tokens of “I love mathematics!”.", [1045, 2293, 5597, 999],
      lambda: [tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)])

claim("R-11.3-four", "The sentence is split into four tokens.", 4, lambda: len(tokenizer().tokenize(LOVE)))

claim("R-11.4-ids", "Input IDs, padded to 20.", [101, 1045, 2293, 5597, 999, 102] + 13 * [0],
      lambda: tokenizer().encode(LOVE, pad_to=20).ids, verdict=FAILS,
      note="The printed list has 19 entries, one zero too few; R's text says 14 zeros. (In transformers 5, encode_plus "
           "is gone: call the tokenizer itself.)")

claim("R-11.4-mask", "Attention mask.", 6 * [1] + 14 * [0], lambda: tokenizer().encode(LOVE, pad_to=20).attention_mask)

claim("R-11.4-types", "Token type ids.", 20 * [0], lambda: tokenizer().encode(LOVE, pad_to=20).token_type_ids)

claim("R-11.4-six", "Six positions have mask 1 and 14 have 0.", [6, 14],
      lambda: [tokenizer().encode(LOVE, pad_to=20).attention_mask.count(value) for value in (1, 0)])

claim("R-11.5-ids", "Input IDs of the pair, padded to 20.",
      [101, 1045, 2293, 5597, 999, 102, 7399, 11208, 2003, 2012, 1996, 4563, 1997, 3698, 4083, 102, 0, 0, 0, 0],
      lambda: tokenizer().encode(LOVE, ALGEBRA, pad_to=20).ids)

claim("R-11.5-mask", "Attention mask of the pair.", 15 * [1] + 4 * [0],
      lambda: tokenizer().encode(LOVE, ALGEBRA, pad_to=20).attention_mask, verdict=FAILS,
      note="The printed list has 19 entries. There are 16 tokens, and so 16 ones: one is missing.")

claim("R-11.5-types", "Token type ids of the pair.", 6 * [0] + 9 * [1] + 4 * [0],
      lambda: tokenizer().encode(LOVE, ALGEBRA, pad_to=20).token_type_ids, verdict=FAILS,
      note="The printed list has 19 entries. The second text and its [SEP] are ten tokens of segment 1.")


@claim("R-11.5-types-rule", "Token type ids are 0 up to the first [SEP], 1 for the second text, 0 for padding.", True)
def _():
    encoding = tokenizer().encode(LOVE, ALGEBRA, pad_to=20)
    first = encoding.ids.index(102) + 1
    second = sum(encoding.attention_mask) - first
    return encoding.token_type_ids == first * [0] + second * [1] + (20 - first - second) * [0]


# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------

claim("L-3.2.1-tokens", "The tokens of the bear sentence.", TOKENS, lambda: cased()["texts"][BEAR][0],
      note="BERT's uncased vocabulary also gives 18, but cuts the rare word into ser ##end ##ip ##ito ##us.")

claim("L-3.2.1-ids", "The ids of the bear sentence.", IDS, lambda: cased()["texts"][BEAR][1], verdict=FAILS,
      note="All but one: “a” is 170. The printed list is, to the last id, that of “with an serendipitous smile”, as "
           "L 3.2.5 quotes the sentence.")

claim("L-3.2.1-id-of-a", "The id of “a” is 1126.", 1126, lambda: cased()["ids"]["a"], verdict=FAILS,
      note="It is 170, as L's own table in 4.2.1 has it; 1126 is “an”.")

claim("L-3.2.1-id-of-period", "The id of “.” is 119.", 119, lambda: cased()["ids"]["."])

claim("L-3.2.1-special-ids", "BERT puts token 101 before the sequence and token 102 after it.", [101, 102],
      lambda: [tokenizer().encode(BEAR).ids[i] for i in (0, -1)])

# --- L 3.2.2 From words to indices ---------------------------------------------------------------------------------

claim("L-3.2.2-common", "Common words such as “the”, “and”, “bear” have a token each.", ["the", "and", "bear"],
      lambda: tokenizer().tokenize("the and bear"))

claim("L-3.2.2-bearness", "“bearness” can be made with “##ness”.", ["bear", "##ness"],
      lambda: tokenizer().tokenize("bearness"))

claim("L-3.2.2-every-character", "In the worst case each character has a token of its own, so that any character "
      "sequence can be expressed (here: 🐻).", True, lambda: tokenizer().tokenize("🐻"), expected=["🐻"], verdict=FAILS,
      note="WordPiece has tokens for the characters that it saw often, and [UNK] for a word with any other. Byte-level "
           "BPE keeps the promise: every text is bytes, and there are only 256.")


@claim("L-3.2.2-words-characters", "Characters give a small vocabulary, words an immense one, which includes very "
       "similar words (here: distinct ones in the stories: more than ten words for each character; and words that "
       "share their first four letters with another).", True, expected=[True, True])
def _():
    words = {word.strip(".,;!?").lower() for text in load_texts("stories") for word in text.split()}
    stems = [word[:4] for word in words if len(word) > 4]
    return [len(words) > 10 * len(set("".join(words))), len(stems) - len(set(stems)) > len(stems) / 4]


claim("L-3.2.2-middle", "Subwords are the middle ground: common words are tokens, rarer ones are cut (here: “the” and "
      "“bear” against “serendipitous”, in tokens).", True,
      lambda: [len(tokenizer().tokenize(word)) for word in ("the", "bear", "serendipitous")], expected=[1, 1, 5])

claim("L-3.2.2-finbert-vocabulary", "FinBERT has around 50k tokens.", 50_000,
      lambda: len(tokenizer("bert-base-finnish-cased-v1").vocab), tolerance=500,
      needs="the vocabulary of bert-base-finnish-cased-v1")


claim("L-3.2.2-continuations", "22 % of BERT's tokens start with ##.", 22,
      lambda: 100 * cased()["shares"]["##"], tolerance=0.5, note="22.3 %. The uncased vocabulary: 19.1 %.")

claim("L-3.2.2-finbert-continuations", "26 % of FinBERT's tokens start with ##.", 26,
      lambda: 100 * anatomy(tokenizer("bert-base-finnish-cased-v1").vocab).continuation_share, tolerance=0.5,
      needs="the vocabulary of bert-base-finnish-cased-v1")

# --- L 4.2.1 The tokenization --------------------------------------------------------------------------------------

claim("L-4.2.1-ascii", "Ids 106 to 199 are pretty much the ASCII characters (here: as many ids as visible characters).",
      True, lambda: sum(chr(code).isprintable() and chr(code) != " " for code in range(128)), expected=199 - 106 + 1,
      kind=ARITHMETIC)

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
      "1,000 words of letters is less than that of the last).", True,
      lambda: cased()["letters"][0] < cased()["letters"][1],
      note="5.2 letters against 7.1; in the uncased vocabulary 5.4 against 7.2.")
