"""L 3.2.7 and N 0-3: the input of a decoder, and how it generates one token after the other, recomputed."""

import torch

from tutorial_book.claims.claim import ARITHMETIC, HOLDS, ROUND, claims_of
from tutorial_book.claims.tools import bpe, decoder, ids_of_pieces, small_gpt, tokenizer, trained_bpe
from tutorial_book.experiments.shape_of_learning import openings
from tutorial_lib.attention import softmax
from tutorial_lib.generation import generate
from tutorial_lib.texts import load_texts
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization.bpe import END

claim = claims_of("decoders")

# N 1.1's text with its tokens and their ids, as printed
STAIRS = " The cat went up the stairs."
PIECES = [" The", " cat", " went", " up", " the", " stairs", "."]
IDS = [20, 4758, 439, 62, 5, 16745, 4]
PROMPT = [3, 14, 15, 9, 26, 5]
NEXT = ["next", " next", "Next", " Next", "NEXT", " NEXT"]


def spaced(tokens):
    """Byte-level tokens as N writes them, with their spaces."""
    return [token.replace("Ġ", " ") for token in tokens]


# --- N 0: what a causal model is -------------------------------------------------------------------------------------


@claim("N-0-next", "Given N tokens, a causal model predicts the (N+1)th (here: after the first N of stories that the "
       "book's decoder has not read, N = 1 to 63, its best token is the next one at least five times as often as the "
       "commonest token is).", True, note="73 % against 10 %.")
def _():
    ids = openings([END + story.text for story in stories(100, seed=1)], bpe("book-gpt"), 64)  # (n_texts, 64)
    right = (decoder("book-gpt")(ids)[0][:, :-1].argmax(-1) == ids[:, 1:]).double().mean()
    return right >= 5 * ids[:, 1:].flatten().bincount().max() / ids[:, 1:].numel()


# --- N 1.1: the tokenizer --------------------------------------------------------------------------------------------

claim("N-1.1-one-to-one", "The map of token strings to token ids is one-to-one (here: in the default model's list, no "
      "string stands at two ids).", True,
      lambda: [*map(tokenizer().vocab.get, tokenizer().tokens)] == [*range(len(tokenizer()))])


@claim("N-1.1-case", "Token strings are case-sensitive: a word with a capital letter, or in capitals, needs separate "
       "tokens, and so it does with a space before it (here: no two of six spellings of “next” share a token of "
       "GPT-2's).", True, needs="the vocabulary of gpt2", verdict=HOLDS,
       note="Five are one token each; “NEXT” is “N” and “EXT”. The default model's tokenizer, which knows no case, "
            "has one token for all six.")
def _():
    ids = [id for text in NEXT for id in bpe("gpt2").encode(text).ids]
    return len(ids) == len(set(ids))


@claim("N-1.1-space-tokens", "A token for each space between words would make the input about twice as long (here: "
       "how many times, for the built-in encyclopedia in the default model's tokens).", 2, tolerance=ROUND,
       note="1.8: a word of several tokens, or a comma, needs no space of its own. For n words of one token each it "
            "is (2n − 1) / n.")
def _():
    texts = load_texts("encyclopedia")
    return 1 + sum(text.count(" ") for text in texts) / sum(len(tokenizer().tokenize(text)) for text in texts)


@claim("N-1.1-everything", "Everything written in English can be cut into tokens, some of it less efficiently "
       "(here: a text of words never seen comes back, and has more tokens for each character than one of known "
       "words).", True, expected=[True, True],
       note="Any bytes can be cut: each of the 256 is a token.")
def _():
    strange = "Zyzzyva!"
    known = " the water"
    tok = trained_bpe()
    density = [len(tok.tokenize(text)) / len(text) for text in (strange, known)]
    return [tok.decode(tok.encode(strange).ids) == strange, density[0] > density[1]]


claim("N-1.1-cut", "The tokens of the text with the cat (here: GPT-2's).", PIECES,
      lambda: spaced(bpe("gpt2").tokenize(STAIRS)), needs="the vocabulary of gpt2", verdict=HOLDS)

