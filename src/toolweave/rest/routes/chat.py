"""`/api/v1/chat`: conversations in which a model uses the enabled servers' tools.

The answer is streamed as server-sent events, each tool call as it happens. It stops when the client
disconnects or asks to stop. Conversations live as long as the process and belong to one key.
"""

import uuid
from dataclasses import dataclass
from typing import Annotated, Self

import anyio
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import Field, model_validator
from starlette.types import Send

from toolweave.app.studio import Studio
from toolweave.assistant.chat import begin_conversation, tool_context
from toolweave.assistant.conversation import ChatEvent, Conversation
from toolweave.assistant.home_models import OnDemandModelCaller
from toolweave.assistant.tool_context import ContextRecord
from toolweave.documents.service import DocumentSection
from toolweave.documents.workspace import DocumentFolders, document_service
from toolweave.errors import Conflict, NotFound, ToolweaveError
from toolweave.json_record import JsonRecord
from toolweave.json_text import Json, JsonObject
from toolweave.rest.auth import Authenticator, key_of, require_part
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes, event_schema
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
    document: str | None = Field(
        None,
        min_length=1,
        max_length=4_096,
        description="For a new chat: a Markdown file in an allowed folder that it is about; "
        "the server that it is bound to is the only one. Needs `workflows:read`",
    )
    heading: str | None = Field(
        None, min_length=1, max_length=1_000, description="Only the section with this heading"
    )
    model: str | None = Field(
        None, max_length=64, pattern=PRINTED, description="For a new chat: the model"
    )

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if self.heading is not None and self.document is None:
            raise ValueError("'heading' needs 'document'")
        if self.document is not None and self.server is not None:
            raise ValueError("give 'server' or 'document': a document says which server it uses")
        return self


class StopChatResponse(JsonRecord):
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
        super().__init__()
        self._chat = chat
        self._message = message
        self._count = 0

    async def write(self, send: Send) -> None:
        """Let the model answer; how it ended is the last event but one."""

        async def tell(event: ChatEvent) -> None:
            self._count += 1
            sent = SentEvent(self._count, event.type, event.as_json())
            await self.send_event(send, sent)

        context = self._chat.talk.context
        servers: list[Json] = [*context.enabled_servers]
        about: JsonObject = {"servers": servers, "tools": len(context.tools)}
        await tell(ChatEvent("chat", {"id": self._chat.id, **about}))
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


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._chats: dict[str, _Chat] = {}
        self._folders = DocumentFolders(studio.home)

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

    async def stop_chat(self, chat: ChatId, request: Request) -> StopChatResponse:
        """Stop the current answer; a running tool call is cancelled on its server."""
        found = self._mine(request, chat)
        if found.answering is not None:
            found.answering.cancel()
        return StopChatResponse(stopped=found.answering is not None)

    async def forget_chat(self, chat: ChatId, request: Request) -> Response:
        """Delete a chat and stop its current answer."""
        found = self._mine(request, chat)
        if found.answering is not None:
            found.answering.cancel()
        del self._chats[chat]
        return Response(status_code=204)

    async def show_chat_tools(self, server: BoundTo = None) -> ContextRecord:
        """List the tools a model may use in a chat: those of all enabled servers, or of one."""
        studio = self._studio
        return ContextRecord.of(await tool_context(studio.home, studio.gate, "rest", server))

    async def _begun(self, request: Request, body: ChatRequest) -> _Chat:
        identity = str(uuid.uuid4())
        section = await self._section(request, body)
        caller = OnDemandModelCaller(self._studio.home)
        talk = await begin_conversation(
            self._studio.home,
            self._studio.gate,
            caller,
            scope=f"chat:{identity}",
            bound_to=section.server,
            model=body.model,
            about=section.text or None,
        )
        chat = _Chat(identity, key_of(request).id, talk)
        self._make_room()
        self._chats[identity] = chat
        return chat

    async def _section(self, request: Request, body: ChatRequest) -> DocumentSection:
        if body.document is None:
            return DocumentSection(body.server, "")
        require_part(request, "document")  # its text is read, as a check of the document does
        path = await self._folders.path(body.document)
        return await document_service(self._studio.home).section(path, body.heading)

    def _make_room(self) -> None:
        """Delete the oldest idle chat; chats are not stored."""
        if len(self._chats) >= MAX_CHATS:
            idle = [one.id for one in self._chats.values() if one.answering is None]
            for identity in idle[: len(self._chats) - MAX_CHATS + 1]:
                del self._chats[identity]

    def _mine(self, request: Request, identity: str) -> _Chat:
        chat = self._chats.get(identity)
        if chat is None or chat.owner != key_of(request).id:
            raise NotFound("CHAT_UNKNOWN", "the chat does not exist", hint="start a new one")
        return chat


_TEXTS = {
    404: "The chat does not exist, or no enabled server has this name.",
    409: "The model is still answering.",
}
_EVENTS = ["answer", "call", "chat", "end", "error", "result", "stopped", "text"]


def chat_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The four endpoints."""
    handlers = _Handlers(studio)
    # A router of its own: `tools` is not the id of a chat.
    tools = Routes(authenticator, "/api/v1/chat", "chat", 404, texts=_TEXTS)
    tools.stream("POST", "", handlers.say_in_chat, event_schema(_EVENTS), 409)
    tools.add("GET", "/tools", handlers.show_chat_tools)
    router = tools.router(closed=True)
    routes = Routes(authenticator, "/api/v1/chat", "chat", 404, texts=_TEXTS)
    routes.add("POST", "/{chat}/stop", handlers.stop_chat)
    routes.add("DELETE", "/{chat}", handlers.forget_chat, status=204)
    router.routes += routes.router().routes
    return router
