"""Ask again with your own text if Python is running; on a page, show the answer to the default text."""

import contextlib
import importlib.util
import io
from collections.abc import Callable

from tutorial_lib.arguments import check_has, check_text
from tutorial_lib.views import notebook


def try_it(answer: Callable[[str], object], text: str, label: str = "Your text") -> None:
    """Show answer(text), and in a live notebook a field to ask for the answer to another text.

    answer: a function from a text to a printed answer. A page built by `make book` shows the answer to `text` and says
    what running it adds; so does a notebook without ipywidgets. An error of `answer` is shown as its message.

    >>> try_it(lambda text: print(text.upper()), "bear")
    BEAR
    (In a running notebook, you can type your own text here.)
    """
    check_has("answer", answer, "a function from a text to a printed answer", "__call__")
    check_text("text", text)
    if not _live():
        answer(text)
        print("(In a running notebook, you can type your own text here.)")
        return
    import ipywidgets
    from IPython.display import display

    field = ipywidgets.Text(text, description=label, layout={"width": "95%"}, style={"description_width": "initial"})
    output = ipywidgets.Output()

    def run(_=None):
        output.outputs = ({"output_type": "stream", "name": "stdout", "text": _printed(answer, field.value)},)

    field.continuous_update = False  # ask when Enter is pressed or the field loses focus, not at each key
    field.observe(run, names="value")
    run()
    display(ipywidgets.VBox([field, output]))


def _printed(answer, text):
    """Return the output of answer(text), or the message of its error: a wrong text should not give a traceback."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            answer(text)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return printed.getvalue()


def _live():
    """Return whether a person is using a notebook: a kernel, with widgets, that is not building the book's pages."""
    kernel = getattr(notebook.shell(), "kernel", None)  # IPython in a terminal has none
    return kernel is not None and importlib.util.find_spec("ipywidgets") and not notebook.is_static()
