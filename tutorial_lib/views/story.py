"""A decoder writes on: what it expects next, under temperature and top-p, word by word. Sources: N 3.3, L 3.2.7."""

from base64 import b64encode

from tutorial_lib.arguments import check_has, check_text
from tutorial_lib.generation import generate
from tutorial_lib.gpt import GPT
from tutorial_lib.tokenization import BPE
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import DECODERS

TEMPERATURE = 0.7  # the model writes at it, and the bars begin with it


def story_view(
    model: GPT, tokenizer: BPE, text: str, ages: dict[str, str] | None = None, n: int = 40, seed: int = 0
) -> View:
    """A text, how the model goes on, and a bar for each of the likeliest next tokens.

    model: a `GPT`. tokenizer: its `BPE`; texts stand behind its end token, as in training. text: the beginning. ages:
    a dictionary from what a state of training is called to the name of its model, for a page that brings these. n: the
    tokens that are written. In the view, temperature and top-p change the bars; where the page brings the model, a
    press on a bar writes that token, and the reader's own beginning is taken up.

    Returns a `View`. Raises TypeError where text is not a str.

    >>> from tutorial_lib.gpt import GPT
    >>> from tutorial_lib.tokenization import BPE
    >>> story_view(GPT.from_pretrained("book-gpt"), BPE.from_pretrained("book-gpt"), "Mia had a")
    What a decoder expects next (an interactive view: it needs a notebook or a page)
    """
    check_has("model", model, "a GPT", "hidden")
    check_has("tokenizer", tokenizer, "its BPE", "vocab", "special")
    check_has("ages", {} if ages is None else ages, "a dictionary of names", "items")
    ids = [tokenizer.vocab[tokenizer.special[0]], *tokenizer.encode(check_text("text", text)).ids]
    told = generate(model, ids, n, temperature=TEMPERATURE, seed=seed, stop=ids[:1])
    scores = model([ids])[0][0, -1].detach().cpu()
    pieces = [tokenizer.decode([id]) for id in range(len(tokenizer))]
    data = {
        "text": text,
        "told": tokenizer.decode(told, skip_special=True),
        "pieces": pieces,
        "end": ids[0],
        "temperature": TEMPERATURE,
        "logits": b64encode(scores.numpy().astype("<f4").tobytes()).decode(),
        "live": model.source if model.source in DECODERS else None,
        "ages": [[title, name] for title, name in (ages or {}).items()],
    }
    return View("story", data, "What a decoder expects next", ["live", "spoken"])
