"""How the canvas feels, in a real Chromium: `python -m bench.studio`; `--quick` shows it works.

A real service with stored workflows of 50 and 1,000 nodes. Two programs and a browser share the
machine, so medians of several turns count; CPU of the page is what least depends on the rest.
"""

import sys
import tempfile
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from bench.ground import Row, table
from bench.studio_graphs import broad, chain, lanes
from bench.studio_page import Desk, first_load, median
from playwright.async_api import Browser, Page
from tests.e2e.studio import Studio, open_browser, open_page, require_pages, started

from toolweave.json_text import JsonObject

SMALL, LARGE = broad("small", 50), broad("large", 1_000)
MAX_SCRIPTS_KB = 350
MAX_DRAG_MS = 20
# What a person notices as a pause.
NOTICED_MS = 100


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    rounds: int = 5
    drag_steps: int = 120
    waiting: int = 1_000
    letters: int = 60
    laid_out: int = 1_000


QUICK = Size(rounds=1, drag_steps=10, waiting=50, letters=5, laid_out=200)


@asynccontextmanager
async def desk_at(browser: Browser, studio: Studio) -> AsyncGenerator[Desk]:
    """A page with a clock, at the list of workflows."""
    async with open_page(browser, studio) as page:
        await page.get_by_role("heading", name="Workflows", exact=True).wait_for()
        yield await Desk.at(page)


async def load_row(browser: Browser, studio: Studio) -> Row:
    """What a first visit loads."""
    async with open_page(browser, studio) as page:
        kilobytes = await first_load(page, page.reload)
    return Row("first load, scripts, gzipped", kilobytes, MAX_SCRIPTS_KB, "kB", "the promise", 1.0)


async def open_rows(desk: Desk, size: Size) -> list[Row]:
    """Opening the large one beside the small one, in turns, and what it holds."""
    took: dict[str, list[float]] = {"small": [], "large": []}
    for _ in range(size.rounds):
        for workflow in (SMALL, LARGE):
            took[str(workflow["name"])].append(await desk.open(workflow))
            await desk.leave()
    await desk.open(SMALL)
    before = await desk.heap_mb()
    await desk.leave()
    await desk.open(LARGE)
    edges = Row(
        "first edges, 1,000 nodes", median(took["large"]), median(took["small"]), "ms", "50", 2.0
    )
    return [edges, Row("heap, 1,000 nodes", await desk.heap_mb(), before, "MB", "50 nodes")]


async def drag_rows(desk: Desk, size: Size) -> list[Row]:
    """Dragging a node of a thousand: of all that are in view, and zoomed in."""
    rows: list[Row] = []
    await desk.page.keyboard.press("1")
    await desk.settle()
    for where in ("all in view", "zoomed"):
        if where == "zoomed":
            await desk.zoom_to_middle()
        seen = [await desk.drag(size.drag_steps) for _ in range(size.rounds)]
        frame = median([median(one.steps) for one in seen])
        work = median([one.cpu_ms / size.drag_steps for one in seen])
        at_most = 1.0 if where == "zoomed" else None
        rows.append(Row(f"drag, {where}, frame", frame, MAX_DRAG_MS, "ms", "the promise", at_most))
        rows.append(Row(f"drag, {where}, CPU a step", work, 16.7, "ms", "a frame"))
    return rows


async def live_rows(desk: Desk, size: Size) -> list[Row]:
    """Typing while a run of many waiting steps changes nodes more than 100 times a second."""
    page = desk.page
    await desk.leave()
    await desk.open(lanes("lanes", size.waiting, 0.1))
    letters = ("lorem ipsum dolor " * 10)[: size.letters]
    await page.keyboard.press("Control+Enter")
    await page.locator(".step[data-status]").first.wait_for()
    before = await page.evaluate(CHANGES)
    async with desk.watching() as watch:
        typed = await desk.type_into("Search nodes and tools", letters)
        changes = await page.evaluate("window.changes") - before
    seen = watch.found
    span_s = (seen.frames[-1] - seen.frames[0]) / 1000
    lost = len(letters) - len(typed)
    return [
        Row("states drawn a second, typing", changes / span_s, 100, "", "the promise"),
        Row("letters lost", lost + 1, 1, "+1", "none", 1.0),
        Row("key to paint, median", median(seen.keys) or 16, NOTICED_MS, "ms", "noticed", 1.0),
        Row("longest task, live run", seen.longest_ms, NOTICED_MS, "ms", "noticed", 1.0),
        Row("frame, live run", median(seen.steps), MAX_DRAG_MS, "ms", "as for a drag"),
    ]


CHANGES = """() => {
  window.changes = 0;
  const see = (list) => { window.changes += list.length; };
  new MutationObserver(see).observe(document.querySelector('.canvas'),
    {subtree: true, attributes: true, attributeFilter: ['data-status']});
  return 0;
}"""


async def layout_rows(desk: Desk, name: str) -> list[Row]:
    """Tidying a large workflow: how long it takes, and the longest the page was away."""
    page = desk.page
    await desk.leave()
    await page.evaluate("location.hash = '#/w/' + " + repr(name))
    await page.locator(".step").first.wait_for()
    await desk.settle()
    async with desk.watching() as watch:
        await page.get_by_role("button", name="Tidy the canvas").click()
        await page.locator(".editor__bar .badge", has_text="unsaved").wait_for()
        await desk.settle()
    seen = watch.found
    took = seen.frames[-1] - seen.frames[0]
    what = f"tidy, {name}"
    return [
        Row(f"{what}, longest task", seen.longest_ms, NOTICED_MS, "ms", "noticed", 1.0),
        Row(f"{what}, until drawn", took, 1_000, "ms", "a second"),
    ]


async def store(page: Page, studio: Studio, workflows: Iterable[JsonObject]) -> None:
    """Save what is opened later."""
    await studio.ask(page, "POST", "/api/v1/samples")
    for workflow in workflows:
        path = f"/api/v1/workflows/{workflow['name']}"
        await studio.ask(page, "PUT", path, {"document": workflow})


async def rows_of(size: Size) -> list[Row]:
    """Every line."""
    require_pages()
    wide = broad("wide", size.laid_out)
    stored = (
        *(SMALL, LARGE, lanes("lanes", size.waiting, 0.1)),
        *(wide, chain("chain", size.laid_out)),
    )
    with tempfile.TemporaryDirectory() as home:
        async with started(Path(home)) as studio, open_browser() as browser:
            async with open_page(browser, studio) as page:
                await store(page, studio, stored)
            rows = [await load_row(browser, studio)]
            async with desk_at(browser, studio) as desk:
                rows += await open_rows(desk, size)
                rows += await drag_rows(desk, size)
                rows += await live_rows(desk, size)
                rows += await layout_rows(desk, "wide")
                rows += await layout_rows(desk, "chain")
    return rows


def main() -> None:
    """Measure and print."""
    size = QUICK if "--quick" in sys.argv[1:] else Size()
    sys.stdout.write(table(anyio.run(rows_of, size)) + "\n")


if __name__ == "__main__":
    main()
