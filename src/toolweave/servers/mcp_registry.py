"""A registry of MCP servers: search it, and make a definition of an entry.

An entry only proposes what to start; it is approved like any other definition. What the registry
sends is not trusted: a program is started by its parts, never through a shell.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode

from toolweave import json_text
from toolweave.errors import Invalid, NotFound, Unavailable
from toolweave.network.addresses import AllowedHosts
from toolweave.network.client import open_http_client
from toolweave.patterns import pattern
from toolweave.servers.definition import Definition
from toolweave.servers.disconnect_reason import printable
from toolweave.servers.user_definitions import from_command_line, from_image, from_url

MAX_BYTES = 4 * 1024 * 1024
DEADLINE_S = 20.0
LISTED = 30
_VARIABLE = pattern(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
# No path and no `owner/repository`, which npm reads as an address.
_PACKAGE = pattern(r"(?:@[A-Za-z0-9][A-Za-z0-9._-]{0,100}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,112}")
_VERSION = pattern(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}")

# Any: what a registry sent.
_Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """One server of a registry."""

    name: str
    description: str
    version: str
    status: str
    raw: _Entry


class McpRegistry:
    """Reads the registry at one address."""

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")

    async def search(self, words: str) -> list[RegistryEntry]:
        """Return the servers whose name fits, the latest version of each."""
        query = urlencode({"search": words, "version": "latest", "limit": LISTED})
        found = await self._get(f"/v0.1/servers?{query}")
        listed = found.get("servers")
        entries = cast("list[Any]", listed) if isinstance(listed, list) else []
        read = [_entry(cast("_Entry", one)) for one in entries if isinstance(one, dict)]
        return [one for one in read if one is not None and one.status != "deleted"]

    async def find(self, name: str) -> RegistryEntry:
        """Return the latest version of a server. Raises `NotFound`: `REGISTRY_ENTRY_NOT_FOUND`."""
        raw = await self._get(f"/v0.1/servers/{quote(name, safe='')}/versions/latest", name)
        entry = _entry(raw)
        if entry is None or entry.name != name or entry.status == "deleted":
            raise _missing(name)
        return entry

    async def _get(self, path: str, name: str = "") -> _Entry:
        address = self._base + path
        allow = AllowedHosts.of(self._base)
        async with open_http_client(
            allow=allow, timeout=DEADLINE_S, max_body_bytes=MAX_BYTES
        ) as client:
            response = await client.get(address)
        if response.status_code == 404 and name:
            raise _missing(name)
        if response.status_code != 200:
            message = f"the registry {self._base!r} answered {response.status_code}"
            raise Unavailable("REGISTRY_UNAVAILABLE", message)
        try:
            found = json_text.read(response.content)
        except Invalid:
            found = None
        if not isinstance(found, dict):
            raise Unavailable("REGISTRY_UNAVAILABLE", f"{self._base!r} is no registry of servers")
        return found


def definition_of(entry: RegistryEntry) -> Definition:
    """Return the definition that an entry proposes. Raises `Invalid`: `REGISTRY_ENTRY_UNUSABLE`."""
    for remote in _list(entry.raw, "remotes"):
        kind = remote.get("type")
        url = remote.get("url")
        if kind in ("streamable-http", "sse") and isinstance(url, str):
            headers = dict(_values(_list(remote, "headers")))
            transport = "sse" if kind == "sse" else "http"
            return from_url(_referring(url), headers, transport)
    for package in _list(entry.raw, "packages"):
        if (made := _packaged(package)) is not None:
            return made
    raise Invalid(
        "REGISTRY_ENTRY_UNUSABLE",
        f"server {entry.name!r} has no address and no package of npm, PyPI or a container image",
        hint="add it by hand with `toolweave servers add NAME -- COMMAND`",
    )


def _packaged(package: _Entry) -> Definition | None:
    name, version = package.get("identifier"), package.get("version")
    if not isinstance(name, str):
        return None
    env = dict(_values(_list(package, "environmentVariables")))
    arguments = [*_arguments(_list(package, "packageArguments"))]
    if package.get("registryType") == "oci":
        return from_image(name, command=arguments, env=env)
    is_exact = isinstance(version, str) and _VERSION.fullmatch(version)
    if not is_exact or not _PACKAGE.fullmatch(name):
        return None
    match package.get("registryType"):
        case "npm":
            return from_command_line(("npx", "-y", f"{name}@{version}", *arguments), env)
        case "pypi":
            return from_command_line(("uvx", f"{name}=={version}", *arguments), env)
        case _:
            return None


def _arguments(given: list[_Entry]) -> list[str]:
    arguments: list[str] = []
    for one in given:
        value = one.get("value", one.get("default"))
        name = one.get("name")
        if one.get("type") == "named" and isinstance(name, str):
            arguments.append(_referring(name))
        if isinstance(value, str) and value:
            arguments.append(_referring(value))
    return arguments


def _values(given: list[_Entry]) -> list[tuple[str, str]]:
    """Names with their values; one that a person has to give refers to the environment."""
    found: list[tuple[str, str]] = []
    for one in given:
        name, value = one.get("name"), one.get("value", one.get("default"))
        if not isinstance(name, str) or not name:
            continue
        if isinstance(value, str) and value:
            found.append((name, _referring(value)))
        elif one.get("isRequired") is True:
            found.append((name, "${" + name.upper().replace("-", "_") + "}"))
    return found


def _referring(text: str) -> str:
    """`{token}` of a registry as `${TOKEN}`, which is resolved at start.

    Raises `Invalid`: `REGISTRY_ENTRY_UNUSABLE` for a reference of our own, as to a secret.
    """
    if "${" in text:
        raise Invalid(
            "REGISTRY_ENTRY_UNUSABLE",
            f"the entry of the registry names a value of this machine: {printable(text, 200)!r}",
            hint="add it by hand with `toolweave servers add` if it may have that value",
        )
    return _VARIABLE.sub(lambda found: "${" + found[1].upper() + "}", text)


def _list(entry: _Entry, name: str) -> list[_Entry]:
    found = entry.get(name)
    entries = cast("list[Any]", found) if isinstance(found, list) else []
    return [cast("_Entry", one) for one in entries if isinstance(one, dict)]


def _entry(raw: _Entry) -> RegistryEntry | None:
    nested: object = raw.get("server")
    server = cast("_Entry", nested if isinstance(nested, dict) else raw)
    name = server.get("name")
    if not isinstance(name, str) or not name:
        return None
    meta = raw.get("_meta")
    official: object = (
        cast("_Entry", meta).get("io.modelcontextprotocol.registry/official")
        if isinstance(meta, dict)
        else None
    )
    status = cast("_Entry", official).get("status") if isinstance(official, dict) else "active"
    return RegistryEntry(
        printable(name, 200),
        printable(str(server.get("description") or ""), 500),
        printable(str(server.get("version") or ""), 100),
        str(status or "active"),
        server,
    )


def _missing(name: str) -> NotFound:
    return NotFound(
        "REGISTRY_ENTRY_NOT_FOUND",
        f"the registry has no server {name[:200]!r}",
        hint="`toolweave servers search WORDS` finds names",
    )
