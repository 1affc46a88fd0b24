"""The models of a home, joined to its vault, its environment and the checked HTTP client."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from toolweave.app.ground import Ground
from toolweave.app.model_web import ModelWeb
from toolweave.assistant.asking import Asking
from toolweave.assistant.configured import Models


def models_of(ground: Ground) -> Models:
    """Who can be asked on behalf of this home."""
    return Models(ground.database, ground.vault, clock=ground.clock, environ=ground.environ)


@asynccontextmanager
async def open_asking(ground: Ground) -> AsyncGenerator[Asking]:
    """Who asks them."""
    web = ModelWeb(allow_private=ground.settings.allow_private_http)
    try:
        yield Asking(models_of(ground), web, masker=ground.masker, clock=ground.clock)
    finally:
        with anyio.CancelScope(shield=True):
            await web.aclose()
