"""The routes of one resource: authorisation, error responses and request bodies for OpenAPI."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args

from fastapi import APIRouter, Depends
from fastapi.datastructures import Default
from fastapi.params import Depends as Dependency
from fastapi.params import Param
from pydantic import BaseModel
from starlette.routing import Route

from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, Responses, responses


class Routes:
    """Adds routes below `prefix`; who may use one stands in `access.authorization`."""

    def __init__(
        self,
        authenticator: Authenticator,
        prefix: str,
        tag: str,
        *errors: int,
        texts: Mapping[int, str] | None = None,
    ) -> None:
        """`errors` are statuses that every route answers, `texts` their descriptions."""
        self._authenticator = authenticator
        self._prefix = prefix
        self._errors = errors
        self._texts = texts
        self._router = APIRouter(prefix=prefix, tags=[tag])
        self._methods: dict[str, list[str]] = {}

    def add(
        self,
        method: str,
        path: str,
        # Any: a handler of whatever parameters.
        handler: Callable[..., Any],
        *errors: int,
        status: int = 200,
        model: type[BaseModel] | None = None,
        extra: Mapping[str, Any] | None = None,
        documented: Responses | None = None,
    ) -> None:
        """Add a route; `errors` are the statuses it answers beside the usual ones.

        The response model is the handler's return type, or `model` if the handler returns a
        response. `documented` extends the description of responses, `extra` the operation's.
        """
        body, has_parameters = read_by(handler)
        reading = READING if body else (422,) if has_parameters else ()
        statuses = (*KEYED, *reading, *self._errors, *errors)
        base = responses(None, *statuses, texts=self._texts, status=status)
        for code, described in (documented or {}).items():
            base[code] = {**base.get(code, {}), **described}
        self._router.add_api_route(
            path,
            handler,
            methods=[method],
            dependencies=[Depends(self._authenticator.gate(method, self._prefix + path))],
            responses=base,
            status_code=status,
            response_model=Default(None) if model is None else model,
            response_model_exclude_unset=True,
            openapi_extra={**openapi.keyed(body), **(extra or {})},
        )
        self._methods.setdefault(path, []).append(method)

    def stream(
        self,
        method: str,
        path: str,
        handler: Callable[..., Any],
        event: Mapping[str, Any],
        *errors: int,
        extra: Mapping[str, Any] | None = None,
        documented: Responses | None = None,
    ) -> None:
        """Add a route that answers with server-sent events."""
        sent: Responses = {200: {"content": {"text/event-stream": {"schema": event}}}}
        self.add(method, path, handler, *errors, extra=extra, documented=sent | (documented or {}))

    def router(self, *, closed: bool = False) -> APIRouter:
        """Return the routes, and where a path has several methods, one that names all of them.

        With `closed`, every path refuses other methods, before the routes of a later router.
        """
        if closed or any(len(methods) > 1 for methods in self._methods.values()):
            for path, methods in self._methods.items():
                endpoint = OtherMethods(*methods)
                self._router.routes.append(Route(self._prefix + path, endpoint=endpoint))
        return self._router


def read_by(handler: Callable[..., Any]) -> tuple[type[RequestBody] | None, bool]:
    """Return the model of the body that a handler reads, and whether it has other parameters."""
    body: type[RequestBody] | None = None
    has_parameters = False
    for parameter in inspect.signature(handler).parameters.values():
        for note in get_args(parameter.annotation)[1:]:
            has_parameters = has_parameters or isinstance(note, Param)
            owner = getattr(getattr(note, "dependency", None), "__self__", None)
            if isinstance(note, Dependency) and isinstance(owner, type):
                body = owner if issubclass(owner, RequestBody) else body
    return body, has_parameters


def event_schema(kinds: list[str], data: str | None = None) -> dict[str, Any]:
    """Describe a server-sent event."""
    content = {"type": "string", "contentMediaType": "application/json"}
    return {
        "type": "object",
        "required": ["id", "event", "data"],
        "properties": {
            "id": {"type": "string", "pattern": "^[0-9]+$"},
            "event": {"enum": sorted(kinds)},
            "data": {**content, "description": data} if data else content,
        },
    }
