"""What faults do to runs, in the long form: `python -m bench.faults` from the root.

A line says how often something was killed, stopped, filled or restarted, of how many steps a person
had to decide, what was lost and what happened twice: both must be 0. Each line has a positive
control, a variant that loses or repeats on purpose: it must find something. Ends with 1 when a
line failed. `--quick` shows that it works, `--only WORDS` does some lines, `--seed` the same again.
"""

import argparse
import sys
import time

from bench.fault_disks import full
from bench.fault_fuzz import fuzzed
from bench.fault_hooks import duplicates
from bench.fault_hostile import documents
from bench.fault_injection import injected
from bench.fault_kills import at_any_moment, at_every_write
from bench.fault_postgres import restarted
from bench.fault_power import power_cuts
from bench.fault_rows import Part, row, say, table
from bench.fault_waiting import waiting
from bench.fault_workers import beside, killed, killed_on_temporal, paused, temporal_killed


def parts(*, quick: bool) -> list[Part]:
    """Everything that is done, in its order."""
    if quick:
        return [
            at_every_write(3),
            at_any_moment(20),
            restarted(1, 20),
            killed(1, away=False),
            killed(1, away=True),
            killed_on_temporal(1),
            temporal_killed(1),
            paused(2),
            full(3),
            injected(60, step=6),
            power_cuts(8),
            beside(3),
            duplicates(5, 5),
            documents(),
            fuzzed(2),
            waiting("sqlite", 20_000, 6),
            waiting("postgresql", 20_000, 6),
        ]
    return [
        at_every_write(None),
        at_any_moment(200),
        restarted(4, 50),
        killed(20, away=False),
        killed(6, away=True),
        killed_on_temporal(20),
        temporal_killed(10),
        paused(20),
        full(50),
        injected(500),
        power_cuts(200),
        beside(20),
        duplicates(20, 20),
        documents(),
        fuzzed(600),
        waiting("sqlite", 100_000, 30),
        waiting("postgresql", 100_000, 30),
    ]


def main() -> None:
    """Do it all and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a little of everything")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="of the dice")
    parser.add_argument("--only", metavar="WORDS", help="only lines whose name has these words")
    given = parser.parse_args()
    sys.stdout.write(f"seed {given.seed}\n")
    sys.stdout.flush()
    chosen = [one for one in parts(quick=given.quick) if (given.only or "") in one.what]
    began = time.monotonic()
    rows = [row(part, given.seed) for part in chosen]
    say(f"{len(rows)} lines in {time.monotonic() - began:.0f} s")
    sys.stdout.write(table(rows) + "\n")
    sys.exit(not rows or any(one.reasons for one in rows))


if __name__ == "__main__":
    main()
