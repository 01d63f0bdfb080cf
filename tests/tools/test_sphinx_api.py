"""The page of the library says what stands in the files."""

import ast

import pytest

nodes = pytest.importorskip("docutils.nodes")
sphinx_api = pytest.importorskip("sphinx_api")
ROOT = pytest.importorskip("build_book").ROOT


def defined(source: str) -> ast.AST:
    return ast.parse(source).body[0]


@pytest.mark.parametrize(
    "source, call",
    [
        ("def f(x, *names, y=(1, 2)): ...", "f(x, *names, y=(1, 2))"),
        ("def f(self, x): ...", "f(x)"),
        ("def f(self): ...", "f()"),
        ("@property\ndef f(self): ...", "f"),
        ("class A:\n    def __init__(self, n: int) -> None: ...", "A(n: int)"),
        ("@dataclass\nclass A:\n    n: int = 3\n    name: str = ''", "A(n: int=3, name: str='')"),
        ("class A(ValueError): ...", "A"),
    ],
)
def test_a_signature_is_the_call(source, call):
    assert sphinx_api.signature(defined(source)) == call


def test_a_docstring_becomes_paragraphs_lists_and_examples():
    docstring = "Does `it`.\n\nRaises:\n    ValueError: if *x*\n        is negative.\n\n>>> f(1)\n1\n\n>>> f(2)\n2"
    text, title, entries, example = sphinx_api.body(docstring)
    assert [node.astext() for node in text.findall(nodes.literal)] == ["it"]
    assert title.astext() == "Raises:"
    assert entries.astext() == "ValueError: if *x* is negative."
    assert example["language"] == "pycon" and example.astext() == ">>> f(1)\n1\n\n>>> f(2)\n2"


def test_a_list_in_a_docstring_stays_one():
    text, entries, after = sphinx_api.body("There are:\n- `one`, on\n  two lines\n- two - or so\n\nNo list - a dash.")
    assert text.astext() == "There are:" and after.astext() == "No list - a dash."
    assert [entry.astext() for entry in entries] == ["one, on two lines", "two - or so"]
    [alone] = sphinx_api.body("- one\n- two")
    assert len(alone) == 2 and isinstance(alone, nodes.bullet_list)


def test_a_room_has_its_modules_on_the_page_but_for_private_ones():
    names = [path.name for path in sphinx_api.modules(ROOT / "tutorial_lib", "tokenization")]
    assert names[0] == "__init__.py" and "wordpiece.py" in names
    assert sphinx_api.modules(ROOT / "tutorial_lib", "__main__") == []
