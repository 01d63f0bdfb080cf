from pathlib import Path

import pytest

from tutorial_book.claims import check, claims

SOURCES = Path(__file__).parents[3] / "shared" / "sources"
TEXTS = {"R": "002_2e4c13b0d56dcd9c", "L": "000_de843d0a090e3191", "N": "001_3cf6317272ba61fb",
         "A": "003_81be05fd462a8409", "G": "004_2a075be51d4d1107"}  # fmt: skip
NUMBERED = {  # headings as in our copy, with the numbers of `claims.UNNUMBERED` or on a separate line
    "N": {"Crossposted": "9 Crossposted", "This post is written as": "\n0 This post is written as",
          "## Introduction": "0 Introduction", "## 1. The Start": "1 The Start", "game.1.2 The": "game.\n1.2 The",
          "## 2. The": "2 The", "## 3. The": "3 The", '## "Points': "4 Points", '## "Directions': "5 Directions",
          "## The Effect": "6 The Effect", "## Non-symmetric": "7 Non-symmetric", "## Conclusion": "8 Conclusion"},
    "A": {"\nAbstract\n": "\n0 Abstract\n"},
    "G": {"ArXiv cs.LG": "0 ArXiv cs.LG", "2502.12033 Published": "Published", "01\nMethodology": "1 Methodology",
          "02\nResults": "2 Results", "03\nSignificance": "3 Significance", "04\nTechnical": "4 Technical",
          "05\nNovelty": "5 Novelty", "06\nLimitations": "6 Limitations", "07\nFuture": "7 Future"},
}  # fmt: skip


@pytest.fixture(scope="session")
def computed():
    """Return the computed value of a claim, by its id."""
    by_id = {claim.id: claim for claim in claims()}
    return lambda id: check(by_id[id]).computed


@pytest.fixture(scope="session")
def documents():
    """The documents' texts by their tags, if available: they are not part of this repository."""
    if not SOURCES.is_dir():
        pytest.skip("needs the documents, which are not part of this repository")
    texts = {tag: (SOURCES / f"{name}.txt").read_text(encoding="utf-8") for tag, name in TEXTS.items()}
    for tag, headings in NUMBERED.items():
        for theirs, ours in headings.items():
            assert texts[tag].count(theirs) == 1, theirs
            texts[tag] = texts[tag].replace(theirs, ours)
    return texts
