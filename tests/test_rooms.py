"""The house: no room imports from a higher floor, no two import each other, and each file is good to read."""

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tutorial_lib
from tutorial_lib import geometry, plots, views

PACKAGE = Path(tutorial_lib.__file__).parent
ROOMS = {
    name: int(number)
    for number, names in re.findall(r"^ ?(\d+)  (.+?)  ", tutorial_lib.__doc__, flags=re.MULTILINE)
    for name in names.split(", ")
}
LARGE = ("claims", "exercises", "plots", "views")  # rooms that grow with the book
MOST_LINES = 13_265  # of all others together (encoders alone: 5,700; recipes of models and their cards: 500;
# directions: 270; BERT's family: 240; dynamics along training and tuning: 470; what heads do, interventions and the
# labels by hand: 540; gates, subspaces and entropy: 330; genomes, a simulated virus, its classifier, near copies:
# 900; what a long text costs, and distillation: 230; clouds past memory: 400; a corpus on many machines: 650; packed
# matrices, texts without padding, batches side by side: 115): each file is itself reading matter
TESTS = Path(__file__).parent
CHAPTERS = {page.stem.replace("-", "_") for page in (TESTS.parent / "book").glob("*.md")}
SHARED_PLOTS = {"base", "phone"}
FILES = sorted(file for file in PACKAGE.rglob("*.py") if file != PACKAGE / "__init__.py")


def room(file):
    """The name of the room that a file stands in: a module, or a folder with its modules."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def is_module(name):
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def imports(file):
    """The full names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [name for name in names if is_module(name)]
            yield from modules if len(modules) == len(names) else [node.module, *modules]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_a_room_imports_only_from_its_own_floor_and_below(file):
    assert room(file) in ROOMS, f"say in tutorial_lib/__init__.py in which line {room(file)} stands"
    for name in imports(file):
        if not name.startswith("tutorial_lib."):
            continue
        other = name.split(".")[1]
        assert ROOMS[other] <= ROOMS[room(file)], f"{room(file)} must not import {other}"


def module(file):
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def test_no_two_modules_import_each_other():
    modules = {module(file): file for file in FILES}
    graph = {name: {other for other in imports(file) if other in modules} - {name} for name, file in modules.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError with the circle


def test_the_rooms_that_are_read_stay_small():
    lines = {file: file.read_text(encoding="utf-8").count("\n") for file in FILES if room(file) not in LARGE}
    assert sum(lines.values()) <= MOST_LINES


def is_check(node):
    """A check is a statement that raises (with the `if` or the loop around it), a call of `_check...`, or a function
    of such a name, or of the name `_as_...`, which is nothing else."""
    name = getattr(getattr(getattr(node, "value", None), "func", None), "id", "")
    if isinstance(node, ast.FunctionDef):
        return node.name.startswith(("_check", "_as_"))
    around = isinstance(node, (ast.If, ast.For, ast.Try))
    return (around and any(isinstance(part, ast.Raise) for part in ast.walk(node))) or name.startswith("_check")


@pytest.mark.parametrize("name", ["attention", "bert"])
def test_what_show_prints_is_mathematics_and_at_most_a_quarter_checks(name):
    source = (PACKAGE / f"{name}.py").read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.splitlines()
    code = {number for number, line in enumerate(lines, 1) if line.strip() and not line.strip().startswith("#")}
    checks = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            code -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        if is_check(node):
            checks |= set(range(node.lineno, node.end_lineno + 1))
    assert len(checks & code) <= len(code) / 4


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_docstrings_are_prose_without_headed_lists(file):
    """Arguments stand as "name: what it is", errors as "Raises ValueError where ...", in sentences."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            headed = re.findall(r"(?m)^ *(?:Args|Parameters|Returns|Raises):", ast.get_docstring(node) or "")
            assert not headed, f"{getattr(node, 'name', 'the module')} has {headed}"


def test_only_what_compares_with_transformers_or_writes_for_it_imports_it():
    for file in FILES:
        libraries = {name.split(".")[0] for name in imports(file)}
        assert "transformers" not in libraries or room(file) in ("parity", "saving", "__main__")


@pytest.mark.parametrize("module", ["", ".weights", ".texts", ".show"])
def test_importing_it_loads_nothing_heavy(module):
    heavy = ("torch", "numpy", "transformers", "matplotlib", "huggingface_hub", "IPython")
    code = f"import sys, tutorial_lib{module}; print(sorted(set({heavy}) & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


def test_a_model_is_there_without_the_compiler_of_torch():
    code = """if True:
        import sys
        from tutorial_lib import bert, gpt
        bert.Bert.from_pretrained("book-bert"), gpt.GPT.from_pretrained("book-gpt")
        print("torch._dynamo" in sys.modules)"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.split() == ["False"]


def names(folder, prefix=""):
    """What the modules of a folder are named after."""
    return {file.stem.removeprefix(prefix) for file in folder.glob(f"{prefix}*.py")} - {"__init__", "conftest"}


def test_a_figure_is_named_after_the_chapter_that_it_stands_in():
    assert names(PACKAGE / "plots") - SHARED_PLOTS <= CHAPTERS


def test_tests_are_named_after_what_they_test():
    assert names(TESTS / "chapters", "test_") <= CHAPTERS
    assert names(TESTS / "plots", "test_") == names(PACKAGE / "plots")


def test_a_chapter_loads_only_the_figures_views_and_texts_that_it_names():
    code = """if True:
        import sys
        from tutorial_lib import plots, views
        from tutorial_lib.texts import load_texts
        plots.uses, plots.heatmap, views.slide, load_texts("words")
        print(*(name for name in sys.modules if name.startswith("tutorial_lib.")))"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert set(run.stdout.split()) == {
        f"tutorial_lib.{name}"
        for name in ("plots", "plots.base", "plots.phone", "plots.uses", "views", "views.base", "views.slides",
                     "texts", "texts.fetch", "texts.written")
    }  # fmt: skip


@pytest.mark.parametrize(
    "name, modules",
    [
        ("cosine_matrix", "arrays similarity streaming"),
        ("crossings", "arrays links"),
        ("intrinsic_dimension", "arrays neighbors two_nn"),
        ("swap_test", "arrays contrasts gender_bias similarity statistics streaming"),
    ],
)
def test_a_chapter_loads_only_the_geometry_that_it_measures_with(name, modules):
    code = f"import sys; from tutorial_lib.geometry import {name}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = {module for module in run.stdout.split() if module.startswith("tutorial_lib.geometry.")}
    assert loaded == {f"tutorial_lib.geometry.{module}" for module in modules.split()}


@pytest.mark.parametrize("package", [geometry, plots, views])
def test_what_loads_late_is_listed_and_nothing_else_is_there(package):
    assert set(package.__all__) <= set(dir(package)) and all(hasattr(package, name) for name in package.__all__)
    assert "meaning" in dir(plots) and plots.meaning.difference_arrows
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'opinion'"):
        package.opinion
