"""Writes the screenshots of the documentation: a real studio in a real browser, light and dark.

Run it after a change of the look: `./scripts/uv run --no-sync python -m scripts.make_pictures`.
It needs Chromium, which `scripts/install-test-tools` installs.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any, Literal, cast

import anyio
from playwright.async_api import Browser, Page, expect
from tests.e2e.studio import (
    PATIENCE_MS,
    Studio,
    open_browser,
    open_page,
    require_pages,
    started,
)

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
MAX_BYTES = 250_000


async def picture(page: Page, name: str, scheme: str) -> None:
    """Write one: `NAME.png`, and `NAME-dark.png` of the dark studio."""
    path = DOCS / f"{name}{'-dark' if scheme == 'dark' else ''}.png"
    await page.mouse.move(2, 2)
    await page.evaluate("() => document.activeElement?.blur()")
    await page.screenshot(path=path, animations="disabled", caret="hide")
    size = (await anyio.Path(path).stat()).st_size
    sys.stdout.write(f"{path.name}: {size // 1000} kB\n")
    assert size <= MAX_BYTES, f"{path.name} is larger than {MAX_BYTES} bytes"


async def finished_run(page: Page, studio: Studio, workflow: str, scheme: str) -> None:
    """A workflow on the canvas with its run below."""
    await page.goto(f"{studio.url}/#/w/{workflow}")
    await page.locator(".react-flow__node[data-id=weather]").wait_for()
    await page.get_by_role("button", name="Palette").click()
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
    await page.locator(".react-flow__node[data-id=weather]").click()
    await page.get_by_role("button", name="Fit to view").click()
    await picture(page, "studio", scheme)


async def node_view(page: Page, scheme: str) -> None:
    """The open node with what it can read and what it gave."""
    await page.locator(".react-flow__node[data-id=weather]").dblclick()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.get_by_role("button", name="Run step").click()
    await expect(
        page.get_by_role("dialog").get_by_text("Result of this step alone")
    ).to_be_visible()
    await picture(page, "studio-node", scheme)
    await page.keyboard.press("Escape")


async def comparison(page: Page, studio: Studio, workflow: str, scheme: str) -> None:
    """Two runs, with their differences marked."""
    stored = cast("Any", await studio.ask(page, "GET", f"/api/v1/workflows/{workflow}"))
    runs: list[str] = []
    for city in ("Oslo", "Cairo"):
        body = {"document": stored["document"], "inputs": {"city": city}}
        runs.append(cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))["id"])
    for run in runs:
        await page.goto(f"{studio.url}/#/runs/{run}")
        await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
    await page.goto(f"{studio.url}/#/compare/{runs[0]}/{runs[1]}")
    await expect(page.locator("mark").first).to_be_visible()
    await picture(page, "studio-compare", scheme)


async def pictures(browser: Browser, studio: Studio) -> None:
    """All of them."""
    for scheme in SCHEMES:
        async with open_page(browser, studio, scheme=scheme) as page:
            await page.set_viewport_size({"width": 1440, "height": 900})
            await page.emulate_media(reduced_motion="reduce", color_scheme=scheme)
            sample = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))["workflow"]
            await finished_run(page, studio, sample, scheme)
            await node_view(page, scheme)
            await comparison(page, studio, sample, scheme)


async def main() -> None:
    """Start a studio over an empty home, and take them."""
    require_pages()
    expect.set_options(timeout=PATIENCE_MS)
    with tempfile.TemporaryDirectory() as home:
        async with started(Path(home)) as studio, open_browser() as browser:
            await pictures(browser, studio)


if __name__ == "__main__":
    anyio.run(main)
