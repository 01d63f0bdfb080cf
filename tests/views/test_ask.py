"""try_it: an answer on the page, a field if Python is running."""

import os

import nbformat
from nbclient import NotebookClient

from tutorial_lib.views import try_it
from tutorial_lib.views.ask import _printed


def test_page_shows_the_default_answer(capsys, monkeypatch):
    monkeypatch.setenv("TUTORIAL_LIB_STATIC", "1")  # another test may have left an IPython in this process
    try_it(lambda text: print(text.upper()), "bear")
    assert capsys.readouterr().out == "BEAR\n(In a running notebook, you can type your own text here.)\n"


def test_live_notebook_gets_a_field():
    """In a real kernel, which takes seconds: no other test would notice that the widgets do not fit IPython."""
    code = "from tutorial_lib.views import try_it\ntry_it(lambda text: print(text.upper()), 'bear')"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, timeout=120).execute(env=dict(os.environ))
    (output,) = notebook.cells[0].outputs
    assert "application/vnd.jupyter.widget-view+json" in output.data
    widgets = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"].values()
    states = {widget["model_name"]: widget["state"] for widget in widgets}
    assert states["TextModel"]["value"] == "bear"
    assert states["OutputModel"]["outputs"][0]["text"] == "BEAR\n"


def test_error_of_the_answer_is_a_message():
    assert _printed(lambda text: int(text), "x").startswith("ValueError: invalid literal")
