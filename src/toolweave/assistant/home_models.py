"""The models of a home, joined to its vault, its environment and the checked HTTP client."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from toolweave.assistant.http import ModelWeb
from toolweave.assistant.model_caller import HomeModelCaller
from toolweave.assistant.models import Models
from toolweave.home import Home
from toolweave.nodes.model import ModelQuestion, ModelReply, TextListener


def models_of(ground: Home) -> Models:
    """Who can be asked on behalf of this home."""
    return Models(ground.database, ground.vault, clock=ground.clock, environ=ground.environ)


class AskingOnDemand:
    """A `ModelCaller` for whoever lives long and asks seldom: an answer ends its connections."""

    def __init__(self, ground: Home) -> None:
        self._ground = ground

    async def ask(
        self, question: ModelQuestion, *, on_text: TextListener | None = None
    ) -> ModelReply:
        """One answer; see `ModelCaller`."""
        async with open_asking(self._ground) as asking:
            return await asking.ask(question, on_text=on_text)

    async def configured(self, provider: str | None = None) -> bool:
        """Whether somebody can be asked."""
        return await models_of(self._ground).find(provider) is not None


@asynccontextmanager
async def open_asking(ground: Home) -> AsyncGenerator[HomeModelCaller]:
    """Who asks them."""
    web = ModelWeb(allow_private=ground.settings.allow_private_http)
    try:
        yield HomeModelCaller(models_of(ground), web, masker=ground.masker, clock=ground.clock)
    finally:
        with anyio.CancelScope(shield=True):
            await web.aclose()
