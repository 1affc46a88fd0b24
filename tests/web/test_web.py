"""The source of the pages: its types, its layers, its own tests, and what a first load costs."""

import gzip
import os
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
MODULES = WEB / "node_modules"
MAX_FIRST_LOAD = 350_000
MAX_LINE = 120
# Several programs load the same packages; a larger nursery spares half of the collections.
ENVIRON = {
    "NODE_COMPILE_CACHE": str(ROOT / ".cache" / "node"),
    "NODE_OPTIONS": "--max-semi-space-size=64",
}
SCRIPTS = {
    "format": ("prettier/bin/prettier.cjs", "--check", "."),
    "lint": ("eslint/bin/eslint.js", "."),
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
        env={**os.environ, **ENVIRON},
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


def test_no_line_of_the_source_is_long() -> None:
    files = [path for path in (WEB / "src").rglob("*") if path.suffix in {".ts", ".tsx", ".css"}]
    long = {
        f"{path.relative_to(WEB).as_posix()}:{number}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > MAX_LINE
    }
    assert files
    assert not long


def test_the_linter_refuses_a_long_line(build: dict[str, Any]) -> None:
    node, _ = build["programs"]()
    text = f"// {'long ' * 30}\nexport const x = 1;\n"
    linted = subprocess.run(
        [node, MODULES / "eslint/bin/eslint.js", "--stdin", "--stdin-filename", "src/long.ts"],
        cwd=WEB,
        env={**os.environ, **ENVIRON},
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert linted.returncode == 1
    assert "max-len" in linted.stdout


def test_the_lock_names_no_registry() -> None:
    lock = (WEB / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert '"integrity"' in lock
