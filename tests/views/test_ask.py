"""try_it: an answer on the page, a field where Python runs."""

import pytest

from tutorial_lib.views import try_it
from tutorial_lib.views.ask import _printed


def shout(text):
    print(text.upper())


def test_a_page_shows_the_default_answer_and_what_running_adds(capsys, monkeypatch):
    monkeypatch.setenv("TUTORIAL_LIB_STATIC", "1")  # another test may have left an IPython in this process
    try_it(shout, "bear")
    assert capsys.readouterr().out == "BEAR\n(In a running notebook, a field here takes your own text.)\n"


def run_in_a_kernel(code, **environment):
    """The outputs of one cell, run in a real kernel."""
    import os

    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, timeout=120).execute(env={**os.environ, **environment})
    return notebook


CODE = "from tutorial_lib.views import try_it\ntry_it(lambda text: print(text.upper()), 'bear')"


def test_a_live_notebook_gets_a_field_with_the_default_answer_below():
    notebook = run_in_a_kernel(CODE)
    (output,) = notebook.cells[0].outputs
    assert "application/vnd.jupyter.widget-view+json" in output.data
    widgets = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"].values()
    states = {widget["model_name"]: widget["state"] for widget in widgets}
    assert states["TextModel"]["value"] == "bear"
    assert states["OutputModel"]["outputs"][0]["text"] == "BEAR\n"


def test_the_book_s_build_shows_text_only():
    notebook = run_in_a_kernel(CODE, TUTORIAL_LIB_STATIC="1")
    (output,) = notebook.cells[0].outputs
    assert output.text.startswith("BEAR\n")


def test_an_error_of_the_answer_is_a_message():
    assert _printed(lambda text: int(text), "x").startswith("ValueError: invalid literal")


@pytest.mark.parametrize("answer, text, named", [("no function", "x", "answer"), (shout, 3, "text")])
def test_bad_input_is_refused_by_name(answer, text, named):
    with pytest.raises(TypeError, match=f"{named} must be"):
        try_it(answer, text)
