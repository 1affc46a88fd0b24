"""Pictures, sound and film for a model: from data addresses, or fetched by the checked client."""

import base64
import binascii
import re
from collections.abc import Sequence
from functools import partial

from toolweave.catalog.node import NodeContext, NodeInput
from toolweave.catalog.node_input import read_each, refused_at
from toolweave.catalog.resources.model import ModelImage
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.tools.value_preview import shown

MAX_BYTES = 10 * 1024 * 1024
TIMEOUT_S = 30.0
_ADDRESS = pattern(r"(?:https?://|data:)[^\s<>\"')\]]+")
_DATA = pattern(r"data:([\w.+-]+/[\w.+-]+);base64,(.*)", re.DOTALL)
_KINDS = {"jpg": "jpeg"}


def addresses_in(text: str, formats: Sequence[str], most: int) -> tuple[str, ...]:
    """Addresses of pictures that stand in a text."""
    endings = {*formats, *(short for short, long in _KINDS.items() if long in formats)}
    found = [
        one
        for one in _ADDRESS.findall(text)
        if one.startswith("data:image/") or _ending(one) in endings
    ]
    return tuple(dict.fromkeys(found))[:most]


def addresses(given: NodeInput, name: str, kinds: Sequence[str]) -> tuple[str, ...]:
    """The addresses of pictures in an input. Raises `Invalid`: `PICTURE_INVALID`."""
    listed = given.listing(name)
    if listed and not kinds:
        raise refused_at((name,), "PICTURE_INVALID", "this node is configured to take no media")
    return tuple(read_each(partial(_address, one, name, at) for at, one in enumerate(listed)))


def _address(one: Json, name: str, at: int) -> str:
    is_data = isinstance(one, str) and one.startswith("data:")
    if isinstance(one, str) and is_data:
        _written(one)
    if isinstance(one, str) and (is_data or one.startswith(("http://", "https://"))):
        return one
    message = f"{shown(one)} is no address of a picture"
    hint = "write it as https://example.com/picture.png or data:image/png;base64,…"
    raise refused_at((name, at), "PICTURE_INVALID", message, hint=hint)


async def fetched(
    context: NodeContext, addresses: Sequence[str], kinds: Sequence[str]
) -> tuple[ModelImage, ...]:
    """What is at these addresses, where it is of a kind such as `image`."""
    return tuple([await _picture(context, one, kinds) for one in addresses])


async def _picture(context: NodeContext, address: str, kinds: Sequence[str]) -> ModelImage:
    if address.startswith("data:"):
        return _checked(*_written(address), address, kinds)
    client = context.resources.http
    response = await client.request("GET", address, timeout_s=TIMEOUT_S)
    if response.status != 200:
        raise _refused(address, f"answers with status {response.status}")
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return _checked(kind, response.body, address, kinds)


def _written(address: str) -> tuple[str, bytes]:
    found = _DATA.fullmatch(address)
    try:
        data = base64.b64decode(found[2], validate=True) if found else b""
    except binascii.Error:
        data = b""
    if found is None or not data:
        raise _refused(address, "is no data:TYPE;base64 address")
    return found[1].lower(), data


def _checked(kind: str, data: bytes, address: str, kinds: Sequence[str]) -> ModelImage:
    if kind.partition("/")[0] not in kinds:
        allowed = " or ".join(kinds) or "nothing"
        raise _refused(address, f"is {kind or 'of no known kind'}; this node takes {allowed}")
    if len(data) > MAX_BYTES:
        raise _refused(address, f"has {len(data)} bytes; at most {MAX_BYTES} are sent")
    return ModelImage(data=base64.b64encode(data).decode(), media_type=kind)


def _ending(address: str) -> str:
    path = address.partition("?")[0].partition("#")[0]
    return path.rpartition(".")[2].lower()


def _refused(address: str, why: str) -> Invalid:
    shown = address if len(address) <= 100 else f"{address[:100]}…"
    return Invalid("PICTURE_INVALID", f"{shown!r} {why}", facts={"field": "images"})
