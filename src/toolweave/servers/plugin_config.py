"""The server list of the document plugin: `{"mcpServers": [{name, transport, dockerConfig, …}]}`.

Its state (enabled, failure counts) belongs to that plugin and is not taken over.
"""

from toolweave.problems import Problem
from toolweave.servers.config_entry import (
    as_list,
    as_object,
    config_pointer,
    read_entry,
    registered_name_problems,
)
from toolweave.servers.definition import ContainerServer, Definition

Named = tuple[str, Definition]


def read_plugin_servers(entries: list[object], *steps: str) -> tuple[list[Named], list[Problem]]:
    """Return the servers of the list and all its problems."""
    named: list[Named] = []
    problems: list[Problem] = []
    for index, raw in enumerate(entries):
        found, wrong = _entry(raw, (*steps, index))
        problems += wrong
        if found is not None and found[0] in {name for name, _ in named}:
            at = config_pointer(*steps, index, "name")
            problems.append(Problem("SERVER_NAME_TAKEN", at, f"{found[0]!r} is named twice"))
        elif found is not None:
            named.append(found)
    return named, problems


def _entry(raw: object, steps: tuple[str | int, ...]) -> tuple[Named | None, list[Problem]]:
    entry = as_object(raw)
    if entry is None:
        message = "expected an object with 'name' and 'transport'"
        return None, [Problem("SERVER_ENTRY_INVALID", config_pointer(*steps), message)]
    name = entry.get("name")
    if not isinstance(name, str):
        at = config_pointer(*steps, "name")
        return None, [Problem("SERVER_NAME_MISSING", at, "the server has no name")]
    problems = list(registered_name_problems(name, config_pointer(*steps, "name")))
    if as_list(entry.get("sectionBindings")):
        problems.append(
            Problem(
                "SERVER_KEY_IGNORED",
                config_pointer(*steps, "sectionBindings"),
                "'sectionBindings' name no document, so they are not imported",
                f"bind each document: `toolweave doc bind FILE --heading … --server {name}`",
                "warning",
            )
        )
    definition, wrong = _definition(entry, steps)
    problems += wrong
    is_wrong = any(problem.severity == "error" for problem in problems)
    return (None if definition is None or is_wrong else (name, definition)), problems


def _definition(
    entry: dict[str, object], steps: tuple[str | int, ...]
) -> tuple[Definition | None, list[Problem]]:
    transport = entry.get("transport")
    deployment = entry.get("deploymentType", "managed" if transport == "stdio" else "external")
    if deployment not in ("managed", "external"):
        at = config_pointer(*steps, "deploymentType")
        message = "the deployment type is not 'managed' or 'external'"
        return None, [Problem("SERVER_ENTRY_INVALID", at, message)]
    if transport == "stdio" and deployment == "external":
        at = config_pointer(*steps, "deploymentType")
        message = "a 'stdio' server is managed: Toolweave starts its container"
        return None, [Problem("SERVER_ENTRY_INVALID", at, message)]
    if transport == "stdio":
        return _container(as_object(entry.get("dockerConfig")), (*steps, "dockerConfig"))
    if transport == "sse":
        address = as_object(entry.get("sseConfig")) or {}
        if not isinstance(address.get("url"), str):
            message = "an 'sse' server needs an address: {\"url\": …}"
            at = config_pointer(*steps, "sseConfig")
            return None, [Problem("SERVER_ENTRY_INVALID", at, message)]
        at = config_pointer(*steps, "sseConfig")
        return read_entry({"type": "sse", "url": address["url"]}, at)
    at = config_pointer(*steps, "transport")
    return None, [Problem("SERVER_ENTRY_INVALID", at, "the transport is not 'stdio' or 'sse'")]


def _container(
    docker: dict[str, object] | None, steps: tuple[str | int, ...]
) -> tuple[Definition | None, list[Problem]]:
    at = config_pointer(*steps)
    if docker is None or not isinstance(docker.get("image"), str) or not docker["image"]:
        message = "a 'stdio' server needs a container: {\"image\": …}"
        return None, [Problem("SERVER_ENTRY_INVALID", at, message)]
    name = docker.get("containerName")
    command = as_list(docker.get("command")) or []
    ports = as_object(docker.get("ports")) or {}
    is_valid = (
        (name is None or isinstance(name, str))
        and all(isinstance(word, str) for word in command)
        and all(isinstance(port, int) for port in ports.values())
    )
    if not is_valid:
        message = "expected are texts in 'containerName' and 'command', and numbers in 'ports'"
        return None, [Problem("SERVER_ENTRY_INVALID", at, message)]
    return (
        ContainerServer.model_validate(
            {
                "image": docker["image"],
                "container_name": name or None,
                "command": tuple(command),
                "ports": ports,
            }
        ),
        [],
    )
