"""The checks that students run themselves: cases, usual mistakes, hints.

Each `check_...(function)` prints the cases that pass and, for the first one that fails, how the answer is wrong. They
are here to help, not to give marks; `coursework/` in the repository marks, with other inputs.
"""

from tutorial_book.exercises import attention, geometry, tokenization  # noqa: F401  (their exercises)
from tutorial_book.exercises.bert_layer import weights_of
from tutorial_book.exercises.exercise import EXERCISES
from tutorial_book.exercises.own_code import ask
from tutorial_book.exercises.project import check_collection, check_report, measure

_CHECKS = {f"check_{name}": one.check for exercises in EXERCISES.values() for name, one in exercises.items()}
globals().update(_CHECKS)  # check_softmax and all others
__all__ = ["ask", "check_collection", "check_report", "measure", "weights_of", *_CHECKS]
