"""The models of a home with its vault, environment and HTTP client."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from toolweave.assistant.http import ModelWeb
from toolweave.assistant.model_caller import HomeModelCaller
from toolweave.assistant.models import Models
from toolweave.catalog.resources.model import ModelQuestion, ModelReply, TextListener
from toolweave.home import Home


def home_models(home: Home) -> Models:
    """Return the models of this home."""
    return Models(home.database, home.vault, clock=home.clock, environ=home.environ)


class OnDemandModelCaller:
    """A `ModelCaller` for rare requests: connections are closed after each answer."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def ask(
        self, question: ModelQuestion, *, on_text: TextListener | None = None
    ) -> ModelReply:
        """Return one answer; see `ModelCaller`."""
        async with open_model_caller(self._home) as asking:
            return await asking.ask(question, on_text=on_text)

    async def configured(self, provider: str | None = None) -> bool:
        """Whether a model is configured."""
        return await home_models(self._home).find(provider) is not None


@asynccontextmanager
async def open_model_caller(home: Home) -> AsyncGenerator[HomeModelCaller]:
    """Return a model caller."""
    web = ModelWeb(allow_private=home.settings.allow_private_http)
    try:
        yield HomeModelCaller(home_models(home), web, masker=home.masker, clock=home.clock)
    finally:
        with anyio.CancelScope(shield=True):
            await web.aclose()
