"""Every claim of the documents: its verdict is the recorded one, and it could have been the other."""

from collections import Counter

import pytest

from tutorial_lib.catalog import KNOWN
from tutorial_lib.claims import FAILS, HOLDS, OPEN, check, claims, report
from tutorial_lib.claims.claim import agree, plain, recompute
from tutorial_lib.texts import published
from tutorial_lib.weights import available

ALL = claims()
CHECKED = [claim for claim in ALL if claim.compute and (claim.needs is None or claim.needs in available())]
ids = [claim.id for claim in CHECKED]

# The inventory: how many claims each section has at least. A section that loses one is noticed.
SECTIONS = {
    "R": {
        "2.1": 3, "2.2": 8, "3": 2, "3.1": 3, "3.2": 3, "3.3": 1, "3.4": 7, "3.5": 2, "3.6": 4, "3.7": 2, "4.1": 1,
        "4.2": 1, "5.1": 1, "5.2": 5, "5.3": 3, "5.4": 2, "5.5": 2, "5.6": 1, "6.1": 3, "6.2": 1, "7.1": 4, "7.2": 4,
        "7.3": 9, "7.4": 5, "8.1": 2, "8.2": 9, "8.3": 2, "8.4": 1, "9.2": 9, "9.3": 4, "10": 1, "10.1": 2, "10.5": 1,
        "11.1": 6, "11.2": 3, "11.3": 3, "11.4": 4, "11.5": 4, "11.6": 8,
    },
    "L": {
        "2.1": 6, "2.2": 2, "2.3.1": 11, "2.3.2": 3, "4.4.3": 7,
        "3.2.1": 21, "3.2.2": 8, "3.2.3": 10, "3.2.4": 4, "3.2.5": 20, "3.2.6": 2, "3.2.7": 5, "3.2.8": 6,
        "3.3.1": 8, "3.3.2": 26, "3.3.3": 5, "4.2": 13, "4.2.1": 9, "4.2.2": 24, "4.2.3": 7, "4.3": 13,
        "4.2.4": 1, "4.2.5": 13, "5.2": 2,
        "4.4.1": 4, "4.4.2": 14, "4.5.1": 3, "4.5.3": 1, "4.5.5": 1,
    },
    "A": {"2.1": 1, "2.3": 2, "2.4": 3, "4.1": 2, "4.2": 1, "4.3": 1},
}  # fmt: skip


def test_no_section_lost_a_claim():
    now = Counter((claim.source, claim.section) for claim in ALL)
    lost = [
        f"{source} {section} has {now[source, section]} claims, {count} before"
        for source, sections in SECTIONS.items()
        for section, count in sections.items()
        if now[source, section] < count
    ]
    assert not lost, f"{'; '.join(lost)}. If one left on purpose, lower its section's number in SECTIONS above."


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.id)
def test_the_verdict_is_the_recorded_one(claim):
    result = check(claim)
    assert result.as_recorded, f"computed {result.computed!r}"


def test_report_counts_the_verdicts_that_differ(capsys):
    assert report() == 0
    assert "0 verdicts differ from the recorded ones" in capsys.readouterr().out


def changed(printed):
    """The same value with one small thing wrong: the last digit, an element, the sign of a statement."""
    if isinstance(printed, bool):
        return not printed
    if isinstance(printed, str):
        return printed + "x"
    if isinstance(printed, list):
        return [changed(printed[0]), *printed[1:]] if printed else [0]
    return printed + 1 if isinstance(printed, int) else printed + 3 * 10.0 ** -len(repr(printed).partition(".")[2])


@pytest.mark.parametrize("claim", CHECKED, ids=ids)
def test_a_changed_number_does_not_hold(claim):
    computed = check(claim).computed
    if claim.verdict == HOLDS:
        step = claim.tolerance or 0
        wrong = changed(claim.printed) if not step else shifted(claim.printed, 3 * step)
        assert not agree(wrong, computed, claim.tolerance)
    else:
        assert agree(computed, computed, claim.tolerance) or computed != computed  # nan agrees with nothing


def shifted(printed, by):
    if isinstance(printed, list):
        return [shifted(printed[0], by), *printed[1:]]
    return changed(printed) if isinstance(printed, (bool, str)) else printed + by


@pytest.mark.parametrize("claim", CHECKED, ids=ids)
def test_computing_twice_gives_the_same_value(claim):
    first, second = check(claim).computed, recompute(claim)
    assert first == second or first != first


@pytest.mark.parametrize("claim", [claim for claim in ALL if claim.verdict == FAILS], ids=lambda claim: claim.id)
def test_what_does_not_hold_is_explained(claim):
    assert len(claim.note) > 20 and claim.note.endswith((".", ")"))


@pytest.mark.parametrize("claim", [claim for claim in ALL if claim.needs], ids=lambda claim: claim.id)
def test_what_is_needed_is_a_known_model_or_text_or_beyond_a_program(claim):
    known = {*KNOWN, *published.SOURCES}
    assert set(claim.needs.split(" and ")) <= known if claim.compute else claim.verdict == OPEN


def test_only_what_needs_something_may_stay_unchecked():
    assert [claim.id for claim in ALL if claim.verdict == OPEN and not claim.needs] == []


def test_the_caller_s_random_numbers_are_left_alone():
    import torch

    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    recompute(claims(source="R", section="3.1")[0])
    assert torch.equal(torch.rand(2), expected)


def test_tensors_become_plain_numbers():
    import torch

    assert plain([torch.tensor(3), torch.tensor([1.5])]) == [3, [1.5]]
