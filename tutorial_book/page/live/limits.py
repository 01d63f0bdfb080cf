"""A question and a list: how the cosine of the right profile shrinks as the list grows. Weller et al. 2025."""

from __future__ import annotations

from tutorial_book.experiments.limits import pieces, words
from tutorial_book.page.live.asking import asking, brief
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.vectors import embed
from tutorial_lib.views.base import View

BOXES = ["Question", "Profile"]


def list_view(model, question, profile) -> View:
    """Show the cosine of a question with a list of 1, 2, 3, ... things, with and without the thing that it asks for.

    The thing is the first piece of the profile that has the question's last word; the others keep their order. Raises
    ValueError if no piece has it, or there is no other.

    >>> from tutorial_lib import load
    >>> model, _ = load("book-bert", "cpu")
    >>> list_view(model, "Who likes owls?", "Ada likes bees, owls and elks.").data["found"]["asked"]
    'owls'
    """
    head, asked, others = taken_apart(question, profile)
    counts = range(1, len(others) + 1)
    with_it = [f"{head} {', '.join([asked, *others[: n - 1]])}." for n in counts]
    without = [f"{head} {', '.join(others[:n])}." for n in counts]
    vectors = embed([question, *with_it, *without], model)
    cosines = brief(cosine_matrix(vectors[:1], vectors[1:])[0])
    found = {"asked": asked, "with": cosines[: len(others)], "without": cosines[len(others) :]}
    boxes = [list(box) for box in zip(BOXES, (question, profile), strict=True)]
    return asking("list", model, boxes, found, "A question and a list that grows")


def taken_apart(question, profile):
    """Return the beginning of a profile, "Ada likes"; the thing that the question asks for; the other things."""
    wanted, (first, *more) = (words(question) or [""])[-1], pieces(profile) or [""]
    *head, own = first.split()
    things = [own, *more] if head else more
    asked = next((thing for thing in things if wanted and wanted in words(thing)), None)
    if asked is None or len(things) < 2:
        raise ValueError(f"profile must list “{wanted}” and something else, got {profile!r:.80}")
    return " ".join(head) or own, asked, [thing for thing in things if thing != asked]
