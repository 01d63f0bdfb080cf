"""The compiled kernels of the live models and of training."""

import os
import subprocess

import pytest

from tests.programs import program
from tutorial_lib.views import engine


@pytest.mark.parametrize("name, most", [("kernel", 12_500), ("train", 23_000)])
def test_kernel_is_what_its_source_compiles_to(name, most, tmp_path):
    """Byte for byte, if the compiler is the one that made it: another version writes other code."""
    program("clang with wasm-ld")
    version = subprocess.run(["clang", "--version"], capture_output=True, text=True).stdout
    if f"version {engine.CLANG}." not in version:
        pytest.skip(f"the kernel was made by clang {engine.CLANG}, here is {version.splitlines()[0]}")
    engine.compile_kernel(tmp_path / "again.wasm", name)
    assert (tmp_path / "again.wasm").read_bytes() == (engine.HERE / f"{name}.wasm").read_bytes()
    assert os.path.getsize(engine.HERE / f"{name}.wasm") < most
