"""Runs the `console` examples of a Markdown page and compares what they print.

A line that begins with `$ ` is a command (an argv, no shell); the lines after it are what it
prints, on both streams, where `...` stands for anything.
"""

import doctest
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Example:
    page: str
    line: int
    argv: tuple[str, ...]
    expected: str


def examples_in(page: Path) -> list[Example]:
    found: list[Example] = []
    inside = False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), start=1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append(Example(page.name, number, tuple(shlex.split(line[2:])), ""))
        elif inside and found:
            last = found[-1]
            found[-1] = Example(last.page, last.line, last.argv, last.expected + line + "\n")
    return found


def run(example: Example, *, home: Path, directory: Path, environ: dict[str, str]) -> str:
    """What the command prints; `toolweave` is the one under test."""
    assert example.argv[0] == "toolweave", "examples start with `toolweave`"
    argv = [sys.executable, "-m", "toolweave.cli.main", *example.argv[1:]]
    done = subprocess.run(
        argv,
        cwd=directory,
        env=environ | {"TOOLWEAVE_HOME": str(home / "toolweave"), "HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    return done.stdout.decode()


def matches(expected: str, printed: str) -> bool:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(expected, printed, flags)
