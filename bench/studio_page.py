"""What the bench does on a page of the studio: each gesture, and what it cost the browser."""

import gzip
import statistics
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import CDPSession, Page, Response

from toolweave.json_text import JsonObject

# Frames, tasks over 50 ms, and how long keys took to show, from `begin` until `end`.
WATCH = """() => {
  const seen = {frames: [], tasks: [], keys: [], on: false};
  const tick = (now) => { if (seen.on) seen.frames.push(now); requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  const watch = (type, take, more) => {
    const see = (list) => { if (seen.on) list.getEntries().forEach(take); };
    new PerformanceObserver(see).observe({type, ...more});
  };
  watch('longtask', (one) => seen.tasks.push(one.duration));
  watch('event', (one) => { if (one.name === 'keydown') seen.keys.push(one.duration); },
    {durationThreshold: 16});
  window.bench = {
    begin() { Object.assign(seen, {frames: [], tasks: [], keys: [], on: true}); },
    end() { seen.on = false; return seen; },
  };
}"""
# From the address's change until an edge of that workflow is in a painted frame.
OPEN = """([name, nodes]) => new Promise((resolve) => {
  const began = performance.now();
  const look = () => {
    const field = document.querySelector('.editor__name');
    const is = field && (field.value ?? field.textContent) === name;
    if (is && document.querySelector('.react-flow__edge-path')) {
      requestAnimationFrame(() => resolve(performance.now() - began));
    } else requestAnimationFrame(look);
  };
  window.location.hash = '#/w/' + name;
  look();
})"""
# A point on the step that is nearest to the middle of the canvas.
MIDDLE = """() => {
  const frame = document.querySelector('.canvas').getBoundingClientRect();
  const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
  const far = (box) => Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y);
  const boxes = [...document.querySelectorAll('.step')].map((one) => one.getBoundingClientRect());
  const best = boxes.reduce((one, other) => far(other) < far(one) ? other : one);
  return [best.x + best.width / 2, best.y + best.height / 3];
}"""
ZOOM = "new DOMMatrix(document.querySelector('.react-flow__viewport').style.transform).a"
SETTLED = """() => new Promise((resolve) => {
  let quiet = 0;
  let last = performance.now();
  const latest = last + 5000;
  const tick = (now) => {
    quiet = now - last < 40 ? quiet + 1 : 0;
    last = now;
    if (quiet > 20 || now > latest) resolve(); else requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
})"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen while something was done."""

    frames: tuple[float, ...] = ()
    tasks: tuple[float, ...] = ()
    keys: tuple[float, ...] = ()
    cpu_ms: float = 0

    @property
    def steps(self) -> list[float]:
        """The times between two frames."""
        return [other - one for one, other in zip(self.frames, self.frames[1:], strict=False)]

    @property
    def span_ms(self) -> float:
        """From the first frame to the last."""
        return max(sum(self.steps), 1.0)

    @property
    def longest_ms(self) -> float:
        """The longest task; what is not over 50 ms is not told by the browser."""
        return max(self.tasks, default=50.0)


@dataclass
class Watch:
    """What is being watched, until it is seen."""

    found: Seen = field(default_factory=Seen)


class Desk:
    """A page of the studio with a clock in it."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        self.page = page
        # Any: the library leaves the protocol's objects untyped.
        self._session: Any = session

    @classmethod
    async def at(cls, page: Page) -> "Desk":
        """Put the clock into a page."""
        desk = cls(page, await page.context.new_cdp_session(page))
        await desk._session.send("Performance.enable")
        await page.evaluate(WATCH)
        return desk

    async def metric(self, name: str) -> float:
        """One of the browser's own figures."""
        told: Any = await self._session.send("Performance.getMetrics")
        return float(next(one["value"] for one in told["metrics"] if one["name"] == name))

    async def heap_mb(self) -> float:
        """What the page's scripts hold, after tidying."""
        await self._session.send("HeapProfiler.collectGarbage")
        return await self.metric("JSHeapUsedSize") / 1e6

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[Watch]:
        """Watch what happens inside."""
        watch = Watch()
        before = await self.metric("TaskDuration")
        await self.page.evaluate("bench.begin()")
        yield watch
        seen = await self.page.evaluate("bench.end()")
        cpu_ms = (await self.metric("TaskDuration") - before) * 1000
        lists = (tuple(seen[name]) for name in ("frames", "tasks", "keys"))
        watch.found = Seen(*lists, cpu_ms=cpu_ms)

    async def open(self, workflow: JsonObject) -> float:
        """Open a stored workflow; the milliseconds until its first edges are painted."""
        nodes = workflow["nodes"]
        size = len(nodes) if isinstance(nodes, list) else 0
        took = await self.page.evaluate(OPEN, [workflow["name"], size])
        await self.settle()
        return float(took)

    async def idle_ms(self, span_ms: int) -> float:
        """The longest time between two frames while nothing is done, as busy as this machine is."""
        await self.leave()
        async with self.watching() as watch:
            await self.page.wait_for_timeout(span_ms)
        return max(watch.found.steps, default=0.0)

    async def settle(self) -> None:
        """Wait until frames come evenly again, or for as long as a busy machine may be given."""
        await self.page.evaluate(SETTLED)

    async def leave(self) -> None:
        """Go to the list of workflows."""
        await self.page.evaluate("location.hash = '#/'")
        await self.page.get_by_role("heading", name="Workflows", exact=True).wait_for()

    async def drag(self, steps: int) -> Seen:
        """Drag the node nearest to the middle, one move a step."""
        x, y = await self.page.evaluate(MIDDLE)
        await self.page.mouse.move(x, y)
        await self.page.mouse.down()
        await self.page.mouse.move(x + 5, y + 5)
        await self.page.locator(".react-flow__node.dragging").wait_for()
        async with self.watching() as watch:
            for at in range(steps):
                turn = at % 40 if at % 80 < 40 else 40 - at % 40
                await self.page.mouse.move(x + 5 + turn * 3, y + 5 + turn * 2)
        await self.page.mouse.up()
        await self.settle()
        await self.page.keyboard.press("Control+z")
        return watch.found

    async def zoom_to_middle(self) -> None:
        """Zoom in to natural size around the middle of the canvas."""
        box = await self.page.locator(".canvas").bounding_box()
        assert box is not None
        await self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        await self.page.keyboard.down("Control")
        while await self.page.evaluate(ZOOM) < 1:
            await self.page.mouse.wheel(0, -60)
        await self.page.keyboard.up("Control")
        await self.settle()

    async def type_into(self, label: str, letters: str) -> str:
        """Type into a field, a letter after the other; what stands in it then."""
        field_ = self.page.get_by_label(label, exact=True).first
        await field_.click()
        await self.page.keyboard.press("End")
        for letter in letters:
            await self.page.keyboard.type(letter)
            await self.page.wait_for_timeout(60)
        return await field_.input_value()


async def first_load(page: Page, go: Callable[[], Awaitable[object]]) -> float:
    """The kilobytes of scripts, gzipped, that a first visit loads."""
    found: list[Response] = []
    page.on("response", lambda one: found.append(one))
    await go()
    await page.get_by_role("heading", name="Workflows", exact=True).wait_for()
    scripts = [one for one in found if one.request.resource_type == "script"]
    bodies = [await one.body() for one in scripts]
    return sum(len(gzip.compress(body)) for body in bodies) / 1000


def median(values: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(values) if values else 0.0
