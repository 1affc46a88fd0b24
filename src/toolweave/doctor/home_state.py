"""Checks of the contents of the home: database, clock, lockfile, vault, servers, workers."""

from collections.abc import Sequence

import anyio.to_thread

from toolweave.access.vault_key import VARIABLE, KeySource, find_key
from toolweave.assistant.home_models import home_models
from toolweave.clock import timestamp
from toolweave.doctor.damaged_rows import damaged_rows
from toolweave.doctor.finding import DoctorFinding
from toolweave.doctor.left_processes import left_processes
from toolweave.engine.deployed_versions import DeployedVersions, deployed_versions
from toolweave.engine.queue_notice import worker_command
from toolweave.engine.queue_report import unserved_queues
from toolweave.errors import Denied
from toolweave.home import Home
from toolweave.problems import quantity
from toolweave.servers.definition import Server
from toolweave.servers.lockfile import Lockfile
from toolweave.servers.registry import unreadable_server

SHOWN_NOTICES = 5
# Leases of workers count seconds, and triggers fire by the minute.
CLOCK_TOLERANCE_S = 5.0
_LEAST_VERSION = {"sqlite": (3, 35), "postgresql": (13,)}


async def examine_home(home: Home) -> list[DoctorFinding]:
    """Check the contents of the home. Raises `ToolweaveError`: the home is broken."""
    servers = await home.registry.list()
    secrets = await home.vault.names()
    pinned = [len(home.lockfile.pins(name)) for name in ("", *(one.name for one in servers))]
    found = [
        DoctorFinding("ok", "home", str(home.settings.home)),
        await _database(home),
        await _clock(home),
        _lockfile(home.lockfile, sum(pinned)),
        DoctorFinding("ok", "vault", quantity(len(list(secrets)), "secret")),
        await _vault_key(home),
        DoctorFinding("ok", "servers", f"{len(servers)} registered"),
        await anyio.to_thread.run_sync(_left, servers),
        await _models(home),
    ]
    found += _versions(await deployed_versions(home.database, home.clock))
    for queue in await unserved_queues(home.database, home.clock):
        runs = f"{queue.runs} run{'s' * (queue.runs > 1)} wait{'s' * (queue.runs == 1)}"
        details = f"{runs}, no worker serves it; start: {worker_command(queue.name)}"
        remedy = f"start `{worker_command(queue.name)}` where its steps can execute"
        found.append(DoctorFinding("note", f"queue {queue.name}", details, remedy))
    found += [_failing(one) for one in servers if one.is_approved and one.failure_count]
    found += [_unreadable(name) for name in home.registry.unreadable]
    found += await damaged_rows(home.database)
    for notice in await home.registry.notices(SHOWN_NOTICES):
        remedy = f"see Servers in the studio, or run `toolweave servers check {notice.subject}`"
        found.append(DoctorFinding("note", f"notice {notice.at}", notice.message, remedy))
    return found


async def _database(home: Home) -> DoctorFinding:
    dialect = home.database.dialect
    row = await home.database.row(f"SELECT {dialect.version}")
    version = str(row[0]).split()[0] if row else "?"
    details = f"{dialect.name} {version}"
    numbers = tuple(int(part) for part in version.split(".") if part.isdecimal())
    if numbers >= _LEAST_VERSION[dialect.name]:
        return DoctorFinding("ok", "database", details)
    least = ".".join(map(str, _LEAST_VERSION[dialect.name]))
    return DoctorFinding("fault", "database", details, f"upgrade it to {least} or newer")


async def _clock(home: Home) -> DoctorFinding:
    """Compare this machine's clock with the database's, and with the newest run."""
    remedy = "set the clock of this machine, or turn on its synchronisation"
    row = await home.database.row(f"SELECT {home.database.dialect.clock}")
    now = home.clock.now()
    skew_s = now.timestamp() - float(row[0]) if row else 0.0
    if abs(skew_s) > CLOCK_TOLERANCE_S:
        details = f"{abs(skew_s):.0f} s {'ahead of' if skew_s > 0 else 'behind'} the database"
        return DoctorFinding("note", "clock", details, remedy)
    row = await home.database.row("SELECT max(started_at) FROM runs")
    if row and row[0] and str(row[0]) > timestamp(now):
        details = f"the newest run started in the future, at {row[0]}"
        return DoctorFinding("note", "clock", details, remedy)
    return DoctorFinding("ok", "clock", timestamp(now))


async def _vault_key(home: Home) -> DoctorFinding:
    source = KeySource(home.settings.home, home.environ.get(VARIABLE))
    key = await find_key(source)
    details = f"in {key.origin}" if key else "none yet; made with the first secret"
    return DoctorFinding("ok", "vault key", details)


def _failing(server: Server) -> DoctorFinding:
    remedy = f"run `toolweave servers check {server.name}` to try again"
    return DoctorFinding("note", f"server {server.name}", server.last_failure or "failed", remedy)


def _unreadable(name: str) -> DoctorFinding:
    error = unreadable_server(name)
    return DoctorFinding("note", f"server {name}", error.message, error.hint)


def _left(servers: Sequence[Server]) -> DoctorFinding:
    """Programs of servers without an owner; blocking."""
    left = left_processes(servers)
    if not left:
        return DoctorFinding("ok", "left processes", "none")
    details = f"{', '.join(sorted({one.server for one in left}))}: no owner since a crash"
    pids = " ".join(str(one.pid) for one in left)
    remedy = f"stop {'it' if len(left) == 1 else 'them'}: kill {pids}"
    return DoctorFinding("note", "left processes", details, remedy)


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


async def _models(home: Home) -> DoctorFinding:
    found = await home_models(home).list()
    if not found:
        details = "none; add one with `toolweave models add` to use language nodes"
        return DoctorFinding("note", "models", details, "add one under Manage, Models")
    told = [f"{one.name} ({one.model}{', default' if one.is_default else ''})" for one in found]
    return DoctorFinding("ok", "models", ", ".join(told))
