"""Prompts at the terminal that Ctrl-C interrupts immediately.

`input()` would block the event loop, or a thread that outlives it; here the loop itself waits
for the terminal.
"""

import os
import sys

import anyio
import click

LINE_BYTES = 64 * 1024


async def read_line(prompt: str) -> str | None:
    """Return the typed line, or `None` at the end of input (Ctrl-D)."""
    click.echo(prompt, nl=False, err=True)
    if sys.platform == "win32":
        line = await anyio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
    else:
        await anyio.wait_readable(sys.stdin.fileno())
        # A terminal delivers whole lines, so nothing is left over for the next prompt.
        line = os.read(sys.stdin.fileno(), LINE_BYTES).decode(errors="replace")
    if not line:
        click.echo(err=True)
        return None
    return line.rstrip("\r\n")


async def confirm(question: str) -> bool:
    """Ask for confirmation; without a terminal this is a usage error."""
    if not sys.stdin.isatty():
        raise click.UsageError("this needs confirmation at a terminal; pass --yes to skip it")
    answer = await read_line(f"{question} [y/N]: ")
    return answer is not None and answer.strip().lower() in ("y", "yes")
