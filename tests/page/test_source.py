"""Show: what a page shows is the source that runs, with the docstring cut to its first line, and what changed."""

import ast
import contextlib
import inspect
import re

import pytest

from tutorial_book.page import show
from tutorial_book.page.changed import show_change
from tutorial_lib import bert, gpt, llama, weights
from tutorial_lib.weights import catalog


@pytest.fixture
def shown(capsys):
    def shown(*args, fn=show, **kwargs):
        fn(*args, **kwargs)
        return capsys.readouterr().out

    return shown


def test_source_is_unchanged_below_its_docstring(shown):
    code = shown(weights.resolve)
    head, first, doc, *_ = code.splitlines()
    assert head == "# tutorial_lib/weights/find.py" and first.startswith("def resolve(")
    assert re.fullmatch(r'    """.+\."""', doc) and ">>>" not in code
    original = ast.parse(inspect.getsource(weights.resolve)).body[0].body[1:]
    assert ast.dump(ast.Module(ast.parse(code).body[0].body[1:], [])) == ast.dump(ast.Module(original, []))
    whole = shown(weights.resolve, docstring=True)
    assert whole.split("\n", 1)[1] == inspect.getsource(weights.resolve)


@contextlib.contextmanager
def decorated():
    yield


def test_methods_and_decorated_functions_have_their_place(shown):
    code = shown(catalog.Model.files)
    assert code.startswith("# tutorial_lib/weights/catalog.py: Model.files\n@property\ndef files(self)")
    assert "test_source.py\n@contextlib.contextmanager\ndef decorated():" in shown(decorated)


def test_every_docstring_of_a_class_is_cut(shown):
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

    code = shown(Example)
    for line in ('    """One."""', '        r"""Three."""', "        return 5", '        """Six."""'):
        assert line in code.splitlines()
    assert "Two." not in code and "Four." not in code
    ast.parse(code)


def test_notebook_gets_markdown_and_plain_text(in_a_notebook):
    show(weights.read_config)
    markdown = in_a_notebook[0]["text/markdown"]
    assert markdown.startswith("`tutorial_lib/weights/find.py`\n\n````python\ndef read_config(")
    assert markdown.endswith("\n````")
    assert in_a_notebook[0]["text/plain"].startswith("# tutorial_lib/weights/find.py\ndef read_config(")


def test_changed_lines_are_the_sources_own(shown):
    head, *lines = shown(bert.layer_norm, llama.rms_norm, fn=show_change).splitlines()
    assert head == "# tutorial_lib/bert.py, then tutorial_lib/llama.py"
    old, new = (inspect.getsource(one).splitlines() for one in (bert.layer_norm, llama.rms_norm))
    for line in lines:
        assert line[0] in "-+ " and (line == " ..." or line[1:] in {"-": old, "+": new, " ": old}[line[0]])
    assert {line[0] for line in lines} == set("-+ ") and any(line[0] == "-" and "beta" in line for line in lines)
    assert not any('"""' in line for line in lines)
    head, first, *_ = shown(bert.FeedForward.forward, llama.GatedFeedForward.forward, fn=show_change).splitlines()
    assert head.endswith("bert.py: FeedForward.forward, then tutorial_lib/llama.py: GatedFeedForward.forward")
    assert first == " def forward(self, X, keep=nothing):"  # at the left


def test_omitted_lines_leave_a_mark(shown):
    near = shown(gpt.Embeddings.forward, llama.Embeddings.forward, fn=show_change)
    far = shown(gpt.Config, llama.Config, fn=show_change)
    assert (" ..." in near.splitlines(), " ..." in far.splitlines()) == (False, True)
    same = shown(llama.rms_norm, llama.rms_norm, fn=show_change)
    assert same.endswith(", then tutorial_lib/llama.py\n\n")  # nothing changed


@pytest.mark.parametrize("obj", [3, "resolve", weights, None, catalog.KNOWN, len, int, dict.get])
def test_objects_without_python_source_are_rejected(obj):
    kind = "written in Python" if callable(obj) else f"a function, class or method, got {type(obj).__name__}"
    with pytest.raises(TypeError, match=f"obj must be {kind}"):
        show(obj)
    with pytest.raises(TypeError, match="obj must be"):
        show_change(obj, len)
