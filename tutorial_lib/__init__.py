"""Transformers from scratch: a small library, checked against Hugging Face's, on which the book runs.

`ROOMS` are its modules and folders, in the order in which one reads them; each says in its first line what it holds. A
room imports only from rooms before it; a test holds that. Heavy libraries load when first used.
"""

__version__ = "0.1.0"

ROOMS = {
    "Where things come from": ("arguments", "texts", "weights"),
    "The machine": (
        "tokenization",
        "positions",
        "trace",
        "attention",
        "bert",
        "gpt",
        "encoder_decoder",
        "generation",
    ),
    "What is done with it": ("parity", "geometry", "vectors", "training", "measure", "views", "__main__"),
}


def load(name=None, device="auto"):
    """A trained model by name or folder, of the class that computes it: a `bert.Bert` or a `gpt.GPT`.

    name: None for the default model; names and errors as for `weights.resolve`. device "auto": a GPU if there is one.

    >>> type(load("book-gpt")).__name__, type(load()).__name__
    ('GPT', 'Bert')
    """
    from tutorial_lib import bert, gpt, weights
    from tutorial_lib.weights import names

    kinds = {"Bert": bert.Bert, "GPT": gpt.GPT}
    return kinds[names.model_of(weights.read_config(name))].from_pretrained(name, device)
