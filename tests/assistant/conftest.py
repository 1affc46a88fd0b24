"""A home with one configured model that speaks over a real socket."""

import base64
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Protocol

import pytest

from toolweave.access.vault_key import VARIABLE
from toolweave.assistant.home_models import home_models, open_model_caller
from toolweave.assistant.model_caller import HomeModelCaller
from toolweave.assistant.models import NewModel
from toolweave.home import Home, open_home
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock
from toolweave.testing.model import KEY, ScriptedModel

PROVIDERS = ("anthropic", "openai", "gemini", "compatible")


class Configure(Protocol):
    """Configures the scripted model, or another address, as one of a provider."""

    async def __call__(self, provider: str, base_url: str | None = None) -> HomeModelCaller: ...


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel().running() as running:
        yield running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def home(tmp_path: Path, clock: FakeClock) -> AsyncGenerator[Home]:
    environ = {VARIABLE: base64.b64encode(bytes(32)).decode()}
    async with open_home(
        Settings(home=tmp_path / "home"), clock=clock, environ=environ, directory=tmp_path
    ) as opened:
        yield opened


@pytest.fixture
async def configure(home: Home, model: ScriptedModel) -> AsyncGenerator[Configure]:
    async with open_model_caller(home) as asking:

        async def make(provider: str, base_url: str | None = None) -> HomeModelCaller:
            where = base_url or model.base_url(provider)
            new = NewModel("scripted", provider, "some-model", where, KEY)
            await home_models(home).add(new)
            return asking

        yield make
