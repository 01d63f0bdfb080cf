"""From scores for the next token to a text: greedy, temperature, top-k, top-p, with or without the cache.

Sources: N 3.3; Holtzman et al. (2020) for top-p.
"""

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial

import torch

from tutorial_lib import arguments, encoder_decoder
from tutorial_lib.arguments import Ids, Numbers, if_texts
from tutorial_lib.attention import padded
from tutorial_lib.gpt import GPT
from tutorial_lib.trace import checked, nothing


@torch.inference_mode()
def generate(gpt: GPT, ids: Ids, n: int, temperature: float = 0.0, top_k: int | None = None, top_p: float | None = None,
             seed: int | torch.Generator = 0, stop: Numbers = (), cache: bool = True, callback: Callable | None = None,
             attention_mask: Numbers | None = None, keep: Callable | Sequence[Callable] = nothing) -> list:  # fmt: skip
    """Generate up to n new tokens after each prompt: a list of lists of ids, without the prompt.

    Args:
        ids: one prompt, a list of prompts of any lengths, none empty, or an `Encoding`.
        n: the most new tokens.
        attention_mask: 1 for a token, 0 for padding, on either side: padding does not change the result.
        temperature: 0 always takes the likeliest token; above 0, draw from softmax(scores / temperature).
        top_k, top_p: keep the k likeliest tokens (and ties with the last), or the fewest whose probabilities add up to
            p or more; with both, top_k first.
        seed: a number, or a `torch.Generator` on the model's device. All texts draw from this one stream, so a text
            drawn alone differs from the same text in a batch.
        stop: ids that end a text; the one that ended it is its last.
        callback: called after each step with the new ids of all texts, None for those that have ended. If it returns
            True, generation ends.
        cache: False computes everything again for each token, and gives the same tokens.
        keep: sees and changes values (`trace.change`): those of the prompts, padded on their left, then in each step
            those of one token. A `trace.Trace` contains those of the last step; its docstring says how to keep all.

    Raises:
        ValueError if an argument is out of range, before anything is computed.

    If a text outgrows the model's positions, each step sees only its last tokens (a `Llama` sees all).

    >>> from tutorial_lib.gpt import GPT, Config
    >>> gpt = GPT(Config(vocab_size=10, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8)).eval()
    >>> [len(new) for new in generate(gpt, [[1, 2, 3], [4]], 5)]
    [5, 5]
    >>> generate(gpt, [1, 2], 3) == generate(gpt, [1, 2], 3, cache=False)
    True
    """
    single, prompts = _check_prompts(ids, attention_mask)
    arguments.check_has("gpt", gpt, "a GPT or a Llama", "config", "hidden", "reach")
    arguments.whole_number("n", n, 0, "a number of tokens, 0 or more")
    arguments.real_number("temperature", temperature, "0 (the likeliest token) or more", 0)
    _check_cut(gpt.config.vocab_size, top_k, top_p)
    arguments.check_has("callback", print if callback is None else callback, "a function", "__call__")
    keep = checked(keep, lambda look: gpt([[0]], keep=look))
    device = next(gpt.parameters()).device
    stop = _check_stop(stop, gpt.config.vocab_size)
    if not isinstance(seed, torch.Generator):
        seed = torch.Generator(device).manual_seed(arguments.check_seed("seed", seed))
    longest = max(map(len, prompts))
    on_the_left = [[0] * (longest - len(prompt)) + prompt for prompt in prompts]  # any id, because it is masked
    X = torch.tensor(on_the_left, device=device)  # (B, longest), and one more column for each new token
    real = torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts], device=device)
    even = bool(real.all())
    new, ended, past = [[] for _ in prompts], [False] * len(prompts), None  # past: the cache
    for _ in range(n):
        if X.shape[1] > gpt.reach and int(real.sum(1).max()) > gpt.reach:
            X, real = X[:, -gpt.reach :], real[:, -gpt.reach :]  # earlier tokens are out of reach
            past = None
        looked = X if past is None else X[:, -1:]
        H, kept = gpt.hidden(looked, past, None if even else real, keep is nothing, keep)
        past = kept if cache else None
        logits = keep("logits", gpt.unembedding(H[:, -1:]))  # (B, 1, vocab_size)
        drawn = draw(logits[:, 0], temperature, top_k, top_p, seed)  # (B,)
        step = [None if done else token for done, token in zip(ended, drawn.tolist(), strict=True)]
        for text, token in zip(new, step, strict=True):
            if token is not None:
                text.append(token)
        ended = [done or token in stop for done, token in zip(ended, step, strict=True)]
        if (callback is not None and callback(step)) or all(ended):
            break
        X, real = torch.cat([X, drawn[:, None]], 1), torch.cat([real, torch.ones_like(real[:, :1])], 1)
    return new[0] if single else new


