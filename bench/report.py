"""What the product costs, in one table: `bench/run`, `--quick` for a short form.

`bench/run ground`, `commands`, `engine` and `studio` measure one of them.
"""

import argparse
import sys

import anyio
from bench import commands, engine, ground, studio
from bench.table import Row, table
from tests.e2e.studio import find_chromium

SUBJECTS = ("ground", "commands", "engine", "studio")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=" or ".join(SUBJECTS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-peers", action="store_true", help="install nothing")
    given = parser.parse_args()
    subjects: list[str] = given.subjects or list(SUBJECTS)
    if unknown := set(subjects) - set(SUBJECTS):
        parser.error(f"no such subject: {', '.join(sorted(unknown))}")
    rows: list[Row] = []
    notes: list[str] = []
    if "ground" in subjects:
        found, slow = anyio.run(ground.rows_of, ground.QUICK if given.quick else ground.Size())
        rows += found
        notes.append(f"slow modules imported by `toolweave --help`: {', '.join(slow) or 'none'}")
    if "commands" in subjects:
        rows += commands.rows_of(commands.QUICK if given.quick else commands.Size())
    if "engine" in subjects:
        size = engine.QUICK if given.quick else engine.Size(peers=not given.no_peers)
        rows += engine.rows_of(size)
    if "studio" in subjects:
        if find_chromium() is None:
            notes.append("the studio is left out: chromium is not installed")
        else:
            rows += anyio.run(studio.rows_of, studio.QUICK if given.quick else studio.Size())
    sys.stdout.write("\n".join([table(rows), *notes]) + "\n")


if __name__ == "__main__":
    main()
