"""Print a tool result by content type; images and other binary content are saved as files."""

import base64
from pathlib import Path
from typing import Any

import click

from toolweave.cli.sanitize import json_text, visible
from toolweave.cli.terminal import is_terminal, say, styled
from toolweave.errors import Invalid
from toolweave.json_text import read
from toolweave.tools.tool import Content, ToolResult

# Rendering Markdown takes time that grows faster than the text.
MAX_RENDERED_CHARS = 64 * 1024
MAX_FILES = 10_000
ENDINGS = {
    "application/json": "json",
    "application/pdf": "pdf",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "image/gif": "gif",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/webp": "webp",
    "text/html": "html",
    "text/plain": "txt",
}


def print_result(result: ToolResult, tool: str, save_to: Path) -> None:
    """Print a result: to stdout if it succeeded, to stderr if the tool reports an error."""
    if result.is_error:
        say(f"Error: tool {tool!r} failed:", stderr=True)
    if result.content_type == "json" and result.structured is not None:
        click.echo(json_text(result.structured), err=result.is_error)
    else:
        for block in result.content:
            _print_block(block, result)
    for block in result.content:
        if block.data is not None:
            click.echo(f"saved {_save(block, tool, save_to)}")
    for problem in result.problems:
        say(
            f"! the result does not match the tool's output schema: {problem.pointer or '/'}: "
            f"{problem.message}  [{problem.code}]",
            stderr=True,
        )


def _print_block(block: Content, result: ToolResult) -> None:
    if block.text is not None:
        _print_text(_indented(block.text) if result.content_type == "json" else block.text, result)
    elif block.kind == "link":
        say(block.uri or "", stderr=result.is_error)


def _print_text(text: str, result: ToolResult) -> None:
    err = result.is_error
    if not is_terminal(stderr=err):
        # `color`: a pipe gets exactly the tool's output; Click would strip escape codes.
        sound = text.encode(errors="replace").decode()
        click.echo(sound, err=err, nl=not text.endswith("\n"), color=True)
    elif result.content_type == "markdown" and len(text) <= MAX_RENDERED_CHARS:
        styled().print_markdown(visible(text), stderr=err)
    else:
        click.echo(visible(text), err=err, nl=not text.endswith("\n"))


def _indented(text: str) -> str:
    try:
        return json_text(read(text))
    except Invalid:
        return text


def _save(block: Content, tool: str, folder: Path) -> Path:
    """Write a block's bytes to a new file; never overwrite one."""
    assert block.data is not None
    ending = ENDINGS.get((block.mime_type or "").partition(";")[0].strip().lower(), "bin")
    name = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in tool)[:60]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, MAX_FILES):
            path = folder / f"{name}-{number}.{ending}"
            try:
                with path.open("xb") as file:
                    file.write(block.data)
            except FileExistsError:
                continue
            return path
    except OSError as error:
        raise click.ClickException(
            f"the result cannot be saved in {str(folder)!r}: {error.strerror}; try --save-to DIR"
        ) from None
    raise click.ClickException(f"{str(folder)!r} holds {MAX_FILES} results; try --save-to DIR")


def as_dict(result: ToolResult) -> dict[str, Any]:
    """The result for `--json`."""
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
