"""Read the part of a document that maps names to servers."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.servers.config_entry import (
    PLAIN,
    ConfigDialect,
    as_list,
    as_object,
    config_pointer,
    name_problems,
    read_entry,
)
from toolweave.servers.definition import CommandServer, Definition
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source

Off = Callable[[str, dict[str, object]], bool]
Adapt = Callable[[dict[str, object], str], tuple[dict[str, object], list[Problem]]]

_VAULT = pattern(r"\$\{\s*vault:", re.IGNORECASE)


def is_marked_disabled(_name: str, entry: dict[str, object]) -> bool:
    """Whether the entry itself is marked as disabled."""
    return entry.get("disabled") is True or entry.get("enabled") is False


def keep_unchanged(entry: dict[str, object], _at: str) -> tuple[dict[str, object], list[Problem]]:
    """For clients with entries in the common format."""
    return entry, []


def read_servers(
    source: Source,
    document: dict[str, object] | None,
    *steps: str,
    dialect: ConfigDialect = PLAIN,
    adapt: Adapt = keep_unchanged,
    is_off: Off = is_marked_disabled,
    is_list: bool = False,
) -> Iterator[DiscoveredServer | FileProblem]:
    """Return the servers under the keys `steps` of `document`; none if a key is missing.

    They are an object of entries by name; with `is_list` also a list of entries with a `name`.
    """
    section: object = document or {}
    for depth, step in enumerate(steps, 1):
        inside = as_object(section)
        if inside is None:
            at = config_pointer(*steps[: depth - 1])
            yield source.problem("CLIENT_FILE_INVALID", "expected an object here", at=at)
            return
        if inside.get(step) is None:
            return
        section = inside[step]
    entries = _named_entries(section)
    if entries is None or (isinstance(section, list) and not is_list):
        at = config_pointer(*steps)
        yield source.problem("CLIENT_FILE_INVALID", "expected an object here", at=at)
        return
    for step, key, raw in entries:
        at = config_pointer(*steps, step)
        entry = as_object(raw)
        adapted, doubts = (raw, []) if entry is None else adapt(entry, at)
        definition, problems = read_entry(adapted, at, dialect)
        problems = [
            *name_problems(key, at),
            *doubts,
            *problems,
            *_reaches_for_vault(definition, at),
        ]
        is_wrong = any(problem.severity == "error" for problem in problems)
        yield DiscoveredServer(
            name=key.encode("utf-8", "backslashreplace").decode(),
            scope=source.scope,
            client=source.client,
            path=source.path,
            pointer=at,
            definition=None if is_wrong else _anchored(definition, source.directory),
            problems=tuple(problems),
            disabled=entry is not None and is_off(key, entry),
        )


def _named_entries(section: object) -> list[tuple[str | int, str, object]] | None:
    """Return key or index, name and value of each entry."""
    if (by_name := as_object(section)) is not None:
        return [(key, key, raw) for key, raw in by_name.items()]
    if (listed := as_list(section)) is not None:
        return [
            (index, str((as_object(raw) or {}).get("name", "")), raw)
            for index, raw in enumerate(listed)
        ]
    return None


def _reaches_for_vault(definition: Definition | None, at: str) -> Iterator[Problem]:
    # Only a person may use a secret; a cloned project's file must not be able to.
    if definition is not None and _VAULT.search(definition.model_dump_json()):
        yield Problem(
            "SERVER_VAULT_REFERENCE",
            at,
            "the entry refers to Toolweave's vault, which another client's file must not do",
            hint="add the server yourself with `toolweave servers add`",
        )


def _anchored(definition: Definition | None, directory: Path | None) -> Definition | None:
    """Set the project as the working directory of its commands."""
    if directory is None or not isinstance(definition, CommandServer):
        return definition
    cwd = definition.cwd or ""
    if cwd.startswith(("~", "${")):
        return definition
    return definition.model_copy(update={"cwd": str(directory / cwd)})
