"""Print a tool result by content type; images and other binary content are saved as files."""

import base64
from pathlib import Path
from typing import Any

import click

from toolweave.cli.sanitize import json_text, visible
from toolweave.cli.terminal import is_terminal, say, styled
from toolweave.errors import Invalid
from toolweave.json_text import read
from toolweave.tools.content_value import repeats

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


# Any: the result as `--json` shows it, from this process or from the studio.
Result = dict[str, Any]


def print_result(result: Result, tool: str, save_to: Path) -> None:
    """Print a result: to stdout if it succeeded, to stderr if the tool reports an error."""
    is_error = result["isError"]
    if is_error:
        say(f"Error: tool {tool!r} failed:", stderr=True)
    structured = result["structuredContent"]
    if structured is not None:
        click.echo(json_text(structured), err=is_error)
    texts = [block["text"] for block in result["content"] if block["text"]]
    is_repeated = structured is not None and repeats(structured, texts)
    for block in result["content"]:
        if block["text"] is None or structured is None:
            _print_block(block, result)
        elif not is_repeated:
            # Beside the data, which a program may read from stdout.
            click.echo(visible(block["text"]), err=True)
    for block in result["content"]:
        if block["data"] is not None:
            click.echo(f"saved {visible(str(save_block(block, tool, save_to)))}")
    for problem in result["problems"]:
        say(
            "! the result does not match the tool's output schema: "
            f"{problem['pointer'] or '/'}: {problem['message']}  [{problem['code']}]",
            stderr=True,
        )


def _print_block(block: dict[str, Any], result: Result) -> None:
    text = block["text"]
    if text is not None:
        _print_text(_indented(text) if result["contentType"] == "json" else text, result)
    elif block["type"] == "link":
        say(block["uri"] or "", stderr=result["isError"])


def _print_text(text: str, result: Result) -> None:
    err = result["isError"]
    if not is_terminal(stderr=err):
        # `color`: a pipe gets exactly the tool's output; Click would strip escape codes.
        sound = text.encode(errors="replace").decode()
        click.echo(sound, err=err, nl=not text.endswith("\n"), color=True)
    elif result["contentType"] == "markdown" and len(text) <= MAX_RENDERED_CHARS:
        styled().print_markdown(visible(text), stderr=err)
    else:
        click.echo(visible(text), err=err, nl=not text.endswith("\n"))


def _indented(text: str) -> str:
    try:
        return json_text(read(text))
    except Invalid:
        return text


def save_block(block: dict[str, Any], tool: str, folder: Path) -> Path:
    """Write a block's bytes to a new file; never overwrite one."""
    ending = ENDINGS.get((block["mimeType"] or "").partition(";")[0].strip().lower(), "bin")
    name = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in tool)[:60]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, MAX_FILES):
            path = folder / f"{name}-{number}.{ending}"
            try:
                with path.open("xb") as file:
                    file.write(base64.b64decode(block["data"]))
            except FileExistsError:
                continue
            return path
    except OSError as error:
        raise click.ClickException(
            f"the result cannot be saved in {str(folder)!r}: {error.strerror}; try --save-to DIR"
        ) from None
    raise click.ClickException(f"{str(folder)!r} holds {MAX_FILES} results; try --save-to DIR")
