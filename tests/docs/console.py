"""Runs the `console` examples of a Markdown page in one shell and compares what they print.

A line that begins with `$ ` is a command, `> ` continues it; the lines after it are what it
prints, on both streams, where `...` stands for anything. A command that ends with `&` is waited
for until it says that it listens. `files` are in the directory it all runs in.
"""

import doctest
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tests.preloaded.starting import write_launcher

ROOT = Path(__file__).parents[2]
DEADLINE_S = 110
PATH = (str(Path(sys.executable).parent), os.environ["PATH"])
PORT = "8765"  # as the pages say; a free one is used in its place
_MARK = "\x1e"
_WAIT = (
    "n=0; until grep -q 'listening on' service.log 2>/dev/null || [ $n -gt 300 ]; "
    "do sleep 0.1; n=$((n+1)); done; cat service.log"
)


@dataclass(frozen=True)
class Example:
    page: str
    line: int
    command: str
    expected: str = ""


@dataclass(frozen=True)
class Include:
    """A file of `docs_src` that a page shows."""

    page: str
    path: Path
    shown: str


def examples_in(page: Path) -> list[Example]:
    found: list[Example] = []
    inside = False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), start=1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append(Example(page.name, number, line[2:]))
        elif inside and found:
            last = found[-1]
            if line.startswith("> ") and not last.expected:
                found[-1] = replace(last, command=f"{last.command}\n{line[2:]}")
            else:
                found[-1] = replace(last, expected=f"{last.expected}{line}\n")
    return found


def includes_in(page: Path) -> list[Include]:
    pattern = r"<!-- (docs_src/\S+) -->\n```\w*\n(.*?)```\n"
    text = page.read_text(encoding="utf-8")
    return [
        Include(page.name, ROOT / match[1], match[2]) for match in re.finditer(pattern, text, re.S)
    ]


def run(
    examples: list[Example],
    folder: Path,
    *,
    installed: bool = False,
    files: Path = ROOT / "docs_src",
) -> list[str]:
    """What each command of a page prints, with a home of its own.

    `toolweave` is the installed program, or one that forks a process which has it imported.
    """
    home, directory, programs = folder / "home", folder / "project", folder / "bin"
    home.mkdir()
    programs.mkdir()
    if not installed:
        write_launcher(programs / "toolweave")
    shutil.copytree(files, directory)
    port = _free_port()
    environ = {
        "PATH": os.pathsep.join((str(programs), *PATH)),
        "HOME": str(home),
        "TOOLWEAVE_HOME": str(home / "toolweave"),
        "TERM": "dumb",
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
    }
    with subprocess.Popen(
        ["sh", "-s"],
        cwd=directory,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as shell:
        try:
            out, _ = shell.communicate(_script(examples, port).encode(), DEADLINE_S)
        finally:
            with suppress(ProcessLookupError):  # a service, if the shell could not stop it
                os.killpg(shell.pid, signal.SIGKILL)
    printed = out.decode().replace(port, PORT).split(_MARK)[1:]
    return [part.partition("\n")[2] for part in printed]


def _script(examples: list[Example], port: str) -> str:
    lines = ["trap '[ -z \"$service\" ] || kill $service; wait' EXIT"]
    for example in examples:
        lines.append(f"printf '{_MARK}\\n'")
        command = example.command.replace(PORT, port)
        if command.endswith(" &"):
            lines += [
                f"{command[:-2]} --port {port} >service.log 2>&1 </dev/null & service=$!",
                _WAIT,
            ]
        else:
            # The script itself is the shell's input; a command must not read on in it.
            lines.append(command if "|" in command or "<" in command else f"{command} </dev/null")
    return "\n".join([*lines, ""])


def _free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return str(free.getsockname()[1])


def matches(expected: str, printed: str) -> bool:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(expected, printed, flags)
