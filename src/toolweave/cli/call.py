"""`toolweave call SERVER TOOL`: one call through the gate, and its result by content type."""

import base64
import sys
from pathlib import Path
from typing import Any

import click
from rich.markdown import Markdown
from rich.progress import Progress as ProgressBar

from toolweave.app.studio import Studio, open_studio
from toolweave.cli.answering import ask_on_terminal
from toolweave.cli.rooms import ground, run
from toolweave.cli.terminal import console, json_option, print_json, visible
from toolweave.errors import Invalid
from toolweave.json_text import JsonObject, read, write
from toolweave.tools.check import check_arguments
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.tool import Content, Progress, ProgressListener, Tool, ToolCall, ToolResult


@click.command()
@click.argument("server")
@click.argument("tool")
@click.option("--arg", "pairs", multiple=True, metavar="K=V", help="One argument; repeat for more.")
@click.option("--args", "text", help="All arguments as JSON; @FILE or - reads them from there.")
@click.option("--timeout", type=click.FloatRange(min=0.001), help="Deadline in seconds.")
@click.option(
    "--save-to",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where images and other files of the result are saved.",
)
@json_option
def call(
    server: str,
    tool: str,
    pairs: tuple[str, ...],
    text: str | None,
    timeout: float | None,
    save_to: Path,
    as_json: bool,
) -> int:
    """Call one tool of a server.

    Arguments are checked before anything is sent; all problems are listed at once.
    Nested values are written with dots: --arg address.city=Oslo. Ctrl-C cancels the call on
    the server too.
    """
    given = _arguments(text)

    async def work() -> ToolResult:
        async with ground() as rooms, open_studio(rooms) as studio:
            arguments = await _with_pairs(studio, server, tool, given, pairs)
            request = ToolCall(
                server=server, tool=tool, arguments=arguments, scope="cli", deadline_s=timeout
            )
            asker = ask_on_terminal if sys.stdin.isatty() and not as_json else None
            with _progress(quiet=as_json) as listener:
                return await studio.gate.call(request, on_progress=listener, asker=asker)

    result = run(work)
    if as_json:
        print_json(_as_dict(result))
    else:
        _print_result(result, tool, save_to)
    return 1 if result.is_error else 0


def _arguments(given: str | None) -> JsonObject:
    if given is None:
        return {}
    value = read(_text(given))
    if not isinstance(value, dict):
        raise Invalid("MCP_ARGUMENTS_INVALID", '--args must be a JSON object: {"name": value, …}')
    return value


def _text(given: str) -> str:
    if given == "-":
        return sys.stdin.read()
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{given[1:]} cannot be read: {error}") from None


async def _with_pairs(
    studio: Studio, server: str, name: str, given: JsonObject, pairs: tuple[str, ...]
) -> JsonObject:
    if not pairs:
        return given
    tools = {tool.name: tool for tool in await studio.gate.tools(server)}
    tool: Tool | None = tools.get(name)
    if tool is None:
        return given  # the gate says it better
    coerced, problems = coerce_arguments(tool, pairs)
    arguments = {**given, **coerced}
    if problems:
        told = {problem.pointer for problem in problems}
        more = [one for one in check_arguments(tool, arguments) if one.pointer not in told]
        raise Invalid(
            "MCP_ARGUMENTS_INVALID",
            f"the arguments of {name!r} are wrong",
            problems=[*problems, *more],
        )
    return arguments


class _progress:
    """A bar on a terminal, plain lines elsewhere, nothing when quiet; always on stderr."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: ProgressBar | None = None

    def __enter__(self) -> ProgressListener:
        out = console(stderr=True)
        if not self._quiet and out.is_terminal:
            self._bar = ProgressBar(console=out, transient=True)
            self._bar.start()
            self._task = self._bar.add_task("working", total=None)
        return self._hear

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    async def _hear(self, progress: Progress) -> None:
        words = visible(progress.message or "working")
        if self._bar is not None:
            self._bar.update(
                self._task, completed=progress.done, total=progress.total, description=words
            )
        elif not self._quiet:
            total = f"/{progress.total:g}" if progress.total is not None else ""
            click.echo(f"{progress.done:g}{total} {words}", err=True)


def _print_result(result: ToolResult, tool: str, save_to: Path) -> None:
    out = console(stderr=result.is_error)
    if result.content_type == "json":
        click.echo(write(result.structured, pretty=True), err=result.is_error)
    else:
        for block in result.content:
            _print_block(block, result, out)
    saved = [_save(block, tool, save_to) for block in result.content if block.data is not None]
    for path in saved:
        click.echo(f"saved {path}")
    for problem in result.problems:
        click.echo(f"! {problem.pointer}: {problem.message}  [{problem.code}]", err=True)


def _print_block(block: Content, result: ToolResult, out: Any) -> None:
    if block.text is not None:
        if result.content_type == "markdown" and out.is_terminal:
            out.print(Markdown(block.text))
        else:
            # Raw text to a pipe; on a terminal control characters must not act.
            out.print(visible(block.text)) if out.is_terminal else click.echo(
                block.text, err=result.is_error
            )
    elif block.kind == "link":
        click.echo(block.uri or "")


def _save(block: Content, tool: str, folder: Path) -> Path:
    """Write a block's bytes beside the others, never over a file that is there."""
    assert block.data is not None
    ending = {
        "image/png": "png",
        "image/jpeg": "jpg",
        "image/gif": "gif",
        "image/webp": "webp",
    }.get(block.mime_type or "", "bin")
    name = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in tool)[:60]
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, 10_000):
        path = folder / f"{name}-{number}.{ending}"
        try:
            with path.open("xb") as file:
                file.write(block.data)
        except FileExistsError:
            continue
        return path
    raise click.UsageError(f"{folder} holds too many results already; use --save-to")


def _as_dict(result: ToolResult) -> dict[str, Any]:
    return {
        "isError": result.is_error,
        "contentType": result.content_type,
        "displayFormat": result.display,
        "executionDuration": round(result.took_ms, 3),
        "tokensUsed": result.tokens_used,
        "content": [
            {
                "type": block.kind,
                "text": block.text,
                "data": base64.b64encode(block.data).decode() if block.data is not None else None,
                "mimeType": block.mime_type,
                "uri": block.uri,
            }
            for block in result.content
        ],
        "structuredContent": result.structured,
        "problems": [problem.as_json() for problem in result.problems],
    }
