from pathlib import Path

import pytest

from tutorial_lib.claims import check, claims

SOURCES = Path(__file__).parents[3] / "shared" / "sources"
TEXTS = {"R": "002_2e4c13b0d56dcd9c", "L": "000_de843d0a090e3191", "A": "003_81be05fd462a8409"}


@pytest.fixture(scope="session")
def computed():
    """What a claim computes, by its id."""
    by_id = {claim.id: claim for claim in claims()}
    return lambda id: check(by_id[id]).computed


@pytest.fixture(scope="session")
def documents():
    """The documents' texts by their tags, where they are at hand: they are not part of this repository."""
    if not SOURCES.is_dir():
        pytest.skip("needs the documents, which are not part of this repository")
    return {tag: (SOURCES / f"{name}.txt").read_text(encoding="utf-8") for tag, name in TEXTS.items()}
