"""The bench of the catalog's doors runs in its short form; speed itself is not judged here."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PEER = ROOT / ".cache" / "npm-bench" / "node_modules" / "n8n-mcp"
AGAINST_PEER = [
    "stdio, start to first tools/list",
    *(f"stdio, get_node_details, p{percent}" for percent in (50, 95, 50, 95)),
    *(f"stdio, search_nodes, p{percent}" for percent in (50, 95)),
]
LINES = [
    "REST get_node_types",
    "handler, get_node_types, p95",
    "handler, get_node_details, one node, p95",
    "handler, get_node_details, ten nodes, p95",
    "handler, health, p95",
    "search, 80 entries, p50",
    "search, 100 entries, p50",
]


@pytest.mark.xdist_group("node")
@pytest.mark.skipif(sys.platform == "win32", reason="its programs are found as on Unix")
def test_the_bench_prints_a_figure_a_floor_and_a_ratio_for_each_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.catalog_doors", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["what", "figure", "floor", "the", "floor", "is", "ratio", "target"]
    expected = [*(AGAINST_PEER if PEER.exists() else []), *LINES]
    assert [row.partition("  ")[0].partition(" (")[0] for row in rows] == expected
    for row in rows:
        cells = [cell.strip() for cell in row.split("  ") if cell.strip()]
        figure, floor = (float(cell.split()[0].replace(",", "")) for cell in cells[1:3])
        assert figure > 0
        assert float(cells[4]) == pytest.approx(figure / floor, rel=0.05, abs=0.02)
