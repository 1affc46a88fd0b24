"""A new development environment gets the fastest Python of the version that uv chooses."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "fastest-python"


def _chosen(folder: Path) -> str:
    environ = {**os.environ, "PATH": os.pathsep.join((str(folder), os.environ["PATH"]))}
    done = subprocess.run(
        [str(SCRIPT)], env=environ, capture_output=True, text=True, timeout=100, check=True
    )
    return done.stdout.strip()


# Each stands for a Python that takes so many microseconds.
@pytest.mark.parametrize(
    ("says", "is_chosen"), [("echo 1", True), ("echo 999999999", False), ("exit 1", False)]
)
def test_another_python_is_chosen_if_it_is_faster(
    says: str, is_chosen: bool, tmp_path: Path
) -> None:
    usual = _chosen(tmp_path)
    version = subprocess.run([usual, "-V"], capture_output=True, text=True, check=True).stdout
    name = "python" + ".".join(version.split()[1].split(".")[:2])
    other = tmp_path / name
    # uv asks it for more than the time, which it does not know: to uv it is no Python.
    other.write_text(f'#!/bin/sh\n[ "$1" = -I ] && [ "$2" = -c ] || exit 1\n{says}\n', "utf-8")
    other.chmod(0o755)
    assert (_chosen(tmp_path) == str(other)) is is_chosen
    assert Path(usual).is_file()
