"""How these tests use the command line: in process, as a process, and on a terminal."""

import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from time import monotonic
from typing import Any

from click.testing import CliRunner

from toolweave.cli.main import cli
from toolweave.testing.server import ScriptedServer

DEADLINE_S = 30.0
PROGRAM = (sys.executable, "-m", "toolweave.cli.main")
_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@dataclass(frozen=True)
class Commands:
    """The command line with a home and a project of its own."""

    home: Path
    project: Path

    @property
    def state(self) -> Path:
        return self.home / "state"

    @property
    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "TOOLWEAVE_HOME": str(self.state),
            "PATH": os.environ["PATH"],
            "TERM": "xterm",
            "COLUMNS": "80",
            "TOOLWEAVE_RETRY_DELAYS_S": "0.01,0.02,0.03",
        }

    def __call__(self, *args: str, input: str | bytes | None = None, **environ: str) -> Ran:
        """Run a command in this process; fast, and the whole of it but the process itself."""
        ran = CliRunner().invoke(cli, args, input=input, env=self.environ | environ)
        return Ran(ran.exit_code, ran.stdout, ran.stderr)

    def ok(self, *args: str, **environ: str) -> Ran:
        """Run a command that must work."""
        ran = self(*args, **environ)
        assert ran.code == 0, ran
        return ran

    def process(self, *args: str, **environ: str) -> subprocess.Popen[bytes]:
        """Start a command as a process with pipes."""
        return self._started(args, environ, subprocess.DEVNULL)

    def piped(self, *args: str, **environ: str) -> subprocess.Popen[bytes]:
        """Start a command as a process that can be typed to."""
        return self._started(args, environ, subprocess.PIPE)

    def _started(
        self, args: tuple[str, ...], environ: dict[str, str], stdin: int
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*PROGRAM, *args],
            cwd=self.project,
            env=self.environ | environ,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, *args: str, **environ: str) -> Ran:
        """Run a command as a process."""
        with self.process(*args, **environ) as process:
            out, err = process.communicate(timeout=DEADLINE_S)
        return Ran(process.returncode, out.decode(), err.decode())

    def add(self, name: str, server: ScriptedServer, *, approved: bool = True) -> None:
        """Register a scripted server."""
        definition = server.definition
        self.ok("servers", "add", name, "--", definition.command, *definition.args)
        if approved:
            self.ok("servers", "approve", name, "--yes")

    @contextmanager
    def terminal(self, *args: str, columns: int = 80, **environ: str) -> "Generator[Terminal]":
        """Run a command on a terminal of its own."""
        ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        given = {key: value for key, value in self.environ.items() if key != "COLUMNS"}
        process = subprocess.Popen(
            [*PROGRAM, *args],
            cwd=self.project,
            env=given | environ,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            yield Terminal(process, ours)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(ours)


class Terminal:
    """A screen to read and a keyboard to type on."""

    def __init__(self, process: subprocess.Popen[bytes], descriptor: int) -> None:
        self._process = process
        self._descriptor = descriptor
        self.raw = b""

    @property
    def text(self) -> str:
        """All that was written so far, without styles."""
        return _STYLE.sub("", self.raw.decode(errors="replace")).replace("\r\n", "\n")

    def wait_for(self, words: str) -> None:
        """Read until `words` have appeared."""
        until = monotonic() + DEADLINE_S
        while words not in self.text:
            assert self._read(until - monotonic()), f"no {words!r} in {self.text!r}"

    def type(self, text: str) -> None:
        """Type, Enter included where there is a line end."""
        os.write(self._descriptor, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        os.killpg(self._process.pid, signal.SIGINT)

    def end(self) -> int:
        """Read to the end; the exit code."""
        until = monotonic() + DEADLINE_S
        while self._read(until - monotonic()):
            pass
        return self._process.wait(DEADLINE_S)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._descriptor], [], [], max(seconds, 0))
        if not ready:
            return False
        try:
            chunk = os.read(self._descriptor, 1 << 16)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.raw += chunk
        return bool(chunk)
