"""Files that an action sends: from the workflow's folders, or given as they are."""

import base64
import binascii
import mimetypes
from pathlib import PurePosixPath

from toolweave.catalog.node import NodeContext
from toolweave.catalog.node_input import refused_at
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.file_path import check_path
from toolweave.nodes.services._operation import RequestPart, invalid

DESCRIBING = ("path", "file_path", "content", "content_base64")
MAX_FILE_BYTES = 16 * 1024 * 1024


async def attached(context: NodeContext, given: JsonObject, field: str = "file") -> RequestPart:
    """The file that an object describes: `path` or `file_path`, or `content`, or `content_base64`.

    Raises `Invalid`: `SERVICE_FIELD_INVALID` for an object that describes none, `FILE_TOO_LARGE`;
    `NotFound`: `FILE_NOT_FOUND`; `Denied`: `FILE_DENIED`.
    """
    path = given.get("path") or given.get("file_path")
    named = given.get("filename")
    if isinstance(path, str):
        check_path(path, field)
        files = context.resources.files
        data, facts = await files.read(path, max_bytes=MAX_FILE_BYTES)
        name = named if isinstance(named, str) and named else PurePosixPath(facts.path).name
    else:
        data = _content(given, field)
        name = named if isinstance(named, str) and named else "file.txt"
    told = given.get("content_type")
    kind = told if isinstance(told, str) else mimetypes.guess_type(name)[0]
    return RequestPart(field, name, data, kind or "application/octet-stream")


def check_described(given: JsonObject, *at: str | int) -> None:
    """Whether an object describes a file at all. Raises `Invalid`: `SERVICE_FIELD_INVALID`."""
    if not any(isinstance(given.get(name), str) for name in DESCRIBING):
        message = "this describes no file; expected path, content or content_base64"
        raise refused_at(at, "SERVICE_FIELD_INVALID", message)


def _content(given: JsonObject, field: str) -> bytes:
    content: Json = given.get("content")
    if isinstance(content, str):
        return content.encode()
    encoded = given.get("content_base64")
    try:
        if isinstance(encoded, str):
            return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise invalid(field, "has a content_base64 that is no base64") from None
    raise invalid(field, "describes no file; expected path, content or content_base64")
