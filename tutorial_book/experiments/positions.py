"""A trained RNN beside a decoder of its size: how far back each remembers a name, as it is stored. Source: L 3.1."""

from tutorial_book import experiments

FILE = experiments.STORED / "memory.json"


def stored() -> dict:
    """What measure/memory.py stored: "kinds": kind -> "parameters", "steps", and a seed's "loss" and "gains", as
    (mean, low, high) a bin of "starts"; "difference": the decoder's less the LSTM's. Example: `stored()["cases"]`."""
    needed = {"date", "versions", "starts", "cases", "kinds", "difference", "stories"}
    return experiments.stored(FILE, needed, "memory")
