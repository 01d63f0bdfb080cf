"""Where texts come from: small collections that travel with the library, so that no page needs a download.

"stories": short sentences on everyday subjects, written for this book (CC BY 4.0). Their words come back in
many forms, such as open, opened and opening: something to train a tokenizer on.

"documents": the sentences that the two documents use in their examples; data/documents.txt says where.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent / "data"
NAMES = ("stories", "documents")


def load_texts(name: str) -> list[str]:
    """The sentences of a collection, in order.

    Args:
        name: ``"stories"`` or ``"documents"``.

    Raises:
        ValueError: if there is no collection of this name.

    >>> load_texts("stories")[1]
    'She painted a portrait of an old sailor who had crossed the sea more often than he could count.'
    >>> "I love mathematics!" in load_texts("documents")
    True
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(map(repr, NAMES))}, got {name!r}")
    lines = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    return [line.rpartition("\t")[2] for line in lines]
