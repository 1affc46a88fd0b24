"""`toolweave mock`: serve the tools of a recording over stdio or HTTP."""

from functools import partial
from pathlib import Path

import click

from toolweave.cli.record import folder_option
from toolweave.cli.terminal import say
from toolweave.demo.server import run_http, run_stdio
from toolweave.recording.files import RecordingFolder, read_recording
from toolweave.recording.mock_server import build_mock, outdated_calls, recorded_server

MAX_WARNINGS = 20


@click.command("mock")
@click.argument("name", metavar="RECORDING")
@click.option("--server", metavar="NAME", help="Which server, if the recording has several.")
@click.option("--faults", is_flag=True, help="Replay latency, progress and failures too.")
@click.option("--http", "over_http", is_flag=True, help="Serve streamable HTTP instead of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address for --http.")
@click.option(
    "--port",
    default=0,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="Port for --http; 0 chooses a free one.",
)
@folder_option
def mock(
    name: str,
    server: str | None,
    faults: bool,
    over_http: bool,
    host: str,
    port: int,
    folder: Path,
) -> None:
    """Serve the recorded tools of a server to any MCP client, with the recorded answers.

    RECORDING is a name in the folder of recordings, or a file. The n-th identical call gets the
    n-th recorded answer; a call that is not recorded is refused with the nearest one.
    """
    found = read_recording(RecordingFolder(folder).find(name))
    for warning in found.warnings:
        say(f"warning: {warning.message}", stderr=True)
    served = recorded_server(found.recording, server)
    for words in outdated_calls(found.recording, served)[:MAX_WARNINGS]:
        say(f"warning: {words}", stderr=True)
    build = partial(build_mock, found.recording, served, has_faults=faults)
    if over_http:
        run_http(host, port, build)
    else:
        run_stdio(build)
