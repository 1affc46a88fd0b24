"""`/api/v1/models`: the configured models. Keys are write-only."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

from toolweave.assistant.home_models import home_models, open_model_caller
from toolweave.assistant.model_test import check_model
from toolweave.assistant.models import NAME, NewModel
from toolweave.home import Home
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses

ModelName = Annotated[str, Path(max_length=64, pattern=r"\S", description="A model's name")]


class ModelRequest(RequestBody):
    """A model to add."""

    name: str = Field(pattern=f"^{NAME.pattern}$", description="Its name")
    provider: Literal["anthropic", "openai", "gemini", "compatible"]
    model: str | None = Field(None, min_length=1, max_length=200, description="Whose answers")
    base_url: str | None = Field(None, alias="baseUrl", min_length=1, max_length=2_000)
    key: str | None = Field(None, min_length=1, max_length=4_000, description="Stored in the vault")


class ModelResponse(BaseModel):
    """A model, without its key."""

    name: str
    provider: str
    model: str
    base_url: str = Field(alias="baseUrl")
    has_key: bool = Field(alias="hasKey")
    is_default: bool = Field(alias="isDefault")
    found_in: Literal["added", "environment"] = Field(alias="foundIn")
    created_at: str | None = Field(alias="createdAt")


class ModelListResponse(BaseModel):
    """All models, the default first."""

    models: list[ModelResponse]


class ModelTestResponse(BaseModel):
    """The result of a test request."""

    model: str
    provider: str
    text: str
    took_ms: int = Field(alias="tookMs")
    input_tokens: int = Field(alias="inputTokens")
    output_tokens: int = Field(alias="outputTokens")
    cost_usd: float | None = Field(alias="costUsd")


class _Handlers:
    """The handlers."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._models = home_models(home)

    async def list_models(self) -> Response:
        """List the configured models, without their keys."""
        return JsonResponse({"models": [one.as_json() for one in await self._models.list()]})

    async def add_model(
        self, body: Annotated[ModelRequest, Depends(ModelRequest.read)]
    ) -> Response:
        """Add a model; its key is stored in the vault and never shown."""
        new = NewModel(body.name, body.provider, body.model, body.base_url, body.key)
        return JsonResponse((await self._models.add(new)).as_json(), 201)

    async def remove_model(self, model: ModelName) -> Response:
        """Remove a model and its key."""
        await self._models.remove(model)
        return Response(status_code=204)

    async def make_default_model(self, model: ModelName) -> Response:
        """Make a model the default."""
        return JsonResponse((await self._models.make_default(model)).as_json())

    async def test_model(self, model: ModelName) -> Response:
        """Send a short test request to a model."""
        await self._models.get(model)
        async with open_model_caller(self._home) as asking:
            return JsonResponse((await check_model(asking, model)).as_json())


_TEXTS = {
    404: "No model has this name.",
    409: "Another model has this name.",
    422: "The request does not have the expected form, or the provider rejects it.",
    429: "Too many requests, to this service or to the provider; see Retry-After.",
    503: "The database or the provider is unavailable.",
    504: "The model did not answer in time.",
}


def model_routes(home: Home, authenticator: Authenticator) -> APIRouter:
    """The endpoints; all of them need the scope `admin`."""
    handlers, gate = _Handlers(home), authenticator.require("admin")
    router = APIRouter(prefix="/api/v1/models", tags=["models"])
    one = "/{model}"
    # Any: handlers of different parameters, and their responses.
    table: tuple[tuple[str, str, Any, Any, type[RequestBody] | None, int], ...] = (
        ("GET", "", handlers.list_models, responses(ModelListResponse, *KEYED), None, 200),
        (
            "POST",
            "",
            handlers.add_model,
            _documented(ModelResponse, 201, 409, *READING),
            ModelRequest,
            201,
        ),
        ("DELETE", one, handlers.remove_model, _documented(None, 204, 404), None, 204),
        (
            "PUT",
            f"{one}/default",
            handlers.make_default_model,
            _documented(ModelResponse, 200, 404),
            None,
            200,
        ),
        (
            "POST",
            f"{one}/test",
            handlers.test_model,
            _documented(ModelTestResponse, 200, 404, 504),
            None,
            200,
        ),
    )
    for method, path, answer, documented, reading, status in table:
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(gate)],
            responses=documented,
            status_code=status,
            openapi_extra=openapi.keyed(reading),
        )
    router.routes.append(Route(router.prefix, endpoint=OtherMethods("GET", "POST")))
    return router


def _documented(
    ok: type[BaseModel] | None, status: int, *more: int
) -> dict[int | str, dict[str, Any]]:
    return responses(ok, 403, 422, *KEYED, *more, texts=_TEXTS, status=status)
