"""R 1, L 3.2.7, A 3.3: encoders and decoders, and the models of both kinds that A looks at, recomputed."""

import torch

from tutorial_book.claims.claim import ARITHMETIC, FAILS, ROUND, claims_of
from tutorial_book.claims.tools import bpe, count, decoder, published_decoder
from tutorial_lib import bert, gpt
from tutorial_lib.attention import causal_mask
from tutorial_lib.geometry import cosine
from tutorial_lib.texts import load_texts
from tutorial_lib.texts.generated import stories
from tutorial_lib.vectors import embed

claim = claims_of("architectures")


def decoder_parameters(layers, d, vocabulary, per_layer, matrices, extra):
    """How many numbers a decoder learns: layers, embeddings (1 or 2 matrices) and the last norm."""
    return layers * per_layer + matrices * vocabulary * d + extra


def gpt_layer(d):
    """A layer of GPT-2's kind with d_ff = 4 d: attention and feed-forward with biases, two LayerNorms."""
    return 12 * d * d + 13 * d


def llama_layer(d, d_ff):
    """A layer of Llama 2 without biases: attention, three matrices of the gated feed-forward, two norms of scale."""
    return 4 * d * d + 3 * d * d_ff + 2 * d


@claim("L-3.2.7-main-difference", "The main difference between GPT's architecture and BERT's is the masked attention "
       "(here: whether their layers, with the same parameters, agree without the mask, and with it).", True,
       expected=[True, False],
       note="GPT of 2018 normalizes after adding and has GELU, as BERT. GPT-2 normalizes before: a second difference.")
def _():
    shape = dict(d_model=16, n_heads=2, d_ff=32)
    theirs, ours = bert.Layer(bert.Config(**shape)), gpt.Layer(gpt.Config(**shape, activation="gelu", norm_first=False))
    ours.load_state_dict(theirs.state_dict())
    X = torch.randn(1, 7, 16)
    masks = (None, causal_mask(7))
    return [torch.allclose(ours(X, mask=mask)[0], theirs(X), atol=1e-5) for mask in masks]


@claim("A-3.3-independent", "Encoder and decoder can each work without the other (here: of two trained ones, the "
       "default model puts most paraphrases nearer than other matters in the same words, and the book's decoder gets "
       "most tokens of a story right).", True, expected=[True, True],
       note="26 of 32 paraphrases, and 48 of 66 tokens. The decoder that works alone is not the original's: its "
            "attention to the encoder is left out.")
def _():
    text, same, other = (embed(list(texts)) for texts in zip(*load_texts("paraphrases")))
    ids = torch.tensor(bpe("book-gpt").encode(stories(1, seed=1)[0].text).ids)
    right = decoder("book-gpt")(ids[None])[0][0, :-1].argmax(-1) == ids[1:]
    return [bool((cosine(text, same) > cosine(text, other)).mean() > 0.5), bool(right.double().mean() > 0.5)]


claim("A-3.3-opt-125m", "OPT has 125M parameters in its smallest size.", 125e6,
      lambda: count(published_decoder("opt-125m")), tolerance=ROUND)

claim("A-3.3-opt-13b", "OPT has 13B parameters in the largest size that is looked at.", 13e9,
      lambda: count(published_decoder("opt-13b")), tolerance=ROUND)

claim("A-3.3-llama", "Llama-2 has 7B and 13B parameters (here: from the sizes of its layers).", [7e9, 13e9],
      lambda: [decoder_parameters(32, 4096, 32_000, llama_layer(4096, 11_008), 2, 4096), decoder_parameters(40, 5120,
               32_000, llama_layer(5120, 13_824), 2, 5120)], kind=ARITHMETIC, tolerance=ROUND,
      note="6.74 and 13.02 billion.")

claim("A-3.3-falcon", "Falcon-7B has 7B parameters (here: 32 layers, 4,544 wide, with one head of keys and values "
      "of 64 numbers, no biases, one LayerNorm).", 7e9,
      lambda: decoder_parameters(32, 4544, 65_024, 10 * 4544**2 + 2 * 64 * 4544 + 2 * 4544, 1, 2 * 4544),
      kind=ARITHMETIC, tolerance=ROUND,
      note="6.92 billion.")

claim("A-3.3-gpt-j", "GPT-J has 6 billion parameters (the title of its reference; here: 28 layers, 4,096 wide, "
      "biases in the feed-forward alone, two matrices of 50,400 tokens, the second with biases).", 6e9,
      lambda: decoder_parameters(28, 4096, 50_400, 12 * 4096**2 + 5 * 4096 + 2 * 4096, 2, 2 * 4096 + 50_400),
      kind=ARITHMETIC, tolerance=ROUND,
      note="6.05 billion.")

claim("A-4.2-pythia", "Pythia-2.8B has 2.8B parameters (Figure 4; here: 32 layers, 2,560 wide, two matrices of "
      "50,304 tokens).", 2.8e9, lambda: decoder_parameters(32, 2560, 50_304, gpt_layer(2560), 2, 2 * 2560),
      kind=ARITHMETIC, tolerance=ROUND)

claim("A-4.2-bloom", "Bloom-2.5 has 2.5B parameters, as its name says (Figure 3; here: 30 layers, 2,560 wide, a "
      "matrix of 250,880 tokens, a LayerNorm after it).", 2.5e9,
      lambda: decoder_parameters(30, 2560, 250_880, gpt_layer(2560), 1, 4 * 2560), kind=ARITHMETIC, tolerance=ROUND,
      verdict=FAILS,
      note="3.0 billion, and 2.4 without the embeddings: the model is the one now called Bloom-3B. The name is not "
           "A's: it was first published as bloom-2b5.")
