"""Hints of the grading: only that of the mistake which was made, and none where another function is the cause."""

import pytest

from coursework import checks, comparison, exam, references, runs, submissions


def verdicts(assignment, *cells, solved=None, kinds=("-public", "-hidden")):
    """Check -> verdict, of these checks of a notebook, solved as another one, where these cells hold other code."""
    names = dict(vars(references.of(solved or assignment)))
    exec("\n".join(cells), names)  # the solutions have other globals, so a wrong function is not their mistake
    draws = {name: draw for name, draw in checks.load(assignment).items() if name.endswith(kinds)}
    by_check = {name: exam.drawn(assignment, name, draw, 1) for name, draw in draws.items()}
    by_check = {name: calls for name, calls in by_check.items() if calls[0].judge is None}
    asked = {f"{name}.{i}": call for name, calls in by_check.items() for i, call in enumerate(calls)}
    made = {id: comparison.given_by(names[call.name], call) for id, call in asked.items()}
    records = {id: {"value": value, "error": None} for id, value in made.items()}
    submission = submissions.Submission("ada", assignment, cells=list(cells))
    return comparison.compare(runs.Work(submission, exam.Exam(by_check, []), records, None)).verdicts


LIMIT = """
def longest_match(word, vocab, right=longest_match):
    pieces = right(word, vocab)
    return pieces if len(pieces) < 5 else ["[UNK]"]
"""
THROWN_AWAY = """
def words(text):
    import re, string
    text = text.lower()
    for mark in string.punctuation:
        text.replace(mark, f" {mark} ")
    return re.sub(r"(?<=\\d)(?=(?:\\d{3})+(?!\\d))", " ", text).split()
"""
TANH = """
def gelu(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
"""


@pytest.mark.parametrize("assignment, function, code, hint", [
    ("1-tokenization", "longest_match", LIMIT, "a word with exactly 5 pieces is still allowed"),
    ("1-tokenization", "words", THROWN_AWAY, "the text is split only at spaces"),
    ("3-bert-layer", "gelu", TANH, "this is the tanh approximation"),
])  # fmt: skip
def test_each_check_has_the_hint_of_the_one_mistake(assignment, function, code, hint):
    wrong = [one for one in verdicts(assignment, code).values() if one.call and one.call.name == function]
    assert len(wrong) == 2
    assert all(one.hint.startswith(hint) and "float32" not in one.reason for one in wrong)


def test_values_that_are_close_for_no_known_reason_may_be_rounded():
    reasons = [one.reason for one in verdicts("3-bert-layer", "gelu = lambda x, r=gelu: r(x).round(4)").values()]
    assert any("is it float32 or rounded?" in str(reason) for reason in reasons)


OWN_NEIGHBOR = """
def neighbor_purity(X, labels):
    return 1.0
"""
PURITY_P = """
def purity_p(X, labels, permutations):
    observed = neighbor_purity(X, labels)
    shuffled = [neighbor_purity(X, [labels[i] for i in order]) for order in permutations]
    return (1 + sum(one >= observed for one in shuffled)) / (1 + len(shuffled))
"""


def test_a_wrong_function_is_the_place_to_start_and_not_an_apparent_mistake_above_it():
    found = verdicts("5-project", OWN_NEIGHBOR, PURITY_P)
    assert found["purity-p-hidden"].reason.endswith("\nneighbor_purity, which it uses, is not right yet: start there.")
    assert not found["purity-p-hidden"].hint
    alone = PURITY_P.replace("[labels[i] for i in order]", "labels")
    assert verdicts("5-project", alone)["purity-p-hidden"].hint


def test_an_item_of_a_wrong_kind_is_not_told_as_if_it_were_the_whole_answer():
    joined = "def train_bpe(counts, n, right=train_bpe):\n    return [''.join(pair) for pair in right(counts, n)]\n"
    reason = verdicts("1-tokenization", joined)["train-bpe-hidden"].reason
    assert reason == "train_bpe returned an item of a wrong kind: it must be a list"