def typewriter(tokenizer, write: Callable[[str], object] = partial(print, end="", flush=True)) -> Callable:
    """Return a callback for `generate` that writes the first text as it is generated, in whole characters.

    write: called with the new text. Half a character, which a token of bytes may be, waits for its other half.

    >>> from tutorial_lib import load
    >>> gpt, tok = load("book-gpt")
    >>> new = generate(gpt, tok("the bear").ids, 4, callback=typewriter(tok, write=print))
     a
     bed
     in
     the
    """
    arguments.check_has("tokenizer", tokenizer, "a tokenizer", "decode")
    arguments.check_has("write", write, "a function of text", "__call__")
    ids, written = [], 0

    def callback(step):
        nonlocal written
        ids.extend(id for id in step[:1] if id is not None)
        text = tokenizer.decode(ids).rstrip("\ufffd")
        if len(text) > written:
            write(text[written:])
            written = len(text)

    return callback


@torch.inference_mode()
def translate(model: encoder_decoder.EncoderDecoder, ids: Ids, n: int, start: int, stop: Numbers = (),
              cache: bool = True, attention_mask: Numbers | None = None) -> list:  # fmt: skip
    """Generate a target of up to n tokens for each source with an `EncoderDecoder`: a list of lists of ids.

    It takes the likeliest token each time. ids: one source, a list of sources of any lengths, none empty, or an
    `Encoding`. attention_mask: 1 for a token, 0 for padding. start: the id that comes before every
    target; it is not in the result. stop: ids that end a target; the one that ended it is its last. cache=False
    computes everything again for each token, and gives the same tokens.

    Raises ValueError if an argument is out of range, before anything is computed. Source: L 3.2.7.

    >>> from tutorial_lib.encoder_decoder import Config, EncoderDecoder
    >>> model = EncoderDecoder(Config(vocab_size=10, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8)).eval()
    >>> [len(target) for target in translate(model, [[3, 4, 5], [6]], 5, start=1)]
    [5, 5]
    """
    arguments.check_has("model", model, "an EncoderDecoder", "config", "encode")
    single, sources = _check_prompts(ids, attention_mask)
    most = model.config.n_positions
    arguments.whole_number("n", n, 0, f"a number of tokens, 0 to {most}, the model's positions", most)
    arguments.whole_number("start", start, 0, "an id of the vocabulary", model.config.vocab_size - 1)
    X, mask = padded(sources)
    memory = model.encode(X, mask, fused=True)  # computed once, whatever is generated
    Y = torch.full((len(sources), 1), start, device=memory.device)
    stop = _check_stop(stop, model.config.vocab_size)
    targets, ended, past = [[] for _ in sources], [False] * len(sources), None  # past: the cache
    for _ in range(n):
        logits, kept = model.decode(Y if past is None else Y[:, -1:], memory, mask, past, fused=True)
        past = kept if cache else None
        likeliest = logits[:, -1].argmax(-1)  # (B,)
        for i, token in enumerate(likeliest.tolist()):
            if not ended[i]:
                targets[i].append(token)
                ended[i] = token in stop
        if all(ended):
            break
        Y = torch.cat([Y, likeliest[:, None]], 1)
    return targets[0] if single else targets


