"""For the timed tests: the models that all tests share."""

from tests.conftest import bert, book_gpt, default_folder, one_thread, tok  # noqa: F401
