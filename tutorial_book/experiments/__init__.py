"""The computations of single chapters, each in the module of its chapter's name; and the numbers that are kept."""

from pathlib import Path

from tutorial_lib.weights import read_json

STORED = Path(__file__).parent / "stored"  # what took too long for a page, one file for each program of measure/


def stored(path, needs, program) -> dict:
    """What a program measured beforehand and wrote into a file of `STORED`.

    needs: the names that the file must hold. Raises ValueError where it is damaged.

    >>> sorted(stored(STORED / "scaling.json", ["runs"], "scaling"))[:2]
    ['chunk', 'corpus']
    """
    values = read_json(path)
    missing = sorted(set(needs) - set(values))
    if missing:
        again = f"python -m tutorial_book measure {program}"
        raise ValueError(f"{path} lacks {', '.join(missing)}: write it again: {again}")
    return values


def by_seeds(chapter) -> dict:
    """What measure/seeds.py measured for a chapter. Raises ValueError where the file is damaged.

    >>> by_seeds("architectures")["rates"]
    [0.003, 0.006, 0.01]
    """
    needs = ["date", "versions", "measured"]
    return stored(STORED / f"{chapter}.json", needs, f"seeds {chapter}")["measured"]
