"""Kernels that are copies of one process, which has already imported what nearly every chapter imports.

These imports take longer than most chapters' own work. The process has computed nothing and read no file of the
project, so a copy of it is as good as a new process.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from functools import cache

from jupyter_client.provisioning import LocalProvisioner
from nbclient import NotebookClient

IMPORTED = [
    *("matplotlib.figure", "scipy.stats", "sklearn.linear_model", "sklearn.manifold"),
    *("torch", "transformers.models.bert.modeling_bert"),
]
# Variables that libraries read once, when they are imported.
AT_IMPORT = ["MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED", "MPLBACKEND"]
# It reads a line for each copy (arguments, environment, folder) and writes the copy's process number. Nothing waits for
# a copy; a copy ends when this process does, and this one when its own parent closes the pipe.
SERVER = """
import atexit, json, os, signal, sys, traceback
from importlib import import_module
from ipykernel.kernelapp import IPKernelApp

for name in sys.argv[1:]:
    import_module(name)
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
server = os.getpid()
for line in sys.stdin:
    arguments, environment, folder = json.loads(line)
    number = os.fork()
    if number == 0:
        break
    print(number, flush=True)
else:
    os._exit(0)
for name in signal.SIGINT, signal.SIGCHLD:
    signal.signal(name, signal.SIG_DFL if name == signal.SIGCHLD else signal.default_int_handler)
os.setsid()
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
os.environ.clear()
os.environ.update(environment)
os.chdir(folder)
try:
    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={server}"])
except Exception:
    traceback.print_exc()
finally:
    atexit._run_exitfuncs()
    os._exit(0)  # to tear down what was imported takes two seconds
"""


class Client(NotebookClient):
    """Runs a notebook in its own kernel: a copy, if the system can copy a process."""

    def create_kernel_manager(self):
        manager = super().create_kernel_manager()
        if hasattr(os, "fork"):
            spec = manager.kernel_spec
            manager.provisioner = Copies(kernel_id=manager.kernel_id, kernel_spec=spec, parent=manager)
        return manager


class Copies(LocalProvisioner):
    """Starts a kernel as a copy; its parent class would start a program."""

    async def launch_kernel(self, cmd, **kwargs):
        server = _server(tuple(IMPORTED), *map(kwargs["env"].get, AT_IMPORT))
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        server.stdin.write(json.dumps([arguments, kwargs["env"], kwargs.get("cwd", ".")]) + "\n")
        server.stdin.flush()
        number = server.stdout.readline()
        if not number:
            raise RuntimeError("no kernel: the process that kernels are copied from has ended. See its message above")
        self.process = Copy(int(number))
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class Copy:
    """The part of subprocess.Popen that LocalProvisioner uses. It only knows that a copy has ended, not how."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int):
        self.pid = pid

    def poll(self) -> int | None:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    wait = poll  # only called for a copy that has ended

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


@cache
def _server(imported: tuple[str, ...], *values: str | None) -> subprocess.Popen:
    environment = os.environ | {name: value for name, value in zip(AT_IMPORT, values, strict=True) if value is not None}
    environment.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")  # as kernels do
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, *imported], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment, start_new_session=True,
    )  # fmt: skip
    atexit.register(server.communicate)  # closes the pipe and waits
    return server
