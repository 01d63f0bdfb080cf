import os
import signal
import subprocess
import sys
import time

import nbformat
import pytest
from nbclient.exceptions import CellTimeoutError, DeadKernelError

kernel_copies = pytest.importorskip("kernel_copies")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process"),
]
RUN = """
import sys
sys.path.insert(0, "tools")
import nbformat
import kernel_copies
kernel_copies.IMPORTED = []
cells = [nbformat.v4.new_code_cell("import os, time; open('number', 'w').write(str(os.getpid())); time.sleep(600)")]
kernel_copies.Client(nbformat.v4.new_notebook(cells=cells), resources={"metadata": {"path": sys.argv[1]}}).execute()
"""


@pytest.fixture
def nothing_imported(monkeypatch):
    monkeypatch.setattr(kernel_copies, "IMPORTED", [])


def run(*cells, folder, timeout=60, **environment):
    """What each cell shows, and the number of the process that it ran in."""
    cells = [nbformat.v4.new_code_cell(cell) for cell in (*cells, "import os; os.getpid()")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = kernel_copies.Client(notebook, timeout=timeout, resources={"metadata": {"path": str(folder)}})
    client.execute(env=os.environ | environment)
    shown = [[output.get("data", output) for output in cell.outputs] for cell in notebook.cells]
    return shown[:-1], int(shown[-1][0]["text/plain"])


@pytest.mark.usefixtures("nothing_imported")
def test_a_copy_has_its_own_folder_variables_and_names_and_ends(tmp_path):
    code = "import os; print(os.getcwd(), os.environ['WHOSE'], 'mine' in globals(), os.read(0, 1))"
    alone = "os.getsid(0) == os.getpid()"  # Ctrl-C in the terminal reaches the build alone, which ends its kernels
    numbers = []
    for whose in ("a", "b"):
        shown, number = run(code, "mine = 1; print('x')", alone, folder=tmp_path, WHOSE=whose)
        assert shown[0][0]["text"] == f"{tmp_path} {whose} False b''\n"
        assert shown[1][0]["text"] == "x\n" and shown[2][0]["text/plain"] == "True"
        numbers.append(number)
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
    assert len(set(numbers)) == 2


@pytest.mark.long
def test_a_copy_has_not_imported_the_project_but_what_takes_long(tmp_path):
    shown, _ = run("import sys; [name in sys.modules for name in ('torch', 'tutorial_lib')]", folder=tmp_path)
    assert shown[0][0]["text/plain"] == "[True, False]"


def test_a_figure_is_shown(tmp_path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.setattr(kernel_copies, "IMPORTED", ["matplotlib.figure"])
    shown, _ = run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", folder=tmp_path)
    assert "image/png" in shown[0][0]


@pytest.mark.usefixtures("nothing_imported")
def test_a_kernel_that_dies_and_a_cell_that_hangs_are_told(tmp_path):
    with pytest.raises(DeadKernelError):
        run("import os; os._exit(3)", folder=tmp_path)
    with pytest.raises(CellTimeoutError):
        run("import time; time.sleep(600)", folder=tmp_path, timeout=2)


def test_no_kernel_outlives_the_build(tmp_path):
    build = subprocess.Popen([sys.executable, "-c", RUN, tmp_path], cwd=kernel_copies.__file__.rpartition("/tools/")[0])
    while not ((tmp_path / "number").is_file() and (tmp_path / "number").read_text()):
        assert build.poll() is None
        time.sleep(0.1)
    build.send_signal(signal.SIGKILL)
    build.wait()
    kernel = kernel_copies.Copy(int((tmp_path / "number").read_text()))
    end = time.monotonic() + 60
    while kernel.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.1)
