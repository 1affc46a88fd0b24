"""What this machine and this home have, what is missing, and what to do about it."""

import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import toolweave
from toolweave.assistant.home_models import models_of
from toolweave.home import Ground
from toolweave.json_text import JsonObject
from toolweave.servers import runners
from toolweave.servers.discovery.search import discover_all
from toolweave.servers.import_servers import places_of
from toolweave.servers.runners.runner import Runner

SHOWN_NOTICES = 5

State = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; a remedy where there is something to do."""

    state: State
    what: str
    details: str
    remedy: str | None = None

    def as_json(self) -> JsonObject:
        """For programs."""
        told: JsonObject = {"state": self.state, "what": self.what, "details": self.details}
        return {**told, "remedy": self.remedy} if self.remedy else told


def examine_machine(environ: Mapping[str, str]) -> list[Finding]:
    """Programs, runners and the files of other clients; reads files, so it is for a thread."""
    return [
        Finding("ok", "toolweave", toolweave.__version__),
        _python(),
        *(_program(*program) for program in _PROGRAMS),
        *(_runner(name, runner) for name, runner in runners.discover().items()),
        _other_clients(environ),
    ]


async def examine_home(rooms: Ground) -> list[Finding]:
    """What is kept in the home.

    Raises:
        ToolweaveError: what of it is broken.
    """
    servers = await rooms.registry.list()
    secrets = await rooms.vault.names()
    pinned = [len(rooms.lockfile.pins(name)) for name in ("", *(one.name for one in servers))]
    found = [
        Finding("ok", "home", str(rooms.settings.home)),
        Finding("ok", "database", rooms.database.dialect.name),
        Finding("ok", "lockfile", f"{rooms.lockfile.path}, {sum(pinned)} tools pinned"),
        Finding("ok", "vault", f"{len(list(secrets))} secrets"),
        Finding("ok", "servers", f"{len(servers)} registered"),
        await _models(rooms),
    ]
    for at, _, subject, message in await rooms.registry.notices(SHOWN_NOTICES):
        remedy = f"see why under Servers, or with `toolweave servers check {subject}`"
        found.append(Finding("note", f"notice {at}", message, remedy))
    return found


_PROGRAMS = (
    ("git", "needed for workflow libraries", "install git with your system's package manager"),
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


def _python() -> Finding:
    version = f"{platform.python_version()} on {platform.system()}"
    is_ok = sys.version_info >= (3, 11)
    remedy = None if is_ok else "install Python 3.11 or newer"
    return Finding("ok" if is_ok else "fault", "python", version, remedy)


def _program(name: str, use: str, remedy: str) -> Finding:
    path = shutil.which(name)
    if path:
        return Finding("ok", name, path)
    return Finding("note", name, f"not found; {use}", remedy)


def _runner(name: str, runner: Runner) -> Finding:
    reason = runner.missing()
    if reason is None:
        return Finding("ok", f"runner {name}", "usable")
    remedy = f"needed only by servers that are to run in {name}"
    return Finding("note", f"runner {name}", reason, remedy)


def _other_clients(environ: Mapping[str, str]) -> Finding:
    found = discover_all(places_of(environ))
    clients = sorted({entry.client for entry in found.found})
    details = f"{len(found.found)} servers of {', '.join(clients)}" if clients else "none found"
    if not found.file_problems:
        return Finding("ok", "other clients", details)
    remedy = "`toolweave servers discover` says which files cannot be read, and why"
    details = f"{details}; {len(found.file_problems)} unreadable files"
    return Finding("note", "other clients", details, remedy)


async def _models(rooms: Ground) -> Finding:
    found = await models_of(rooms).list()
    if not found:
        details = "none; `toolweave models add`, for nodes in plain words"
        return Finding("note", "models", details, "add one under Manage, Models")
    told = [f"{one.name} ({one.model}{', default' if one.is_default else ''})" for one in found]
    return Finding("ok", "models", ", ".join(told))
