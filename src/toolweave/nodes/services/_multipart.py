"""`multipart/form-data` (RFC 7578): fields and files in one body."""

from hashlib import sha256

from toolweave import json_text
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._operation import RequestPart


def multipart(fields: JsonObject, parts: tuple[RequestPart, ...]) -> tuple[bytes, str]:
    """The body and its content type; a field that is an object is written as JSON."""
    pieces: list[tuple[str, bytes]] = [
        (f'form-data; name="{_quoted(name)}"', _written(value))
        for name, value in fields.items()
        if value is not None
    ]
    heads = [f"Content-Disposition: {head}\r\n\r\n".encode() + data for head, data in pieces]
    heads += [
        (
            f'Content-Disposition: form-data; name="{_quoted(part.name)}"; '
            f'filename="{_quoted(part.filename)}"\r\n'
            f"Content-Type: {_quoted(part.media_type)}\r\n\r\n"
        ).encode()
        + part.data
        for part in parts
    ]
    # Made of what it separates, so that the same call has the same bytes.
    boundary = f"tw{sha256(b''.join(heads)).hexdigest()[:40]}"
    body = b"".join(f"--{boundary}\r\n".encode() + one + b"\r\n" for one in heads)
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def _written(value: Json) -> bytes:
    return (value if isinstance(value, str) else json_text.write(value)).encode()


def _quoted(text: str) -> str:
    """A name as browsers write it: nothing in it can end the header."""
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
