"""What faults do to runs, in the long form: `python -m bench.faults` from the root.

A line says how often something was killed, stopped, filled or restarted, of how many steps a person
had to decide, what was lost and what happened twice: both must be 0. Each line has a positive
control, a variant that loses or repeats on purpose: it must find something. Ends with 1 when a
line failed. `--quick` shows that it works, `--only WORDS` does some lines, `--seed` the same again.
With `--lanes`, so many lines are done at once, each in a process of its own; those that measure
time come first, one after the other. The table is also printed when it is interrupted.
"""

import argparse
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType

from bench.fault_clock import jumping_clock
from bench.fault_disks import full
from bench.fault_fuzz import fuzzed
from bench.fault_hooks import duplicates
from bench.fault_hostile import documents
from bench.fault_injection import injected
from bench.fault_kills import at_any_moment, at_every_write
from bench.fault_partition import partitioned
from bench.fault_postgres import restarted
from bench.fault_power import power_cuts
from bench.fault_rows import Part, Row, row, say, table
from bench.fault_servers import hostile_servers
from bench.fault_start import behind_a_pooler, restarted_under_load
from bench.fault_temporal import (
    crashed_under_temporal,
    drained_on_temporal,
    killed_on_temporal,
    paused_on_temporal,
    temporal_killed,
    terminated,
)
from bench.fault_waiting import waiting
from bench.fault_workers import beside, drained, killed, paused, storm

# The niceness of a session that measures time.
PRIORITY = "-20"


def parts(*, quick: bool) -> list[Part]:
    """Everything that is done, in its order: the longest first."""
    if quick:
        return [
            restarted_under_load(1),
            documents(),
            fuzzed(2),
            storm(50, 2),
            killed_on_temporal(2),
            temporal_killed(1),
            at_any_moment(20),
            injected(500, step=50),
            killed(4, away=False),
            beside(4),
            crashed_under_temporal(1),
            partitioned(3, on="Temporal"),
            partitioned(1, on="Postgres"),
            killed(1, away=True),
            paused(2),
            paused_on_temporal(1),
            power_cuts(8),
            at_every_write(3),
            hostile_servers(),
            drained_on_temporal(1),
            drained(2),
            terminated(4),
            jumping_clock(3),
            duplicates(5, 5),
            full(3),
            restarted(1, 20),
            behind_a_pooler(1),
            waiting("sqlite", 20_000, 6),
            waiting("postgresql", 20_000, 6),
        ]
    return [
        restarted_under_load(5),
        documents(),
        fuzzed(600),
        storm(5_000, 50),
        killed_on_temporal(100),
        at_any_moment(960),
        temporal_killed(50),
        injected(500),
        beside(500),
        killed(380, away=False),
        crashed_under_temporal(50),
        partitioned(24, on="Temporal"),
        power_cuts(200),
        paused(100),
        paused_on_temporal(20),
        killed(20, away=True),
        partitioned(12, on="Postgres"),
        at_every_write(None),
        hostile_servers(),
        drained_on_temporal(20),
        drained(20),
        terminated(50),
        jumping_clock(21),
        duplicates(40, 40),
        full(50),
        restarted(4, 50),
        behind_a_pooler(4),
        waiting("sqlite", 100_000, 30),
        waiting("postgresql", 100_000, 30),
    ]


def in_processes(
    parts: Sequence[Part], seed: int, lanes: int, ended: Callable[[Row], None]
) -> None:
    """Do so many lines at once, each in a process and a session of its own."""
    context = get_context("fork")
    left, running = [*parts], dict[Connection, int]()
    try:
        while left or running:
            while left and len(running) < lanes:
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_line, args=(left.pop(0), seed, sender))
                process.start()
                sender.close()
                running[receiver] = process.pid or 0
            for receiver in wait([*running]):
                assert isinstance(receiver, Connection)
                del running[receiver]
                try:
                    ended(receiver.recv())
                except EOFError:
                    say("a line ended without a word")
    finally:
        for pid in running.values():
            os.killpg(pid, signal.SIGTERM)


def _line(part: Part, seed: int, sender: Connection) -> None:
    os.setsid()
    signal.signal(signal.SIGTERM, _interrupted)
    if part.is_alone:
        _go_first()
    sender.send(row(part, seed))
    sender.close()


def _go_first() -> None:
    """Before other sessions of a shared machine; what is measured has a load of its own."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, 0)
        Path("/proc/self/autogroup").write_text(PRIORITY, encoding="ascii")
    except OSError as error:
        say(f"without priority: {error}")


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Do it all and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a little of everything")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="of the dice")
    parser.add_argument("--only", metavar="WORDS", help="only lines whose name has these words")
    parser.add_argument("--lanes", type=int, default=0, help="lines at once, in processes")
    given = parser.parse_args()
    sys.stdout.write(f"seed {given.seed}\n")
    sys.stdout.flush()
    chosen = [one for one in parts(quick=given.quick) if (given.only or "") in one.what]
    began, rows = time.monotonic(), list[Row]()
    try:
        if given.lanes:
            alone = [one for one in chosen if one.is_alone]
            others = [one for one in chosen if not one.is_alone]
            in_processes(alone, given.seed, 1, rows.append)
            in_processes(others, given.seed, given.lanes, rows.append)
        else:
            rows += [row(part, given.seed) for part in chosen]
    except KeyboardInterrupt:
        say("interrupted: this is not all of it")
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    say(f"{len(rows)} of {len(chosen)} lines in {time.monotonic() - began:.0f} s; load {load}")
    sys.stdout.write(table(rows) + "\n")
    sys.exit(len(rows) < max(len(chosen), 1) or any(one.reasons for one in rows))


if __name__ == "__main__":
    logging.disable()  # what fails here is meant to
    signal.signal(signal.SIGTERM, _interrupted)
    main()
