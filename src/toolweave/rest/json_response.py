"""JSON responses."""

import json
from typing import Any

import orjson
from starlette.responses import JSONResponse


class JsonResponse(JSONResponse):
    """A JSON response, written by orjson."""

    # Any: what JSON can express.
    def render(self, content: Any) -> bytes:
        """Return `content` as JSON."""
        try:
            return orjson.dumps(content)
        except TypeError:
            # orjson refuses integers of more than 64 bits.
            return json.dumps(content, allow_nan=False).encode()
