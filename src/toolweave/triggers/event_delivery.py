"""Delivers calls and events to the runs that wait for them (FLOW.WAIT: webhook, event)."""

import logging
from dataclasses import dataclass
from datetime import timedelta

from toolweave.access.secret_destinations import HERE
from toolweave.access.secret_text import SecretTexts
from toolweave.access.webhook_signatures import WebhookRequest, parse_body
from toolweave.clock import Clock, timestamp
from toolweave.engine.engine import Engine
from toolweave.engine.waiting_runs import (
    MARK,
    AwaitedStep,
    AwaitedSteps,
    call_address,
    event_address,
)
from toolweave.errors import Conflict, Denied, ToolweaveError
from toolweave.json_text import Json
from toolweave.nodes.flow._wait_state import holds
from toolweave.triggers import deliveries

logger = logging.getLogger(__name__)

# The vault secret that authenticates callers of a wait without a token of its own.
TOKEN = "${vault:wait-webhook-token}"
REMEMBERED = timedelta(days=2)
_NOTE = (
    "INSERT INTO heard (channel, message, at) VALUES (?, ?, ?) "
    "ON CONFLICT (channel, message) DO UPDATE SET at = excluded.at"
)


@dataclass(frozen=True, slots=True)
class EventDeliveryResult:
    """The runs that received an event, and why others did not."""

    runs: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventSender:
    """The sender and channel of an event; and whether this process continues the runs."""

    who: str | None
    via: str
    resume: bool = True


class EventDelivery:
    """Finds the runs that wait for an event; nothing is kept open for them."""

    def __init__(self, engine: Engine, secrets: SecretTexts, clock: Clock) -> None:
        self._awaiting = AwaitedSteps(engine.journal.database)
        self._database = engine.journal.database
        self._engine = engine
        self._secrets = secrets
        self._clock = clock

    async def has_path(self, path: str) -> bool:
        """Whether a run waits for a call of this path, or did recently."""
        address = call_address(path)
        return bool(await self._awaiting.at(address)) or await self._was_heard(address)

    async def call(self, arrival: WebhookRequest) -> EventDeliveryResult | None:
        """Deliver a call to every run that waits for it; None if none does, or did recently.

        Raises `ToolweaveError`: `METHOD_NOT_ALLOWED`, with the allowed ones in `facts`; `Denied`:
        `HOOK_DENIED` if the caller is not authenticated; `Invalid`: `JSON_INVALID`.
        """
        address = call_address(arrival.path)
        waiting = await self._awaiting.at(address)
        if not waiting:
            was_heard = await self._was_heard(address)
            return (
                EventDeliveryResult(ignored=("no run is waiting for it any more",))
                if was_heard
                else None
            )
        meant = [one for one in waiting if _method(one) == arrival.method]
        if not meant:
            raise ToolweaveError(
                "METHOD_NOT_ALLOWED",
                "no run waits for this method",
                facts={"allow": sorted({_method(one) for one in waiting})},
            )
        proven = [one for one in meant if await self._is_authenticated(one, arrival)]
        if not proven:
            raise Denied("HOOK_DENIED", "the request is not authenticated")
        body = parse_body(arrival)
        reply: Json = deliveries.shown_query(arrival, hides_token=True) if body is None else body
        handed = await self._hand(proven, "expected_payload", reply, EventSender(None, "webhook"))
        if handed.runs:
            await self._database.execute(_NOTE, MARK, address, timestamp(self._clock.now()))
        return handed

    async def event(
        self, name: str, payload: Json, *, by: str | None, via: str, resume: bool = True
    ) -> EventDeliveryResult:
        """Deliver a named event to every run that waits for it and its content."""
        waiting = await self._awaiting.at(event_address(name))
        return await self._hand(waiting, "match", payload, EventSender(by, via, resume))

    async def _hand(
        self, waiting: list[AwaitedStep], expecting: str, reply: Json, teller: EventSender
    ) -> EventDeliveryResult:
        runs: list[str] = []
        for one in waiting:
            expected = one.asked.get(expecting)
            if expected is not None and not holds(expected, reply):
                continue
            try:
                await self._engine.answer(
                    one.run, one.step, reply, by=teller.who, via=teller.via, resume=teller.resume
                )
            except Conflict:
                continue  # it continued just now
            runs.append(one.run)
        others = len(waiting) - len(runs)
        reasons = (f"{others} runs wait for something else here",) if others else ()
        return EventDeliveryResult(tuple(runs), reasons)

    async def _was_heard(self, address: str) -> bool:
        since = timestamp(self._clock.now() - REMEMBERED)
        sql = "SELECT 1 FROM heard WHERE channel = ? AND message = ? AND at > ?"
        return await self._database.row(sql, MARK, address, since) is not None

    async def _is_authenticated(self, one: AwaitedStep, arrival: WebhookRequest) -> bool:
        """Whether a call has its proof; only an explicit `false` without a token needs none."""
        named = one.asked.get("auth_token")
        if one.asked.get("authentication_required") is False and not named:
            return True
        written = named if isinstance(named, str) and named else TOKEN
        try:
            filled = await self._secrets.fill({"token": written}, HERE)
            reason = deliveries.any_proof(arrival, filled.texts["token"])
        except ToolweaveError as error:
            reason = error.code
        if reason is not None:
            logger.warning("a call was not authenticated", extra={"run": one.run, "reason": reason})
        return reason is None


def _method(one: AwaitedStep) -> str:
    method = one.asked.get("method")
    return method.upper() if isinstance(method, str) and method else "POST"
