"""`/api/v1/inbox`: what runs ask people, and their answers.

Who answers is the name of the key; a key with the scope `admin`, such as the studio's, may say
for whom it speaks.
"""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.people.inbox import Inbox, as_json
from toolweave.rest import openapi
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import json_answer
from toolweave.rest.request_body import Strict, read_shape
from toolweave.rest.shapes import KEYED, READING, responses

ALL = "/api/v1/inbox"
VIA = "rest"
MAX_LISTED = 1_000
PRINTED = r"^[^\x00-\x1f\x7f]+$"

QuestionId = Annotated[
    str,
    Path(alias="id", pattern="^[0-9a-f]{4,16}$", description="A question's id, or how it begins"),
]
Who = Annotated[
    str | None,
    Query(alias="for", max_length=200, pattern=PRINTED, description="Only what they may answer"),
]
Limit = Annotated[int, Query(ge=1, le=MAX_LISTED, description="At most so many, the oldest")]


class Replying(Strict):
    """An answer to a question."""

    # Any: whatever the question asks for, or plain words.
    reply: Any = Field(description="An object of the question's schema, or a text")
    as_: str | None = Field(
        None,
        alias="as",
        min_length=1,
        max_length=200,
        pattern=PRINTED,
        description="Who answers, where the key has the scope `admin`; else the key's name",
    )


class AskedShape(BaseModel):
    """What is asked."""

    id: str = ""
    kind: Literal["approval", "choice", "form", "review"]
    text: str
    # Any: a JSON Schema.
    answer_schema: dict[str, Any] = Field(alias="schema")
    title: str = ""
    options: list[str] = Field(default_factory=list[str])
    is_multiple: bool = Field(False, alias="multiSelect")
    channel: str = "inbox"
    people: list[str] = Field(default_factory=list[str])
    # Any: what is to be judged.
    content: Any = None
    due: str | None = None
    thread: dict[str, Any] | None = None


class QuestionShape(BaseModel):
    """A question and its place."""

    id: str
    run: str
    step: str
    workflow: str
    asked_at: str = Field(alias="askedAt")
    closed_at: str | None = Field(alias="closedAt")
    question: AskedShape


class QuestionsShape(BaseModel):
    """The questions nobody has answered yet."""

    questions: list[QuestionShape]


class TakenShape(BaseModel):
    """An answer that was written down."""

    id: str
    run: str
    counts: bool
    why: str | None


class _Answers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._inbox = Inbox(studio.engine)

    async def list_inbox(self, who: Who = None, limit: Limit = 100) -> Response:
        """List the open questions, oldest first."""
        found = await self._inbox.list(who=who, limit=limit)
        return json_answer({"questions": [as_json(one) for one in found]})

    async def show_question(self, identity: QuestionId) -> Response:
        """One question; it may be closed."""
        return json_answer(as_json(await self._inbox.show(identity)))

    async def answer_question(self, identity: QuestionId, request: Request) -> Response:
        """Answer a question; what is wrong with the answer is told, each fault with its place."""
        body = await read_shape(request, Replying)
        key: ApiKey = request.state.key
        if body.as_ is not None:
            key.require("admin")
        who = body.as_ or key.name
        taken = await self._inbox.answer(identity, body.reply, who=who, via=VIA)
        found = taken.question
        told = {"id": found.id, "run": found.run, "counts": taken.counts, "why": taken.why}
        return json_answer(told, 202)


def inbox_routes(studio: RunningStudio, doorkeeper: Doorkeeper) -> APIRouter:
    """The three endpoints; looking needs `workflows:read`, answering `workflows:run`."""
    answers = _Answers(studio)
    reads, runs = map(doorkeeper.wants, ("workflows:read", "workflows:run"))
    taken = responses(TakenShape, 404, 409, *KEYED, *READING, status=202)
    router = APIRouter(prefix=ALL, tags=["inbox"])
    for method, path, answer, gate, answered, reading in (
        ("GET", "", answers.list_inbox, reads, responses(QuestionsShape, 422, *KEYED), None),
        (
            *("GET", "/{id}", answers.show_question, reads),
            *(responses(QuestionShape, 404, 422, *KEYED), None),
        ),
        ("POST", "/{id}/answer", answers.answer_question, runs, taken, Replying),
    ):
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(gate)],
            responses=answered,
            status_code=202 if method == "POST" else None,
            openapi_extra=openapi.keyed(reading),
        )
    router.routes.append(Route(ALL, endpoint=OtherMethods("GET")))
    return router
