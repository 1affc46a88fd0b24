"""Checks of the machine: programs, PATH, port, browser, disk, the files of other clients."""

import http.client
import platform
import shutil
import socket
import sys
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import toolweave
from toolweave.doctor.finding import DoctorFinding
from toolweave.problems import quantity
from toolweave.servers import runners
from toolweave.servers.discovery.search import discover_all
from toolweave.servers.import_servers import client_locations
from toolweave.servers.runners.runner import Runner

LEAST_FREE_BYTES = 1 << 30
_FULL_BYTES = 64 << 20
_HEALTH_DEADLINE_S = 2.0
_INSTALL = "`uv tool install .` in the clone puts the command on your PATH"


def examine_machine(environ: Mapping[str, str]) -> list[DoctorFinding]:
    """Check programs, runners and the files of other clients; blocking, so run it in a thread."""
    return [
        DoctorFinding("ok", "toolweave", toolweave.__version__),
        _python(),
        _path(environ),
        _browser(),
        *(_program(*program) for program in _PROGRAMS),
        *(_runner(name, runner) for name, runner in runners.discover().items()),
        _other_clients(environ),
    ]


def examine_disk(home: Path) -> DoctorFinding:
    """Check the free space of the home's disk; the home need not exist yet. Blocking."""
    there = next(folder for folder in (home, *home.parents) if folder.is_dir())
    return disk_finding(home, shutil.disk_usage(there).free)


def examine_port(port: int) -> DoctorFinding:
    """Check that `toolweave serve` can listen, or does already. Blocking."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            reason = error.strerror
        else:
            return DoctorFinding("ok", "port", f"{port} is free")
    if _answers_as_studio(port):
        return DoctorFinding("ok", "port", f"a studio answers on {port}")
    details = f"{port} cannot be used: {reason}"
    return DoctorFinding("note", "port", details, "use `toolweave serve --port N`")


def disk_finding(home: Path, free_bytes: int) -> DoctorFinding:
    """Judge the free space of the home's disk."""
    details = f"{free_bytes >> 20:,} MiB free for {home}"
    if free_bytes >= LEAST_FREE_BYTES:
        return DoctorFinding("ok", "disk", details)
    remedy = "free some space, or move the home with TOOLWEAVE_HOME"
    return DoctorFinding("fault" if free_bytes < _FULL_BYTES else "note", "disk", details, remedy)


_PROGRAMS = (
    ("git", "required for workflow libraries", "install git with your system's package manager"),
    (
        "npx",
        "many MCP servers are started with it; comes with Node.js",
        "install Node.js, if you use such servers",
    ),
    (
        "uvx",
        "many MCP servers are started with it; comes with uv",
        "install uv, if you use such servers",
    ),
)


def _python() -> DoctorFinding:
    version = f"{platform.python_version()} on {platform.system()}"
    is_ok = sys.version_info >= (3, 11)
    remedy = None if is_ok else "install Python 3.11 or newer"
    return DoctorFinding("ok" if is_ok else "fault", "python", version, remedy)


def _path(environ: Mapping[str, str]) -> DoctorFinding:
    """Whether typing `toolweave` starts this installation."""
    script = shutil.which("toolweave", path=environ.get("PATH", ""))
    if script is None:
        details = "`toolweave` is not on your PATH"
        return DoctorFinding("note", "path", details, f"{_INSTALL}; `uv run toolweave` works there")
    if Path(script).resolve().parent != Path(sys.executable).parent.resolve():
        with suppress(OSError, UnicodeDecodeError):
            # A script that an installer wrote names its Python in the first lines.
            if sys.executable in Path(script).read_text(encoding="utf-8")[:500]:
                return DoctorFinding("ok", "path", script)
        details = f"`toolweave` on your PATH is another installation: {script}"
        return DoctorFinding("note", "path", details, f"remove it if you do not use it; {_INSTALL}")
    return DoctorFinding("ok", "path", script)


def _browser() -> DoctorFinding:
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        remedy = "open the address that `toolweave serve` prints, or set BROWSER"
        return DoctorFinding("note", "browser", "none found", remedy)
    return DoctorFinding("ok", "browser", getattr(browser, "name", type(browser).__name__))


def _answers_as_studio(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_HEALTH_DEADLINE_S)
    try:
        connection.request("GET", "/health")
        return b"healthy" in connection.getresponse().read(4096)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _program(name: str, use: str, remedy: str) -> DoctorFinding:
    path = shutil.which(name)
    if path:
        return DoctorFinding("ok", name, path)
    return DoctorFinding("note", name, f"not found; {use}", remedy)


def _runner(name: str, runner: Runner) -> DoctorFinding:
    reason = runner.missing()
    if reason is None:
        return DoctorFinding("ok", f"runner {name}", "usable")
    remedy = f"needed only by servers that run in {name}"
    return DoctorFinding("note", f"runner {name}", reason, remedy)


def _other_clients(environ: Mapping[str, str]) -> DoctorFinding:
    found = discover_all(client_locations(environ))
    clients = sorted({entry.client for entry in found.found})
    details = (
        f"{quantity(len(found.found), 'server')} of {', '.join(clients)}"
        if clients
        else "none found"
    )
    if not found.file_problems:
        return DoctorFinding("ok", "other clients", details)
    remedy = "`toolweave servers discover` shows which files cannot be read and why"
    details = f"{details}; {quantity(len(found.file_problems), 'unreadable file')}"
    return DoctorFinding("note", "other clients", details, remedy)
