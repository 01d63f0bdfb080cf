"""The live models in Firefox: the numbers that Chromium computes, bit for bit, from files, with no network."""

import pytest
from live import Mailbox, in_chromium, in_firefox, write_bits

from tests.programs import program
from tutorial_lib import load
from tutorial_lib.views import engine

QUESTIONS = [
    ("book-bert", "a"),
    ("book-bert", "Anna had a red ball, and the dog took it away from her."),
    ("book-gpt", "Anna had a red ball. She"),
    ("all-MiniLM-L6-v2", "We sat on the bank of the river and fished."),
    ("all-MiniLM-L6-v2", "In 1998 the town's committee decided that its old bridge should be torn down. " * 9),
]


@pytest.mark.long
def test_firefox_computes_the_same_bits(browser, tmp_path):
    program("Firefox")
    engine.write_worker(tmp_path)
    for name in dict(QUESTIONS):
        engine.write_model(tmp_path, name, *load(name, "cpu"))
    address = write_bits(tmp_path, QUESTIONS)
    with Mailbox(tmp_path) as box:
        hashes = in_firefox(address, box)
    assert len(set(hashes)) == len(QUESTIONS)
    assert hashes == in_chromium(address, browser)
