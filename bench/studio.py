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
from bench.studio_graphs import broad, chain, lanes
from bench.studio_page import Desk, Seen, first_load, median
from bench.table import Row, table
from playwright.async_api import Browser, Page
from tests.e2e.studio import Studio, open_browser, open_page, require_pages, started

from toolweave.json_text import JsonObject

SMALL = broad("small", 50)
MAX_SCRIPTS_KB = 350
MAX_DRAG_MS = 20
WAIT_S = 0.05
# What a person notices as a pause.
NOTICED_MS = 100


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    nodes: int = 1_000
    rounds: int = 5
    drag_steps: int = 120
    letters: int = 60
    idle_ms: int = 4_000

    @property
    def large(self) -> JsonObject:
        """The large one of the two that are opened in turns."""
        return broad("large", self.nodes)


QUICK = Size(nodes=160, rounds=1, drag_steps=3, letters=3, idle_ms=100)


@asynccontextmanager
async def desk_at(browser: Browser, studio: Studio) -> AsyncGenerator[Desk]:
    """A page with a clock, at the list of workflows."""
    async with open_page(browser, studio, motion="no-preference") as page:
        await page.get_by_role("heading", name="Workflows", exact=True).wait_for()
        yield await Desk.at(page)


async def load_row(browser: Browser, studio: Studio) -> Row:
    """What a first visit loads."""
    async with open_page(browser, studio, motion="no-preference") as page:
        kilobytes = await first_load(page, page.reload)
    return Row("first load, scripts, gzipped", kilobytes, MAX_SCRIPTS_KB, "kB", "our limit", 1.0)


async def open_rows(desk: Desk, size: Size) -> list[Row]:
    """Opening the large one beside the small one, in turns, and what it holds."""
    took: dict[str, list[float]] = {"small": [], "large": []}
    for _ in range(size.rounds):
        for workflow in (SMALL, size.large):
            took[str(workflow["name"])].append(await desk.open(workflow))
            await desk.leave()
    await desk.open(SMALL)
    before = await desk.heap_mb()
    await desk.leave()
    await desk.open(size.large)
    many = f"{size.nodes:,} nodes"
    figures = median(took["large"]), median(took["small"])
    return [
        Row(f"first edges, {many}", *figures, "ms", "50 nodes", 2.0),
        Row(f"heap, {many}", await desk.heap_mb(), before, "MB", "50 nodes"),
    ]


async def drag_rows(desk: Desk, size: Size) -> list[Row]:
    """Dragging a node of a thousand: of all that are in view, and zoomed in."""
    rows: list[Row] = []
    await desk.page.keyboard.press("0")
    await desk.settle()
    for where in ("all in view", "zoomed"):
        if where == "zoomed":
            await desk.zoom_to_middle()
        seen = [await desk.drag(size.drag_steps) for _ in range(size.rounds)]
        frame = median([median(one.steps) for one in seen])
        work = median([one.cpu_ms / size.drag_steps for one in seen])
        at_most = 1.0 if where == "zoomed" else None
        rows.append(Row(f"drag, {where}, frame", frame, MAX_DRAG_MS, "ms", "our limit", at_most))
        rows.append(Row(f"drag, {where}, CPU a step", work, 16.7, "ms", "a frame"))
    return rows


async def live_rows(desk: Desk, size: Size) -> list[Row]:
    """Typing while a run of many waiting steps changes nodes more than 100 times a second."""
    page = desk.page
    await desk.leave()
    await desk.open(lanes("lanes", size.nodes, WAIT_S))
    await page.keyboard.press("0")
    await desk.settle()
    letters = ("lorem ipsum dolor " * 10)[: size.letters]
    await page.evaluate(CHANGES)
    await page.keyboard.press("Control+Enter")
    await page.locator(".step[data-status]").first.wait_for()
    async with desk.watching() as watch:
        before = await page.evaluate("window.changes")
        typed = await desk.type_into("Search nodes and tools", letters)
        changes = await page.evaluate("window.changes") - before
    seen = watch.found
    lost = len(letters) - len(typed)
    return [
        Row(
            "live run, states drawn a second",
            changes / seen.span_ms * 1000,
            100,
            "",
            "our limit",
            None,
            1.0,
        ),
        Row("live run, lost key presses + 1", lost + 1, 1, "", "none", 1.0),
        Row(
            "live run, key to paint",
            median(seen.keys) or 16,
            NOTICED_MS,
            "ms",
            "noticeable delay",
            1.0,
        ),
        await longest_row("live run, longest task", desk, seen, size),
        Row("live run, frame", median(seen.steps), MAX_DRAG_MS, "ms", "as for a drag", 1.0),
    ]


CHANGES = """() => {
  window.changes = 0;
  const see = (list) => { window.changes += list.length; };
  new MutationObserver(see).observe(document.querySelector('.canvas'),
    {subtree: true, attributes: true, attributeFilter: ['data-status']});
  return 0;
}"""


async def longest_row(what: str, desk: Desk, seen: Seen, size: Size) -> Row:
    """The longest the page was away, beside what is noticed or, if longer, a page that is idle."""
    idle_ms = await desk.idle_ms(size.idle_ms)
    floor_is = "noticeable delay" if idle_ms <= NOTICED_MS else "an idle page"
    return Row(what, seen.longest_ms, max(NOTICED_MS, idle_ms), "ms", floor_is, 1.0)


async def layout_rows(desk: Desk, name: str, size: Size) -> list[Row]:
    """Tidying a large workflow: how long it takes, and the longest the page was away."""
    page = desk.page
    await desk.leave()
    await page.evaluate("location.hash = '#/w/' + " + repr(name))
    await page.locator(".step").first.wait_for()
    await desk.settle()
    async with desk.watching() as watch:
        await page.get_by_role("button", name="Tidy up").click()
        await page.locator(".editor__bar .badge", has_text="unsaved").wait_for()
        await desk.settle()
    seen = watch.found
    what = f"tidy, {name}"
    return [
        await longest_row(f"{what}, longest task", desk, seen, size),
        Row(f"{what}, until drawn", seen.span_ms, 1_000, "ms", "a second"),
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
    stored = (
        *(SMALL, size.large, lanes("lanes", size.nodes, WAIT_S)),
        *(broad("wide", size.nodes), chain("chain", size.nodes)),
    )
    with tempfile.TemporaryDirectory() as home:
        async with started(Path(home)) as studio, open_browser() as browser:
            async with open_page(browser, studio, motion="no-preference") as page:
                await store(page, studio, stored)
            rows = [await load_row(browser, studio)]
            async with desk_at(browser, studio) as desk:
                rows += await open_rows(desk, size)
                rows += await drag_rows(desk, size)
                rows += await live_rows(desk, size)
                rows += await layout_rows(desk, "wide", size)
                rows += await layout_rows(desk, "chain", size)
    return rows


def main() -> None:
    """Measure and print."""
    size = QUICK if "--quick" in sys.argv[1:] else Size()
    sys.stdout.write(table(anyio.run(rows_of, size)) + "\n")


if __name__ == "__main__":
    main()
