"""A changed tool on the page of its server: what it touches, and the patch that adapts it."""

from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Page, expect

from e2e.mcp import approved, calling, reconnected
from e2e.studio import Studio, shot
from rest.drawn import drawn
from toolweave.testing.server import ScriptedServer, a_tool

pytestmark = pytest.mark.anyio

TEXT = {"type": "string", "description": "What to look at."}
OTHER = {"type": "integer", "description": "How often."}


@pytest.fixture
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


def a_look(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return a_tool(name, inputSchema={"type": "object", "properties": schema})


async def values(page: Page, studio: Studio, workflow: str) -> dict[str, Any]:
    """The values that the stored workflow gives its tool."""
    stored = cast("Any", await studio.ask(page, "GET", f"/api/v1/workflows/{workflow}"))
    return stored["document"]["nodes"][1]["data"]["parameterValues"]


async def drifted(page: Page, studio: Studio, folder: Path) -> None:
    """Open the page of a server two of whose tools changed; a workflow uses each of them."""
    tools = [a_look(name, {"text": TEXT}) for name in ("gaze", "glance")]
    server = ScriptedServer(folder / "eyes", *tools)
    identity = await approved(page, studio, "eyes", server)
    for tool in ("gaze", "glance"):
        name = f"{tool}s"
        document = drawn(name, calling("look", "eyes", tool, text="here"))
        await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    await studio.ask(page, "POST", "/api/v1/runs", {"workflow": "gazes"})
    changed = [a_look("gaze", {"Text": TEXT}), a_look("glance", {"times": OTHER})]
    await run_is_over(page, studio)
    server.change(tools=changed)
    await reconnected(page, studio, identity)
    await page.goto(f"{studio.url}/#/servers/{identity}")


async def run_is_over(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/runs")
    row = page.get_by_role("row", name="gazes").first
    await expect(row).to_contain_text("success")


async def test_a_migration_is_shown_with_reasons_and_applied_by_mouse_or_by_keyboard(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    await drifted(page, studio, tmp_path)
    region = page.get_by_role("region", name="Changed tools")
    await expect(region).to_contain_text("renamed to 'Text'")
    certain = region.get_by_role("article", name="Proposal for gazes")
    likely = region.get_by_role("article", name="Proposal for glances")
    await expect(certain).to_contain_text("proved by 1 run")
    await expect(certain).to_contain_text("now /Text: the same name as 'text'")
    await expect(certain.locator(".badge").first).to_have_text("certain")
    await expect(likely.locator(".badge").first).to_have_text("likely")
    await shot(page, "migrations")
    await by_mouse(page, studio)
    await by_keyboard(page, studio)
    await expect(region.get_by_role("region", name="Proposed changes")).to_have_count(0)
    used = region.get_by_role("list", name="Used by")
    await expect(used.get_by_text("compatible", exact=True)).to_have_count(2)


async def by_mouse(page: Page, studio: Studio) -> None:
    apply = page.get_by_role("button", name="Apply the changes to gazes")
    dialog = page.get_by_role("dialog", name="Change gazes?")
    await apply.click()
    await dialog.get_by_text("Patch", exact=True).click()
    await expect(dialog.get_by_role("region", name="Patch")).to_contain_text("/Text")
    await expect(dialog.get_by_role("checkbox")).to_have_count(0)  # nothing is only likely
    await shot(page, "migration-dialog")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_have_count(0)
    assert await values(page, studio, "gazes") == {"text": "here"}
    await apply.click()
    await dialog.get_by_role("button", name="Change the workflow").click()
    await expect(page.locator(".notices")).to_contain_text("Changed gazes")
    assert await values(page, studio, "gazes") == {"Text": "here"}
    await expect(apply).to_have_count(0)


async def by_keyboard(page: Page, studio: Studio) -> None:
    """What is only likely needs a second yes."""
    await page.get_by_role("button", name="Apply the changes to glances").focus()
    await page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Change glances?")
    change = dialog.get_by_role("button", name="Apply likely changes")
    await expect(change).to_be_disabled()
    looked = dialog.get_by_role("checkbox", name="I have reviewed the changes")
    await looked.focus()
    await page.keyboard.press("Space")
    await expect(looked).to_be_checked()
    assert await values(page, studio, "glances") == {"text": "here"}
    for _ in range(10):
        await page.keyboard.press("Tab")
        if await change.evaluate("one => one === document.activeElement"):
            break
    await page.keyboard.press("Enter")
    await expect(dialog).to_have_count(0)
    await expect(page.locator(".notices")).to_contain_text("Changed glances")
    assert await values(page, studio, "glances") == {}
