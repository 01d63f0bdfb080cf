"""Slides and search are views: they are opened in a browser, like the library's views."""

from tests.views.conftest import (  # noqa: F401
    assert_accessible,
    complaints,
    live_tabs,
    no_complaints,
    open_view,
    tabs,
)
