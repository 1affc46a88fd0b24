"""Questions a tool asks in the middle of a call, put to the person at the terminal."""

import anyio
import click

from toolweave.cli.terminal import visible
from toolweave.json_text import Json, JsonObject
from toolweave.servers.questions import Answer, Question
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.read_tool import read_tool


async def ask_on_terminal(question: Question) -> Answer:
    """Ask field by field; an empty line leaves an optional field out, Ctrl-D declines."""
    return await anyio.to_thread.run_sync(_ask, question, abandon_on_cancel=True)


def _ask(question: Question) -> Answer:
    click.echo(f"\n{visible(question.server)} asks: {visible(question.message)}", err=True)
    try:
        if question.url is not None:
            click.echo(f"  It wants you to visit {visible(question.url)}", err=True)
            is_done = click.confirm("Done?", default=False, err=True)
            return Answer("accept" if is_done else "decline")
        return Answer("accept", _fill(question.schema or {}))
    except (click.Abort, EOFError):
        return Answer("decline")


def _fill(schema: JsonObject) -> JsonObject:
    form = read_tool("question", {"name": "question", "inputSchema": schema})
    filled: dict[str, Json] = {}
    for parameter in form.parameters:
        while True:
            typed = click.prompt(
                f"  {visible(parameter.description or parameter.name)}"
                + ("" if parameter.required else " (optional)"),
                default=str(parameter.default) if parameter.has_default else "",
                show_default=parameter.has_default,
                err=True,
            )
            if not typed and not parameter.required:
                break
            value, problems = coerce_arguments(form, (f"{parameter.name}={typed}",))
            if not problems:
                filled |= value
                break
            click.echo(f"  {problems[0].message}", err=True)
    return filled
