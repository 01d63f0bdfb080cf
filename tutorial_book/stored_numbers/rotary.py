"""Train book-gpt again, with rotary positions, and store it: stored/models/book-gpt-rotary.

    python -m tutorial_book measure rotary FOLDER     a quarter of an hour on one core

FOLDER keeps an interrupted run. The recipe is book-gpt's, and so are the stories, the batches and the initial weights;
only the table of positions is left out. The curve and a card are stored with the weights (float16).
"""

from __future__ import annotations

from pathlib import Path

import torch

from tutorial_book.experiments.since import ROTARY, RotaryGPT
from tutorial_lib.atomic import write_text
from tutorial_lib.training import train
from tutorial_lib.training.card import how_trained, lines_of_decoder
from tutorial_lib.training.recipes import RECIPES, rounded
from tutorial_lib.weights import checkpoints, sha256
from tutorial_lib.weights.files import read_text

RECIPE = RECIPES["book-gpt"]
CARD = Path(__file__).with_name("rotary_card.md")


def record(run, *, folder=ROTARY, until=None) -> dict:
    """Store the weights and their card. Return the curve, and the stored model's results."""
    ready = RECIPE.prepare()
    model = RotaryGPT(ready.model)

    def tell(progress):
        if progress.step % 20 == 0:
            print(progress, flush=True)

    curve = train(model, ready.loss, RECIPE.settings, run, ready.evaluate, tell, until)
    half = {name: tensor.half().contiguous() for name, tensor in model.state_dict().items()}
    del half["unembedding.weight"]  # it is the table of tokens
    file = folder / "model.safetensors"
    checkpoints.write(file, half, {"format": "pt"})
    model.load_state_dict({name: tensor.float() for name, tensor in half.items()}, strict=False)  # rounded, as stored
    with torch.no_grad():
        found = {"held_out": float(ready.evaluate(model)), **RECIPE.measured(model, ready)}
    found = rounded(found | curve)
    told = {"trained": how_trained(RECIPE, RECIPE.batch), "measured": "\n".join(lines_of_decoder(found))}
    write_text(folder / "README.md", read_text(CARD).format(**told, sha256=sha256(file)))
    return {"models/book-gpt-rotary/curves": found}
