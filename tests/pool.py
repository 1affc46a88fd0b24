"""Runs the tests in forked workers: `-n 3` for three of them, `-n 0` for none, `-n auto`.

With `auto`, workers are added while a processor idles: many tests wait for other processes.

Tests are collected once, before the fork, so that a worker costs neither imports nor a second
collection. What shares a fixture stays together: the tests of a module, and the tests of all
modules that have the same mark `xdist_group`. Groups that took long at the last recording come
first (`durations.json`, written by `--record-durations`), the others in random order. A worker with
fixtures of a package, a browser for example, goes on with the groups of that package, and the other
workers leave them to it while there is something else to do.
"""

import atexit
import gc
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, cast

import pytest
from _pytest.runner import runtestprotocol

RECORDED = Path(__file__).with_name("durations.json")
LONG_S = 2.0  # shorter groups are not worth a line in the recording
AUTO = -1
WAITING = 2  # workers that wait for something else than a processor, on average
LOOK_S = 3.0  # how often to look whether the processors idle
IDLE_SHARE = 0.15  # of their time; with more, a worker is added
MOST = 5  # workers for each processor
THREADS_END_S = 20.0  # what the threads of a worker have to end in

KEEPING_APPS = (
    "_is_gen_callable_cached",
    "_is_async_gen_callable_cached",
    "_is_coroutine_callable_cached",
)

Group = list[int]  # places in `session.items`


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("workers")
    # The short name is what people type; `addoption` keeps lower case ones for pytest itself.
    add = group._addoption  # pyright: ignore[reportPrivateUsage]
    add("-n", dest="workers", type=_workers, default=0, help="workers; 0: this process")
    group.addoption("--record-durations", action="store_true", help=f"write {RECORDED.name}")


def _workers(text: str) -> int:
    return AUTO if text == "auto" else int(text)


# While tests are collected, nothing is garbage; afterwards nothing collected is worth a look. What
# tests leave in caches would be looked at again and again: a full collection is rare.
COLLECT_AFTER = (5_000, 10, 20)
gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    gc.enable()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Let go of the apps of a module, which FastAPI keeps through the functions of their routes."""
    if nextitem is None or nextitem.path != item.path:
        fastapi = cast(Any, sys.modules.get("fastapi.dependencies.models"))
        for name in KEEPING_APPS if fastapi else ():
            getattr(fastapi, name).cache_clear()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> object:
    option = session.config.option
    if not option.workers or option.collectonly or option.usepdb or len(session.items) < 2:
        return None
    if session.testsfailed and not option.continue_on_collection_errors:
        return None  # pytest says what could not be collected
    pool = Pool(session)
    processors = len(os.sched_getaffinity(0))
    if option.workers == AUTO:
        pool.run(processors + WAITING, most=processors * MOST)
    else:
        pool.run(option.workers, most=option.workers)
    if option.record_durations:
        pool.record()
    return True


def _name_of(item: pytest.Item) -> str:
    mark = item.get_closest_marker("xdist_group")
    return str(mark.args[0]) if mark else item.nodeid.partition("::")[0]


def _package_of(item: pytest.Item) -> str | None:
    """Where the fixtures of a package that a test uses are from."""
    found = cast(Any, item)._fixtureinfo.name2fixturedefs.values()
    of_package = (one.baseid for known in found for one in known if one.scope == "package")
    return next(of_package, None)


class IdleTime:
    """How much of their time the processors had nothing to do."""

    def __init__(self) -> None:
        self._looked = time.monotonic()
        self._idle = self._read()

    def share(self) -> float:
        """Between 0 and 1, since the last answer; 0 if that was a moment ago."""
        now = time.monotonic()
        passed = now - self._looked
        if passed < LOOK_S:
            return 0.0
        idle, before = self._read(), self._idle
        self._looked, self._idle = now, idle
        return (idle - before) / os.sysconf("SC_CLK_TCK") / passed / (os.cpu_count() or 1)

    def _read(self) -> int:
        try:
            with open("/proc/stat", encoding="ascii") as file:
                return int(file.readline().split()[4])
        except OSError:  # not Linux
            return 0


@dataclass
class Worker:
    """A forked process and what it was given."""

    pid: int
    line: Connection
    running: deque[int] = field(default_factory=deque[int])
    package: str | None = None


class Pool:
    """Hands groups of tests to workers, and their reports to pytest."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._workers: list[Worker] = []
        self._started = 0
        self._spent: defaultdict[str, float] = defaultdict(float)
        self._packages: dict[int, str | None] = {}
        groups: defaultdict[str, Group] = defaultdict(list)
        for place, item in enumerate(session.items):
            groups[_name_of(item)].append(place)
            self._packages[place] = _package_of(item)
        known: dict[str, float] = json.loads(RECORDED.read_text(encoding="utf-8"))
        chains: defaultdict[str | None, float] = defaultdict(float)
        for name, group in groups.items():
            chains[self._package(group)] += known.get(name, 0)

        def longest_first(name: str) -> tuple[float, float]:
            own, package = known.get(name, 0), self._package(groups[name])
            return -(own if package is None else chains[package]), -own

        self.waiting = deque(groups[name] for name in sorted(groups, key=longest_first))

    def run(self, count: int, *, most: int) -> None:
        for _ in range(min(count, len(self.waiting))):
            self._start()
        idle = IdleTime()
        try:
            while self._workers:
                lines = {worker.line: worker for worker in self._workers}
                for line in wait(list(lines), timeout=LOOK_S):
                    self._listen(lines[cast(Connection, line)])
                self._stop_if_asked()
                if len(self._workers) < most and idle.share() > IDLE_SHARE and self.waiting:
                    self._start()
        finally:
            for worker in self._workers:
                os.kill(worker.pid, signal.SIGKILL)
                os.waitpid(worker.pid, 0)

    def record(self) -> None:
        """Keep how long the long groups took."""
        long = {name: round(spent) for name, spent in self._spent.items() if spent >= LONG_S}
        longest_first = dict(sorted(long.items(), key=lambda pair: -pair[1]))
        RECORDED.write_text(json.dumps(longest_first, indent=1) + "\n", encoding="utf-8")

    def _start(self) -> None:
        ours, theirs = Pipe()
        number = self._started
        self._started += 1
        base: Path = _temporary(self._session.config).getbasetemp() / f"worker{number}"
        base.mkdir(mode=0o700)
        pid = os.fork()
        if not pid:
            ours.close()
            for worker in self._workers:
                worker.line.close()
            _work(self._session, theirs, base)
        theirs.close()
        worker = Worker(pid, ours)
        self._workers.append(worker)
        self._hand_out(worker)

    def _hand_out(self, worker: Worker) -> None:
        group = self._next_for(worker)
        worker.running.extend(group)
        worker.line.send(group)

    def _next_for(self, worker: Worker) -> Group:
        if not self.waiting:
            return []
        taken = {other.package for other in self._workers if other is not worker} - {None}
        own = worker.package
        near = (one for one in self.waiting if own is not None and self._package(one) == own)
        free = (one for one in self.waiting if self._package(one) not in taken)
        group = next(near, next(free, self.waiting[0]))
        self.waiting.remove(group)
        worker.package = self._package(group)
        return group

    def _package(self, group: Group) -> str | None:
        return next(filter(None, (self._packages[place] for place in group)), None)

    def _listen(self, worker: Worker) -> None:
        try:
            said = worker.line.recv()
        except (EOFError, OSError):
            self._ended(worker)
            return
        if said is None:
            self._hand_out(worker)
            return
        for sent in said:
            self._tell(sent, worker)

    def _tell(self, sent: dict[str, Any], worker: Worker) -> None:
        config = self._session.config
        report = config.hook.pytest_report_from_serializable(config=config, data=sent)
        config.hook.pytest_runtest_logreport(report=report)
        item = self._session.items[worker.running[0]]
        self._spent[_name_of(item)] += report.duration
        if report.when == "teardown":
            worker.running.popleft()
            config.hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _ended(self, worker: Worker) -> None:
        """It closed its end: with its work done, or in the middle of a test."""
        self._workers.remove(worker)
        _, status = os.waitpid(worker.pid, 0)
        if not worker.running:
            return
        crashed = self._session.items[worker.running.popleft()]
        report = pytest.TestReport(
            nodeid=crashed.nodeid,
            location=crashed.location,
            keywords={},
            outcome="failed",
            longrepr=f"the worker ended with status {status} while it ran this test",
            when="call",
        )
        crashed.ihook.pytest_runtest_logreport(report=report)
        if worker.running:
            self.waiting.appendleft(list(worker.running))
        self._start()

    def _stop_if_asked(self) -> None:
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)


