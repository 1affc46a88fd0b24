"""`/api/v1/inbox`: questions that runs ask people, and their answers.

The name of the key is the person who answers; a key with the scope `admin`, such as the studio's,
may answer as somebody else.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import Field
from starlette.routing import Route

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.json_record import JsonRecord
from toolweave.people.inbox import Inbox
from toolweave.people.question_json import InboxQuestion
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import add_route

ALL = "/api/v1/inbox"
VIA = "rest"
MAX_LISTED = 1_000
PRINTABLE = r"^[^\x00-\x1f\x7f]+$"

QuestionId = Annotated[
    str,
    Path(
        alias="id",
        pattern="^[0-9a-f]{4,16}$",
        description="A question's id or its first characters",
    ),
]
Who = Annotated[
    str | None,
    Query(
        alias="for",
        max_length=200,
        pattern=PRINTABLE,
        description="Only questions this person may answer",
    ),
]
Limit = Annotated[
    int, Query(ge=1, le=MAX_LISTED, description="Maximum number of questions, oldest first")
]


class AnswerQuestionRequest(RequestBody):
    """An answer to a question."""

    # Any: whatever the question asks for, or plain text.
    reply: Any = Field(description="An object that fits the question's schema, or plain text")
    as_: str | None = Field(
        None,
        alias="as",
        min_length=1,
        max_length=200,
        pattern=PRINTABLE,
        description="Who answers, if the key has the scope `admin`; default: the key's name",
    )


class InboxResponse(JsonRecord):
    """The open questions."""

    questions: list[InboxQuestion]


class AnswerQuestionResponse(JsonRecord):
    """A recorded answer; `why` says why it does not count."""

    id: str
    run: str
    counts: bool
    why: str | None


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._inbox = Inbox(studio.engine)

    async def list_inbox(self, who: Who = None, limit: Limit = 100) -> InboxResponse:
        """List the open questions, oldest first."""
        questions = await self._inbox.list(who=who, limit=limit)
        return InboxResponse(questions=[InboxQuestion.of(question) for question in questions])

    async def show_question(self, identity: QuestionId) -> InboxQuestion:
        """Show a question, open or closed."""
        return InboxQuestion.of(await self._inbox.show(identity))

    async def answer_question(
        self,
        identity: QuestionId,
        body: Annotated[AnswerQuestionRequest, Depends(AnswerQuestionRequest.read)],
        request: Request,
    ) -> AnswerQuestionResponse:
        """Answer a question; every problem of an invalid answer is reported with its place."""
        key: ApiKey = request.state.key
        if body.as_ is not None:
            key.require("admin")
        who = body.as_ or key.name
        taken = await self._inbox.answer(identity, body.reply, who=who, via=VIA)
        question = taken.question
        return AnswerQuestionResponse(
            id=question.id, run=question.run, counts=taken.counts, why=taken.why
        )


def inbox_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The three endpoints: reading needs `workflows:read`, answering `workflows:run`."""
    handlers = _Handlers(studio)
    read, run = map(authenticator.require, ("workflows:read", "workflows:run"))
    router = APIRouter(prefix=ALL, tags=["inbox"])
    add_route(router, "GET", "", handlers.list_inbox, read, 422)
    add_route(router, "GET", "/{id}", handlers.show_question, read, 404, 422)
    answer = handlers.answer_question
    add_route(router, "POST", "/{id}/answer", answer, run, 404, 409, 422, status=202)
    router.routes.append(Route(ALL, endpoint=OtherMethods("GET")))
    return router
