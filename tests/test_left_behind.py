"""A test that leaves something behind fails: variables, handlers, limits, threads, the folder, our files."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import left_behind

ROOT = Path(__file__).resolve().parents[1]
LEAVES = {
    "variable OMP_NUM_THREADS": "os.environ['OMP_NUM_THREADS'] = '17'",
    "handler of SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "limit RLIMIT_NOFILE": "resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))",
    "threads of torch": "torch.set_num_threads(torch.get_num_threads() + 1)",
    "gradients": "torch.set_grad_enabled(False)",
    "folder": "os.chdir('/')",
    "written: tests/left.txt": "open(LEFT, 'w').close(); os.unlink(LEFT)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of this kind")
@pytest.mark.parametrize("shared", [False, True], ids=["in a test", "in a fixture of a module"])
def test_leftovers_are_reported_where_they_happen(tmp_path, shared):
    lines = ["import os, resource, signal, pytest, torch", f"LEFT = {str(ROOT / 'tests' / 'left.txt')!r}"]
    for number, code in enumerate(LEAVES.values()):
        lines += ["@pytest.fixture(scope='module')" if shared else "", f"def leaves_{number}():", f"    {code}"]
        lines += [f"def test_{number}({f'leaves_{number}' if shared else ''}):"]
        lines += ["    pass" if shared else f"    leaves_{number}()"]
    file = tmp_path / "test_leaves.py"
    file.write_text("\n".join(lines))
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "--rootdir", tmp_path, file]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.returncode == 1
    assert all(name in run.stdout for name in LEAVES), run.stdout
    assert f"{len(LEAVES)} passed" in run.stdout


def test_existing_leftovers_are_not_changes():
    state = left_behind.state()
    assert left_behind.changes(state, state) == []
    assert left_behind.changes({"folder": "/a"}, {"folder": "/a", "threads of torch": 2}) == []
