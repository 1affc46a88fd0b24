"""The bench of the canvas runs in its short form; speed itself is not judged here."""

import subprocess
import sys
from pathlib import Path

import pytest

from e2e.studio import find_chromium, require_pages

ROOT = Path(__file__).parents[1]
LINES = [
    "first load, scripts, gzipped",
    "first edges, 160 nodes",
    "heap, 160 nodes",
    *(
        f"drag, {where}, {what}"
        for where in ("all in view", "zoomed")
        for what in ("frame", "CPU a step")
    ),
    *(
        f"live run, {what}"
        for what in (
            "states drawn a second",
            "lost key presses + 1",
            "key to paint",
            "longest task",
            "frame",
        )
    ),
    *(
        f"tidy, {name}, {what}"
        for name in ("wide", "chain")
        for what in ("longest task", "until drawn")
    ),
]


# A browser, a service and the bench beside another test: minutes on a very busy machine.
@pytest.mark.timeout(400)
@pytest.mark.skipif(find_chromium() is None, reason="chromium is not installed")
def test_the_bench_of_the_canvas_prints_every_line() -> None:
    require_pages()
    done = subprocess.run(
        [sys.executable, "-m", "bench.studio", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=380,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["what", "figure", "floor", "the", "floor", "is", "ratio", "target"]
    assert [row.partition("  ")[0] for row in rows] == LINES
    # These do not depend on speed.
    assert rows[0].endswith("holds")
    assert next(row for row in rows if "lost key presses" in row).endswith("holds")
