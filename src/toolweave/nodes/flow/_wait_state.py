"""What FLOW.WAIT remembers, what it asks others for, and when what came is enough."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from toolweave.catalog.node import NodeInput
from toolweave.catalog.node_input import refused_at
from toolweave.clock import timestamp
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.flow._extra_names import ExtraNames
from toolweave.nodes.flow._items import is_same
from toolweave.workflow.expression_values import condition
from toolweave.workflow.question import ANSWER, CONFIRMED, DECLINED, REJECTED

Answering: TypeAlias = Literal["event", "signal", "approval", "webhook"]
_EXPECTING = {"event": ("event_config", "match"), "webhook": ("webhook_config", "expected_payload")}


@dataclass(frozen=True, slots=True)
class WaitMemory:
    """What is kept from one look to the next."""

    since: datetime
    looks: int = 0
    # What was there at the first look, for waits that end with a change.
    first: Json = None
    # Why the last look was not enough.
    fault: str | None = None

    @classmethod
    def of(cls, kept: Json) -> "WaitMemory":
        """The memory of an earlier look."""
        assert isinstance(kept, dict)
        fault = kept.get("fault")
        return cls(
            datetime.fromisoformat(str(kept["since"])),
            int(str(kept["looks"])),
            kept.get("first"),
            None if fault is None else str(fault),
        )

    def as_json(self) -> JsonObject:
        """What `of` reads."""
        return {
            "since": timestamp(self.since),
            "looks": self.looks,
            "first": self.first,
            "fault": self.fault,
        }

    def looked(self, fault: str | None = None) -> "WaitMemory":
        """The same after one more look."""
        return replace(self, looks=self.looks + 1, fault=fault)


@dataclass(frozen=True, slots=True)
class WaitOutcome:
    """What a look gave: what was there, if it was what is waited for."""

    memory: WaitMemory
    trigger: Json = None
    # Somebody said no.
    is_refused: bool = False


@dataclass(frozen=True, slots=True)
class WaitRequest:
    """A wait that ends with an answer from outside."""

    kind: Answering
    config: JsonObject
    expected: Json

    @classmethod
    def of(cls, given: NodeInput) -> "WaitRequest | None":
        """What others are asked for; nothing for a wait that looks by itself."""
        kind = given.text("wait_type")
        if kind not in ("event", "signal", "approval", "webhook"):
            return None
        field, expecting = _EXPECTING.get(kind, ("", ""))
        config = given.record(field) if field else {}
        if kind == "event" and not config.get("name"):
            message = "to wait for an event, 'event_config' needs 'name'"
            raise refused_at(("event_config", "name"), "WAIT_INVALID", message)
        if kind == "webhook" and not config.get("endpoint_path"):
            message = "to wait for a webhook, 'webhook_config' needs 'endpoint_path'"
            raise refused_at(("webhook_config", "endpoint_path"), "WAIT_INVALID", message)
        return cls(kind, config, config.get(expecting))

    def question(self, given: NodeInput) -> JsonObject:
        """What is shown to people, and matched against incoming events and calls."""
        asked: JsonObject = {"kind": self.kind, **self.config}
        if self.kind == "approval":
            asked["text"] = "The run waits for your approval."
            asked["data"] = given.value("data")
        asked["cancellable"] = given.flag("cancellable")
        return asked

    def heard(self, reply: Json, memory: WaitMemory) -> WaitOutcome:
        """Whether an answer is the one that is waited for."""
        if self.kind == "approval":
            said = _approved(reply)
            if said is None:
                return WaitOutcome(memory.looked("an approval is true or false"))
            return WaitOutcome(memory.looked(), reply, is_refused=not said)
        if self.expected is not None and not holds(self.expected, reply):
            return WaitOutcome(memory.looked("what came is not what is expected"))
        return WaitOutcome(memory.looked(), {} if reply is None else reply)


def _approved(reply: Json) -> bool | None:
    """What somebody decided, in the words of any door; nothing where it is no decision."""
    said = reply.get("approved", reply.get(ANSWER)) if isinstance(reply, dict) else reply
    if reply == DECLINED or said == REJECTED:
        return False
    return True if said == CONFIRMED else said if isinstance(said, bool) else None


def holds(expected: Json, found: Json) -> bool:
    """Whether everything that is expected is there; more may be."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            name in found and holds(value, found[name]) for name, value in expected.items()
        )
    return is_same(expected, found)


def why_unmet(given: NodeInput, trigger: Json, now: datetime) -> str | None:
    """Return why the condition does not hold; what it reads may not exist yet."""
    text = given.text("wait_condition")
    if not text:
        return None
    names = ExtraNames({"trigger": trigger, "now": timestamp(now)}, given.names)
    try:
        return None if condition(text, names) else "the condition does not hold"
    except Invalid as error:
        if error.code != "EXPRESSION_FAILED":
            raise
        return error.message
