"""`toolweave doc`: check and run the tool blocks of Markdown documents."""

import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import click

from toolweave.app.lazy import Lazy
from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import current_home, in_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell
from toolweave.documents.bindings import read_binding
from toolweave.documents.block_plan import Planned
from toolweave.documents.document_json import DocumentRecord, DocumentRunRecord
from toolweave.documents.service import DocumentReport, DocumentRunReport, document_key
from toolweave.documents.workspace import StoredWorkflows, document_service
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.json_text import JsonObject
from toolweave.problems import Problem
from toolweave.tasks import background

LOOK_EVERY_S = 0.5
INTERRUPTED = 130

files_argument = click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
file_argument = click.argument("file", type=click.Path(path_type=Path))

Run = Callable[[Path, bool], Awaitable[DocumentRunReport]]


@dataclass(frozen=True, slots=True)
class _RunOptions:
    refresh: bool
    watch: bool
    parallel: int
    as_json: bool


@click.group(cls=HelpfulGroup)
def doc() -> None:
    """Check and run tool blocks in Markdown documents."""


@doc.command("check")
@files_argument
@json_option
def check(files: tuple[Path, ...], as_json: bool) -> int:
    """List blocks, the servers they use and their problems; runs nothing."""

    async def work() -> list[DocumentReport]:
        async with current_home() as home:
            desk = document_service(home)
            return [await desk.look(file) for file in files]

    found = run(work)
    if as_json:
        print_json([DocumentRecord.read(looked).as_json() for looked in found])
    else:
        for looked in found:
            _tell(looked)
    return 0 if all(looked.is_sound for looked in found) else 1


@doc.command("run")
@files_argument
@click.option("--refresh", is_flag=True, help="Also run blocks that already have a result.")
@click.option(
    "--watch", is_flag=True, help="Keep running, and run blocks whenever a file is saved."
)
@click.option(
    "--parallel",
    type=click.IntRange(1, 100),
    default=1,
    metavar="N",
    help="Run up to N blocks at a time instead of one after another.",
)
@json_option
def run_documents(
    files: tuple[Path, ...], refresh: bool, watch: bool, parallel: int, as_json: bool
) -> int:
    """Run the blocks of documents in order and write the results below them."""

    async def work() -> int:
        async with current_home() as home, background() as tasks:
            stop = anyio.Event()
            tasks.start_soon(_interrupted, stop)
            options = _RunOptions(refresh, watch, parallel, as_json)
            return await _run_all(home, files, stop, options)

    return run(work)


@doc.command("clear")
@files_argument
@json_option
def clear(files: tuple[Path, ...], as_json: bool) -> None:
    """Remove the results from documents."""

    async def work() -> dict[str, int]:
        async with current_home() as home:
            desk = document_service(home)
            return {str(file): await desk.clear(file) for file in files}

    found = run(work)
    if as_json:
        print_json(found)
        return
    for file, count in found.items():
        say(f"{file}: {_count(count, 'result')} removed.")


@doc.command("bind")
@file_argument
@click.option("--server", required=True, help="A registered server.")
@click.option("--heading", help="The section with this heading: `Tools`, or `## Tools`.")
@click.option("--block", help="The block with this ^id.")
@click.option("--lines", metavar="FIRST-LAST", help="These lines, not counting results.")
@click.option("--no-inherit", is_flag=True, help="Exclude subsections.")
@json_option
def bind(
    file: Path,
    server: str,
    heading: str | None,
    block: str | None,
    lines: str | None,
    no_inherit: bool,
    as_json: bool,
) -> None:
    """Bind a section of a document to a server; the binding is stored in this home."""
    ways = {"heading": heading, "block": block, "lines": lines}
    given: JsonObject = {key: value for key, value in ways.items() if value is not None}
    binding = read_binding({**given, "server": server, "inherit": not no_inherit})

    async def work() -> str:
        async with current_home() as home:
            return (await document_service(home).bind(file, binding)).id

    id = run(work)
    tell(
        as_json,
        {"id": id, **binding.as_json()},
        f"Bound {binding.section} of {file} to {server!r} ({id}).",
    )


@doc.command("unbind")
@file_argument
@click.argument("binding", required=False)
@json_option
def unbind(file: Path, binding: str | None, as_json: bool) -> None:
    """Remove a binding by its id, or all bindings of a document stored in this home."""

    key = document_key(file)
    count = in_home(lambda home: document_service(home).kept.remove(key, binding))
    tell(as_json, {"removed": count}, f"Removed {_count(count, 'binding')} of {file}.")


