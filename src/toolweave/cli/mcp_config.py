"""The servers that a workflow calls, for the `.mcp.json` of a project.

Values of variables and headers stay out of it: each is read from the environment of the client.
What looks like a secret in an argument or URL is masked. The file is shared: paths of this user are
written as `${HOME}/...`.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from toolweave import json_text
from toolweave.access.mask import Masker
from toolweave.app.client_config import PROGRAM
from toolweave.cli.session import current_home, run
from toolweave.errors import Invalid, ToolweaveError
from toolweave.export.folder import FileChangePlan, joined
from toolweave.export.mcp_section import called_tools
from toolweave.json_text import Json, JsonObject
from toolweave.servers.definition import (
    CommandServer,
    ContainerServer,
    Definition,
    HttpServer,
    Server,
    SseServer,
)
from toolweave.workflow.model import Workflow

FILE = ".mcp.json"
_OWN_MODULE = ("-m", "toolweave.cli.main")
_MASKER = Masker()


def change_of(workflow: Workflow, out: Path) -> FileChangePlan:
    """What adding the servers to the file of a project would do.

    Raises `NotFound`: `SERVER_NOT_FOUND`; `Invalid`: `CLIENT_FILE_INVALID`.
    """
    names = called_servers(workflow)

    async def found() -> list[Server]:
        async with current_home() as home:
            return [await home.registry.get(name) for name in names]

    servers = run(found) if names else []
    return joined(FILE, out, lambda old: merged_config(old, servers))


def own_change(out: Path) -> FileChangePlan:
    """What adding this program to the file of a project would do. Raises as `change_of`."""
    own: JsonObject = {PROGRAM: {"command": PROGRAM, "args": ["mcp"]}}
    return joined(FILE, out, lambda old: _with_entries(old, own))


def called_servers(workflow: Workflow) -> list[str]:
    """The names of the servers whose tools the nodes call, each once."""
    return list(dict.fromkeys(server for server, _ in called_tools(workflow)))


def merged_config(old: str, servers: Iterable[Server]) -> str:
    """The text of `.mcp.json` with the servers that it lacks; what is there stays as it is.

    Raises `Invalid`: `CLIENT_FILE_INVALID`, for a file that is none.
    """
    return _with_entries(old, {one.name: _entry(one.name, one.definition) for one in servers})


def _with_entries(old: str, entries: JsonObject) -> str:
    try:
        there = json_text.read(old) if old.strip() else {}
    except ToolweaveError:
        there = None
    known = there.get("mcpServers", {}) if isinstance(there, dict) else None
    if not isinstance(there, dict) or not isinstance(known, dict):
        raise Invalid(
            "CLIENT_FILE_INVALID",
            f"{FILE!r} is no configuration of MCP servers",
            hint="fix or remove it; nothing was written",
        )
    added = {name: entry for name, entry in entries.items() if name not in known}
    if not added:
        return old
    return json_text.write({**there, "mcpServers": {**known, **added}}, pretty=True) + "\n"


def _entry(name: str, definition: Definition) -> JsonObject:
    match definition:
        case CommandServer():
            command, *args = _portable([definition.command, *definition.args])
            started: JsonObject = {
                "command": command,
                "args": list[Json](_MASKER.mask_argv([command, *args])[1:]),
            }
            return started | _environment(definition.env)
        case ContainerServer():
            variables = [part for key in definition.env for part in ("-e", key)]
            arguments = ["run", "-i", "--rm", *variables, definition.image, *definition.command]
            image: JsonObject = {
                "command": "docker",
                "args": list[Json](_MASKER.mask_argv(arguments)),
            }
            return image | _environment(definition.env)
        case HttpServer() | SseServer():
            address: JsonObject = {
                "type": definition.kind,
                "url": _MASKER.mask_text(definition.url),
            }
            if definition.headers:
                address["headers"] = {key: _variable(name, key) for key in definition.headers}
            return address


def _portable(argv: list[str]) -> list[str]:
    """A command for other machines: this program by its name, files of the user below `${HOME}`."""
    if argv[0] == sys.executable and tuple(argv[1:3]) == _OWN_MODULE:
        return [PROGRAM, *argv[3:]]
    home = str(Path.home()).rstrip("/")
    below = f"{home}/"
    return [
        f"${{HOME}}{word.removeprefix(home)}" if home and word.startswith(below) else word
        for word in argv
    ]


def _environment(env: dict[str, str]) -> JsonObject:
    return {"env": {key: f"${{{key}}}" for key in env}} if env else {}


def _variable(server: str, header: str) -> str:
    name = re.sub(r"[^A-Z0-9]+", "_", f"{server}_{header}".upper()).strip("_")
    return f"${{{name}}}"
