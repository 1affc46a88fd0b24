"""What the product costs, in one table: `bench/run`, `--quick` for a short form.

`bench/run ground`, `proxies`, `commands`, `catalog`, `engine` and `studio` measure one of them;
`--page` writes `docs/benchmarks.md`.
"""

import argparse
import sys
from functools import partial

import anyio
from bench import catalog_doors, commands, engine, ground, proxies, studio
from bench.page import write_page
from bench.table import Row, table
from tests.e2e.studio import find_chromium

SUBJECTS = ("ground", "proxies", "commands", "catalog", "engine", "studio")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=" or ".join(SUBJECTS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-peers", action="store_true", help="install nothing")
    parser.add_argument("--page", action="store_true", help="write docs/benchmarks.md")
    given = parser.parse_args()
    subjects: list[str] = given.subjects or list(SUBJECTS)
    if unknown := set(subjects) - set(SUBJECTS):
        parser.error(f"no such subject: {', '.join(sorted(unknown))}")
    rows: dict[str, list[Row]] = {}
    notes: list[str] = []
    may_install = not (given.no_peers or given.quick)
    if "ground" in subjects:
        size = ground.QUICK if given.quick else ground.Size()
        rows["ground"], slow = anyio.run(ground.rows_of, size)
        notes.append(f"slow modules imported by `toolweave --help`: {', '.join(slow) or 'none'}")
    if "proxies" in subjects:
        measure = partial(proxies.rows_of, 10 if given.quick else 300, may_install=may_install)
        rows["proxies"] = anyio.run(measure)
    if "commands" in subjects:
        rows["commands"] = commands.rows_of(commands.QUICK if given.quick else commands.Size())
    if "catalog" in subjects:
        size = catalog_doors.QUICK if given.quick else catalog_doors.Size()
        rows["catalog"] = list(catalog_doors.rows_of(size, may_install=may_install))
    if "engine" in subjects:
        size = engine.QUICK if given.quick else engine.Size(peers=not given.no_peers)
        rows["engine"] = engine.rows_of(size)
    if "studio" in subjects:
        if find_chromium() is None:
            notes.append("the studio is left out: chromium is not installed")
        else:
            size = studio.QUICK if given.quick else studio.Size()
            rows["studio"] = anyio.run(studio.rows_of, size)
    every = [row for lines in rows.values() for row in lines]
    sys.stdout.write("\n".join([table(every), *notes]) + "\n")
    if given.page:
        write_page(rows, notes)


if __name__ == "__main__":
    main()
