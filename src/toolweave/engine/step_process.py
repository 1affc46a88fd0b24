"""`python -m toolweave.engine.step_process LIFE`: computes heavy steps, one after the other.

It has no database, no vault and no secrets: only what `HeavyWork` holds, and the names it asks for.
It ends with the service that started it, which holds the other end of the pipe `LIFE`.
"""

import math
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from toolweave.catalog.node_input import NodeInput
from toolweave.cel.budget import WorkBudget, limited_to
from toolweave.engine.heavy_work import (
    LESS_DATA,
    HeavyFailure,
    HeavyResult,
    HeavyWork,
    code_of,
    parts_of,
    read_message,
    too_large,
    write_message,
)
from toolweave.engine.prepared_step import Prepared, prepare
from toolweave.engine.step_binding import BoundNames, bind
from toolweave.engine.step_failure import failure_of
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json
from toolweave.workflow.model import Node, NodeId

# It ends after so long without work, or when a step left it this large.
IDLE_S = 60.0
RETIRE_BYTES = 256 * 1024 * 1024
MAX_TRACEBACK_CHARS = 10_000
NICENESS = 5
STATM = Path("/proc/self/statm")


class PipedNames(BoundNames):
    """The names of one step, asked for through the pipe when they are first used."""

    def __init__(self, work: HeavyWork, requests: BinaryIO, replies: BinaryIO) -> None:
        super().__init__(work.incoming)
        self._first_output = work.first_output
        self._requests = requests
        self._replies = replies

    def first_output(self) -> str | None:
        """Return what the service said."""
        return self._first_output

    def look_up(self, name: str) -> Json:
        """Ask for a name."""
        write_message(self._replies, ["name", name])
        return self._answer(name)

    def __iter__(self) -> Iterator[str]:
        write_message(self._replies, ["names"])
        found = self._answer("names")
        assert isinstance(found, list)
        return map(str, found)

    def _answer(self, name: str) -> Json:
        answer = read_message(self._requests)
        assert isinstance(answer, list)
        match answer:
            case ["is", value]:
                return value
            case ["failed", str(code), str(message), *hint]:
                raise Invalid(code, message, hint=str(hint[0]) if hint and hint[0] else None)
            case _:
                raise KeyError(name)


def compute(work: HeavyWork, names: PipedNames) -> HeavyResult | HeavyFailure:
    """Return what came of a step."""
    with limited_to(WorkBudget(work.work)) as budget:
        try:
            result = _computed(work, names)
        except ToolweaveError as error:
            failed = failure_of(work.step, error)
            return HeavyFailure(failed.code, failed.message, failed.hint, failed.problems)
    if budget.is_spent:
        # Some nodes leave a placeholder without a value as it is: here it has one.
        message = f"the expressions of node {work.step!r} take too many steps together"
        return HeavyFailure("EXPRESSION_LIMIT", message, LESS_DATA)
    return result


def _computed(work: HeavyWork, names: PipedNames) -> HeavyResult:
    # Any: what the module of a node defines; its protocols are checked where plans are made.
    code: Any = code_of(work.code) if work.code else None
    node = Node(NodeId(work.step), work.node_type, "", data=work.node_data)
    prepared = prepare(node, getattr(code, "spec", None))
    given = _given(work, prepared, names)
    bound = given.config, given.inputs
    match work.purpose:
        case "bind":
            return HeavyResult(bound=bound)
        case "items":
            return HeavyResult(code.items(given), bound=bound)
        case "continue":
            return HeavyResult(code.continues(given, work.done, work.last))
        case "compute":
            outcome = code.compute(given)
            return HeavyResult(outcome.value, outcome.ports)


def _given(work: HeavyWork, prepared: Prepared, names: PipedNames) -> NodeInput:
    if work.bound is None:
        config, inputs = bind(work.step, prepared, names)
    else:
        config, inputs = work.bound
        names.take_bound(prepared, config, inputs)
    return NodeInput(config, inputs, work.incoming, names)


def answer(work: HeavyWork, requests: BinaryIO, replies: BinaryIO) -> None:
    """Compute one step and send what came of it."""
    try:
        result = compute(work, PipedNames(work, requests, replies))
        if isinstance(result, HeavyResult):
            result = _sent(work, result, replies)
    except MemoryError:
        result = too_large(work)
    except EOFError:
        raise
    except Exception:
        text = traceback.format_exc()[-MAX_TRACEBACK_CHARS:]
        message = f"node {work.step!r} failed unexpectedly; see the log for details"
        result = HeavyFailure("INTERNAL", message, traceback=text)
    if isinstance(result, HeavyFailure):
        write_message(replies, ["failed", result])


def _sent(work: HeavyWork, result: HeavyResult, replies: BinaryIO) -> HeavyFailure | None:
    left = work.max_result_bytes
    value: list[Json] | None = [*result.bound] if result.bound is not None else None
    for kind, parts in (("value", parts_of(result.value)), ("bound", parts_of(value))):
        for part in parts:
            left -= write_message(replies, ["part", kind, *part])
            if left < 0:
                size = work.max_result_bytes // 1024**2
                message = f"node {work.step!r} gives more than {size} MB of JSON"
                return HeavyFailure("STEP_OUTPUT_LIMIT", message, LESS_DATA)
    write_message(replies, ["done", result.ports])
    return None


def limit(work: HeavyWork) -> None:
    """Limit memory and processor time for the next step, where the system supports that."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  # not on Windows

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (work.memory_bytes, hard))
        used_s = math.ceil(time.process_time())
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (used_s + work.cpu_s, hard))


def is_worn() -> bool:
    """Whether a step left this process so large that a new one is better."""
    # Not `ru_maxrss`, which begins with the size of the service.
    with suppress(OSError):
        pages = int(STATM.read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") > RETIRE_BYTES
    return False


def yield_to_service() -> None:
    """Run behind the service, which answers others meanwhile."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def end_with(life: int) -> None:
    """Let the system end this process when the other end of a pipe is closed, whatever it does."""
    with suppress(ImportError, OSError):
        import fcntl  # noqa: PLC0415  # not on Windows

        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(life, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Compute until the pipe ends, or there is nothing to do for long."""
    write_message(replies, ["ready"])
    while not is_worn():
        if sys.platform != "win32" and not select.select([requests], [], [], IDLE_S)[0]:
            return
        message = read_message(requests)
        assert isinstance(message, dict)
        work = HeavyWork(**message)  # pyright: ignore[reportArgumentType]  # as the service wrote it
        limit(work)
        answer(work, requests, replies)


def main() -> None:
    """Serve standard input; nothing else may write to standard output."""
    if len(sys.argv) > 1:
        end_with(int(sys.argv[1]))
    yield_to_service()
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        serve(requests, replies)
    os._exit(0)


if __name__ == "__main__":
    main()
