"""Every misbehaving HTTP server of the catalogue, at each moment, through the real gate."""

import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from faults.provoking import (
    TIMEOUTS,
    Outcome,
    beside_a_good_one,
    call,
    deadlines_for,
    tools_or_reason,
)
from faults.studios import HOSTILE, echo
from hostile.catalogue import CONNECT_TIMEOUT, HTTP, Vice, When, http_server, named
from toolweave.servers.definition import HttpServer

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="measures with /proc"),
]


@contextmanager
def running(vice: Vice, *extra: str) -> Generator[HttpServer]:
    """The definition of a server that runs."""
    with http_server(vice, *extra) as url:
        yield HttpServer(url=url)


def test_the_catalogue_has_the_number_promised() -> None:
    assert len(HTTP) >= 12


@pytest.mark.parametrize("vice", [vice for vice in HTTP if vice.when == "call"], ids=str)
async def test_a_hostile_server_gives_a_typed_error_and_hurts_nobody(
    vice: Vice, tmp_path: Path
) -> None:
    with running(vice) as definition:
        async with beside_a_good_one(tmp_path, definition, **deadlines_for(vice)) as studio:
            assert not isinstance(await tools_or_reason(studio), Outcome)
            (await call(studio)).assert_right_for(vice)
            # It failed one call, not the connection: the same server's good tool works.
            assert (await echo(studio, HOSTILE)).text == "hi"


@pytest.mark.parametrize("when", ["start", "list"])
@pytest.mark.parametrize("vice", HTTP, ids=str)
async def test_it_is_the_same_before_there_is_a_connection(
    vice: Vice, when: When, tmp_path: Path
) -> None:
    waits = {CONNECT_TIMEOUT, "SERVER_UNRESPONSIVE"} if TIMEOUTS & set(vice.codes) else set[str]()
    vice = replace(vice, when=when, codes=(*vice.codes, *waits))
    with running(vice) as definition:
        async with beside_a_good_one(tmp_path, definition, **deadlines_for(vice)) as studio:
            listed = await tools_or_reason(studio)
            assert isinstance(listed, Outcome)
            listed.assert_right_for(vice)
            (await call(studio)).assert_right_for(vice)


async def test_a_redirect_to_a_stranger_is_not_followed(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.setblocking(False)
        elsewhere = f"http://127.0.0.1:{stranger.getsockname()[1]}/mcp"
        with running(named("redirect_elsewhere"), elsewhere) as definition:
            async with beside_a_good_one(tmp_path, definition, call_deadline_s=10.0) as studio:
                assert not isinstance(await tools_or_reason(studio), Outcome)
                assert (await call(studio)).codes == {"SERVER_REDIRECTED"}
        with pytest.raises(BlockingIOError):
            stranger.accept()
