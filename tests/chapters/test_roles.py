"""Checks that the chapter on heads (row 27) cannot do: another author's sentences, other texts, its measure.

The sentences of `test_both_roles_hold_on_sentences_of_another_hand` are on no page.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from tutorial_book.experiments.roles import OFFSETS, role_cases
from tutorial_lib.attention import attention
from tutorial_lib.geometry import bootstrap_interval
from tutorial_lib.geometry.heads import sign_test
from tutorial_lib.geometry.statistics import holm
from tutorial_lib.texts import load_texts
from tutorial_lib.texts.marked import marked, read
from tutorial_lib.views.traces import Attention

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


@pytest.fixture(scope="module", autouse=True)
def no_gradients():
    with torch.no_grad():
        yield


@pytest.fixture(scope="module")
def page(chapter, bert):
    return chapter(bert=bert)


def test_mean_weight_on_cls_holds_in_other_stories(page):
    here = page.measured["stories"]["[CLS]"].mean((1, 2))
    low, high = bootstrap_interval(np.mean, here, n=500)
    others = np.mean([page.statistics(text)["[CLS]"] for text in load_texts("stories")[30:60]])
    assert abs(others - here.mean()) < high - low


def test_both_roles_hold_on_sentences_of_another_hand(page, bert, tok):
    """Against the offset that is best on these very sentences, on which no head was chosen."""
    lines = (Path(__file__).parent / "roles-third.txt").read_text(encoding="utf-8").splitlines()
    told = [read(line) for line in lines if line and not line.startswith("#")]
    known = {story.text for name in ("first", "second") for story in marked(name)}
    assert len(told) == 40 and not known & {story.text for story in told}
    cases, p = role_cases(bert, tok, told), []
    for role in page.asked:
        right = cases[role].right[page.chosen[role][:2]]
        assert right.mean() > 0.7
        p.append(max(sign_test(right, cases[role].of_offset(offset)) for offset in OFFSETS))
    assert (holm(p) < 0.05).all()


def test_helen_looks_past_never_at_opened(page, bert, tok):
    encoding = tok.encode(marked("second")[17].text)
    assert encoding.tokens[1:9] == "helen never opened the dusty piano although she".split()
    of_verbs, of_nouns = (Attention(bert, encoding).weights[page.chosen[role][:2]][:, 1:-1] for role in page.asked)
    assert of_verbs[1].argmax() == 2 and of_verbs[2].argmax() != 2 and of_verbs[4].argmax() != 2
    assert of_nouns[4].argmax() == 5 and of_nouns[8].argmax() == 0  # "the" at "piano", "she" at "helen"


def test_measure_of_copying_is_1_for_perfect_copier(page):
    """As on the page: the weight from the second copy's tokens on the token after the first copy."""
    period = page.period
    perfect = np.eye(2 * period)[[*range(period), *range(1, period + 1)]]
    assert (perfect * page.B)[period:-1].sum(-1).mean() == 1


def test_swapping_keys_of_equal_values_keeps_the_output(page):
    queries, keys, values = (torch.tensor(page.toy[name]).float() for name in ("W_Q", "W_K", "W_V"))
    (one, A), (two, C) = (attention(queries[2:3], K, values) for K in (keys, keys[[0, 3, 2, 1]]))
    torch.testing.assert_close(one, two)
    assert A[0].argmax() == 0 and (A - C).abs().max() > 0.1
