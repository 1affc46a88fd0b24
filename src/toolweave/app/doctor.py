"""Diagnostics of this machine and this home, with remedies."""

import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import toolweave
from toolweave.assistant.home_models import home_models
from toolweave.engine.deployed_versions import DeployedVersions, deployed_versions
from toolweave.engine.queue_notice import worker_command
from toolweave.engine.queue_report import unserved_queues
from toolweave.errors import Denied
from toolweave.home import Home
from toolweave.json_record import JsonRecord
from toolweave.problems import quantity
from toolweave.servers import runners
from toolweave.servers.discovery.search import discover_all
from toolweave.servers.import_servers import client_locations
from toolweave.servers.lockfile import Lockfile
from toolweave.servers.runners.runner import Runner

SHOWN_NOTICES = 5

State = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """One finding, with a remedy if there is something to do."""

    state: State
    what: str
    details: str
    remedy: str | None = None


class FindingRecord(JsonRecord):
    """A finding of the diagnostics; `remedy` only if there is something to do."""

    state: State
    what: str
    details: str
    remedy: str | None = None


def examine_machine(environ: Mapping[str, str]) -> list[DoctorFinding]:
    """Check programs, runners and the files of other clients; blocking, so run it in a thread."""
    return [
        DoctorFinding("ok", "toolweave", toolweave.__version__),
        _python(),
        *(_program(*program) for program in _PROGRAMS),
        *(_runner(name, runner) for name, runner in runners.discover().items()),
        _other_clients(environ),
    ]


async def examine_home(home: Home) -> list[DoctorFinding]:
    """Check the contents of the home. Raises `ToolweaveError`: the home is broken."""
    servers = await home.registry.list()
    secrets = await home.vault.names()
    pinned = [len(home.lockfile.pins(name)) for name in ("", *(one.name for one in servers))]
    found = [
        DoctorFinding("ok", "home", str(home.settings.home)),
        DoctorFinding("ok", "database", home.database.dialect.name),
        _lockfile(home.lockfile, sum(pinned)),
        DoctorFinding("ok", "vault", f"{len(list(secrets))} secrets"),
        DoctorFinding("ok", "servers", f"{len(servers)} registered"),
        await _models(home),
    ]
    found += _versions(await deployed_versions(home.database, home.clock))
    for queue in await unserved_queues(home.database, home.clock):
        runs = f"{queue.runs} run{'s' * (queue.runs > 1)} wait{'s' * (queue.runs == 1)}"
        details = f"{runs}, no worker serves it; start: {worker_command(queue.name)}"
        remedy = f"start `{worker_command(queue.name)}` where its steps can execute"
        found.append(DoctorFinding("note", f"queue {queue.name}", details, remedy))
    for notice in await home.registry.notices(SHOWN_NOTICES):
        remedy = f"see Servers in the studio, or run `toolweave servers check {notice.subject}`"
        found.append(DoctorFinding("note", f"notice {notice.at}", notice.message, remedy))
    return found


def _versions(found: DeployedVersions) -> list[DoctorFinding]:
    """Workers of several versions, and runs that need a later one than they have."""
    findings: list[DoctorFinding] = []
    if len({*found.workers, found.own}) > 1 and found.workers:
        told = ", ".join(f"{found.workers.count(one)} of {one}" for one in sorted({*found.workers}))
        details = f"{told}; this program has {found.own}"
        remedy = "runs of the later version are left to its workers; upgrade the older ones"
        findings.append(DoctorFinding("note", "engine versions of workers", details, remedy))
    if found.stranded:
        needed = max(version for version, _ in found.needed)
        details = f"{found.stranded} runs need engine version {needed}, which no worker has"
        remedy = "start a worker of the later release; nothing is lost meanwhile"
        findings.append(DoctorFinding("fault", "runs left alone", details, remedy))
    return findings


def _lockfile(lockfile: Lockfile, pinned: int) -> DoctorFinding:
    try:
        lockfile.require_approved()
    except Denied as error:
        return DoctorFinding("note", "lockfile", error.message, error.hint)
    return DoctorFinding("ok", "lockfile", f"{lockfile.path}, {quantity(pinned, 'tool')} pinned")


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


async def _models(home: Home) -> DoctorFinding:
    found = await home_models(home).list()
    if not found:
        details = "none; add one with `toolweave models add` to use language nodes"
        return DoctorFinding("note", "models", details, "add one under Manage, Models")
    told = [f"{one.name} ({one.model}{', default' if one.is_default else ''})" for one in found]
    return DoctorFinding("ok", "models", ", ".join(told))
