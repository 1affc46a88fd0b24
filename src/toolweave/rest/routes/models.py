"""`/api/v1/models`: the configured models. Keys are write-only."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Response
from pydantic import Field

from toolweave.assistant.home_models import home_models, open_model_caller
from toolweave.assistant.model_discovery import FoundModel, discover_models
from toolweave.assistant.model_record import ModelRecord
from toolweave.assistant.model_test import ModelTestResult, check_model
from toolweave.assistant.models import NAME, NewModel
from toolweave.home import Home
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes

ModelName = Annotated[str, Path(max_length=64, pattern=r"\S", description="A model's name")]


class ModelRequest(RequestBody):
    """A model to add."""

    name: str = Field(pattern=f"^{NAME.pattern}$", description="Its name")
    provider: Literal["anthropic", "openai", "gemini", "compatible", "local"]
    model: str | None = Field(None, min_length=1, max_length=200, description="Whose answers")
    base_url: str | None = Field(None, alias="baseUrl", min_length=1, max_length=2_000)
    key: str | None = Field(None, min_length=1, max_length=4_000, description="Stored in the vault")


class ModelListResponse(JsonRecord):
    """All models, the default first."""

    models: list[ModelRecord]


class FoundModelListResponse(JsonRecord):
    """The models that servers on this machine offer."""

    models: list[FoundModel]


class _Handlers:
    """The handlers."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._models = home_models(home)

    async def list_models(self) -> ModelListResponse:
        """List the configured models, without their keys."""
        return ModelListResponse(models=[ModelRecord.of(one) for one in await self._models.list()])

    async def discover_models(self) -> FoundModelListResponse:
        """Find models of servers on this machine, at their default ports; none is added."""
        return FoundModelListResponse(models=await discover_models())

    async def add_model(
        self, body: Annotated[ModelRequest, Depends(ModelRequest.read)]
    ) -> ModelRecord:
        """Add a model; its key is stored in the vault and never shown."""
        new = NewModel(body.name, body.provider, body.model, body.base_url, body.key)
        return ModelRecord.of(await self._models.add(new))

    async def remove_model(self, model: ModelName) -> Response:
        """Remove a model and its key."""
        await self._models.remove(model)
        return Response(status_code=204)

    async def make_default_model(self, model: ModelName) -> ModelRecord:
        """Make a model the default."""
        return ModelRecord.of(await self._models.make_default(model))

    async def test_model(self, model: ModelName) -> ModelTestResult:
        """Send a short test request to a model."""
        await self._models.get(model)
        async with open_model_caller(self._home) as asking:
            return await check_model(asking, model)


_TEXTS = {
    404: "No model has this name.",
    409: "Another model has this name.",
    422: "The request does not have the expected form, or the provider rejects it.",
    429: "Too many requests, to this service or to the provider; see Retry-After.",
    503: "The database or the provider is unavailable.",
    504: "The model did not answer in time.",
}


def model_routes(home: Home, authenticator: Authenticator) -> APIRouter:
    """The six endpoints."""
    handlers, one = _Handlers(home), "/{model}"
    routes = Routes(authenticator, "/api/v1/models", "models", texts=_TEXTS)
    routes.add("GET", "", handlers.list_models)
    routes.add("GET", "/discovered", handlers.discover_models)
    routes.add("POST", "", handlers.add_model, 409, status=201)
    routes.add("DELETE", one, handlers.remove_model, 404, status=204)
    routes.add("PUT", f"{one}/default", handlers.make_default_model, 404)
    routes.add("POST", f"{one}/test", handlers.test_model, 404, 504)
    return routes.router()
