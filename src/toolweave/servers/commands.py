"""Programs that workflows may run by name; a person registers and approves them, like servers.

A definition is a `CommandServer`. Arguments may have placeholders, `{path}` or `{count:integer}`;
a value stays within its argument, so a workflow cannot add arguments.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING

from toolweave.clock import Clock, timestamp
from toolweave.errors import Conflict, Denied, Invalid, NotFound
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import did_you_mean
from toolweave.servers.known_servers import facts_hash
from toolweave.storage.damaged_rows import readable
from toolweave.storage.database import Database, Row

if TYPE_CHECKING:  # loaded with the first program: most homes have none
    from toolweave.servers.definition import CommandServer

NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
HOLE = pattern(r"\{([A-Za-z_]\w*)(?::(text|integer|number))?\}")
_COLUMNS = "name, definition, approved_hash, created_at"


@dataclass(frozen=True, slots=True)
class RegisteredCommand:
    """A registered program."""

    name: str
    definition: "CommandServer"
    approved_hash: str | None
    created_at: datetime

    @property
    def is_approved(self) -> bool:
        """Whether the current definition is the approved one."""
        return self.approved_hash == _hash(self.definition)

    @property
    def holes(self) -> dict[str, str]:
        """Names of the placeholders with their types."""
        found = (hole for text in self.definition.args for hole in HOLE.finditer(text))
        return {hole[1]: hole[2] or "text" for hole in found}


class Commands:
    """The registered programs of a home."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def list(self) -> list[RegisteredCommand]:
        """Return all programs, sorted by name."""
        rows = await self._database.rows(f"SELECT {_COLUMNS} FROM commands ORDER BY name")
        return readable("commands", rows, _registered)

    async def get(self, name: str) -> RegisteredCommand:
        """Return the program called `name`. Raises `NotFound`: `COMMAND_NOT_FOUND`."""
        known = {one.name: one for one in await self.list()}
        if name not in known:
            raise NotFound(
                "COMMAND_NOT_FOUND",
                f"there is no command {name!r}",
                hint=did_you_mean(name, known)
                or f"register it with `toolweave commands add {name} -- PROGRAM ARGUMENT…`",
            )
        return known[name]

    async def approved(self, name: str) -> RegisteredCommand:
        """Return the program called `name`. Raises `COMMAND_NOT_FOUND`, `COMMAND_NOT_APPROVED`."""
        found = await self.get(name)
        if not found.is_approved:
            raise Denied(
                "COMMAND_NOT_APPROVED",
                f"command {name!r} is not approved",
                hint=f"run `toolweave commands approve {name}` to review and approve it",
            )
        return found

    async def add(self, name: str, definition: "CommandServer") -> RegisteredCommand:
        """Register a program, unapproved. Raises `COMMAND_NAME_INVALID`, `COMMAND_NAME_TAKEN`."""
        if not NAME.fullmatch(name):
            message = f"{name!r} is not a valid command name; use letters, digits, '.', '_' and '-'"
            raise Invalid("COMMAND_NAME_INVALID", message)
        now = self._clock.now()
        made = await self._database.execute(
            f"INSERT INTO commands ({_COLUMNS}) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
            name,
            definition.model_dump_json(),
            None,
            timestamp(now),
        )
        if not made:
            raise Conflict(
                "COMMAND_NAME_TAKEN",
                f"command {name!r} already exists",
                hint=f"choose another name, or run `toolweave commands remove {name}` first",
            )
        return RegisteredCommand(name, definition, None, now)

    async def approve(self, name: str, shown_hash: str) -> RegisteredCommand:
        """Approve the definition that was shown."""
        found = await self.get(name)
        if _hash(found.definition) != shown_hash:
            raise Conflict("COMMAND_CHANGED", f"command {name!r} changed after it was shown")
        await self._database.execute(
            "UPDATE commands SET approved_hash = ? WHERE name = ?", shown_hash, name
        )
        return RegisteredCommand(found.name, found.definition, shown_hash, found.created_at)

    async def remove(self, name: str) -> None:
        """Remove a program, also one whose row is damaged. Raises `COMMAND_NOT_FOUND`."""
        if not await self._database.execute("DELETE FROM commands WHERE name = ?", name):
            await self.get(name)


def fill_argument(template: str, text: str, values: Mapping[str, Json]) -> str:
    """Fill the placeholders of one argument; `${…}` in `text` is already expanded."""
    if not HOLE.search(template):
        return text
    found = HOLE.sub(lambda hole: _value(hole[1], hole[2] or "text", values), text)
    if HOLE.fullmatch(template) and found.startswith("-") and not _is_number(found):
        name = HOLE.fullmatch(template)
        raise _wrong(
            name[1] if name else "",
            "must not start with '-', because it would be read as an option",
        )
    return found


def reject_unknown_values(command: RegisteredCommand, values: Mapping[str, Json]) -> None:
    """Reject values without a placeholder. Raises `Invalid`: `COMMAND_ARGUMENT_INVALID`."""
    for name in values:
        if name not in command.holes:
            known = ", ".join(command.holes) or "none"
            raise _wrong(name, f"is not an argument of {command.name!r}; expected one of: {known}")


def _value(name: str, kind: str, values: Mapping[str, Json]) -> str:
    value = values.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer" and not (isinstance(value, int) and is_number):
        raise _wrong(name, "must be a whole number")
    if kind == "number" and not is_number:
        raise _wrong(name, "must be a number")
    if not is_number and not isinstance(value, str):
        raise _wrong(name, "must be a string or a number")
    text = str(value)
    if "\0" in text:
        raise _wrong(name, "must not contain a null byte")
    return text


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"-?\d+(\.\d+)?", text))


def _wrong(name: str, why: str) -> Invalid:
    message = f"argument {name!r} {why}"
    return Invalid("COMMAND_ARGUMENT_INVALID", message, facts={"field": "arguments"})


def _hash(definition: "CommandServer") -> str:
    return facts_hash(definition.model_dump(mode="json"))


def _read(stored: str) -> "CommandServer":
    return import_module("toolweave.servers.definition").CommandServer.model_validate_json(stored)


def _registered(row: Row) -> RegisteredCommand:
    name, definition, approved_hash, created_at = row
    return RegisteredCommand(
        str(name),
        _read(str(definition)),
        None if approved_hash is None else str(approved_hash),
        datetime.fromisoformat(str(created_at)),
    )
