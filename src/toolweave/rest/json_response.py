"""Answers that are JSON."""

import json
from collections.abc import Mapping

import orjson
from starlette.responses import Response


def json_answer(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer that carries `body`."""
    try:
        written = orjson.dumps(body)
    except TypeError:
        # Whole numbers of over 64 bits are JSON too.
        written = json.dumps(body, allow_nan=False).encode()
    return Response(written, status, headers=headers, media_type="application/json")
