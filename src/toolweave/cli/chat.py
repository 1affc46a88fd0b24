"""`toolweave chat`: chat with a model that uses your servers' tools."""

import signal
import sys
import uuid
from pathlib import Path

import anyio
import click

from toolweave.app.studio import open_studio
from toolweave.assistant.chat import begin_conversation
from toolweave.assistant.conversation import ChatEvent, Conversation
from toolweave.assistant.home_models import open_model_caller
from toolweave.cli.errors import show_error
from toolweave.cli.prompts import read_line
from toolweave.cli.results import save_block
from toolweave.cli.sanitize import json_text, visible
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, say
from toolweave.documents.service import DocumentSection
from toolweave.documents.workspace import document_service
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject, write
from toolweave.problems import quantity

SHOWN_CHARS = 200


@click.command()
@click.argument("words", nargs=-1, metavar="[MESSAGE]…")
@click.option("--server", help="Use only this server's tools.")
@click.option(
    "--doc",
    "document",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Chat about this Markdown document, with the server that it is bound to.",
)
@click.option("--heading", help="With --doc: only the section with this heading, and its server.")
@click.option("--model", help="Configured model to use instead of the default.")
@json_option
def chat(
    words: tuple[str, ...],
    server: str | None,
    document: Path | None,
    heading: str | None,
    model: str | None,
    as_json: bool,
) -> int:
    """Chat with a model that uses the enabled servers' tools.

    With a MESSAGE, or one on standard input, it answers once; at a terminal it continues until
    Ctrl-D. Ctrl-C stops an answer. Tool calls are shown as they happen. With --doc the model sees
    the document or section; if that is bound to a server, only its tools can be used.
    """
    if document is None and heading is not None:
        raise click.UsageError("--heading needs --doc FILE")
    if document is not None and server is not None:
        raise click.UsageError("give --server or --doc: a document says which server it uses")
    message = " ".join(words)
    if not message and not sys.stdin.isatty():
        message = sys.stdin.read().strip()
        if not message:
            raise click.UsageError("the message is empty")

    async def work() -> int:
        async with (
            current_home() as home,
            open_studio(home) as studio,
            open_model_caller(home) as asking,
        ):
            section = DocumentSection(server, "")
            if document is not None:
                section = await document_service(home).section(document, heading)
            talk = await begin_conversation(
                studio.home,
                studio.gate,
                asking,
                scope=f"chat:{uuid.uuid4()}",
                bound_to=section.server,
                model=model,
                about=section.text or None,
            )
            shown = _Shown(as_json=as_json)
            if message:
                return await _answer(talk, message, shown)
            return await _go_on(talk, shown)

    return run(work)


async def _go_on(talk: Conversation, shown: "_Shown") -> int:
    count = len(talk.context.tools)
    servers = quantity(len(talk.context.enabled_servers), "server")
    say(f"{quantity(count, 'tool')} of {servers}. Ctrl-D ends.", stderr=True)
    while (line := await read_line("> ")) is not None:
        if line.strip():
            await _answer(talk, line, shown)
    return 0


async def _answer(talk: Conversation, message: str, shown: "_Shown") -> int:
    """Print one answer; return the exit code."""
    code = 0
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_interrupt, tasks.cancel_scope)
        try:
            await talk.answer(message, shown.hear)
        except ToolweaveError as error:
            show_error(error, as_json=shown.as_json)
            code = 1
        tasks.cancel_scope.cancel()
        return code
    say("Stopped.", stderr=True)
    return 130


async def _stop_on_interrupt(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()


class _Shown:
    """Prints text on stdout and calls on stderr; with `--json`, one event per line."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    async def hear(self, event: ChatEvent) -> None:
        if self.as_json:
            click.echo(json_text(event.as_json(), pretty=False))
            return
        data = event.data
        match event.type:
            case "text":
                click.echo(visible(str(data["text"])), nl=False)
            case "call":
                arguments = _short(write(data["arguments"]))
                # A tool that does not exist has no server.
                tool = "/".join(str(part) for part in (data["server"], data["tool"]) if part)
                say(f"▸ {tool} {arguments}", stderr=True)
            case "result":
                mark = "✗" if data["isError"] else "✓"
                say(f"{mark} {_short(str(data['text']))}", indent=2, stderr=True)
                _show_media(data.get("content"), str(data["name"]))
            case "answer":
                click.echo()
                say(_spent(data), stderr=True)
            case _:
                pass


def _show_media(blocks: Json, tool: str) -> None:
    """Save pictures, sounds and files that a tool gave; print its links."""
    for block in blocks if isinstance(blocks, list) else []:
        if not isinstance(block, dict):
            continue
        if block.get("data") is not None:
            say(f"saved {save_block(block, tool, Path.cwd())}", indent=4, stderr=True)
        elif block.get("uri"):
            say(_short(str(block["uri"])), indent=4, stderr=True)


def _spent(data: JsonObject) -> str:
    usage = data["usage"]
    assert isinstance(usage, dict)
    cost = usage.get("costUsd")
    told = f", {cost:.4f} USD" if isinstance(cost, float) else ""
    return f"{data['model']}: {usage['inputTokens']} + {usage['outputTokens']} tokens{told}"


def _short(text: str) -> str:
    line = visible(" ".join(text.split()), one_line=True)
    return line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS]}…"
