"""The bench runs in its short form and prints every line; speed itself is not judged here."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINES = (
    "gate.call, demo server, p50",
    "gate.call, demo server, p95",
    "gate.call, small server, p50",
    "gate.call, small server, p95",
    "check_arguments, 20 parameters",
    "servers check, 3 servers",
    "toolweave --help",
    "memory of a warm connection",
    "gate.call beside a flood, p99",
)


@pytest.mark.skipif(sys.platform == "win32", reason="its servers need Unix signals")
def test_the_bench_prints_a_figure_a_floor_and_a_ratio_for_each_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.ground", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    head, *rows, slow = done.stdout.splitlines()
    assert head.split() == ["what", "figure", "floor", "the", "floor", "is", "ratio", "target"]
    assert [row.partition("  ")[0] for row in rows] == list(LINES)
    for row in rows:
        cells = [cell.strip() for cell in row.split("  ") if cell.strip()]
        figure, floor = (float(cell.split()[0].replace(",", "")) for cell in cells[1:3])
        assert figure > 0
        assert float(cells[4]) == pytest.approx(figure / floor, rel=0.05, abs=0.02)
    # This one does not depend on speed: the cold path stays cold.
    assert slow == "slow modules imported by `toolweave --help`: none"
