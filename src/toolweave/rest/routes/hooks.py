"""`/hooks/…`: webhooks that start workflows, and `/hooks/people/…` for people's replies.

No key is needed: each trigger and each channel defines its authentication. The guard's
rules for Host, Origin and size apply; the rate limit per address is enforced here.
"""

from html import escape

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from toolweave.access.webhook_signatures import WebhookRequest
from toolweave.clock import Clock
from toolweave.engine.events import Finished
from toolweave.errors import Denied, Invalid, Limited, ToolweaveError
from toolweave.json_text import JsonObject, write
from toolweave.people.reply_webhooks import WAYS, ReplyPosts
from toolweave.rest.auth import RateLimiter
from toolweave.rest.json_response import JsonResponse
from toolweave.triggers.deliveries import WAIT_PARAMETER
from toolweave.triggers.service import DeliveryResult, Triggers

PREFIX = "/hooks"
LONGEST_WAIT_S = 30.0
FOREIGN_SITES = frozenset({"cross-site", "same-site"})
# Requests to unknown addresses share one rate limit.
NOBODY = "hook"


class HookDoor:
    """Handles requests below `/hooks`: 202 with the run, or 200 with its result."""

    def __init__(self, triggers: Triggers, rates: RateLimiter, clock: Clock) -> None:
        self._triggers = triggers
        self._rates = rates
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one delivery."""
        request = Request(scope, receive)
        answer = await self._answer(request)
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        path = str(request.scope["path"]).removeprefix(PREFIX)
        await self._count(path)
        # An image or a link of any page sends GET without `Origin`; other methods have one.
        if request.headers.get("sec-fetch-site", "").lower() in FOREIGN_SITES:
            raise Denied("ORIGIN_DENIED", "requests from pages of other sites are not allowed")
        wait_s = _wait(request)
        arrival = await arrival_of(request, path, self._clock)
        try:
            delivered = await self._triggers.deliver(arrival)
        except ToolweaveError as error:
            if error.code == "METHOD_NOT_ALLOWED":
                allow = ", ".join(error.facts["allow"])
                raise HTTPException(405, headers={"Allow": allow}) from None
            raise
        if delivered.challenge is not None:
            return JsonResponse({"challenge": delivered.challenge})
        ended = None
        if wait_s and delivered.runs:
            ended = await self._triggers.ended(delivered.runs[0], wait_s)
        return _response(delivered, ended)

    async def _count(self, path: str) -> None:
        who = f"{NOBODY}:{path}" if await self._triggers.has_path(path) else NOBODY
        try:
            self._rates.spend(who)
        except Limited as error:
            message = "too many requests for this address"
            raise Limited("RATE_LIMITED", message, hint=error.hint, facts=error.facts) from None


class ReplyDoor:
    """Handles requests below `/hooks/people`."""

    def __init__(self, posts: ReplyPosts, rates: RateLimiter, clock: Clock) -> None:
        self._posts = posts
        self._rates = rates
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one delivery."""
        request = Request(scope, receive)
        if request.method != "POST":
            raise HTTPException(405, headers={"Allow": "POST"})
        channel = str(request.path_params["channel"])
        # Requests to unknown channels share one rate limit, so that names cost no memory.
        self._rates.spend(f"{NOBODY}:people/{channel}" if channel in WAYS else NOBODY)
        arrival = await arrival_of(request, f"/people/{channel}", self._clock)
        answer = JsonResponse(await self._posts.deliver(channel, arrival))
        await answer(scope, receive, send)


def hook_routes(
    triggers: Triggers, rates: RateLimiter, clock: Clock, posts: ReplyPosts | None = None
) -> APIRouter:
    """Everything below `/hooks`: replies of people first, then what the workflows define."""
    router = APIRouter()
    if posts is not None:
        replies = ReplyDoor(posts, rates, clock)
        router.routes.append(
            Route(f"{PREFIX}/people/{{channel}}", endpoint=replies, include_in_schema=False)
        )
    hooks = HookDoor(triggers, rates, clock)
    router.routes.append(Route(PREFIX + "/{path:path}", endpoint=hooks, include_in_schema=False))
    return router


async def arrival_of(request: Request, path: str, clock: Clock) -> WebhookRequest:
    """Convert a request for the triggers."""
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return WebhookRequest(
        method=request.method,
        path=path,
        received_at=clock.now(),
        headers=headers,
        query=dict(request.query_params),
        body=await request.body(),
        client_ip=request.client.host if request.client else "",
    )


def _wait(request: Request) -> float:
    text = request.query_params.get(WAIT_PARAMETER)
    if text is None:
        return 0.0
    if not text.isascii() or not text.isdecimal() or len(text) > 3:
        raise Invalid(
            "REQUEST_INVALID",
            f"wait is {text[:20]!r}; expected whole seconds, at most {LONGEST_WAIT_S:g}",
        )
    return min(float(text), LONGEST_WAIT_S)


def _response(delivered: DeliveryResult, ended: Finished | None) -> Response:
    status = 202 if delivered.runs and ended is None else 200
    body: JsonObject = {"status": "ignored", "reasons": list(delivered.ignored)}
    if delivered.is_test:
        body = {"status": "test", "reasons": list(delivered.ignored)}
    if delivered.runs:
        body = {"run_id": delivered.runs[0], "status": ended.status if ended else "accepted"}
    if len(delivered.runs) > 1:
        body["run_ids"] = list(delivered.runs)
    if ended is not None:
        body["result"] = ended.result
        if ended.error:
            body["error"] = ended.error
    if delivered.response_format == "json":
        return JsonResponse(body, status)
    text = _as_text(body, ended)
    if delivered.response_format == "text":
        return PlainTextResponse(text, status)
    page = f"<!doctype html><meta charset=utf-8><title>Workflow</title><pre>{escape(text)}</pre>"
    policy = {"Content-Security-Policy": "default-src 'none'; sandbox"}
    return HTMLResponse(page, status, headers=policy)


def _as_text(body: JsonObject, ended: Finished | None) -> str:
    if ended is not None and ended.status == "success":
        return ended.result if isinstance(ended.result, str) else write(ended.result)
    return f"{body['status']} {body.get('run_id', '')}".strip()
