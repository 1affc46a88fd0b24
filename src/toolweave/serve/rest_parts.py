"""What REST serves; a module of its own, because REST itself is loaded later."""

from dataclasses import dataclass

from starlette.types import ASGIApp

from toolweave.app.change_feed import ChangeFeed
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.live_catalog import CountingToolService
from toolweave.people.replies import Replies
from toolweave.rest.auth import Authenticator, RateLimiter
from toolweave.triggers.service import Triggers


@dataclass(frozen=True, slots=True)
class RestParts:
    """What the application serves."""

    studio: RunningStudio
    tool_service: CountingToolService
    authenticator: Authenticator
    rates: RateLimiter
    topics: ChangeFeed
    triggers: Triggers
    replies: Replies
    service_token: str | None
    mcp: ASGIApp
