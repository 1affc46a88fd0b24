"""Runs that wait for other programs: calls and events, indexed by their address.

Stored in the index of open questions (`open_questions.py`), by addresses no channel of people has.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from toolweave import json_text
from toolweave.engine.events import Key
from toolweave.json_text import Json, JsonObject
from toolweave.storage.database import Database

MARK = "@"
# By kind of wait, the setting with its address.
_ADDRESSED_BY: Mapping[Json, str] = {"webhook": "endpoint_path", "event": "name"}
# The newest runs are notified first; this many by one call or event.
MOST = 1_000


@dataclass(frozen=True, slots=True)
class AwaitedStep:
    """A step that waits for a call or an event: its address, and the step's settings."""

    run: str
    step: Key
    asked: JsonObject


def call_address(path: str) -> str:
    """Return the address of calls of a path."""
    return f"{MARK}webhook/{path.strip('/')}"


def event_address(name: str) -> str:
    """Return the address of events of a name."""
    return f"{MARK}event/{name}"


def address_of(asked: JsonObject | None) -> str | None:
    """Return the address a step waits at; None if it waits for something else."""
    field = _ADDRESSED_BY.get(asked.get("kind")) if asked else None
    named = asked.get(field) if asked and field else None
    if not isinstance(named, str) or not named:
        return None
    return call_address(named) if field == "endpoint_path" else event_address(named)


class AwaitedSteps:
    """All waits for calls and events in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def at(self, address: str) -> list[AwaitedStep]:
        """Return the steps that wait at an address, the newest first."""
        rows = await self._database.rows(
            "SELECT run, step, body FROM questions WHERE channel = ? AND closed_at IS NULL "
            "ORDER BY asked_at DESC, id LIMIT ?",
            address,
            MOST,
        )
        return [AwaitedStep(run, step, _object(body)) for run, step, body in rows]


def _object(body: str) -> JsonObject:
    found = json_text.read(body)
    assert isinstance(found, dict), body
    return found
