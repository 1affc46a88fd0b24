"""Count the JSON values of a message before parsing it.

Sixteen megabytes of `{},` become a gigabyte of objects and block the event loop for seconds.
Counting first is cheap, and other tasks can run in between.
"""

import anyio.lowlevel

from toolweave.errors import Unavailable

MAX_VALUES = 100_000
SLICE_BYTES = 64 * 1024


async def check_value_count(message: bytes | str, where: str) -> None:
    """Reject a message with too many values. Raises `Unavailable`: `SERVER_RESPONSE_TOO_LARGE`."""
    # The shortest value with its comma takes two bytes, so a small message needs no counting.
    if len(message) <= 2 * MAX_VALUES:
        return
    if isinstance(message, str):
        message = message.encode()
    if await has_more_values(MAX_VALUES, message):
        raise Unavailable(
            "SERVER_RESPONSE_TOO_LARGE",
            f"{where} sent more than {MAX_VALUES} values in one message",
            hint="request less data",
            facts={"max_values": MAX_VALUES},
        )


async def has_more_values(limit: int, message: bytes) -> bool:
    """Whether `message` has more than `limit` values, judged by its punctuation."""
    values, in_text, cut = 0, False, b""
    for start in range(0, len(message), SLICE_BYTES):
        piece = cut + message[start : start + SLICE_BYTES]
        # An escape must not be split: an odd backslash belongs to the next chunk.
        cut = b"\\" * ((len(piece) - len(piece.rstrip(b"\\"))) % 2)
        plain = piece.removesuffix(cut).replace(b"\\\\", b"").replace(b'\\"', b"")
        parts = plain.split(b'"')
        outside = b"".join(parts[in_text::2])
        in_text ^= len(parts) % 2 == 0
        values += outside.count(b",") + outside.count(b"[") + outside.count(b"{")
        if values > limit:
            return True
        await anyio.lowlevel.checkpoint()
    return False
