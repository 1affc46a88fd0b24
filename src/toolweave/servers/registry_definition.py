"""The definition that a registry's entry proposes.

It is approved like any other. What the registry sends is not trusted: a program is started by its
parts, never through a shell, and values come from the environment in which the server starts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from toolweave.errors import Invalid
from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.servers.definition import Definition
from toolweave.servers.disconnect_reason import printable
from toolweave.servers.mcp_registry import RegistryEntry, objects_in
from toolweave.servers.user_definitions import from_command_line, from_image, from_url

_VARIABLE = pattern(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
# No path and no `owner/repository`, which npm reads as an address.
_PACKAGE = pattern(r"(?:@[A-Za-z0-9][A-Za-z0-9._-]{0,100}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,112}")
# Exact ones only: `latest` and `1` name whatever is newest when the server starts.
_VERSION = pattern(r"[0-9][A-Za-z0-9.+_-]{0,63}")
_TAG = pattern(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}")
_NPM_VERSION = pattern(r"[0-9]+\.[0-9]+\.[0-9]+(?:[-+][A-Za-z0-9.+-]{1,48})?")
# The domain, below `org`, of the registry from which the program of a kind fetches by default.
_PUBLIC = {"npm": "npmjs", "pypi": "pypi", "nuget": "nuget"}
_ENVIRONMENT_NAME = pattern(r"[^A-Za-z0-9_]+")
_REMOTES = {"streamable-http": "http", "sse": "sse"}

# Any: what a registry sent.
_Input = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RegistryProposal:
    """A definition, and what somebody has to know before approving it."""

    definition: Definition
    notes: tuple[Problem, ...]


def proposed_definition(entry: RegistryEntry) -> RegistryProposal:
    """Return what an entry proposes. Raises `Invalid`: `REGISTRY_ENTRY_UNUSABLE`."""
    reasons: list[str] = []
    for remote in objects_in(entry.raw, "remotes"):
        made = _remote(remote)
        if made is not None:
            return made
        reasons.append(f"an address of type {printable(str(remote.get('type')), 40)!r}")
    for package in objects_in(entry.raw, "packages"):
        made = _package(package)
        if isinstance(made, RegistryProposal):
            return made
        reasons.append(made)
    why = f": {'; '.join(reasons)}" if reasons else ""
    raise Invalid(
        "REGISTRY_ENTRY_UNUSABLE",
        f"server {entry.name!r} has nothing that can be started or connected to{why}",
        hint="add it by hand with `toolweave servers add NAME -- COMMAND`",
    )


def _remote(remote: _Input) -> RegistryProposal | None:
    kind, url = remote.get("type"), remote.get("url")
    if not isinstance(url, str) or kind not in _REMOTES:
        return None
    values = _Values()
    headers = values.named(objects_in(remote, "headers"), is_header=True)
    address = values.filled(url, remote, is_whole=True)
    made = from_url(address, headers, "sse" if kind == "sse" else "http")
    return RegistryProposal(made, tuple(values.notes))


def _package(package: _Input) -> RegistryProposal | str:
    """Return a proposal, or why there is none."""
    kind = printable(str(package.get("registryType")), 40)
    name, version = package.get("identifier"), package.get("version")
    speaks = _object(package.get("transport")).get("type", "stdio")
    if speaks != "stdio":
        return f"a package of {kind} that listens on a port of its own"
    if not isinstance(name, str):
        return f"a package of {kind} without a name"
    values = _Values()
    env = values.named(objects_in(package, "environmentVariables"))
    arguments = list(values.arguments(objects_in(package, "packageArguments")))
    if objects_in(package, "runtimeArguments"):
        values.note(f"arguments for the program that starts the package of {kind} are not used")
    if kind == "oci":
        made = from_image(_image(name, package), command=arguments, env=env)
        return RegistryProposal(made, tuple(values.notes))
    if kind == "mcpb":
        return "a bundle, which has to be unpacked by an application"
    exact = _NPM_VERSION if kind == "npm" else _VERSION
    if not isinstance(version, str) or not exact.fullmatch(version):
        return f"a package of {kind} without an exact version"
    source = _host(package)
    if source and source.split(".")[-2:] != [_PUBLIC.get(kind), "org"]:
        at = printable(source, 100)
        return f"a package of {kind} at {at!r}, from where its program does not fetch"
    starts = {
        "npm": ("npx", "-y", f"{name}@{version}"),
        "pypi": ("uvx", f"{name}=={version}"),
        "nuget": ("dnx", f"{name}@{version}", "--yes", "--"),
    }
    if kind not in starts or not _PACKAGE.fullmatch(name):
        return f"a package of {kind}"
    made = from_command_line((*starts[kind], *arguments), env)
    if package.get("fileSha256") is not None:
        values.note(f"`fileSha256` is not checked: {starts[kind][0]!r} fetches the package itself")
    return RegistryProposal(made, tuple(values.notes))


def _image(name: str, package: _Input) -> str:
    """Return the image with host and version, which older entries have beside the name."""
    version, host = package.get("version"), _host(package)
    first, slash, _ = name.partition("/")
    has_host = bool(slash) and ("." in first or ":" in first or first == "localhost")
    if host and not has_host and host.split(".")[-2:] != ["docker", "io"]:
        name = f"{host}/{name}"
    has_tag = ":" in name.rpartition("/")[2] or "@" in name
    is_exact = isinstance(version, str) and _TAG.fullmatch(version)
    return name if has_tag or not is_exact else f"{name}:{version}"


def _host(package: _Input) -> str:
    """Return the host, with its port, of the registry that a package names, if it names one."""
    stated = package.get("registryBaseUrl")
    return (
        stated.partition("://")[2].partition("/")[0].casefold() if isinstance(stated, str) else ""
    )


class _Values:
    """Fills in the values of one address or package, and notes those a person has to give."""

    def __init__(self) -> None:
        self.notes: list[Problem] = []

    def note(self, message: str, at: str = "") -> None:
        """Add a note."""
        self.notes.append(Problem("REGISTRY_ENTRY_NOTE", at, message, severity="warning"))

    def named(self, given: list[_Input], *, is_header: bool = False) -> dict[str, str]:
        """Return headers or variables; one that a person has to give is a reference."""
        found: dict[str, str] = {}
        for one in given:
            name = one.get("name")
            if not isinstance(name, str) or not name:
                continue
            value = _stated(one)
            if value is not None:
                found[name] = self.filled(value, one, is_whole=is_header)
            elif one.get("isRequired") is True:
                found[name] = self._asked(name, one)
        return found

    def arguments(self, given: list[_Input]) -> Iterator[str]:
        """Yield the words of a command line; a missing value that is required is a reference."""
        for one in given:
            name, hint = one.get("name"), one.get("valueHint")
            value = _stated(one)
            is_named = one.get("type") == "named" and isinstance(name, str)
            if value is None and one.get("isRequired") is not True and not is_named:
                continue
            if is_named:
                yield self.filled(str(name), one)
            if value is not None:
                yield self.filled(value, one)
            elif one.get("isRequired") is True:
                yield self._asked(str(hint or name or "argument"), one)

    def filled(self, text: str, one: _Input, *, is_whole: bool = False) -> str:
        """Return a text with `{name}` as `${NAME}`, which is resolved at start.

        Other braces stay, but where `is_whole`: they have no meaning of their own there.
        Raises `Invalid`: `REGISTRY_ENTRY_UNUSABLE` for a reference of our own, as to a secret.
        """
        if "${" in text:
            raise _names_own_value(text)
        variables = _object(one.get("variables"))

        def value(name: str) -> str:
            known = variables.get(name)
            if known is None and not is_whole:
                return f"{{{name}}}"
            inside = _object(known)
            fixed = _stated(inside)
            return self._asked(name, inside) if fixed is None else fixed

        return _VARIABLE.sub(lambda found: value(found[1]), text)

    def _asked(self, name: str, one: _Input) -> str:
        variable = _ENVIRONMENT_NAME.sub("_", name).strip("_").upper() or "VALUE"
        stated = one.get("choices")
        choices = cast("list[object]", stated) if isinstance(stated, list) else []
        parts = (
            "a secret" if one.get("isSecret") is True else "",
            printable(str(one.get("description") or ""), 200),
            printable(f"one of {', '.join(map(str, choices))}", 200) if choices else "",
        )
        said = "; ".join(part for part in parts if part)
        self.note(f"set the environment variable {variable}" + (f" ({said})" if said else ""))
        return f"${{{variable}}}"


def _object(value: object) -> _Input:
    return cast("_Input", value) if isinstance(value, dict) else {}


def _stated(one: _Input) -> str | None:
    """Return the value that an entry itself gives."""
    for key in ("value", "default"):
        text = one.get(key)
        if isinstance(text, str) and text:
            if "${" in text:
                raise _names_own_value(text)
            return text
    return None


def _names_own_value(text: str) -> Invalid:
    return Invalid(
        "REGISTRY_ENTRY_UNUSABLE",
        f"the entry of the registry names a value of this machine: {printable(text, 200)!r}",
        hint="add it by hand with `toolweave servers add` if it may have that value",
    )