async def _run_all(
    home: Home,
    files: Sequence[Path],
    stop: anyio.Event,
    options: _RunOptions,
) -> int:
    desk = document_service(home)
    reported: dict[Path, tuple[Problem, ...]] = {}
    async with open_studio(home) as studio, background() as tasks:
        engines = Lazy(lambda: open_engine(studio))
        tasks.start_soon(engines.serve)
        workflows = StoredWorkflows(engines.get, studio.home.workflows)

        async def one(file: Path, again: bool) -> DocumentRunReport:
            ran = await desk.run(
                file,
                studio.gate,
                workflows,
                refresh=options.refresh and not again,
                retry=not again,
                parallel=options.parallel,
                stop=stop,
            )
            # While watching, a file that was saved without an effect is not reported again.
            is_known = reported.get(file) == ran.problems
            reported[file] = ran.problems
            if not again or ran.results or not is_known:
                _tell_run(ran, as_json=options.as_json)
            return ran

        ran = [await one(file, False) for file in files if not stop.is_set()]
        if options.watch and not stop.is_set():
            if not options.as_json:
                say("Watching. Press Ctrl-C to stop.", stderr=True)
            await _watch(files, one, stop)
            return 0
    if stop.is_set():
        return INTERRUPTED
    return 0 if all(each.is_success for each in ran) else 1


async def _watch(files: Sequence[Path], one: Run, stop: anyio.Event) -> None:
    """Run new blocks whenever a file is saved, until stopped."""
    # Read before each pass, so that a file saved during the pass is checked again.
    seen: dict[Path, tuple[int, int] | None] = {}
    while not stop.is_set():
        for file in files:
            stamp = _stamp(file)
            if stamp is None or stamp == seen.get(file) or stop.is_set():
                continue
            seen[file] = stamp
            try:
                await one(file, True)
            except ToolweaveError as error:
                say(f"! {file}: {error.message}  [{error.code}]", stderr=True)
        with anyio.move_on_after(LOOK_EVERY_S):
            await stop.wait()


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size


async def _interrupted(stop: anyio.Event) -> None:
    """The first Ctrl-C stops cleanly; the next one has its usual effect."""
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGINT) as signals:
        async for _ in signals:
            break
    stop.set()


def _tell(looked: DocumentReport) -> None:
    say(f"{looked.path}: {_count(len(looked.planned), 'block')}")
    if looked.planned:
        columns = ("line", "calls", "server", "because", "state")
        print_table(columns, [_row(one) for one in looked.planned], indent=2)
    for kept in looked.kept:
        say(f"binding {kept.id}: {kept.binding.section} to {kept.binding.server!r}", indent=2)
    for problem in looked.problems:
        mark = "!" if problem.severity == "warning" else "✗"
        say(f"{mark} {problem.pointer or '/'}: {problem.message}  [{problem.code}]", indent=2)
        if problem.hint:
            say(f"hint: {problem.hint}", indent=6)


def _row(planned: Planned) -> tuple[str, str, str | None, str, str]:
    block = planned.block
    return str(block.line), block.name, planned.server, planned.why, planned.standing


def _tell_run(ran: DocumentRunReport, *, as_json: bool) -> None:
    told = DocumentRunRecord.read(ran).as_json()
    if as_json:
        print_json(told)
        return
    parts = [f"{told['ran']} run"]
    parts += [f"{told[word]} {word}" for word in ("failed", "skipped", "invalid") if told[word]]
    say(f"{ran.looked.path}: {', '.join(parts)}")
    for one in ran.looked.planned:
        callout = ran.results.get(one.number)
        if callout is not None and callout.is_failure:
            say(f"! line {one.block.line}: {one.title} failed", indent=2, stderr=True)
    ran_lines = {one.block.line for one in ran.looked.planned if one.number in ran.results}
    for problem in ran.problems:
        line = problem.pointer.removeprefix("/lines/").partition("/")[0]
        if problem in ran.looked.problems and line.isdigit() and int(line) in ran_lines:
            continue  # its result says it
        where = f"line {line}: " if line.isdigit() else ""
        say(f"! {where}{problem.message}  [{problem.code}]", indent=2, stderr=True)
        if problem.hint:
            say(f"hint: {problem.hint}", indent=6, stderr=True)
    if ran.held is not None:
        say(f"{ran.held.message}  [{ran.held.code}]", stderr=True)
        say(f"Hint: {ran.held.hint}", stderr=True)
    if ran.is_cancelled:
        say("Interrupted; completed results were written.", stderr=True)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
