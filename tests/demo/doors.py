"""The ways to reach a demo server that really runs: stdio or HTTP, in either protocol era."""

import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from mcp import Client, StdioServerParameters
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import stdio_client

Transport = Literal["stdio", "http"]
Mode = Literal["legacy", "auto"]

RUN_STDIO = "from toolweave.demo.server import run_stdio; run_stdio()"
RUN_HTTP = "from toolweave.demo.server import run_http; run_http()"
# On a busy machine a process may pause wherever it is: here while it makes its event loop.
RUN_HTTP_SLOWLY = """
import time
from asyncio.selector_events import BaseSelectorEventLoop
from toolweave.demo.server import run_http
make = BaseSelectorEventLoop._make_self_pipe
BaseSelectorEventLoop._make_self_pipe = lambda loop: (time.sleep(1), make(loop))
run_http()
"""


@dataclass(frozen=True, slots=True)
class Door:
    """One way in, and where the server behind it logs."""

    transport: Transport
    mode: Mode
    url: str
    log: Path

    def client(self, errlog: TextIO, asked: ElicitationFnT | None = None) -> Client:
        """A client not yet entered; over stdio entering it starts a process."""
        if self.transport == "http":
            return Client(self.url, mode=self.mode, elicitation_callback=asked)
        parameters = StdioServerParameters(command=sys.executable, args=["-c", RUN_STDIO])
        transport = stdio_client(parameters, errlog=errlog)
        return Client(transport, mode=self.mode, elicitation_callback=asked)


@contextmanager
def http_demo(
    log: Path, stop_with: signal.Signals = signal.SIGTERM, run: str = RUN_HTTP
) -> Generator[str]:
    """A demo server over HTTP, logging to `log`; yields its address."""
    with (
        log.open("w", encoding="utf-8") as stderr,
        subprocess.Popen([sys.executable, "-c", run], stderr=stderr) as process,
    ):
        try:
            while not (line := log.read_text(encoding="utf-8").partition("\n"))[1]:
                process.poll()
                assert process.returncode is None, line
            yield line[0].removeprefix("listening on ")
        finally:
            process.send_signal(stop_with)
