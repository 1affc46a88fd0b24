"""REST and MCP of the studio as one application, and where others deliver.

Imports FastAPI and every route, which takes longer than the rest of a start: `http` loads it after
the first page.
"""

from fastapi import APIRouter
from starlette.types import ASGIApp

from toolweave.access.secret_text import SecretTexts
from toolweave.people.reply_webhooks import ReplyPosts
from toolweave.rest.app import create_app
from toolweave.rest.routes.event_tests import event_test_routes
from toolweave.rest.routes.hooks import hook_routes
from toolweave.serve.rest_parts import RestParts


def create_endpoint(parts: RestParts) -> ASGIApp:
    """Create the application; it must be served behind the guard."""
    home = parts.studio.home
    return create_app(
        parts.tool_service,
        parts.authenticator,
        parts.studio,
        parts.topics,
        [_hooks(parts), *event_test_routes(home, parts.triggers, parts.authenticator)],
        service_token=parts.service_token,
        mcp=parts.mcp,
    )


def _hooks(parts: RestParts) -> APIRouter:
    """Where others deliver: replies of people first, then whatever starts workflows."""
    home = parts.studio.home
    posts = ReplyPosts(parts.replies, SecretTexts(home.vault, home.masker))
    return hook_routes(parts.triggers, parts.rates, home.clock, posts)
