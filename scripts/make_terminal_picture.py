"""Draws docs/terminal.svg: what the commands of the README print, run for real in an empty home.

`python scripts/make_terminal_picture.py` from the root, with the package installed.
"""

import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "terminal.svg"
WIDTH = 96
BEFORE = ["toolweave demo", "cp {root}/docs_src/trip.json .", "sed -i s/high_c/hihg_c/ trip.json"]
SHOWN = [
    "toolweave validate trip.json",
    "toolweave validate --fix trip.json",
    "toolweave run trip.json --input city=London",
]
THEME = TerminalTheme(
    (24, 27, 36),
    (222, 226, 236),
    [
        *((60, 64, 78), (240, 98, 112), (86, 194, 136), (230, 184, 92)),
        *((122, 162, 247), (187, 154, 247), (92, 198, 208), (222, 226, 236)),
    ],
)
# Rich's own frame loads a font from a network.
FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def printed(command: str, folder: Path) -> str:
    """What a command writes to a terminal, standard error included."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {
        "PATH": path,
        "HOME": str(folder),
        "TOOLWEAVE_HOME": str(folder / "home"),
        "TERM": "xterm-256color",
        "COLUMNS": str(WIDTH),
    }
    ours, theirs = pty.openpty()
    words = shlex.split(command.format(root=ROOT))
    with subprocess.Popen(
        words, cwd=folder, env=environ, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        parts: list[bytes] = []
        try:
            while part := os.read(ours, 65_536):
                parts.append(part)
        except OSError:  # the terminal is closed
            pass
    os.close(ours)
    return b"".join(parts).decode().replace("\r\n", "\n").rstrip()


def main() -> None:
    """Run the commands and write the picture."""
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command in BEFORE:
            printed(command, folder)
        for command in SHOWN:
            console.print(Text.assemble(("$ ", "bold cyan"), (command, "bold")))
            console.print(Text.from_ansi(printed(command, folder)))
            console.print()
    drawn = console.export_svg(title="toolweave", theme=THEME, unique_id="toolweave")
    PICTURE.write_text(FONT.sub("", drawn), encoding="utf-8")


if __name__ == "__main__":
    main()
