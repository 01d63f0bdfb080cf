"""Slides and search are views: they are opened in a browser, as those of the library."""

from tests.views.conftest import (  # noqa: F401
    assert_accessible,
    assert_faster,
    open_live,
    open_view,
    opening_time,
)
