"""`toolweave doctor`: what this machine has, what is missing, and what to do about it."""

import platform
import shutil
import sys

import click

import toolweave
from toolweave.app.ground import Ground
from toolweave.app.models import models_of
from toolweave.cli.places import here
from toolweave.cli.rooms import ground, run
from toolweave.cli.terminal import json_option, print_json, print_table
from toolweave.errors import ToolweaveError
from toolweave.servers import runners
from toolweave.servers.discovery.search import discover_all
from toolweave.servers.runners.runner import Runner

SHOWN_NOTICES = 5

Finding = tuple[str, str, str]  # state (ok, note, fault), what, details


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Check this machine and this home directory."""
    findings = run(_examine)
    if as_json:
        print_json([{"state": s, "what": w, "details": d} for s, w, d in findings])
    else:
        print_table(("", "what", "details"), [(_MARKS[s], w, d) for s, w, d in findings])
    return 1 if any(state == "fault" for state, _, _ in findings) else 0


_MARKS = {"ok": "ok", "note": "--", "fault": "!!"}


async def _examine() -> list[Finding]:
    found: list[Finding] = [("ok", "toolweave", toolweave.__version__), _python()]
    found += [_program(*program) for program in _PROGRAMS]
    found += [_runner(name, runner) for name, runner in runners.discover().items()]
    found.append(_other_clients())
    try:
        async with ground() as rooms:
            found += await _home(rooms)
    except ToolweaveError as error:
        found.append(("fault", "home", f"{error.message}; {error.hint or error.code}"))
    return found


_PROGRAMS = (
    ("git", "needed for workflow libraries"),
    ("npx", "many MCP servers are started with it; comes with Node.js"),
    ("uvx", "many MCP servers are started with it; comes with uv"),
)


def _python() -> Finding:
    version = platform.python_version()
    is_ok = sys.version_info >= (3, 11)
    return ("ok" if is_ok else "fault", "python", f"{version} on {platform.system()}")


def _program(name: str, use: str) -> Finding:
    path = shutil.which(name)
    return ("ok", name, path) if path else ("note", name, f"not found; {use}")


def _runner(name: str, runner: Runner) -> Finding:
    reason = runner.missing()
    return ("note", f"runner {name}", reason) if reason else ("ok", f"runner {name}", "usable")


def _other_clients() -> Finding:
    found = discover_all(here())
    clients = sorted({entry.client for entry in found.found})
    details = f"{len(found.found)} servers of {', '.join(clients)}" if clients else "none found"
    if found.file_problems:
        return ("note", "other clients", f"{details}; {len(found.file_problems)} unreadable files")
    return ("ok", "other clients", details)


async def _home(rooms: Ground) -> list[Finding]:
    servers = await rooms.registry.list()
    secrets = await rooms.vault.names()
    pinned = [len(rooms.lockfile.pins(name)) for name in ("", *(one.name for one in servers))]
    found: list[Finding] = [
        ("ok", "home", str(rooms.settings.home)),
        ("ok", "database", rooms.database.dialect.name),
        ("ok", "lockfile", f"{rooms.lockfile.path}, {sum(pinned)} tools pinned"),
        ("ok", "vault", f"{len(list(secrets))} secrets"),
        ("ok", "servers", f"{len(servers)} registered"),
        await _models(rooms),
    ]
    for at, _, _, message in await rooms.registry.notices(SHOWN_NOTICES):
        found.append(("note", f"notice {at}", message))
    return found


async def _models(rooms: Ground) -> Finding:
    found = await models_of(rooms).list()
    if not found:
        return ("note", "models", "none; `toolweave models add`, for nodes in plain words")
    told = [f"{one.name} ({one.model}{', default' if one.is_default else ''})" for one in found]
    return ("ok", "models", ", ".join(told))
