"""What the catalog costs and how well it finds: `python -m bench.catalog_search` from the root.

Sizes of 80, 1,000 and 20,000 entries: our nodes, and the real tools of the test corpus under as
many server names as needed. Times are the best of several rounds, in milliseconds.
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from tests.catalog.judged import JUDGED, is_held_out
from tests.tools.builders import corpus

from toolweave.catalog.budget import tokens
from toolweave.catalog.index import Catalog
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.live import specs_of
from toolweave.catalog.search import SearchIndex
from toolweave.catalog.serialise import serialise
from toolweave.catalog.tool_definitions import listed
from toolweave.json_text import Json
from toolweave.nodes import discover
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool

SIZES = (80, 1_000, 20_000)

T = TypeVar("T")


def say(text: str) -> None:
    """One line of the report."""
    sys.stdout.write(text + "\n")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What `work` gives, and how many milliseconds it took."""
    started = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - started) * 1000


def best(work: Callable[[], object], rounds: int = 5) -> float:
    """The fastest of several rounds."""
    return min(timed(work)[1] for _ in range(rounds))


def tools(count: int) -> list[Tool]:
    """So many tools of the corpus, each server as often as it takes."""
    known = corpus()
    found: list[Tool] = []
    for number in range(count):
        one = known[number % len(known)]
        found.append(read_tool(f"{one.server}-{number // len(known)}", one.entry))
    return found


def costs(ours: Catalog, size: int) -> None:
    """Building and asking, with `size` entries in all."""
    given = tools(size - len(ours))
    specs, reading = timed(lambda: specs_of(given))
    catalog, joining = timed(lambda: ours.with_specs(specs))
    _, naming = timed(lambda: catalog.names)
    _, indexing = timed(lambda: SearchIndex(catalog))
    knowledge = Knowledge(catalog)
    knowledge.prepare()
    asked = sorted(best(lambda query=query: knowledge.search(query), rounds=3) for query in JUDGED)
    wrong = [("TOOL", f"MCP:github-0/creat_isue_{n}") for n in range(200)]
    after = best(lambda: knowledge.search("", after=("TRIGGER", "GITHUB")), rounds=3)
    say(f"{len(catalog):>6} entries")
    say(f"    specs {reading:.1f}, catalog {joining:.1f}, names {naming:.1f}, index {indexing:.1f}")
    say(
        f"    search median {statistics.median(asked):.2f}, "
        f"p95 {asked[int(len(asked) * 0.95)]:.2f}, worst {asked[-1]:.2f}; after {after:.1f}"
    )
    say(f"    200 wrong names {best(lambda: knowledge.node_details(wrong), rounds=3):.1f}")
    say(f"    one node {best(lambda: knowledge.node_details([('FLOW', 'IF')]), rounds=50):.4f}")


def quality(ours: Catalog) -> None:
    """Recall among the first five and mean reciprocal rank, of either half of the judged set."""
    index = SearchIndex(ours)
    for name, half in (("tuned", False), ("held out", True)):
        recalls: list[float] = []
        ranks: list[float] = []
        for query, right in JUDGED.items():
            if is_held_out(query) is half:
                found = [hit.spec.ref for hit in index.search(query)]
                recalls.append(len(set(found[:5]) & set(right)) / min(5, len(right)))
                places = [place for place, ref in enumerate(found, 1) if ref in right]
                ranks.append(1 / places[0] if places else 0.0)
        say(
            f"{name}: {len(recalls)} queries, recall@5 {statistics.mean(recalls):.3f}, "
            f"MRR {statistics.mean(ranks):.3f}"
        )


def sizes(ours: Catalog) -> None:
    """How many tokens the list of tools and full answers take."""
    answers = sorted((tokens(serialise(spec)), spec.ref) for spec in ours)
    mean = statistics.mean(size for size, _ in answers)
    say(f"tool list {tokens({'tools': list[Json](listed())})} tokens")
    say(f"a node's full answer {mean:.0f} tokens on average, worst {answers[-1]}")


def main() -> None:
    """Print everything."""
    ours = Catalog(node.spec for node in discover())
    sizes(ours)
    quality(ours)
    for size in SIZES:
        costs(ours, size)


if __name__ == "__main__":
    main()
