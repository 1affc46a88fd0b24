"""Codex: `[mcp_servers.NAME]` in `config.toml` of the user and of the project.

Follows Codex 0.166 as measured: files from the current directory up to the checkout override the
user's, and a nearer table only needs the differences.
"""

from collections.abc import Iterator

from toolweave.problems import Problem
from toolweave.servers.config_entry import ConfigDialect, as_list, as_object, config_pointer
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.section import read_servers

_SECTION = "mcp_servers"
_DIALECT = ConfigDialect(headers="http_headers")


class Codex:
    """The command-line agent of OpenAI."""

    name = "Codex"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Project and user servers."""
        sources = list(self._sources(places))
        documents: list[dict[str, object]] = []
        for source in sources:
            loaded = load(source)
            yield from loaded.problems
            documents.append(loaded.document or {})
        for index, source in enumerate(sources):
            document = _overlaid(documents[index], documents[index + 1 :])
            yield from read_servers(source, document, _SECTION, dialect=_DIALECT, adapt=_adapted)

    def _sources(self, places: ClientLocations) -> Iterator[Source]:
        for directory in places.project_directories():
            path = directory / ".codex" / "config.toml"
            yield Source(self.name, "project", path, format="toml", directory=directory)
        home = places.variable("CODEX_HOME") or places.home / ".codex"
        yield Source(self.name, "user", home / "config.toml", format="toml")


def _overlaid(document: dict[str, object], farther: list[dict[str, object]]) -> dict[str, object]:
    """Return `document` with each server completed from the files it overrides."""
    section = as_object(document.get(_SECTION))
    if section is None:
        return document
    complete: dict[str, object] = {}
    for name, raw in section.items():
        merged = as_object(raw)
        for below in farther:
            entry = as_object((as_object(below.get(_SECTION)) or {}).get(name))
            merged = _merged(entry or {}, merged) if merged is not None else None
        complete[name] = raw if merged is None else merged
    return {_SECTION: complete}


def _merged(below: dict[str, object], above: dict[str, object]) -> dict[str, object]:
    merged = {**below, **above}
    for key in below.keys() & above.keys():
        lower, upper = as_object(below[key]), as_object(above[key])
        if lower is not None and upper is not None:
            merged[key] = {**lower, **upper}
    return merged


def _adapted(entry: dict[str, object], at: str) -> tuple[dict[str, object], list[Problem]]:
    """Codex names variables where others write `${NAME}`."""
    problems: list[Problem] = []
    headers: dict[str, object] = {}
    for header, variable in (as_object(entry.get("env_http_headers")) or {}).items():
        headers[header] = _reference(
            variable, at + config_pointer("env_http_headers", header), problems
        )
    if "bearer_token_env_var" in entry:
        token = _reference(
            entry["bearer_token_env_var"], at + config_pointer("bearer_token_env_var"), problems
        )
        headers["Authorization"] = f"Bearer {token}"
    env: dict[str, object] = {}
    for index, stated in enumerate(as_list(entry.get("env_vars")) or []):
        named = (as_object(stated) or {"name": stated}).get("name")
        env[str(named)] = _reference(named, at + config_pointer("env_vars", index), problems)
    return _with(_with(entry, "http_headers", headers), "env", env), problems


def _reference(variable: object, at: str, problems: list[Problem]) -> str:
    if not isinstance(variable, str) or not variable or {*variable} & {*"${}:"}:
        message = "expected the name of an environment variable"
        problems.append(Problem("SERVER_ENTRY_INVALID", at, message))
        return ""
    return f"${{{variable}}}"


def _with(entry: dict[str, object], key: str, more: dict[str, object]) -> dict[str, object]:
    """Return `entry` with `more` under `key`; a value that is not a table is reported later."""
    own = as_object(entry.get(key, {}))
    return {**entry, key: {**more, **own}} if more and own is not None else entry


client = Codex()
