"""The OpenAPI document; reading it needs an API key."""

from typing import Any, Final

from fastapi import Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import Response
from pydantic import BaseModel
from pydantic.json_schema import (
    GenerateJsonSchema,
    JsonSchemaMode,
    JsonSchemaValue,
    models_json_schema,
)
from pydantic_core.core_schema import WithDefaultSchema

from toolweave.json_text import write
from toolweave.rest import response_models
from toolweave.rest.auth import Authenticator
from toolweave.rest.request_body import Invocation, RequestBody, RpcInvocation
from toolweave.rest.response_models import REF, ErrorResponse, RpcErrorResponse

PATH = "/api/v1/openapi.json"

# For `openapi_extra` of a route: its security and its request body.
KEYED: dict[str, Any] = {"security": [{"ApiKey": []}, {"Bearer": []}]}
INTERNAL: dict[str, Any] = {"security": [{"ServiceToken": []}]}
INVOCATION: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "anyOf": [
                        {"$ref": REF.format(model="Invocation")},
                        {"$ref": REF.format(model="RpcInvocation")},
                    ]
                }
            }
        },
    }
}


def keyed(reads: type[RequestBody] | None = None) -> dict[str, Any]:
    """Return `openapi_extra` for a route that needs a key and may read a body."""
    if reads is None:
        return KEYED
    # The schema itself is written with the document, which few processes are asked for.
    reference = REF.format(model=reads.__name__)
    _BODIES[reference] = reads
    content = {"application/json": {"schema": {"$ref": reference}}}
    return {**KEYED, "requestBody": {"required": True, "content": content}}


# Every body that a route of this process reads, by what refers to its schema.
_BODIES: dict[str, type[RequestBody]] = {}
# Models that routes refer to by name, unknown to FastAPI.
_BY_NAME: Final[tuple[tuple[type[BaseModel], JsonSchemaMode], ...]] = (
    *((Invocation, "validation"), (RpcInvocation, "validation")),
    *((ErrorResponse, "serialization"), (RpcErrorResponse, "serialization")),
)
_SECURITY_SCHEMES: dict[str, Any] = {
    "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "Bearer": {"type": "http", "scheme": "bearer"},
    "ServiceToken": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Service-Token",
        "description": "For programs on the same machine; it is in `service.token` of the home.",
    },
}


class _Shapes(GenerateJsonSchema):
    """Writes schemas like FastAPI: optional fields have no default `null`."""

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        described = super().default_schema(schema)
        if described.get("default", ...) is None:
            del described["default"]
        return described


def describe(api: FastAPI) -> dict[str, Any]:
    """Return the document for all routes of `api`."""
    document = get_openapi(title=api.title, version=api.version, routes=api.routes)
    _, bodies = models_json_schema(_BY_NAME, ref_template=REF, schema_generator=_Shapes)
    components = document.setdefault("components", {})
    components.setdefault("schemas", {}).update(bodies["$defs"])
    components["securitySchemes"] = _SECURITY_SCHEMES
    for methods in document["paths"].values():
        for operation in methods.values():
            components["schemas"] |= _body_schemas(operation)
    return document


def _body_schemas(operation: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas that the body of an operation refers to, by name."""
    if "requestBody" not in operation:
        return {}
    shown: dict[str, Any] = operation["requestBody"]["content"]["application/json"]["schema"]
    body = _BODIES.get(shown.get("$ref", ""))
    if body is None:
        return {}
    shape = body.model_json_schema(ref_template=REF, schema_generator=_Shapes)
    own = {key: value for key, value in shape.items() if key != "$defs"}
    return {body.__name__: own, **shape.get("$defs", {})}


def serve_openapi(api: FastAPI, authenticator: Authenticator) -> None:
    """Add the document to `api`; it is generated on the first request."""
    made: list[str] = []

    async def openapi() -> Response:
        """Return this OpenAPI document."""
        if not made:
            made.append(write(describe(api)))
        return Response(made[0], media_type="application/json")

    api.add_api_route(
        PATH,
        openapi,
        dependencies=[Depends(authenticator.gate("GET", PATH))],
        responses=response_models.OPENAPI,
        openapi_extra=KEYED,
        tags=["openapi"],
    )
