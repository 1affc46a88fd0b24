"""Creates a run: its row, its first events and its pinned workflow, in one write."""

from dataclasses import dataclass

from toolweave.engine.events import Event, Finished, Started
from toolweave.engine.input_check import error_of
from toolweave.engine.journal import Lease
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.storage.database import Statement, check_values

_PIN = "INSERT INTO documents (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"
_BEGIN = (
    "INSERT INTO runs (id, workflow, document, status, started_at, changed_at, trigger_kind, "
    "once_key, fork_of, seq, holder, held_until, compatible_from) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (once_key) DO NOTHING RETURNING id"
)
# A run that ends as it starts.
_OVER = "UPDATE runs SET status = 'failed', finished_at = ?, error = ? WHERE id = ?"


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a forked run starts: of which run, at which node, with which input."""

    of: str
    at: str
    edits: JsonObject | None = None
    history: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run about to be created."""

    run: str
    workflow: str
    # The hash of the workflow's text, and the text.
    document: str
    text: str
    now: str
    inputs: Json
    trigger: str | None
    once_key: str | None
    fork: Fork | None
    pins: JsonObject | None
    refused: Invalid | None
    # The first lease: its holder and end.
    held: tuple[str, str] | None
    # The lowest version of the engine that can drive it.
    compatible_from: int = 1

    def events(self) -> list[Event]:
        """The first events of its journal."""
        fork = self.fork
        if fork is not None:
            began = Started(self.inputs, self.trigger, fork.of, fork.at, fork.edits, self.pins)
        else:
            began = Started(self.inputs, self.trigger, pins=self.pins)
        history = fork.history if fork is not None else ()
        if self.refused is not None:
            return [began, *history, Finished("failed", {}, error_of(self.refused))]
        return [began, *history]

    def lease(self) -> Lease:
        """The lease that a new run is created with."""
        return Lease(self.run, 0, self.workflow, self.document, self.now, self.once_key)

    def rows(self, events: int) -> list[Statement]:
        """Statements before its events; the second returns a row if the run is new."""
        fork_of = self.fork.of if self.fork else None
        holder, held_until = self.held or (None, None)
        first = (self.run, self.workflow, self.document, "running", self.now, self.now)
        lease = (holder, held_until, self.compatible_from)
        more = (self.trigger, self.once_key, fork_of, events, *lease)
        return [
            Statement(_PIN, (self.document, self.text)),
            Statement(_BEGIN, check_values((*first, *more))),
        ]

    def end(self) -> list[Statement]:
        """Statements after its events: a run that is refused has ended."""
        if self.refused is None:
            return []
        return [Statement(_OVER, check_values((self.now, self.refused.message, self.run)))]
