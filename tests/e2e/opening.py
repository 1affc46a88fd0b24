"""A workflow stored for a journey and opened in the editor, and its nodes."""

from typing import Any

from playwright.async_api import Locator, Page, expect

from e2e.studio import Studio


async def open_workflow(page: Page, studio: Studio, document: dict[str, Any]) -> None:
    name = document["name"]
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(page.locator(".step").first).to_be_visible()


def card(page: Page, node: str) -> Locator:
    return page.locator(f".react-flow__node[data-id={node}]")


def inspector(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Inspector")
