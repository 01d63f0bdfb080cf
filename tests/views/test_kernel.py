"""The compiled kernel of the live models."""

import os
import subprocess

import pytest

from tests.programs import program
from tutorial_lib.views import live


def test_kernel_is_what_its_source_compiles_to(tmp_path):
    """Byte for byte, if the compiler is the one that made it: another version writes other code."""
    program("clang with wasm-ld")
    version = subprocess.run(["clang", "--version"], capture_output=True, text=True).stdout
    if f"version {live.CLANG}." not in version:
        pytest.skip(f"the kernel was made by clang {live.CLANG}, here is {version.splitlines()[0]}")
    live.compile_kernel(tmp_path / "kernel.wasm")
    assert (tmp_path / "kernel.wasm").read_bytes() == (live.HERE / "kernel.wasm").read_bytes()
    assert os.path.getsize(live.HERE / "kernel.wasm") < 12_500
