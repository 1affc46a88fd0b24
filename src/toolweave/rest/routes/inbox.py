"""`/api/v1/inbox`: questions that runs ask people, and their answers.

The name of the key is the person who answers; a key with the scope `admin`, such as the studio's,
may answer as somebody else.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import Field

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.engine.open_questions import OpenQuestion, unknown_question
from toolweave.json_record import JsonRecord
from toolweave.people.inbox import Inbox
from toolweave.people.question_json import InboxQuestion
from toolweave.publishing.limited_keys import allows_workflow, workflows_of
from toolweave.rest.auth import Authenticator, key_of, require_part
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes
from toolweave.servers.registry import Notice

MAX_LISTED = 1_000
SHOWN_NOTICES = 20
PRINTABLE = r"^[^\x00-\x1f\x7f]+$"

QuestionId = Annotated[
    str,
    Path(
        alias="id",
        pattern="^[0-9a-f]{4,16}$",
        description="A question's id or its first characters",
    ),
]
WholeQuestionId = Annotated[
    str, Path(alias="id", pattern="^[0-9a-f]{16}$", description="A question's whole id")
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
    """The open questions, and notices about this home such as a disabled server, newest first."""

    questions: list[InboxQuestion]
    notices: list[Notice]


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
        self._published = studio.published
        self._registry = studio.home.registry

    async def list_inbox(
        self, request: Request, who: Who = None, limit: Limit = 100
    ) -> InboxResponse:
        """List the open questions, oldest first, and the latest notices."""
        key = key_of(request)
        workflows = await workflows_of(self._published, key)
        questions = await self._inbox.list(who=who, workflows=workflows, limit=limit)
        return InboxResponse(
            questions=[InboxQuestion.of(question) for question in questions],
            # A key limited to certain tools learns nothing about servers.
            notices=list(await self._registry.notices(SHOWN_NOTICES)) if key.tools is None else [],
        )

    async def show_question(self, identity: QuestionId, request: Request) -> InboxQuestion:
        """Show a question, open or closed."""
        key = key_of(request)
        if key.tools is not None:
            return InboxQuestion.of(await self._visible(key, identity))
        return InboxQuestion.of(await self._inbox.show(identity))

    async def answer_question(
        self,
        identity: WholeQuestionId,
        body: Annotated[AnswerQuestionRequest, Depends(AnswerQuestionRequest.read)],
        request: Request,
    ) -> AnswerQuestionResponse:
        """Answer a question; every problem of an invalid answer is reported with its place."""
        key = key_of(request)
        if body.as_ is not None:
            require_part(request, "as")
        await self._visible(key, identity)
        who = body.as_ or key.name
        taken = await self._inbox.answer(identity, body.reply, who=who, via="rest")
        question = taken.question
        return AnswerQuestionResponse(
            id=question.id, run=question.run, counts=taken.counts, why=taken.why
        )

    async def _visible(self, key: ApiKey, identity: str) -> OpenQuestion:
        """Return a question by its whole id; one of another key's tools is as unknown as none."""
        question = await self._inbox.questions.get(identity)
        if not await allows_workflow(self._published, key, question.workflow):
            raise unknown_question(identity)
        return question


def inbox_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The three endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/inbox", "inbox")
    routes.add("GET", "", handlers.list_inbox)
    routes.add("GET", "/{id}", handlers.show_question, 404)
    routes.add("POST", "/{id}/answer", handlers.answer_question, 404, 409, status=202)
    return routes.router()
