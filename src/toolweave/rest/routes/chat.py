"""`/api/v1/chat`: conversations in which a model uses the enabled servers' tools.

The answer is streamed as server-sent events, each tool call as it happens. It stops when the client
disconnects or asks to stop. Conversations live as long as the process and belong to one key.
"""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route
from starlette.types import Send

from toolweave.access.keys import ApiKey
from toolweave.app.studio import Studio
from toolweave.assistant.chat import begin_conversation, tool_context
from toolweave.assistant.conversation import ChatEvent, Conversation
from toolweave.assistant.home_models import OnDemandModelCaller
from toolweave.errors import Conflict, NotFound, ToolweaveError
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, Responses, responses
from toolweave.rest.stream import EventStream, SentEvent

MAX_CHATS = 200
MAX_MESSAGE = 100_000
PRINTED = r"^[^\x00-\x1f\x7f]+$"

ChatId = Annotated[str, Path(alias="chat", pattern="^[0-9a-f-]{36}$", description="A chat's id")]
BoundTo = Annotated[
    str | None, Query(max_length=128, pattern=PRINTED, description="Only this server's tools")
]


class ChatRequest(RequestBody):
    """A message to a model, in a new or an existing conversation."""

    message: str = Field(min_length=1, max_length=MAX_MESSAGE)
    chat: str | None = Field(None, pattern="^[0-9a-f-]{36}$", description="The chat to continue")
    server: str | None = Field(
        None,
        max_length=128,
        pattern=PRINTED,
        description="For a new chat: use only this server's tools",
    )
    model: str | None = Field(
        None, max_length=64, pattern=PRINTED, description="For a new chat: the model"
    )


class ChatContextResponse(BaseModel):
    """The tools a model may use, and how."""

    tools: list[dict[str, Any]]
    enabled_servers: list[str] = Field(alias="enabledServers")
    section_binding: str | None = Field(alias="sectionBinding")


class StopChatResponse(BaseModel):
    """Whether an answer was stopped."""

    stopped: bool


@dataclass(slots=True)
class _Chat:
    id: str
    owner: str
    talk: Conversation
    answering: anyio.CancelScope | None = None


class _Answer(EventStream):
    """Streams one answer while the model writes it."""

    def __init__(self, chat: _Chat, message: str) -> None:
        super().__init__(_none())
        self._chat = chat
        self._message = message
        self._count = 0

    async def write(self, send: Send) -> None:
        """Let the model answer; how it ended is the last event but one."""

        async def tell(event: ChatEvent) -> None:
            self._count += 1
            sent = SentEvent(self._count, event.type, event.as_json())
            await self.send_event(send, sent)

        await tell(ChatEvent("chat", {"id": self._chat.id}))
        with anyio.CancelScope() as scope:
            self._chat.answering = scope
            try:
                await self._chat.talk.answer(self._message, tell)
            except ToolweaveError as error:
                await tell(ChatEvent("error", error.as_json()))
            finally:
                self._chat.answering = None
        if scope.cancelled_caught:
            await tell(ChatEvent("stopped"))
        await tell(ChatEvent("end"))


async def _none() -> AsyncIterator[SentEvent]:
    return
    yield


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._chats: dict[str, _Chat] = {}

    async def say_in_chat(
        self, body: Annotated[ChatRequest, Depends(ChatRequest.read)], request: Request
    ) -> Response:
        """Send a message to a model; its answer and its tool calls are streamed."""
        chat = self._mine(request, body.chat) if body.chat else await self._begun(request, body)
        if chat.answering is not None:
            raise Conflict(
                "CHAT_BUSY",
                "the model is still answering in this chat",
                hint="wait until it has finished, or stop it",
            )
        return _Answer(chat, body.message)

    async def stop_chat(self, chat: ChatId, request: Request) -> Response:
        """Stop the current answer; a running tool call is cancelled on its server."""
        found = self._mine(request, chat)
        if found.answering is not None:
            found.answering.cancel()
        return JsonResponse({"stopped": found.answering is not None})

    async def forget_chat(self, chat: ChatId, request: Request) -> Response:
        """Delete a chat and stop its current answer."""
        found = self._mine(request, chat)
        if found.answering is not None:
            found.answering.cancel()
        del self._chats[chat]
        return Response(status_code=204)

    async def show_chat_tools(self, server: BoundTo = None) -> Response:
        """List the tools a model may use in a chat: those of all enabled servers, or of one."""
        return JsonResponse(
            (await tool_context(self._studio.home, self._studio.gate, "rest", server)).as_json()
        )

    async def _begun(self, request: Request, body: ChatRequest) -> _Chat:
        identity = str(uuid.uuid4())
        caller = OnDemandModelCaller(self._studio.home)
        talk = await begin_conversation(
            self._studio.home,
            self._studio.gate,
            caller,
            scope=f"chat:{identity}",
            bound_to=body.server,
            model=body.model,
        )
        chat = _Chat(identity, _owner(request), talk)
        self._make_room()
        self._chats[identity] = chat
        return chat

    def _make_room(self) -> None:
        """Delete the oldest idle chat; chats are not stored."""
        if len(self._chats) >= MAX_CHATS:
            idle = [one.id for one in self._chats.values() if one.answering is None]
            for identity in idle[: len(self._chats) - MAX_CHATS + 1]:
                del self._chats[identity]

    def _mine(self, request: Request, identity: str) -> _Chat:
        chat = self._chats.get(identity)
        if chat is None or chat.owner != _owner(request):
            raise NotFound("CHAT_UNKNOWN", "the chat does not exist", hint="start a new one")
        return chat


def _owner(request: Request) -> str:
    key: ApiKey = request.state.key
    return key.id


_EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"enum": ["answer", "call", "chat", "end", "error", "result", "stopped", "text"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
_TEXTS = {
    404: "The chat does not exist, or no enabled server has this name.",
    409: "The model is still answering.",
}
_STREAM: Responses = responses(None, 404, 409, *KEYED, *READING, texts=_TEXTS)
_STREAM[200]["content"] = {"text/event-stream": {"schema": _EVENT}}


def chat_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The endpoints; all of them need `tools:execute`."""
    handlers, gate = _Handlers(studio), authenticator.require("tools:execute")
    router = APIRouter(prefix="/api/v1/chat", tags=["chat"])
    stopped = responses(StopChatResponse, 404, 422, *KEYED, texts=_TEXTS)
    gone = responses(None, 404, 422, *KEYED, texts=_TEXTS, status=204)
    tools = responses(ChatContextResponse, 404, 422, *KEYED, texts=_TEXTS)
    # Any: handlers of different parameters.
    table: tuple[tuple[str, str, Any, Responses, type[RequestBody] | None], ...] = (
        ("POST", "", handlers.say_in_chat, _STREAM, ChatRequest),
        ("GET", "/tools", handlers.show_chat_tools, tools, None),
        ("POST", "/{chat}/stop", handlers.stop_chat, stopped, None),
        ("DELETE", "/{chat}", handlers.forget_chat, gone, None),
    )
    for method, path, answer, documented, reading in table:
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(gate)],
            responses=documented,
            status_code=204 if method == "DELETE" else None,
            openapi_extra=openapi.keyed(reading),
        )
    # Before the chats: `tools` is not the id of one.
    router.routes.insert(2, Route(f"{router.prefix}/tools", endpoint=OtherMethods("GET")))
    return router
