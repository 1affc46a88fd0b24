"""`toolweave serve` as a process of its own, with a key made beforehand."""

import os
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from toolweave.access.keys import SCOPES, ApiKeys
from toolweave.clock import SystemClock
from toolweave.home import open_home
from toolweave.settings import Settings

PROGRAM = (sys.executable, "-m", "toolweave.cli.main")


@dataclass(frozen=True)
class Served:
    """Where it listens, who may ask, and what it logs."""

    url: str
    key: str
    home: Path
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def headers(self) -> dict[str, str]:
        return {"X-API-Key": self.key}


def environ_of(home: Path) -> dict[str, str]:
    """A plain environment whose home is `home`, coverage settings and all."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TOOLWEAVE_")}
    return kept | {"TOOLWEAVE_HOME": str(home), "HOME": str(home.parent)}


def key_in(home: Path, *scopes: str, name: str = "test") -> str:
    """A key made in this process, as `toolweave keys create` makes one."""

    async def make() -> str:
        async with open_home(Settings(home=home), environ={}, directory=home) as opened:
            _, text = await ApiKeys(opened.database, SystemClock()).create(name, list(scopes))
            return text

    # In a thread, because the test may run on an event loop itself.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, make).result()


@contextmanager
def served(home: Path, environ: Mapping[str, str] | None = None) -> Generator[Served]:
    """Start it on a free port and stop it at the end."""
    home.mkdir(parents=True, exist_ok=True)
    key = key_in(home, *SCOPES)
    log = home / "serve.log"
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            [*PROGRAM, "serve", "--port", "0", "--no-browser"],
            stderr=stderr,
            stdin=subprocess.DEVNULL,
            cwd=home,
            env=environ_of(home) | dict(environ or {}),
        ) as process,
    ):
        try:
            while b"\n" not in (said := log.read_bytes()):
                assert process.poll() is None, said
                time.sleep(0.02)  # leaves it the processor
            url = said.split()[2].decode()
            yield Served(url, key, home, log, process)
        finally:
            process.terminate()