def _work(session: pytest.Session, line: Connection, base: Path) -> None:
    """Run what comes over the line, in the forked process; does not return."""
    status = 1
    try:
        _temporary(session.config)._basetemp = base
        _capture_anew(session.config)
        session.config.pluginmanager.register(Reporting(line))
        places = _places(line)
        place = next(places, None)
        while place is not None:
            item, place = session.items[place], next(places, None)
            following = None if place is None else session.items[place]
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        status = 0
    except Exception:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
        _join_threads()
        line.close()
        os._exit(status)


def _join_threads() -> None:
    """Wait for the threads of tests; one that a test left behind must not hold up the end."""
    ending = threading.Thread(target=cast(Any, threading)._shutdown, daemon=True)
    ending.start()
    ending.join(THREADS_END_S)
    if ending.is_alive():
        left = [one.name for one in threading.enumerate() if not one.daemon]
        sys.stderr.write(f"\nBUG: tests left threads behind: {left[1:]}\n")


def _places(line: Connection) -> Iterator[int]:
    """What to run. Asks for the next group before the last test of one: it may share fixtures."""
    while group := cast(Group, line.recv()):
        yield from group
        line.send(None)


def _temporary(config: pytest.Config) -> Any:
    """What makes `tmp_path`; that it is kept here is pytest's own business."""
    return cast(Any, config)._tmp_path_factory


def _capture_anew(config: pytest.Config) -> None:
    """The files that take what tests print are shared with the parent; open others."""
    capture = cast(Any, config.pluginmanager.getplugin("capturemanager"))
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()


class Reporting:
    """Sends the reports of each test in place of printing them."""

    def __init__(self, line: Connection) -> None:
        self._line = line

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        hook = item.config.hook
        self._line.send(
            [hook.pytest_report_to_serializable(config=item.config, report=one) for one in reports]
        )
        return True
