"""The processes that compute heavy steps: few, started when first needed, killed when in doubt.

A process shares nothing with the service but two pipes, so that a step that takes too long or too
much memory ends alone.
"""

import logging
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Mapping
from contextlib import suppress
from typing import cast

import anyio
import anyio.to_thread

from toolweave.cel.budget import WorkBudget, limited_to
from toolweave.engine.heavy_work import (
    LESS_DATA,
    Assembly,
    HeavyFailure,
    HeavyResult,
    HeavyWork,
    read_message,
    too_large,
    write_message,
)
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject

logger = logging.getLogger(__name__)

SIZE = 2
# How a process ends that used up its processor time, or memory where no code expects that.
_CPU_SIGNALS = {getattr(signal, "SIGXCPU", None)}
_MEMORY_SIGNALS = {getattr(signal, name, None) for name in ("SIGSEGV", "SIGABRT", "SIGBUS")}


class ProcessGone(Exception):
    """The process ended before it answered, with this code."""

    def __init__(self, returncode: int) -> None:
        super().__init__(returncode)
        self.returncode = returncode


class StepProcess:
    """One process; used by one thread at a time, killed by any."""

    def __init__(self) -> None:
        life, held = os.pipe() if sys.platform != "win32" else (-1, -1)
        try:
            self._process = subprocess.Popen(
                # -P: nothing is imported from the current folder.
                [sys.executable, "-P", "-m", "toolweave.engine.step_process", str(life)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/" if sys.platform != "win32" else None,
                # Nothing else of the environment, which may have secrets.
                env={"PYTHONPATH": os.pathsep.join(filter(os.path.isabs, sys.path))},
                pass_fds=() if life < 0 else (life,),
                # An interrupt from the terminal is for the service.
                start_new_session=True,
            )
        except BaseException:
            _close(held)
            raise
        finally:
            _close(life)
        self.is_ready = False
        self._ended = weakref.finalize(self, _end, self._process, held)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def compute(
        self, work: HeavyWork, names: Mapping[str, Json], names_work: int
    ) -> HeavyResult | HeavyFailure:
        """Have one step computed.

        Raises `ProcessGone`; `TypeError` for a value that is no JSON.
        """
        try:
            if not self.is_ready:
                self._read()
                self.is_ready = True
            self._write(work)
            with limited_to(WorkBudget(names_work)):
                return self._received(names)
        except (EOFError, OSError, ValueError):
            self.kill()
            raise ProcessGone(self._process.wait()) from None

    def _received(self, names: Mapping[str, Json]) -> HeavyResult | HeavyFailure:
        parts = {"value": Assembly(), "bound": Assembly()}
        while True:
            match self._read():
                case ["name", str(name)]:
                    self._write(_named(names, name))
                case ["names"]:
                    self._write(["is", [*names]])
                case ["part", "value" | "bound" as kind, str(part), *content]:
                    parts[kind].take(part, content[0] if content else None)
                case ["failed", dict(failure)]:
                    return HeavyFailure(**failure)  # pyright: ignore[reportArgumentType]
                case ["done", list(ports)]:
                    bound = cast("list[JsonObject] | None", parts["bound"].value)
                    return HeavyResult(
                        parts["value"].value,
                        tuple(map(str, ports)),
                        (bound[0], bound[1]) if bound is not None else None,
                    )
                case _:
                    raise EOFError

    def _read(self) -> Json:
        assert self._process.stdout is not None
        return read_message(self._process.stdout)

    def _write(self, message: object) -> None:
        assert self._process.stdin is not None
        write_message(self._process.stdin, message)

    def end(self) -> None:
        """Let the process end once it has no work."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def kill(self) -> None:
        """End the process, whatever it does; its reader sees the end of the pipe."""
        with suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End the process and wait until it is gone."""
        self._ended()


def _named(names: Mapping[str, Json], name: str) -> list[Json]:
    try:
        return ["is", names[name]]
    except KeyError:
        return ["missing"]
    except ToolweaveError as error:
        return ["failed", error.code, error.message, error.hint]


def _end(process: subprocess.Popen[bytes], held: int) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    _close(held)


def _close(end: int) -> None:
    if end >= 0:
        os.close(end)


class StepPool:
    """Computes heavy steps apart from the service."""

    def __init__(self, size: int = SIZE) -> None:
        # The threads for what cannot be computed in another process.
        self.lane = anyio.CapacityLimiter(size)
        self._places = anyio.CapacityLimiter(size)
        self._threads = anyio.CapacityLimiter(16 * size)
        self._idle: list[StepProcess] = []
        self._busy: set[StepProcess] = set()

    async def compute(
        self, work: HeavyWork, names: Mapping[str, Json], timeout_s: float
    ) -> HeavyResult | HeavyFailure | None:
        """Compute a step in another process; nothing if that is not possible.

        The process is killed when the time is up, or the caller is cancelled.
        """
        async with self._places:
            with anyio.move_on_after(timeout_s):
                return await self._computed(work, names)
        message = f"node {work.step!r} took longer than {timeout_s:g} s"
        return HeavyFailure("STEP_TIMEOUT", message, "raise its timeout, or make it do less")

    async def _computed(
        self, work: HeavyWork, names: Mapping[str, Json]
    ) -> HeavyResult | HeavyFailure | None:
        while True:
            process, is_used = await self._taken()
            try:
                result = await anyio.to_thread.run_sync(
                    process.compute,
                    work,
                    names,
                    work.work,
                    limiter=self._threads,
                    abandon_on_cancel=True,
                )
            except ProcessGone as gone:
                await self._put_away(process)
                if not process.is_ready:
                    logger.error("the process for heavy steps does not start", extra=vars(gone))
                    return None
                if gone.returncode or not is_used:
                    return ended(work, gone.returncode)
                continue  # it had nothing to do for long, and ended meanwhile
            except TypeError:
                await self._put_away(process)
                return None
            except BaseException:
                process.kill()
                raise
            finally:
                self._busy.discard(process)
            self._idle.append(process)
            return result

    async def _taken(self) -> tuple[StepProcess, bool]:
        if self._idle:
            process = self._idle.pop()
            self._busy.add(process)
            return process, True
        process = await anyio.to_thread.run_sync(StepProcess, limiter=self._threads)
        self._busy.add(process)
        return process, False

    async def _put_away(self, process: StepProcess) -> None:
        await anyio.to_thread.run_sync(process.close, limiter=self._threads)

    @property
    def processes(self) -> list[int]:
        """The ids of the processes."""
        return [process.pid for process in (*self._idle, *self._busy)]

    @property
    def busy(self) -> list[int]:
        """The ids of those that compute a step now."""
        return [process.pid for process in self._busy]

    def end_idle(self) -> None:
        """Let processes without work end by themselves."""
        for process in self._idle:
            process.end()

    async def close(self) -> None:
        """End all processes."""
        ending, self._idle = [*self._idle, *self._busy], []
        with anyio.CancelScope(shield=True):
            for process in ending:
                await self._put_away(process)


def ended(work: HeavyWork, returncode: int) -> HeavyFailure:
    """Return what the end of a process means for its step."""
    if -returncode in _CPU_SIGNALS:
        message = f"node {work.step!r} took more than {work.cpu_s} s of processor time"
        return HeavyFailure("STEP_CPU_LIMIT", message, LESS_DATA)
    if -returncode in _MEMORY_SIGNALS:
        return too_large(work)
    how = f"signal {-returncode}" if returncode < 0 else f"code {returncode}"
    message = f"the process that computed node {work.step!r} ended with {how}"
    hint = "the system may lack memory; run it again, or process less data at a time"
    return HeavyFailure("STEP_PROCESS_ENDED", message, hint)
