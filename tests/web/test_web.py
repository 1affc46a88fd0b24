"""The source of the pages: its types, its layers, its own tests, and what a first load costs."""

import gzip
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("browser")

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
MODULES = WEB / "node_modules"
MAX_FIRST_LOAD = 350_000
SCRIPTS = {
    "types": ("typescript/bin/tsc", "--noEmit"),
    "layers": (
        "dependency-cruiser/bin/dependency-cruiser.mjs",
        *("src", "--config", ".dependency-cruiser.json"),
    ),
    "model": ("vitest/vitest.mjs", "run"),
}


@pytest.fixture(scope="module")
def build() -> dict[str, Any]:
    """The build script, with the packages of the lock installed."""
    script = runpy.run_path(str(ROOT / "scripts" / "build_web.py"))
    if not MODULES.is_dir() and script["is_skipped"]():
        pytest.skip("the packages of web/ are not installed, and TOOLWEAVE_WEB=skip says not to")
    try:
        script["install"](*script["programs"]())
    except script["Unbuildable"] as error:
        pytest.skip(f"the packages of web/ cannot be installed: {error}")
    return script


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_source_of_the_pages_is_sound(name: str, build: dict[str, Any]) -> None:
    node, _ = build["programs"]()
    program, *arguments = SCRIPTS[name]
    done = subprocess.run(
        [node, MODULES / program, *arguments],
        cwd=WEB,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_first_load_is_small(build: dict[str, Any]) -> None:
    if build["is_due"]() and build["is_skipped"]():
        pytest.skip("the studio is not built, and TOOLWEAVE_WEB=skip says not to")
    build["build"]()
    static: Path = build["STATIC"]
    page = (static / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'(?:src|href)="/(assets/[^"]+)"', page)
    sizes = {name: len(gzip.compress((static / name).read_bytes())) for name in loaded}
    assert any(name.endswith(".js") for name in sizes)
    assert sum(sizes.values()) <= MAX_FIRST_LOAD, sizes


def test_the_lock_names_no_registry() -> None:
    lock = (WEB / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert '"integrity"' in lock
