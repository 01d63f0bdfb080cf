"""A decoder continues a text: its next-token probabilities, under temperature and top-p. Sources: N 3.3, L 3.2.7."""

from base64 import b64encode

from tutorial_lib.arguments import check_has, check_text
from tutorial_lib.generation import generate
from tutorial_lib.gpt import GPT
from tutorial_lib.tokenization import BPE
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import DECODERS

TEMPERATURE = 0.7  # the temperature for the model's text, and the first one for the bars


def story_view(
    model: GPT, tokenizer: BPE, text: str, ages: dict[str, str] | None = None, n: int = 40, seed: int = 0
) -> View:
    """Show a text, its continuation by the model, and a bar for each of the likeliest next tokens.

    model: a `GPT`. tokenizer: its `BPE`; texts come after its end token, as in training. text: the beginning. ages: a
    dictionary from the label of a training state to the name of its model, for a page that loads these. n: the number
    of tokens to write. In the view, temperature and top-p change the bars; if the page loads the model, a press on a
    bar writes that token, and readers can type their own beginning.

    Returns a `View`. Raises TypeError if text is not a str.

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
