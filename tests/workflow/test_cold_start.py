"""Reading files and checking modes must not load the expression engine."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    [
        *("modes", "mode_check", "mode_switch", "mode_export", "mode_status"),
        *("formats.load", "store"),
    ],
)
def test_files_and_modes_do_without_it(module: str) -> None:
    script = (
        f"import sys; import toolweave.workflow.{module}; "
        "print([name for name in sys.modules if '.cel' in name])"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"


def test_expressions_do_load_it() -> None:
    script = (
        "import sys; import toolweave.cel.language; "
        "print(any('.cel' in name for name in sys.modules))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "True"
