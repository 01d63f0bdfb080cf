"""Show: what a page shows is the source that runs, with the docstring cut to its first line."""

import ast
import contextlib
import inspect
import re

import pytest

from tutorial_book.page import show
from tutorial_lib import weights
from tutorial_lib.weights import catalog


def shown(capsys, *args, **kwargs):
    show(*args, **kwargs)
    return capsys.readouterr().out


def test_a_function_is_shown_with_its_file_and_the_first_line_of_its_docstring(capsys):
    head, code = shown(capsys, weights.read_config).split("\n", 1)
    assert head == "# tutorial_lib/weights/find.py"
    assert code.startswith("def read_config(")
    assert re.search(r'^    """A model\'s config.json as a dictionary, .*.*"""$', code, re.M) and ">>>" not in code


def test_the_code_below_the_docstring_is_the_source_unchanged(capsys):
    code = shown(capsys, weights.resolve)
    original = ast.parse(inspect.getsource(weights.resolve)).body[0].body[1:]
    assert ast.dump(ast.Module(ast.parse(code).body[0].body[1:], [])) == ast.dump(ast.Module(original, []))


def test_the_docstring_is_shown_in_full_on_request(capsys):
    code = shown(capsys, weights.resolve, docstring=True)
    assert code.split("\n", 1)[1] == inspect.getsource(weights.resolve)


def test_a_method_or_property_is_shown_with_its_class_and_without_indent(capsys):
    code = shown(capsys, catalog.Model.files)
    assert code.startswith("# tutorial_lib/weights/catalog.py: Model.files\n@property\ndef files(self)")


@contextlib.contextmanager
def decorated():
    yield


def test_a_decorated_function_is_shown_with_its_own_file_not_the_decorators(capsys):
    assert "test_source.py\n@contextlib.contextmanager\ndef decorated():" in shown(capsys, decorated)


def test_in_a_class_every_docstring_is_cut(capsys):
    class Example:
        """One.

        Two.
        """

        def method(self):
            r"""
            Three.

            Four.
            """
            return 5

        def plain(self):
            """Six."""

    code = shown(capsys, Example)
    for line in ('    """One."""', '        r"""Three."""', "        return 5", '        """Six."""'):
        assert line in code.splitlines()
    assert "Two." not in code and "Four." not in code
    ast.parse(code)


def test_in_a_notebook_the_source_is_markdown_with_plain_text_beside_it(in_a_notebook):
    show(weights.read_config)
    markdown = in_a_notebook[0]["text/markdown"]
    assert markdown.startswith("`tutorial_lib/weights/find.py`\n\n````python\ndef read_config(")
    assert in_a_notebook[0]["text/markdown"].endswith("\n````")
    assert in_a_notebook[0]["text/plain"].startswith("# tutorial_lib/weights/find.py\ndef read_config(")


@pytest.mark.parametrize("obj", [3, "resolve", weights, None, catalog.KNOWN])
def test_something_without_a_definition_is_refused(obj):
    with pytest.raises(TypeError, match=f"obj must be a function, class or method, got {type(obj).__name__}"):
        show(obj)


@pytest.mark.parametrize("obj", [len, int, dict.get])
def test_something_not_written_in_python_is_refused(obj):
    with pytest.raises(TypeError, match="must be written in Python"):
        show(obj)
