"""Questions to the person at the terminal, asked so that Ctrl-C is heard at once.

`input()` would hold the event loop, or a thread that outlives it; here the loop itself waits for
the terminal.
"""

import os
import sys

import anyio
import click

LINE_BYTES = 64 * 1024


async def read_line(prompt: str) -> str | None:
    """What the person types after `prompt`; nothing for the end of input (Ctrl-D)."""
    click.echo(prompt, nl=False, err=True)
    if sys.platform == "win32":
        line = await anyio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
    else:
        await anyio.wait_readable(sys.stdin.fileno())
        # A terminal gives whole lines, so nothing is left behind for the next question.
        line = os.read(sys.stdin.fileno(), LINE_BYTES).decode(errors="replace")
    if not line:
        click.echo(err=True)
        return None
    return line.rstrip("\r\n")


async def confirm(question: str) -> bool:
    """Ask for a yes; without a terminal there is nobody to ask, so that is wrong use."""
    if not sys.stdin.isatty():
        raise click.UsageError("this needs a person's yes; pass --yes if you are sure")
    answer = await read_line(f"{question} [y/N]: ")
    return answer is not None and answer.strip().lower() in ("y", "yes")
