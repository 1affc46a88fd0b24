"""Measure the search of nodes on the judged queries, by language.

`python -m tests.catalog.measure_judged` prints hit@1 and hit@5, `--list de` the misses of one.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from toolweave.authoring.live_catalog import LiveCatalog

FILE = Path(__file__).parent / "judged" / "queries.json"
UNLIMITED_TOKENS = 10_000_000


@dataclass(frozen=True, slots=True)
class Judged:
    """A query, the nodes that answer it, and the five that are found."""

    language: str
    query: str
    accept: frozenset[str]
    found: tuple[str, ...]

    def is_hit(self, at: int) -> bool:
        """Whether one of the first `at` nodes answers the query."""
        return not self.accept.isdisjoint(self.found[:at])


@cache
def judged() -> tuple[Judged, ...]:
    """Every query with what the search of `toolweave catalog search` finds."""
    knowledge = LiveCatalog(None).knowledge
    measured: list[Judged] = []
    for entry in json.loads(FILE.read_text(encoding="utf-8")):
        answer = knowledge.search(entry["query"], limit=5, max_tokens=UNLIMITED_TOKENS)
        results = cast("list[dict[str, Any]]", answer["results"])
        found = tuple(f"{hit['node_type']}.{hit['subtype']}" for hit in results)
        accept = frozenset(cast("list[str]", entry["accept"]))
        measured.append(Judged(entry["language"], entry["query"], accept, found))
    return tuple(measured)


def languages() -> tuple[str, ...]:
    """The languages of the queries, in their order in the file."""
    return tuple(dict.fromkeys(one.language for one in judged()))


def rate(language: str, at: int) -> float:
    """The percentage of queries in a language that are answered among the first `at` nodes."""
    hits = [one.is_hit(at) for one in judged() if one.language == language]
    return 100 * sum(hits) / len(hits)


def table() -> str:
    """The rates by language, as text."""
    lines = ["language  queries   hit@1   hit@5"]
    for language in languages():
        count = sum(one.language == language for one in judged())
        lines.append(
            f"{language:<8} {count:>8} {rate(language, 1):>6.1f}% {rate(language, 5):>6.1f}%"
        )
    return "\n".join(lines)


def misses(language: str) -> str:
    """The queries of a language that are not answered, with what is found instead."""
    found = [one for one in judged() if one.language == language and not one.is_hit(5)]
    return "\n".join(f"{one.query}: {', '.join(one.found) or 'nothing'}" for one in found)


def main(arguments: list[str]) -> None:
    """Print the table, or the misses of one language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", choices=languages())
    given = parser.parse_args(arguments)
    sys.stdout.write(f"{misses(given.list) if given.list else table()}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
