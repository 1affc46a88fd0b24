"""What people say in other systems: one shape, and to which question of ours it belongs."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.question import Channel, Question


@dataclass(frozen=True, slots=True)
class IncomingReply:
    """A message, or a button that was pressed."""

    channel: Channel
    # The same when the same thing is delivered again.
    id: str
    who: str
    reply: Json
    # The question, where a button names it.
    question: str | None = None
    # Where it was said: all of it must be in the thread of the question.
    place: JsonObject | None = None
    # Said in the channel without saying to what: it counts where only one question is open there.
    is_loose: bool = False


def belongs(heard: IncomingReply, asked: Question) -> bool:
    """Whether something was said to a question."""
    if heard.question is not None:
        return asked.id == heard.question
    thread = asked.thread or {}
    if not heard.place or any(
        str(thread.get(name)) != str(value) for name, value in heard.place.items()
    ):
        return False
    return not (heard.is_loose and thread.get("in_thread") is True)


def the_one(heard: IncomingReply, asked: Sequence[Question]) -> Question | None:
    """The question that was meant, if there is no doubt about it."""
    meant = [one for one in asked if belongs(heard, one)]
    return meant[0] if len(meant) == 1 or (meant and not heard.is_loose) else None
