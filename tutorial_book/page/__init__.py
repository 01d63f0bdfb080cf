"""Parts that a chapter's cells show: source code, the answer to a guess, tables, slides, search, figures' layouts.

A module loads when one of its names is first used, so a chapter depends only on those that it uses.
"""

from tutorial_lib import late

__getattr__, __dir__, __all__ = late(__name__, {
    "answers": "answer",
    "search": "search_view",
    "slider": "slide",
    "source": "show",
    "tables": "table",
})
