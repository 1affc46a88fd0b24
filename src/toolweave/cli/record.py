"""`toolweave record`: make a recording of a finished run, or of a client's calls of a server."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import click

from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, say, tell
from toolweave.clock import timestamp
from toolweave.engine.run_table import RunTable
from toolweave.errors import Conflict
from toolweave.home import Home
from toolweave.json_text import JsonObject
from toolweave.recording.comparison import accepted
from toolweave.recording.files import FOLDER, RecordingFolder
from toolweave.recording.from_run import RunRecorder, find_run
from toolweave.recording.masking import mask_for_file
from toolweave.recording.recording import Recording
from toolweave.recording.replay import open_replayer

folder_option = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(FOLDER),
    show_default=True,
    help="The folder of recordings.",
)


@dataclass(frozen=True, slots=True)
class _Wish:
    run: str
    name: str
    fields: tuple[str, ...]
    folder: RecordingFolder


@click.command("record")
@click.argument("given", nargs=-1, type=click.UNPROCESSED, metavar="RUN | -- CLIENT [ARG]...")
@click.option("--as", "name", required=True, metavar="NAME", help="The name of the recording.")
@click.option("--server", metavar="NAME", help="Record a client's calls of this server instead.")
@click.option("--stdio", "over_stdio", is_flag=True, help="With --server: serve over stdio.")
@click.option("--http", "over_http", is_flag=True, help="With --server: serve on a local address.")
@click.option(
    "--port",
    default=0,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="Port for --http; 0 chooses a free one.",
)
@click.option(
    "--mask",
    "fields",
    multiple=True,
    metavar="FIELD",
    help="Also mask the texts of fields with this name; `*` stands for any characters.",
)
@click.option("--replace", "is_replacing", is_flag=True, help="Replace an existing recording.")
@folder_option
@json_option
def record(
    given: tuple[str, ...],
    name: str,
    server: str | None,
    over_stdio: bool,
    over_http: bool,
    port: int,
    fields: tuple[str, ...],
    is_replacing: bool,
    folder: Path,
    as_json: bool,
) -> int:
    """Record a finished run as a file that `toolweave test` and `toolweave mock` play back.

    RUN is the id of a run, the beginning of it, or `last`. Known secrets and the values of fields
    such as `password` are masked.

    With --server, Toolweave stands between a client and an approved server, forwards its calls
    and records them. A client connects over stdio (configure it with `toolweave record --server
    NAME --as NAME --stdio`) or to the address that --http prints. Instead, `-- CLIENT ARG...`
    starts the client; `{url}` in its arguments is the address. Ctrl-C ends the recording.
    """
    _check_way(given, server, over_stdio=over_stdio, over_http=over_http)
    path = RecordingFolder(folder).path(name)
    if path.exists() and not is_replacing:
        raise Conflict(
            "RECORDING_EXISTS",
            f"{str(path)!r} exists already",
            hint="choose another name, or give --replace",
        )

    if server is not None:
        # Its imports take longer than most commands.
        traffic = import_module("toolweave.cli.record_traffic")
        way = port if over_http else None
        wish = traffic.TrafficWish(server, name, fields, RecordingFolder(folder), way, given)
        return traffic.record_traffic(wish)
    return _record_run(_Wish(given[0], name, fields, RecordingFolder(folder)), as_json=as_json)


def _check_way(
    given: tuple[str, ...], server: str | None, *, over_stdio: bool, over_http: bool
) -> None:
    if server is None and (len(given) != 1 or over_stdio or over_http):
        raise click.UsageError("give one RUN, or --server with --stdio, --http or -- CLIENT")
    if server is not None and over_stdio + over_http + bool(given) != 1:
        raise click.UsageError("give one of --stdio, --http and -- CLIENT")


def _record_run(wish: _Wish, *, as_json: bool) -> int:
    path = wish.folder.path(wish.name)

    async def work() -> Recording:
        async with current_home() as home:
            return await _recorded(home, wish)

    recording = run(work)
    wish.folder.write(recording)
    _show(recording, path, as_json=as_json)
    return 0


async def _recorded(home: Home, wish: _Wish) -> Recording:
    found = await find_run(RunTable(home.database), wish.run)
    recording = await RunRecorder(home).record(found, wish.name, timestamp(home.clock.now()))
    masked = await mask_for_file(home, recording, wish.fields)
    if not masked.header.masks:
        return masked
    # What nodes computed from a masked text is computed again from its mask.
    async with open_replayer(home.settings.home) as replayer:
        replayed = await replayer.replay(masked)
    return masked if replayed.playback.refusals else accepted(masked, replayed)


def _show(recording: Recording, path: Path, *, as_json: bool) -> None:
    source = recording.header.source
    facts: JsonObject = {
        "name": recording.name,
        "path": str(path),
        "run": source.run,
        "workflow": recording.header.workflow,
        "fidelity": source.fidelity,
        "steps": len(recording.steps),
        "calls": len(recording.calls),
        "models": len(recording.models),
        "people": len(recording.people),
        "masks": len(recording.header.masks),
    }
    tell(
        as_json,
        facts,
        f"Recorded run {str(source.run)[:8]} of {recording.header.workflow!r} as {str(path)!r}: "
        f"{facts['steps']} steps, {facts['calls']} calls.",
    )
    if facts["masks"] and not as_json:
        say(f"Masked {facts['masks']} values.")
    if source.fidelity == "partial" and not as_json:
        say(
            "Some exchanges of this run were not kept; their steps replay with the recorded "
            "output of the step."
        )
