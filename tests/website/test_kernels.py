"""Kernels are copies of one process: each has its own variables, reports its end, and ends with the build."""

import os
import signal
import subprocess
import sys
import time

import nbformat
import pytest
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from website.build import kernels
from website.project import ROOT

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the kernel's own
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process"),
]


@pytest.fixture
def nothing_imported(monkeypatch):
    monkeypatch.setattr(kernels, "IMPORTED", [])


def run(*cells, folder, timeout=60, **environment):
    """The output of each cell, and the number of the process that it ran in."""
    cells = [nbformat.v4.new_code_cell(cell) for cell in (*cells, "import os; os.getpid()")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = kernels.Client(notebook, timeout=timeout, resources={"metadata": {"path": str(folder)}})
    client.execute(env=os.environ | environment)
    shown = [[output.get("data", output) for output in cell.outputs] for cell in notebook.cells]
    return shown[:-1], int(shown[-1][0]["text/plain"])


def test_copy_has_its_own_folder_variables_and_names(tmp_path, nothing_imported):
    code = "import os; print(os.getcwd(), os.environ['WHOSE'], 'mine' in globals(), os.read(0, 1))"
    alone = "os.getsid(0) == os.getpid()"  # Ctrl-C in the terminal reaches only the build, which ends its kernels
    numbers = set()
    for whose in ("a", "b"):
        shown, number = run(code, "mine = 1", alone, folder=tmp_path, WHOSE=whose)
        assert shown[0][0]["text"] == f"{tmp_path} {whose} False b''\n" and shown[2][0]["text/plain"] == "True"
        numbers.add(number)
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
    assert len(numbers) == 2


@pytest.mark.long
def test_copy_has_imported_what_takes_long_alone(tmp_path):
    shown, _ = run("import sys; [name in sys.modules for name in ('torch', 'tutorial_lib')]", folder=tmp_path)
    assert shown[0][0]["text/plain"] == "[True, False]"


def test_figure_is_shown(tmp_path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.setattr(kernels, "IMPORTED", ["matplotlib.figure"])
    shown, _ = run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", folder=tmp_path)
    assert "image/png" in shown[0][0]


def test_dead_or_hanging_kernel_is_reported(tmp_path, nothing_imported):
    with pytest.raises(DeadKernelError):
        run("import os; os._exit(3)", folder=tmp_path)
    with pytest.raises(CellTimeoutError):
        run("import signal; signal.pause()", folder=tmp_path, timeout=2)


def test_no_kernel_outlives_the_build(tmp_path):
    sleeps = "import os, time; open('number', 'w').write(str(os.getpid())); time.sleep(600)"
    start = "from website.build import kernels; kernels.IMPORTED = []; from tests.website.test_kernels import run"
    start += f"; run({sleeps!r}, folder={str(tmp_path)!r})"
    build = subprocess.Popen([sys.executable, "-c", start], env=os.environ | {"PYTHONPATH": str(ROOT)})
    number = tmp_path / "number"
    while not (number.is_file() and number.read_text()):
        assert build.poll() is None
        time.sleep(0.1)
    build.send_signal(signal.SIGKILL)
    build.wait()
    while kernels.Copy(int(number.read_text())).poll() is None:  # otherwise this test never ends
        time.sleep(0.1)
