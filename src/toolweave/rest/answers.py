"""Answers that are JSON."""

from collections.abc import Mapping

import orjson
from starlette.responses import Response


def json_answer(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer that carries `body`."""
    return Response(orjson.dumps(body), status, headers=headers, media_type="application/json")
