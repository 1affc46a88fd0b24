"""`toolweave record`: make a recording of a finished run."""

from dataclasses import dataclass
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
from toolweave.recording.masking import mask_recording
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
@click.argument("run_id", metavar="RUN")
@click.option("--as", "name", required=True, metavar="NAME", help="The name of the recording.")
@click.option(
    "--mask",
    "fields",
    multiple=True,
    metavar="FIELD",
    help="Also mask the texts of fields with this name, such as `email`.",
)
@click.option("--replace", "is_replacing", is_flag=True, help="Replace an existing recording.")
@folder_option
@json_option
def record(
    run_id: str,
    name: str,
    fields: tuple[str, ...],
    is_replacing: bool,
    folder: Path,
    as_json: bool,
) -> None:
    """Record a finished run as a file that `toolweave test` and `toolweave mock` play back.

    RUN is the id of a run, the beginning of it, or `last`. Known secrets and the values of fields
    such as `password` are masked.
    """
    wish = _Wish(run_id, name, fields, RecordingFolder(folder))
    path = wish.folder.path(name)
    if path.exists() and not is_replacing:
        raise Conflict(
            "RECORDING_EXISTS",
            f"{str(path)!r} exists already",
            hint="choose another name, or give --replace",
        )

    async def work() -> Recording:
        async with current_home() as home:
            return await _recorded(home, wish)

    recording = run(work)
    wish.folder.write(recording)
    _show(recording, path, as_json=as_json)


async def _recorded(home: Home, wish: _Wish) -> Recording:
    found = await find_run(RunTable(home.database), wish.run)
    recording = await RunRecorder(home).record(found, wish.name, timestamp(home.clock.now()))
    names = await home.vault.names()
    home.masker.learn([await home.vault.get(name) for name in names])
    masked = mask_recording(recording, home.masker, wish.fields)
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
