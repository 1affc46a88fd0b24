"""Ensure that no started process outlives this one, even after `kill -9`.

One small process (`guardian_process.py`) holds the read end of a pipe; only this process holds
the write end. When the pipe closes, the guardian stops everything it still watches. Windows
needs no guardian: there the MCP SDK puts servers into a job object.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self

import anyio
import anyio.to_thread

from toolweave.servers import guardian_process
from toolweave.servers.container_owner import OWNER_LABEL, ContainerOwner

logger = logging.getLogger(__name__)

DOCKER_DEADLINE_S = 20.0
CLOSE_DEADLINE_S = guardian_process.TERM_GRACE_S + guardian_process.DOCKER_DEADLINE_S + 3.0


class Guardian:
    """Watches process groups and containers, started on first use; `environ` is for `docker`."""

    def __init__(self, *, environ: Mapping[str, str] | None = None) -> None:
        self._environ = environ
        self._watched: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop everything that is still watched."""
        if self._process is None:
            return
        process, self._process = self._process, None
        self._watched.clear()
        if process.stdin is not None:
            process.stdin.close()
        with anyio.CancelScope(shield=True), suppress(subprocess.TimeoutExpired):
            await anyio.to_thread.run_sync(process.wait, CLOSE_DEADLINE_S)
        _put_away(process)

    async def watch_group(self, pgid: int) -> None:
        """Watch a process group; call it as soon as its leader runs."""
        if pgid <= 1:
            raise ValueError(
                f"{pgid} is not a server's process group; a signal to it would stop everything"
            )
        self._watch("group", str(pgid), guardian_process.started_at(pgid))

    async def watch_container(self, name: str) -> None:
        """Watch a container of this process."""
        self._watch("container", name, str(ContainerOwner.this()))

    async def forget_group(self, pgid: int) -> None:
        """Stop watching a group that has ended."""
        self._forget("group", str(pgid))

    async def forget_container(self, name: str) -> None:
        """Stop watching a container that was removed."""
        self._forget("container", name)

    async def remove_container(self, name: str) -> None:
        """Remove a container that this process started, and stop watching it.

        Another process may run a container of the same name, in the middle of a call.
        """
        listed = await self._docker(*guardian_process.own_containers(name, ContainerOwner.this()))
        if ids := listed.split():
            await self._docker("rm", "--force", "--", *ids)
        await self.forget_container(name)

    async def has_container(self, name: str) -> bool:
        """Whether there is a container of this name, of whatever process."""
        return bool(await self._docker("ps", "--all", "--quiet", f"--filter=name=^/?{name}$"))

    async def remove_orphans(self) -> tuple[str, ...]:
        """Remove containers whose owner and guardian have died; return their names."""
        listing = '{{.Names}}\t{{.Label "' + OWNER_LABEL + '"}}'
        listed = await self._docker(
            "ps", "--all", f"--filter=label={OWNER_LABEL}", f"--format={listing}"
        )
        here = ContainerOwner.this()
        orphans: list[str] = []
        for line in listed.splitlines():
            name, _, label = line.partition("\t")
            owner = ContainerOwner.parse(label)
            if owner is not None and owner.is_gone(here):
                orphans.append(name)
        if orphans:
            logger.warning("removing orphaned containers", extra={"containers": orphans})
            await self._docker("rm", "--force", "--", *orphans)
        return tuple(orphans)

    async def _docker(self, *arguments: str) -> str:
        """Return the output of `docker`; empty if Docker is missing or does not respond."""
        try:
            with anyio.fail_after(DOCKER_DEADLINE_S):
                done = await anyio.run_process(
                    ["docker", *arguments], env=self._environ, check=False
                )
        except (OSError, TimeoutError):
            return ""
        return done.stdout.decode(errors="replace")

    def _watch(self, kind: str, key: str, *facts: str) -> None:
        self._watched[f"{kind} {key}"] = " ".join((f"+{kind}", key, *facts))
        self._tell(self._watched[f"{kind} {key}"])

    def _forget(self, kind: str, key: str) -> None:
        if self._watched.pop(f"{kind} {key}", None) is not None:
            self._tell(f"-{kind} {key}")

    def _tell(self, line: str) -> None:
        if sys.platform == "win32":
            return
        if self._process is not None and _sent(self._process, line):
            return
        if self._process is not None:
            logger.warning("the guardian exited; starting another")
            _put_away(self._process)
        self._process = self._start()
        for known in self._watched.values():
            _sent(self._process, known)

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", guardian_process.__file__],
            bufsize=0,
            # The only write end: Python's pipes are not inherited by child processes.
            stdin=subprocess.PIPE,
            # Not our streams: a reader of our output must see EOF when we exit.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=self._environ,
            start_new_session=True,
        )
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        return process


def _sent(process: subprocess.Popen[bytes], line: str) -> bool:
    """Return whether the line was written; a killed or stopped guardian reads none."""
    assert process.stdin is not None
    try:
        os.write(process.stdin.fileno(), f"{line}\n".encode())
    except OSError:
        return False
    return True


def _put_away(process: subprocess.Popen[bytes]) -> None:
    # Killed before its input ends, or it would take the EOF for our exit.
    process.kill()
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
