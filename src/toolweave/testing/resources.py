"""Scripted resources: everything a node can use, answering at once and always with success.

They show whether a node refuses its own settings; what comes after that depends on real answers.
"""

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn

from toolweave.catalog.node import NodeInput, Resumed, RunFacts
from toolweave.catalog.resources.commands import CommandResult
from toolweave.catalog.resources.databases import QueryResult
from toolweave.catalog.resources.files import FileFacts
from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.model import ModelQuestion, ModelReply, ToolAnswer
from toolweave.catalog.resources.record import Resources
from toolweave.catalog.resources.services import Access, Service
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.web_address import check_url
from toolweave.tools.tool import Content, Tool, ToolCall, ToolCaller, ToolProgress, ToolResult

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
# What the services of this package say of what was made or found.
_ANSWER: JsonObject = {
    "ok": True,
    "success": True,
    "id": "1",
    "number": 1,
    "sha": "5f2d",
    "ts": "1.2",
    "result": {},
    "data": {},
}
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


class OutsideReachedError(Exception):
    """A node uses something that has no scripted answer, so its start was not refused."""


class _Unscripted:
    """Any other resource."""

    def __getattr__(self, name: str) -> NoReturn:
        raise OutsideReachedError(name)


class _Http:
    def __init__(self, named: Sequence[str]) -> None:
        people: list[Json] = [{"id": "C0123456", "name": one.lstrip("#@")} for one in named]
        self._answer = {**_ANSWER, "channels": people, "members": people}

    async def request(self, method: str, url: str, **_: object) -> Response:
        if "${vault:" not in url:
            check_url(url, "url")
        if url.endswith(_PICTURES):
            return Response(200, {"content-type": "image/png"}, b"pixels", url, (), 1.0)
        body = json.dumps(self._answer)
        headers = {"content-type": "application/json"}
        return Response(200, headers, body.encode(), url, (), 1.0)


class _Services:
    async def access(self, service: Service, token: str, *, prefers_oauth: bool = False) -> Access:
        return Access(service.address, token)

    async def renew(self, service: Service, refresh_token: str) -> str:
        return "token"


class _Files:
    async def read(self, path: str, *, max_bytes: int) -> tuple[bytes, FileFacts]:
        return b"text", FileFacts(path, 4, MOMENT)

    async def write(self, path: str, data: bytes, **_: object) -> tuple[FileFacts, bool]:
        return FileFacts(path, len(data), MOMENT), True


class _Databases:
    async def query(self, database: str, sql: str, parameters: object, **_: object) -> QueryResult:
        return QueryResult(("id",), ((1,),), 1, is_truncated=False)


class _Commands:
    async def run(self, name: str, values: Mapping[str, Json], **_: object) -> CommandResult:
        return CommandResult(0, "{}", "", is_cut=False)


class _Mailer:
    async def send(self, server: object, mail: bytes, **_: object) -> Mapping[str, str]:
        return {}


class _MailTokens:
    async def token(self, provider: str, credentials: object) -> str:
        return "token"


class _Model:
    async def ask(self, question: ModelQuestion, **_: object) -> ModelReply:
        message = ToolAnswer(text="{}")
        return ModelReply(message=message, model="m", provider="p", stopped="end", value={})

    async def configured(self, provider: str | None = None) -> bool:
        return True


class _ApprovedTools:
    async def tools(self, server: str) -> Sequence[Tool]:
        raise OutsideReachedError(server)

    async def skill_tools(self, server: str) -> Sequence[Tool]:
        return ()

    async def server_for(self, kind: str, named: str | None = None) -> str:
        return named or kind


class _Tools:
    async def call(self, call: ToolCall, **_: object) -> ToolResult:
        return ToolResult((Content("text", text="done"),))


class _Workflows:
    async def run(self, name: str, inputs: Json, key: str) -> tuple[Json, None]:
        return {}, None


class _Stores:
    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.indexes: OrderedDict[str, Any] = OrderedDict()

    async def read(self, path: str) -> None:
        return None

    def __getattr__(self, name: str) -> NoReturn:
        raise OutsideReachedError(name)


# Any: the doubles take what every caller passes, and answer with what callers read.
_UNSCRIPTED: Any = _Unscripted()
_TOOLS = _Tools()
_RUN = RunFacts("scripted", "scripted", MOMENT)


def scripted_resources(named: Sequence[str] = ()) -> Resources:
    """Return resources that answer everything they can with success.

    `named` are names of channels and people that the services know.
    """
    scripted: dict[str, Any] = {
        "http": _Http(named),
        "files": _Files(),
        "databases": _Databases(),
        "stores": _Stores(),
        "services": _Services(),
        "mailer": _Mailer(),
        "mail_tokens": _MailTokens(),
        "model": _Model(),
        "approved_tools": _ApprovedTools(),
        "commands": _Commands(),
        "workflows": _Workflows(),
    }
    others = {name: _UNSCRIPTED for name in Resources.__dataclass_fields__ if name not in scripted}
    return Resources(**scripted, **others)


@dataclass(frozen=True, slots=True)
class ScriptedContext:
    """The `NodeContext` of a node that is started with scripted resources."""

    given: NodeInput
    resources: Resources
    run: RunFacts = _RUN
    key: str = "scripted"
    attempt: int = 1
    resumed: Resumed | None = None
    tools: ToolCaller = _TOOLS

    def now(self) -> datetime:
        return MOMENT

    async def progress(self, progress: ToolProgress) -> None:
        """Nobody is watching."""
