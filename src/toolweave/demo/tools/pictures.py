"""`draw`: a PNG made with the standard library, the same bytes for the same arguments."""

import base64
import math
import struct
import zlib
from typing import Annotated, Literal

from mcp import types
from pydantic import Field

from toolweave.demo.tool import Answer, DemoCall, DemoModel, DemoTool

_WHITE = b"\xff\xff\xff"


class DrawArguments(DemoModel):
    """What `draw` takes."""

    width: Annotated[int, Field(description="In pixels.", ge=1, le=1024)] = 64
    height: Annotated[int, Field(description="In pixels.", ge=1, le=1024)] = 64
    color: Annotated[str, Field(description="As `#rrggbb`.", pattern=r"^#[0-9a-fA-F]{6}$")] = (
        "#2563eb"
    )
    shape: Annotated[
        Literal["fill", "ellipse"], Field(description="All of it, or an ellipse on white.")
    ] = "fill"


async def _draw(arguments: DrawArguments, _call: DemoCall) -> Answer:
    return types.CallToolResult(
        content=[
            types.ImageContent(
                data=base64.b64encode(png(arguments)).decode(), mime_type="image/png"
            )
        ]
    )


def png(arguments: DrawArguments) -> bytes:
    """The picture: 8-bit RGB, no filter, one image chunk."""
    color = bytes.fromhex(arguments.color[1:])
    rows = b"".join(b"\0" + _row(arguments, y, color) for y in range(arguments.height))
    header = struct.pack(">IIBBBBB", arguments.width, arguments.height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows, 9))
        + _chunk(b"IEND", b"")
    )


def _row(arguments: DrawArguments, y: int, color: bytes) -> bytes:
    width = arguments.width
    if arguments.shape == "fill":
        return color * width
    # How much of this row lies within the ellipse, measured at the middle of the pixels.
    off_centre = (2 * y + 1) / arguments.height - 1
    inside = round(width * math.sqrt(1 - off_centre * off_centre))
    left = (width - inside) // 2
    return _WHITE * left + color * inside + _WHITE * (width - inside - left)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


TOOLS = (
    DemoTool(
        name="draw",
        title="Draw",
        description="Draw a PNG picture of one colour, filled or as an ellipse on white. Returns "
        "an image.",
        takes=DrawArguments,
        run=_draw,
    ),
)
