"""Random mutants of the library, and which of them the tests kill. A mutant that survives shows which test is missing.

    python -m tests.mutants 20                           twenty mutants of the library, others in each week
    python -m tests.mutants 20 coursework/grading.py     mutants of these files

A mutant is a copy of the project with one small change, drawn from those that cosmic-ray makes: another operator,
number, comparison or keyword. It is tested by the doctests of its file, the tests with the name of the file or of its
folder, and those that import it. `make mutants` installs cosmic-ray and runs this; the weekly workflow prints the
survivors.
"""

from __future__ import annotations

import ast
import datetime
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from website.project import ROOT, say

SECONDS = 900  # a mutant that loops forever counts as killed


def tests_of(root: Path, file: Path) -> list[Path]:
    """The tests with the file's name, those of its package, those that import it, and the file itself for its doctests.

    The file comes last: if pytest imports it before a test does, it makes a second module that no monkeypatch reaches.

    >>> [path.name for path in tests_of(ROOT, Path("tutorial_lib/geometry/pairs.py"))][:2]
    ['test_pairs.py', 'geometry']
    >>> {"test_models.py", "gpt.py"} <= {path.name for path in tests_of(ROOT, Path("tutorial_lib/gpt.py"))}
    True
    """
    imports = re.compile(rf"^(?:from|import) .*\b{file.stem}\b", re.M)
    files = [path for path in sorted(root.glob("tests/**/test_*.py")) if path.parent.name not in ("book", "chapters")]
    tests = [path for path in files if path.stem == f"test_{file.stem}"]
    if file.parts[0].startswith("tutorial_") and len(file.parts) > 2:
        tests.append(root / "tests" / file.parts[1])
    tests += [path for path in files if imports.search(path.read_text(encoding="utf-8"))]
    return [path for path in dict.fromkeys([*tests, root / file]) if path.exists()]


def meaning(code: str) -> str:
    """Return the code without annotations: a change of one is not a mutant, because they are not run."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def mutants(root: Path, files: list[Path], rng: random.Random) -> Iterator[tuple[Path, str]]:
    """Files with their code after one change, in random order: first the place is drawn, then the change."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    operators = [get_operator(name) for name in sorted(operator_names())]
    places = {}
    for file in files:
        nodes = list(ast_nodes(get_ast((root / file).read_text(encoding="utf-8"))))
        for operator in (kind() for kind in operators if not kind.arguments()):
            positions = [position for node in nodes for position in operator.mutation_positions(node)]
            for occurrence, position in enumerate(positions):
                places.setdefault((file, position), []).append((operator, occurrence))
    for file, position in rng.sample(list(places), len(places)):
        code = (root / file).read_text(encoding="utf-8")
        mutant = mutate_code(code, *rng.choice(places[file, position]))
        try:
            changed = mutant is not None and meaning(mutant) != meaning(code)
        except SyntaxError:
            continue
        if changed:
            yield file, mutant


def green(root: Path, tests: list[Path]) -> bool:
    """Return whether the tests pass, or there are none."""
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *tests]
    try:
        run = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return run.returncode in (0, 5)


def survives(root: Path, file: Path, mutant: str) -> bool:
    """Return whether the tests of a file pass with the mutant's code. RuntimeError if they fail without it."""
    tests, code = tests_of(root, file), (root / file).read_text(encoding="utf-8")
    try:
        (root / file).write_text(mutant, encoding="utf-8")
        passed = green(root, tests)
    finally:
        (root / file).write_text(code, encoding="utf-8")
    if not passed and not green(root, tests):
        raise RuntimeError(f"the tests of {file} fail without a mutant, too. Commit a version that passes")
    return passed


def main(arguments: list[str]) -> int:
    if not arguments or not arguments[0].isdigit():
        say(f"N must be a number of mutants, got {arguments[:1]}.\n\n{__doc__}", file=sys.stderr)
        return 2
    number, files = int(arguments[0]), [Path(name) for name in arguments[1:]]
    files = files or [path.relative_to(ROOT) for path in sorted((ROOT / "tutorial_lib").rglob("*.py"))]
    rng = random.Random(str(datetime.date.today().isocalendar()[:2]))
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "clone", "--quiet", ROOT, copy], check=True)
        for (file, mutant), _ in zip(mutants(copy, files, rng), range(number)):
            if survives(copy, file, mutant):
                survivors += 1
                pairs = zip((copy / file).read_text(encoding="utf-8").splitlines(), mutant.splitlines())
                line, (before, after) = next(each for each in enumerate(pairs, 1) if each[1][0] != each[1][1])
                say(f"survives: {file}:{line}\n  - {before.strip()}\n  + {after.strip()}")
    say(f"{number - survivors} of {number} mutants were killed.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
