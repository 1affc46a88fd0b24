"""A question of a run to a person: one shape from the node that asks to every client.

A node puts it into `Wait.question`; the journal stores it as this JSON:

    {"id", "kind", "title", "text", "schema", "options", "channel", "people", "needsAll",
     "content", "url", "due"}

`schema` is a flat JSON Schema of the answer, always an object, usable for forms and MCP
elicitation. An answer is an object of that schema or plain text for the node to parse; `DECLINED`
means that the person does not want to answer. Who answered is not part of the answer: the caller
passes it to `Engine.answer`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.check import check_value
from toolweave.tools.schema import compile_schema

# approval: yes or no. choice: one or several options. form: fields. review: a score.
Kind = Literal["approval", "choice", "form", "review"]
# The channel; every question can also be answered in the inbox.
Channel = Literal["inbox", "mcp", "slack", "discord", "telegram", "gmail", "outlook"]

CONFIRMED, REJECTED = "confirmed", "rejected"
DECLINED: JsonObject = {"declined": True}
ANSWER = "answer"

_KINDS, _CHANNELS = get_args(Kind), get_args(Channel)
_ALWAYS = frozenset({"kind", "text", "schema"})


@dataclass(frozen=True, slots=True)
class Question:
    """One question to people; see `as_json`."""

    kind: Kind
    text: str
    schema: JsonObject = field(default_factory=dict[str, Json])
    title: str = ""
    # The `question_id` of the step's key: stable when the step asks again.
    id: str = ""
    # Possible answers, as button labels.
    options: tuple[str, ...] = ()
    # Several of the options may be chosen.
    is_multiple: bool = False
    channel: Channel = "inbox"
    # Who may answer, by name or address; empty: anybody.
    people: tuple[str, ...] = ()
    # Everybody who may answer does: one answer of each counts. Else the first one counts.
    needs_all: bool = False
    # The content to review.
    content: Json = None
    # The page that the person opens before confirming; the text names it, too.
    url: str | None = None
    # The deadline for answers.
    due: str | None = None
    # The id of the message in its channel, to match replies.
    thread: JsonObject | None = None

    def as_json(self) -> JsonObject:
        """Return the question as JSON for the journal, without empty fields."""
        fields: JsonObject = {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "text": self.text,
            "schema": self.schema,
            "options": list(self.options),
            "multiSelect": self.is_multiple,
            "channel": self.channel,
            "people": list(self.people),
            "needsAll": self.needs_all,
            "content": self.content,
            "url": self.url,
            "due": self.due,
            "thread": self.thread,
        }
        return {
            name: value
            for name, value in fields.items()
            if name in _ALWAYS or not (value is None or value is False or value in ("", [], {}))
        }

    def asks(self, who: str | None) -> bool:
        """Whether this person may answer."""
        if not self.people:
            return True
        return who is not None and who.casefold() in {one.casefold() for one in self.people}

    def not_asked(self, who: str | None) -> str | None:
        """Why the answer of this person does not count; nothing if it does."""
        if self.asks(who):
            return None
        people = ", ".join(self.people)
        return f"{who or 'nobody'!r} was not asked; the question is for {people}"

    def faults(self, answer: Json) -> list[Problem]:
        """Return the problems of an answer against the schema; none for plain text."""
        if not isinstance(answer, dict) or answer == DECLINED:
            return []
        found = check_value(compile_schema(self.schema), answer)
        return [problem for problem in found if problem.severity == "error"]


def question_of(asked: JsonObject | None) -> Question | None:
    """Return the question of a waiting step; None if it waits for no person."""
    if asked is None or asked.get("kind") not in _KINDS or not isinstance(asked.get("text"), str):
        return None
    kind = cast("Kind", asked["kind"])
    channel, due, thread = (asked.get(name) for name in ("channel", "due", "thread"))
    url = asked.get("url")
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
        needs_all=asked.get("needsAll") is True,
        content=asked.get("content", asked.get("data")),
        url=url if isinstance(url, str) else None,
        due=due if isinstance(due, str) else None,
        thread=thread if isinstance(thread, dict) else None,
    )


def reply_in(kept: JsonObject, by: str | None, via: str | None, at: str | None) -> str | None:
    """Return why a reply does not count, an empty text if it does, by what a step kept of it.

    Nothing if the step, in its memory or its value, has no such reply among those it kept.
    """
    replies = kept.get("replies", kept.get("answers"))
    if not isinstance(replies, list):
        return ""  # it keeps none, so the first one counts
    sought = [by, via, at]
    # The last one: of one person a step reads one reply at a time.
    for one in reversed(replies):
        is_it = isinstance(one, dict) and [one.get(name) for name in ("by", "via", "at")] == sought
        if isinstance(one, dict) and is_it:
            return "" if one.get("counted") is True else str(one.get("why") or "it does not count")
    return None


def question_id(key: str) -> str:
    """Return the question's id for a step's key (`NodeContext.key`)."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def approval_schema(*, has_comment: bool = True) -> JsonObject:
    """Return the schema of an approval."""
    answer: JsonObject = {
        "type": "string",
        "title": "Answer",
        "enum": [CONFIRMED, REJECTED],
        "enumNames": ["Approve", "Decline"],
    }
    fields: JsonObject = {ANSWER: answer}
    if has_comment:
        fields["comment"] = {"type": "string", "title": "Comment", "maxLength": 10_000}
    return _object(fields, [ANSWER])


def choice_schema(options: Sequence[str], *, is_multiple: bool = False) -> JsonObject:
    """Return the schema of a choice: one option, several, or any text."""
    one: JsonObject = {"type": "string", "title": "Answer"}
    if options:
        one["enum"] = list(options)
    some: JsonObject = {"type": "array", "title": "Answer", "items": one, "uniqueItems": True}
    return _object({ANSWER: some if is_multiple else one}, [ANSWER])


def _object(properties: JsonObject, required: list[Json]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required}


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
