"""What small translators lose by the place of LayerNorm, by a start without warmup, and by how long the steps are.

python -m tutorial_book.experiments.architectures trains them, 60 times 100 steps, some minutes on one core, and
writes their losses into stored/architectures.json. The weights are not kept. Sources: A 3.3; Xiong et al. 2020.
"""

import json
from dataclasses import replace

import numpy as np
import torch

from tutorial_book import experiments
from tutorial_lib.encoder_decoder import Config, EncoderDecoder
from tutorial_lib.texts.translations import START, STOP, translations, vocabulary
from tutorial_lib.training import Settings, train, translated
from tutorial_lib.weights.files import write_text

FILE = experiments.STORED / "architectures.json"
PLACES = {"post-norm": False, "pre-norm": True}  # name -> norm_first
STARTS = {"with warmup": 50, "without warmup": 0}  # steps of warmup
RATES, SEEDS = (0.003, 0.006, 0.01), range(5)
N_STEPS, N_LAST = 100, 10  # steps of a run, and those whose losses are averaged


def learned(place, start, rate, seed) -> float:
    """The mean loss, in nats a token, of the last ten of 100 steps. The seed draws first weights and batches.

    Example: `learned("post-norm", "without warmup", 0.01, seed=1)`.
    """
    ids = vocabulary()
    pairs = [([ids[w] for w in p.source], [ids[w] for w in p.target] + [STOP]) for p in translations(5_000)]
    shape = Config(vocab_size=len(ids), d_model=64, n_layers=2, n_heads=2, d_ff=128, n_positions=16)
    torch.manual_seed(seed)
    model = EncoderDecoder(replace(shape, norm_first=PLACES[place]))
    settings = Settings(N_STEPS, lr=rate, warmup=STARTS[start], seed=seed)
    with torch.enable_grad():
        losses = train(model, translated(pairs, 64, START), settings)["loss"]
    return float(np.mean(losses[-N_LAST:]))


def stored() -> dict:
    """What was measured: "place start" -> losses (rates, seeds). Raises ValueError where the file is damaged.

    >>> stored()["pre-norm with warmup"].shape
    (3, 5)
    """
    names = [f"{place} {start}" for place in PLACES for start in STARTS]
    kept = experiments.stored(FILE, names, f"python -m {__name__}")
    return {name: np.array(kept[name]) for name in names}


if __name__ == "__main__":
    torch.set_num_threads(1)
    losses = {f"{place} {start}": [[round(learned(place, start, rate, seed), 4) for seed in SEEDS] for rate in RATES]
              for place in PLACES for start in STARTS}  # fmt: skip
    write_text(FILE, json.dumps(losses, indent=1) + "\n")
