"""`/hooks/people/…`: webhooks for people's replies; each service has its own authentication."""

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from toolweave.clock import Clock
from toolweave.people.reply_webhooks import ReplyPosts
from toolweave.rest.auth import RateLimiter
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.routes.hooks import arrival_of

PREFIX = "/hooks/people"


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
        self._rates.spend(f"hook:people/{channel[:20]}")
        arrival = await arrival_of(request, f"/people/{channel}", self._clock)
        answer = JsonResponse(await self._posts.deliver(channel, arrival))
        await answer(scope, receive, send)


def reply_routes(posts: ReplyPosts, rates: RateLimiter, clock: Clock) -> APIRouter:
    """The routes of all services; include them before those of the triggers."""
    router = APIRouter()
    door = ReplyDoor(posts, rates, clock)
    router.routes.append(Route(PREFIX + "/{channel}", endpoint=door, include_in_schema=False))
    return router
