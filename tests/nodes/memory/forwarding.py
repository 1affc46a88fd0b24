"""A port of this machine that leads to a Postgres on a socket of the file system."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ByteStream, SocketStream
from psycopg.conninfo import conninfo_to_dict


@asynccontextmanager
async def forwarded(address: str) -> AsyncGenerator[str]:
    """The address by TCP of the Postgres at `address`."""
    parts = conninfo_to_dict(address)
    path = f"{parts['host']}/.s.PGSQL.{parts.get('port', 5432)}"

    async def serve(client: SocketStream) -> None:
        server = await anyio.connect_unix(path)
        async with client, server, anyio.create_task_group() as group:
            group.start_soon(_copy, client, server)
            group.start_soon(_copy, server, client)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port: int = listener.extra(anyio.abc.SocketAttribute.local_port)
    async with anyio.create_task_group() as group:
        group.start_soon(listener.serve, serve)
        yield f"postgresql://{parts['user']}@127.0.0.1:{port}/{parts['dbname']}"
        group.cancel_scope.cancel()
    await listener.aclose()


async def _copy(source: ByteStream, target: ByteStream) -> None:
    try:
        async for data in source:
            await target.send(data)
        await target.send_eof()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        return
