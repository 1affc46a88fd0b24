"""Pins tools of one server over and over, for `test_lockfile.py`: `python lock_writer.py …`."""

import sys
from pathlib import Path

from toolweave.servers.lockfile import Lockfile
from toolweave.tools.read_tool import read_tool

PINS = 25


def main(path: str, server: str) -> None:
    """Pin under ever new names beside whatever others pin."""
    lockfile = Lockfile(Path(path))
    for number in range(PINS):
        tool = read_tool(server, {"name": "tool", "inputSchema": {"type": "object"}})
        lockfile.pin(f"{server} {number}", [tool])


if __name__ == "__main__":
    main(*sys.argv[1:])