claim("N-1.1-ids", "The ids of the text with the cat (here: OPT-125m's).", IDS,
      lambda: ids_of_pieces(bpe("opt-125m"), STAIRS), needs="the vocabulary of opt-125m",
      note="GPT-2 has the same tokens, with other ids (see tokenization). Before a text that a model is to read, OPT's "
           "tokenizer puts </s>, id 2.")


@claim("N-1.1-first-letter", "“A somewhat common thing” is a token of space and first letter, then one of the rest "
       "(here: of the built-in words, in small letters and capitalized, that GPT-2 cuts, at least one in twenty).",
       True, needs="the vocabulary of gpt2", verdict=HOLDS,
       note="48 of 625, all but two of them capitalized. N's own example, \" Pickle\", becomes \" Pick\" and \"le\".")
def _():
    words = [
        form
        for group in load_texts("words").values()
        for word in group
        for form in (f" {word.lower()}", f" {word.capitalize()}")
    ]
    cut = [tokens for tokens in map(bpe("gpt2").tokenize, words) if len(tokens) > 1]
    return sum(len(tokens[0]) == len(tokens) == 2 for tokens in cut) >= len(cut) / 20


# --- N 1.2: the embedding matrix -------------------------------------------------------------------------------------


claim("N-1.2-next", "“ NEXT” has the id 10000 (in OPT-125m).", [10_000],
      lambda: ids_of_pieces(bpe("opt-125m"), " NEXT"), needs="the vocabulary of opt-125m",
      note="One token in GPT-2, too, under another id, as the chapter on tokenization shows.")

# --- N 3: one token after the other ----------------------------------------------------------------------------------


@claim("N-3-previous", "The model looks at previous tokens alone, not at future ones (here: another last token "
       "changes the states of the others, or its own).", True, expected=[False, True],
       note="It looks at the token itself, too.")
def _():
    one, other = (small_gpt().hidden([*PROMPT[:-1], last])[0][0] for last in (5, 6))
    return [not torch.allclose(one[:-1], other[:-1]), not torch.allclose(one[-1], other[-1])]


@claim("N-3-saved", "So outputs from before can be saved (here: the scores from the cache of keys and values are "
       "those computed anew).", True)
def _():
    model = small_gpt()
    _, cache = model(PROMPT[:4])
    return torch.allclose(model(PROMPT[4:], cache)[0], model(PROMPT)[0][:, 4:])


@claim("N-3-less", "Saving them uses a lot less compute (here: how many tokens pass through the layers for 256 new "
       "ones after a prompt of one; without it, more than ten times as many).", True,
       note="256 with it, and 1 + 2 + … + 256 = 32,896 without it.")
def _():
    model = small_gpt(n_positions=257)
    read = {True: [], False: []}  # how many tokens its first layer reads in each step
    for cache, sizes in read.items():
        hook = model.layer[0].register_forward_hook(lambda layer, inputs, output: sizes.append(inputs[0].shape[1]))
        generate(model, PROMPT[:1], 256, cache=cache)
        hook.remove()
    return sum(read[False]) > 10 * sum(read[True])


# --- N 3.3: softmax --------------------------------------------------------------------------------------------------


def scores(spread=3.0):
    """Return the scores of 50 tokens, drawn at random."""
    return spread * torch.randn(50, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


@claim("N-3.3-range", "With the temperature, the best token's probability ranges from 1.0 down to 1 / (number of "
       "tokens): for T → ∞ all are equal (here: of 50 tokens, from T = 0.001 to 10⁶, and that it never rises).", True,
       expected=[1.0, 1 / 50, True], tolerance=1e-6, kind=ARITHMETIC,
       note="Where two scores tie for the largest, the limit at 0 shares the 1 between them.")
def _():
    best = [softmax(scores(), temperature=T).max() for T in (1e-3, 0.1, 0.3, 1, 3, 10, 30, 1e6)]
    return [best[0], best[-1], all(hotter <= colder for colder, hotter in zip(best, best[1:]))]
