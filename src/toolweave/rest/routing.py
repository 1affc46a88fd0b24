"""Adds a route with its scope, its error responses and its request body for OpenAPI."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, get_args

from fastapi import APIRouter, Depends, Request
from fastapi.datastructures import Default
from fastapi.params import Depends as Dependency
from pydantic import BaseModel

from toolweave.access.keys import ApiKey
from toolweave.rest import openapi
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses

Gate = Callable[[Request], Awaitable[ApiKey]]


def add_route(
    router: APIRouter,
    method: str,
    path: str,
    # Any: a handler of whatever parameters.
    handler: Callable[..., Any],
    gate: Gate,
    *errors: int,
    status: int = 200,
    model: type[BaseModel] | None = None,
    texts: Mapping[int, str] | None = None,
    extra: Mapping[str, Any] | None = None,
    documented: Mapping[int | str, dict[str, Any]] | None = None,
) -> None:
    """Add `handler` behind `gate`; `errors` are the statuses it answers beside the usual ones.

    The response model is the handler's return type, or `model` if the handler returns a response.
    `documented` replaces the description of single responses, `extra` extends the operation's.
    """
    body = body_model(handler)
    statuses = (*KEYED, *(READING if body else ()), *errors)
    router.add_api_route(
        path,
        handler,
        methods=[method],
        dependencies=[Depends(gate)],
        responses=_merged(responses(None, *statuses, texts=texts, status=status), documented or {}),
        status_code=status,
        response_model=Default(None) if model is None else model,
        response_model_exclude_unset=True,
        openapi_extra={**openapi.keyed(body), **(extra or {})},
    )


def body_model(handler: Callable[..., Any]) -> type[RequestBody] | None:
    """Return the model of the body that a handler declares, if it reads one."""
    for parameter in inspect.signature(handler).parameters.values():
        for note in get_args(parameter.annotation)[1:]:
            if not isinstance(note, Dependency):
                continue
            owner = getattr(note.dependency, "__self__", None)
            if isinstance(owner, type) and issubclass(owner, RequestBody):
                return owner
    return None


def _merged(
    base: dict[int | str, dict[str, Any]], documented: Mapping[int | str, dict[str, Any]]
) -> dict[int | str, dict[str, Any]]:
    return base | {
        status: {**base.get(status, {}), **described} for status, described in documented.items()
    }
