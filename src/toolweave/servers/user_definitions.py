"""Server definitions from user input: pasted JSON, a command line, an address, an image."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from toolweave.errors import Invalid
from toolweave.json_text import read
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.servers.config_entry import (
    as_list,
    as_object,
    config_pointer,
    read_entry,
    registered_name_problems,
)
from toolweave.servers.definition import (
    CommandServer,
    ContainerServer,
    Definition,
    HttpServer,
    SseServer,
)
from toolweave.servers.discovery.lenient_json import strip_comments
from toolweave.servers.plugin_config import read_plugin_servers

_MAX_BYTES = 1024 * 1024
_ENTRY_KEYS = ("command", "url", "httpUrl", "type")
_DIGEST = "@sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})"
_IMAGE = pattern(rf"[a-z0-9][\w.:/+-]*(?:{_DIGEST})?", re.ASCII | re.IGNORECASE)


def read_pasted(
    text: str, *, name: str | None = None
) -> tuple[list[tuple[str, Definition]], list[Problem]]:
    """Return the servers in a JSON text and all its problems.

    Accepts `{"mcpServers": {…}}`, `{"servers": {…}}`, `{name: {…}}`, or one entry for which `name`
    is given; comments and trailing commas are allowed.
    """
    try:
        document = as_object(read(strip_comments(text), max_bytes=_MAX_BYTES))
    except Invalid as error:
        return [], [Problem(error.code, "", error.message)]
    if document is None:
        return [], [Problem("SERVER_ENTRY_INVALID", "", "expected a JSON object with servers")]
    if any(key in document and as_object(document[key]) is None for key in _ENTRY_KEYS):
        return _one(document, name)
    plugin = as_list(document.get("mcpServers"))
    if plugin is not None:
        return read_plugin_servers(plugin, "mcpServers")
    steps = next(([key] for key in ("mcpServers", "servers") if key in document), list[str]())
    section = as_object(document[steps[0]]) if steps else document
    if not section:
        return [], [Problem("SERVER_ENTRY_MISSING", pointer(*steps), "it contains no server")]
    named: list[tuple[str, Definition]] = []
    problems: list[Problem] = []
    for key, raw in section.items():
        definition, found = read_entry(raw, config_pointer(*steps, key))
        wrong_name = list(registered_name_problems(key, config_pointer(*steps, key)))
        problems += [*wrong_name, *found]
        if definition is not None and not wrong_name:
            named.append((key, definition))
    return named, problems


def _one(
    document: dict[str, object], name: str | None
) -> tuple[list[tuple[str, Definition]], list[Problem]]:
    definition, problems = read_entry(document, "")
    if name is None:
        hint = 'pass a name, or write {"NAME": {…}}'
        problems.append(Problem("SERVER_NAME_MISSING", "", "the server has no name", hint))
        return [], problems
    problems = [*registered_name_problems(name, ""), *problems]
    is_wrong = any(problem.severity == "error" for problem in problems)
    return [] if definition is None or is_wrong else [(name, definition)], problems


def from_command_line(
    argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
) -> CommandServer:
    """Return a server that is started by exactly `argv`. Raises `Invalid` with all problems."""
    program = {"command": argv[0], "args": list(argv[1:])} if argv else {}
    entry = {"type": "stdio", **program, "env": dict(env or {}), "cwd": cwd}
    definition = _definition(entry)
    assert isinstance(definition, CommandServer)
    return definition


def anchored(definition: Definition, directory: Path) -> Definition:
    """Return the current directory for a command with relative paths, as its permanent `cwd`."""
    if not isinstance(definition, CommandServer):
        return definition
    cwd = definition.cwd
    if cwd is None:
        program = definition.command
        is_here = bool(os.path.dirname(program)) and _is_relative(program)
        is_here = is_here or any(_is_place_in(directory, word) for word in definition.args)
        cwd = "" if is_here else None
    if cwd is None or cwd.startswith(("~", "${")):
        return definition
    return definition.model_copy(update={"cwd": str(directory / cwd)})


def _is_place_in(directory: Path, word: str) -> bool:
    """Whether an argument is a relative path: it looks like one, or the file exists."""
    path = word.partition("=")[2] if word.startswith("-") else word
    is_spelt_so = path.replace("\\", "/").split("/")[0] in (".", "..")
    return _is_relative(path) and (is_spelt_so or os.path.exists(directory / path))


def _is_relative(path: str) -> bool:
    is_elsewhere = os.path.isabs(path) or path.startswith(("~", "${")) or "://" in path
    return bool(path) and not is_elsewhere


def from_url(
    url: str,
    headers: Mapping[str, str] | None = None,
    transport: Literal["http", "sse"] = "http",
) -> HttpServer | SseServer:
    """Return a remote server at `url`. Raises `Invalid` with all problems."""
    definition = _definition({"type": transport, "url": url, "headers": dict(headers or {})})
    assert isinstance(definition, HttpServer | SseServer)
    return definition


def from_image(
    image: str,
    *,
    command: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    network: bool = True,
) -> ContainerServer:
    """Return a server that is started from a container image."""
    problems: list[Problem] = []
    # A leading dash would be an option of the container program.
    if not _IMAGE.fullmatch(image):
        message = f"{image[:80]!r} is not an image; expected a name such as 'mcp/time:latest'"
        problems.append(Problem("SERVER_IMAGE_INVALID", "/image", message))
    # A container's command has the same checks as a command line.
    inner = {"type": "stdio", "command": "image", "args": list(command), "env": dict(env or {})}
    checked, found = read_entry(inner, "")
    problems += found
    if problems or not isinstance(checked, CommandServer):
        raise _invalid(problems)
    return ContainerServer(image=image, command=checked.args, env=checked.env, network=network)


def _definition(entry: Mapping[str, object]) -> Definition:
    definition, problems = read_entry(dict(entry), "")
    if definition is None:
        raise _invalid(problems)
    return definition


def _invalid(problems: Sequence[Problem]) -> Invalid:
    first = problems[0]
    return Invalid(first.code, first.message, hint=first.hint, problems=problems)
