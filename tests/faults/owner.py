"""A program that opens a studio, calls its servers, says which processes run, and stays.

Run by `test_killed.py` with the studio's folder as its argument, to be killed.
"""

import json
import sys
from pathlib import Path

import anyio

from faults.offspring import offspring
from faults.studios import add_good, approve, command_of, pin, studio_in
from hostile.catalogue import TRIGGER, named
from toolweave.tools.tool import ToolCall


async def main() -> None:
    """Start a good server and one that will not leave, then wait for the end."""
    async with studio_in(Path(sys.argv[1])) as studio:
        await add_good(studio)
        stubborn = named("ignores_sigterm_and_closes_stdin_late")
        await approve(studio, "stubborn", command_of(stubborn))
        await pin(studio, "stubborn")
        await studio.gate.call(ToolCall("stubborn", TRIGGER))
        sys.stdout.write(json.dumps([process.pid for process in offspring()]) + "\n")
        sys.stdout.flush()
        await anyio.sleep_forever()


if __name__ == "__main__":
    anyio.run(main)