def draw(scores: torch.Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None,
         generator: torch.Generator | None = None) -> torch.Tensor:  # fmt: skip
    """Draw one id for each row of scores, (B, vocab_size) -> (B,); the arguments are those of `generate`.

    >>> draw(torch.tensor([[0.0, 3.0, 1.0]]), temperature=0)
    tensor([1])
    >>> draw(torch.tensor([[0.0, 3.0, 1.0]]), temperature=9.0, top_k=1)
    tensor([1])
    """
    arguments.check_tensors(scores=scores)
    if not arguments.real_number("temperature", temperature, "0 (the likeliest id) or more", 0):
        return scores.argmax(-1)
    return torch.multinomial(probabilities(scores, temperature, top_k, top_p), 1, generator=generator)[:, 0]


def probabilities(scores: torch.Tensor, temperature: float = 1.0, top_k: int | None = None,
                  top_p: float | None = None) -> torch.Tensor:  # fmt: skip
    """Return the distribution that `draw` draws from: (..., vocab_size), 0 for tokens that top_k and top_p leave out.

    >>> probabilities(torch.tensor([0.0, 0.0, 0.0, -20.0]), top_p=0.9)
    tensor([0.3333, 0.3333, 0.3333, 0.0000])
    """
    arguments.check_tensors(scores=scores)
    _check_cut(scores.shape[-1], top_k, top_p)
    z = (scores - arguments.largest_score("scores", scores, -1)) / arguments.divisor(temperature, scores.dtype)
    if top_k is not None and top_k < z.shape[-1]:
        z = z.masked_fill(z < z.topk(top_k).values[..., -1:], -torch.inf)
    if top_p is not None and top_p < 1:
        ascending, order = z.sort(-1)
        below = torch.softmax(ascending, -1).cumsum(-1) <= 1 - top_p  # tokens that top_p leaves out
        below[..., -1] = False
        z = z.masked_fill(below.scatter(-1, order, below), -torch.inf)
    return torch.softmax(z, -1)


def _check_prompts(ids, attention_mask=None):
    """Return whether it is one prompt, and the prompts as lists of ids without padding."""
    ids, attention_mask, _ = arguments.inputs_of(ids, attention_mask)
    try:
        rows = ids.tolist() if hasattr(ids, "tolist") else list(getattr(ids, "ids", ids))  # of an Encoding, too
        single = bool(rows) and not isinstance(rows[0], (list, tuple)) and not hasattr(rows[0], "tolist")
        prompts = [list(map(operator.index, prompt)) for prompt in ([rows] if single else rows)]
    except TypeError:
        raise TypeError(f"ids must be a list of ids, or a list of such lists, got {ids!r:.60}{if_texts(ids)}") from None
    if not prompts or not all(prompts):
        raise ValueError("ids contains an empty prompt. Every prompt needs at least one token")
    return single, arguments.without_padding(prompts, attention_mask)


def _check_cut(size, top_k, top_p):
    if top_k is not None:
        arguments.whole_number("top_k", top_k, 1, f"a number of tokens, 1 to {size}", size)
    if top_p is not None:
        arguments.real_number("top_p", top_p, "above 0 and at most 1", math.ulp(0.0), 1)


def _check_stop(stop, vocab_size):
    """Return the ids that end a text, as a set."""
    if isinstance(stop, (str, bytes)) or not hasattr(stop, "__iter__"):
        raise TypeError(f"stop must be ids, whole numbers, got {stop!r:.60}")
    allowed = f"ids, whole numbers in 0..{vocab_size - 1}"
    return {arguments.whole_number("stop", id, 0, allowed, vocab_size - 1) for id in stop}
