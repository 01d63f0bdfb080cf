"""Anisotropy and TwoNN compared with llm-microscope and DADApy, on the same arrays: equal definitions, equal values.

Neither peer can be installed next to this library: llm-microscope 0.0.7 does not import as shipped, and DADApy 0.3.4
requires a NumPy below 2. So both are downloaded into a separate folder, and only the files with these functions are
loaded. Values that should agree are judged.

Copies: this library removes them before counting. llm-microscope drops a point that has a copy, but counts it in the
denominator; DADApy divides by the distance 0.
"""

import importlib.util
import subprocess
import sys
import tempfile
import types
import warnings
from pathlib import Path

import numpy as np
import torch
from harness import Bench

from tutorial_lib.bert import Bert
from tutorial_lib.geometry import anisotropy, intrinsic_dimension
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

PEERS = ("llm-microscope==0.0.7", "dadapy==0.3.4")
CLOSE = 1e-6  # of the value: their routine fits the line differently


def fetched(folder):
    """Return their functions, (anisotropy(X), dimension(X), dadapy_dimension(X, share)), loaded from a folder."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, *PEERS]
    subprocess.run([*command, "--disable-pip-version-check"], check=True)
    spec = importlib.util.spec_from_file_location("functions", Path(folder) / "llm_microscope" / "functions.py")
    microscope = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(microscope)
    bare = types.ModuleType("dadapy")  # its own __init__ loads compiled parts that are not needed here
    bare.__path__ = [str(Path(folder) / "dadapy")]
    sys.modules["dadapy"] = bare
    from dadapy.id_estimation import IdEstimation

    return (
        lambda X: microscope.calculate_anisotropy_torch(torch.tensor(X)),
        lambda X: microscope.intrinsic_dimension(torch.tensor(X), "cpu"),
        lambda X, share: IdEstimation(coordinates=X, n_jobs=1).compute_id_2NN(mu_fraction=share)[0],
    )


def clouds():
    """Name -> 1,001 vectors, float64: of known dimension, and a real model's; the last cloud with copies.

    Not a multiple of 5 or 10: n (1 - 0.8), rounded, is then one less than the n // 5 points of llm-microscope.
    """
    draw = np.random.default_rng(0)
    texts, bert = load_texts("encyclopedia")[:40], Bert.from_pretrained()
    words = np.concatenate(embed(texts, bert, "tokens", layers=3)).astype(float)
    plane = draw.normal(size=(1001, 3)) @ draw.normal(size=(3, 30))
    return {
        "3-d in 30": plane,
        "round, 30-d": draw.normal(size=(1001, 30)),
        "BERT, layer 3": words[:1001],
        "with 300 copies": np.concatenate([plane, plane[:300]]),
    }


def main():
    bench = Bench("geometry_peers")
    with tempfile.TemporaryDirectory() as folder:
        their_anisotropy, their_dimension, dadapy_dimension = fetched(folder)
        for name, X in clouds().items():
            copied = "copies" in name
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")  # of copies, on both sides
                rows = [
                    ("anisotropy, llm-microscope", anisotropy(X), their_anisotropy(X)),
                    ("TwoNN, llm-microscope, lowest fifth", intrinsic_dimension(X, discard=0.8), their_dimension(X)),
                    ("TwoNN, DADApy, nine tenths", intrinsic_dimension(X), _or_nan(dadapy_dimension, X, 0.9)),
                ]
            for measure, ours, theirs in rows:
                told = f"{name}: {measure}, {ours:.5f} and {theirs:.5f}, differ by"
                most = None if copied and measure.startswith("TwoNN") else CLOSE
                bench.report(told, abs(ours - theirs) / ours, "of ours", most)
    return bench.finish()


def _or_nan(dimension, *arguments):
    try:
        return dimension(*arguments)
    except ValueError:  # infinite ratios
        return float("nan")


if __name__ == "__main__":
    sys.exit(main())
