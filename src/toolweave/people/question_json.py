"""The JSON of a question in the inbox, for REST and `--json`."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from toolweave.json_record import JsonRecord
from toolweave.workflow.question import Question


class QuestionContent(JsonRecord):
    """What is asked; empty fields are left out."""

    id: str = ""
    kind: Literal["approval", "choice", "form", "review"]
    title: str = ""
    text: str
    # Any: a JSON Schema.
    answer_schema: dict[str, Any] = Field(alias="schema")
    options: list[str] = Field(default_factory=list[str])
    is_multiple: bool = Field(False, alias="multiSelect")
    channel: str = "inbox"
    people: list[str] = Field(default_factory=list[str])
    needs_all: bool = Field(False, alias="needsAll")
    # Any: the content to review.
    content: Any = None
    due: str | None = None
    thread: dict[str, Any] | None = None


def _as_json(question: object) -> object:
    return question.as_json() if isinstance(question, Question) else question


class InboxQuestion(JsonRecord):
    """A question, and the step of the run that asks it."""

    id: str
    run: str
    step: str
    workflow: str
    asked_at: str
    closed_at: str | None
    question: Annotated[QuestionContent, BeforeValidator(_as_json)]
