"""What a run asks somebody: one plain shape, from the node that asks to every door that shows it.

A node puts it into `Wait.question`; it stands in the journal as this JSON:

    {"id", "kind", "title", "text", "schema", "options", "channel", "people", "content", "due"}

`schema` is a flat JSON Schema of the answer, always an object, so that forms and MCP elicitation
can be made of it as it is. Whoever hands in an answer gives an object of that schema, or plain
text for the node to read; `DECLINED` says that the person does not want to answer. Who answered is
never part of the answer: the engine is told by the door, which knows (`Engine.answer`).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.check import check_value
from toolweave.tools.schema import compile_schema

# approval: agree or not. choice: one of the options, or some. form: fields. review: a judgement.
Kind = Literal["approval", "choice", "form", "review"]
# Where it is asked; every question can be answered in the inbox as well.
Channel = Literal["inbox", "mcp", "slack", "discord", "telegram", "gmail", "outlook"]

CONFIRMED, REJECTED = "confirmed", "rejected"
DECLINED: JsonObject = {"declined": True}
ANSWER = "answer"

_KINDS, _CHANNELS = get_args(Kind), get_args(Channel)
_ALWAYS = frozenset({"kind", "text", "schema"})


@dataclass(frozen=True, slots=True)
class Question:
    """One question to people; its JSON is what `as_json` gives."""

    kind: Kind
    text: str
    schema: JsonObject = field(default_factory=dict[str, Json])
    title: str = ""
    # The same for every time the same step asks: `question_id` of the step's key.
    id: str = ""
    # What a person may say, as labels of buttons.
    options: tuple[str, ...] = ()
    # Several of the options may be chosen.
    is_multiple: bool = False
    channel: Channel = "inbox"
    # Whose answers count, by name or address; empty: anybody's.
    people: tuple[str, ...] = ()
    # What is to be judged.
    content: Json = None
    # Until when an answer counts.
    due: str | None = None
    # How replies to it are told apart in their channel: the message that asked.
    thread: JsonObject | None = None

    def as_json(self) -> JsonObject:
        """The question for the journal, without what is empty."""
        told: JsonObject = {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "text": self.text,
            "schema": self.schema,
            "options": list(self.options),
            "multiSelect": self.is_multiple,
            "channel": self.channel,
            "people": list(self.people),
            "content": self.content,
            "due": self.due,
            "thread": self.thread,
        }
        return {
            name: value
            for name, value in told.items()
            if name in _ALWAYS or not (value is None or value is False or value in ("", [], {}))
        }

    def asks(self, who: str | None) -> bool:
        """Whether the answer of somebody counts."""
        if not self.people:
            return True
        return who is not None and who.casefold() in {one.casefold() for one in self.people}

    def faults(self, answer: Json) -> list[Problem]:
        """Everything that is wrong with an answer by the schema; nothing for one in plain text."""
        if not isinstance(answer, dict) or answer == DECLINED:
            return []
        found = check_value(compile_schema(self.schema), answer)
        return [problem for problem in found if problem.severity == "error"]


def question_of(asked: JsonObject | None) -> Question | None:
    """The question of a step that waits; nothing where it waits for no person."""
    if asked is None or asked.get("kind") not in _KINDS or not isinstance(asked.get("text"), str):
        return None
    kind = cast("Kind", asked["kind"])
    channel, due, thread = (asked.get(name) for name in ("channel", "due", "thread"))
    schema = asked.get("schema")
    return Question(
        kind=kind,
        text=str(asked["text"]),
        schema=schema if isinstance(schema, dict) else approval_schema(),
        title=str(asked.get("title", "")),
        id=str(asked.get("id", "")),
        options=_texts(asked.get("options")),
        is_multiple=asked.get("multiSelect") is True,
        channel=cast("Channel", channel) if channel in _CHANNELS else "inbox",
        people=_texts(asked.get("people")),
        content=asked.get("content", asked.get("data")),
        due=due if isinstance(due, str) else None,
        thread=thread if isinstance(thread, dict) else None,
    )


def question_id(key: str) -> str:
    """A short name of what a step asks, by the step's key (`NodeContext.key`)."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def approval_schema(labels: tuple[str, str] = ("Approve", "Decline")) -> JsonObject:
    """The schema of an answer that agrees or does not."""
    answer: JsonObject = {
        "type": "string",
        "title": "Answer",
        "enum": [CONFIRMED, REJECTED],
        "enumNames": list(labels),
    }
    comment: JsonObject = {"type": "string", "title": "Comment", "maxLength": 10_000}
    return _object({ANSWER: answer, "comment": comment}, [ANSWER])


def choice_schema(options: Sequence[str], *, is_multiple: bool = False) -> JsonObject:
    """The schema of an answer that is one of some options, some of them, or any text."""
    one: JsonObject = {"type": "string", "title": "Answer"}
    if options:
        one["enum"] = list(options)
    some: JsonObject = {"type": "array", "title": "Answer", "items": one, "uniqueItems": True}
    return _object({ANSWER: some if is_multiple else one}, [ANSWER])


def _object(properties: JsonObject, required: list[Json]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required}


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
