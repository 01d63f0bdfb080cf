"""A GPT that learns in the page, from the book's stories or the reader's own text. Sources: N 3, 3.1; L 3.3.3."""

import functools
import math

from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization.bpe import BPE, END
from tutorial_lib.training import Settings
from tutorial_lib.training.judge import baselines
from tutorial_lib.views.base import JS, View, shortened

N_STORIES = 3_000  # that the page brings
SHARE = 0.9  # of a text is trained on; the loss is measured on the rest


# The page's run in Python, for each kind of text: each {name} is a setting of the run. `run` ends all of them.
PYTHON = {
    "words": """
import torch
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import BPE

tok = BPE.from_pretrained("book-gpt")
ids = [id for story in stories(3000) for id in tok.encode("<|endoftext|>" + story.text).ids]
ids, size = torch.tensor(ids), len(tok)""",
    "characters": """
import torch
from tutorial_lib.texts.generated import stories

text = "".join("\\n" + story.text for story in stories(3000))""",
    "own": """
import torch

with open("text.txt", encoding="utf-8") as file:
    text = file.read()""",
    "rare": """
from collections import Counter

common = {c for c, _ in Counter(text).most_common(499)} | {"\\ufffd"}
text = "".join(c if c in common else "\\ufffd" for c in text)""",
    "numbers": """
number = {c: i for i, c in enumerate(sorted(set(text)))}
ids, size = torch.tensor([number[c] for c in text]), len(number)""",
    "repeats": """
import torch

size = 26

def loss(model, generator):
    texts, periods = [], []
    for _ in range({batch}):
        periods.append(6 + int(torch.randint(10, (1,), generator=generator)))
        letters = torch.randint(26, (periods[-1],), generator=generator)
        texts.append(letters.repeat(6)[:{context} + 1])
    ids, periods = torch.stack(texts), torch.tensor(periods)
    logits, _ = model(ids[:, :-1])
    known = torch.arange({context}) >= periods[:, None]
    return torch.nn.functional.cross_entropy(logits[known], ids[:, 1:][known])""",
    "held": """
from tutorial_lib.training import next_tokens

loss = next_tokens(ids[: int(0.9 * len(ids))], {context}, {batch})""",
    "run": """
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.training import Settings, train
from tutorial_lib.training.recipes import spread

torch.manual_seed({seed})
config = Config(size, d_model={d_model}, n_layers={n_layers}, n_heads={n_heads},
                d_ff={d_ff}, n_positions={context})
gpt = spread(GPT(config), {std})
settings = Settings({n_steps}, lr={lr}, warmup={warmup}, seed={seed})
curve = train(gpt, loss, settings)""",
}


def training_view() -> View:
    """A small GPT that is trained in the page: its loss, what it writes, where its heads look, and one step by hand.

    The reader chooses a text, the model's size, a seed and the learning rate. The page computes what `training.train`
    computes, and shows the Python lines of the same run. In a notebook, only what counting reaches is drawn.

    >>> training_view()
    A model that learns in this page (an interactive view: it needs a notebook or a page)
    """
    lines = {name: lines.strip() for name, lines in PYTHON.items()}
    data = _counted() | {"warmup": Settings.warmup, "python": lines, "html": shortened(JS / "training.html")}
    return View("training", data, "A model that learns in this page")


@functools.cache
def _counted():
    """What counting reaches on the page's stories, in nats per token, and the names in them."""
    tokenizer, told = BPE.from_pretrained("book-gpt"), stories(N_STORIES)
    ids = [id for story in told for id in tokenizer.encode(END + story.text).ids]
    end = int(SHARE * len(ids))
    found = baselines([ids[:end]], [ids[end:]], len(tokenizer))
    levels = {"guessing": math.log(len(tokenizer))}
    levels |= {"counting tokens": found["unigram"], "counting pairs": found["bigram"]}
    names = {word.text for story in told for word in story.words if word.pos == "name"}
    return {"baselines": {name: round(level, 4) for name, level in levels.items()}, "names": sorted(names)}
