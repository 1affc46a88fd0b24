"""Listening for one test event of a trigger that somebody edits, without activating it."""

import uuid
from dataclasses import dataclass, field

import anyio

from toolweave.clock import Clock
from toolweave.errors import NotFound
from toolweave.json_text import JsonObject
from toolweave.triggers.activation_store import ActiveTrigger
from toolweave.triggers.active_triggers import ActiveTriggerSettings

# A listener that nobody asks about any more is closed after this long.
KEPT_S = 15.0
# How long one request waits for an event.
WAIT_S = 20.0
MAX_LISTENERS = 50


@dataclass(eq=False)
class EventListener:
    """A trigger of a document on somebody's canvas, and the event it received."""

    id: str
    trigger: ActiveTriggerSettings
    event: JsonObject | None = None
    received: anyio.Event = field(default_factory=anyio.Event)
    asked_at: float = 0.0
    waiting: int = 0

    @property
    def row(self) -> ActiveTrigger:
        """The trigger as if it were active."""
        return self.trigger.row

    def keep(self, event: JsonObject) -> None:
        """Keep the first event."""
        if self.event is None:
            self.event = event
            self.received.set()


class EventListeners:
    """The listeners of one process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, EventListener] = {}

    @property
    def waiting(self) -> list[EventListener]:
        """Those without an event that somebody still asks about."""
        self._close_forgotten()
        return [one for one in self._open.values() if one.event is None]

    def open(self, trigger: ActiveTriggerSettings) -> EventListener:
        """Begin to listen; of too many, the oldest ends."""
        self._close_forgotten()
        while len(self._open) >= MAX_LISTENERS:
            del self._open[next(iter(self._open))]
        listener = EventListener(uuid.uuid4().hex, trigger, asked_at=self._clock.monotonic())
        self._open[listener.id] = listener
        return listener

    def get(self, identity: str) -> EventListener:
        """Return an open listener. Raises `LISTENER_UNKNOWN`."""
        self._close_forgotten()
        if (listener := self._open.get(identity)) is None:
            message = "nobody listens for this test event any more"
            raise NotFound("LISTENER_UNKNOWN", message, hint="start to listen again")
        return listener

    async def wait(self, listener: EventListener, wait_s: float = WAIT_S) -> JsonObject | None:
        """Wait some seconds for the event; a listener that has it is closed."""
        listener.waiting += 1
        try:
            with anyio.move_on_after(wait_s):
                await listener.received.wait()
        finally:
            listener.waiting -= 1
            listener.asked_at = self._clock.monotonic()
        if listener.event is not None:
            self.close(listener.id)
        return listener.event

    def close(self, identity: str) -> None:
        """End a listener."""
        self._open.pop(identity, None)

    def _close_forgotten(self) -> None:
        limit = self._clock.monotonic() - KEPT_S
        forgotten = [
            one.id for one in self._open.values() if not one.waiting and one.asked_at < limit
        ]
        for identity in forgotten:
            self.close(identity)
