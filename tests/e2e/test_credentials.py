"""Credentials in the node that needs them: picked, added to the vault, tested, reused."""

import json
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from e2e.hands import Hands
from e2e.studio import Studio, open_page
from e2e.test_access import look
from rest.drawn import drawn

pytestmark = pytest.mark.anyio

NAME = "credentialed"
TOKEN = "ghp_of-nobody"
# The field for the token is shown only if there is one.
HOOK = {"webhook_path": "/credentialed", "authentication": "header_token"}


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


@pytest.fixture(scope="module")
async def page(browser: Browser, studio: Studio) -> AsyncGenerator[Page]:
    async with open_page(browser, studio) as opened:
        nodes: list[dict[str, Any]] = [
            {
                "id": f"issue{number}",
                "type": "EXTERNAL_ACTION",
                "name": f"Issue {number}",
                "data": {"subtype": "GITHUB", "configurations": {}},
            }
            for number in (1, 2)
        ]
        document = drawn(NAME, *nodes)
        hook = {"subtype": "WEBHOOK", "configurations": HOOK}
        document["nodes"][0] |= {"type": "TRIGGER", "name": "Hook", "data": hook}
        await studio.ask(opened, "PUT", f"/api/v1/workflows/{NAME}", {"document": document})
        await opened.goto(f"{studio.url}/#/w/{NAME}")
        yield opened


async def picker(page: Page, node: str, label: str) -> Locator:
    await page.locator(f".react-flow__node[data-id={node}]").click()
    return page.get_by_label(f"{label}: credential")


async def stored(page: Page, studio: Studio) -> Any:
    return cast("Any", await studio.ask(page, "GET", f"/api/v1/workflows/{NAME}"))["document"]


async def test_a_credential_is_added_in_a_node_and_reused_in_the_next(
    page: Page, studio: Studio
) -> None:
    await page.goto(f"{studio.url}/#/w/{NAME}")
    choice = await picker(page, "issue1", "GitHub token")
    await choice.select_option("Add a credential…")
    form = page.get_by_role("form", name="New credential")
    await expect(form.get_by_label("Name")).to_have_value("github")
    await expect(form.get_by_label("Token of github")).to_be_focused()
    await form.get_by_label("Token of github").fill(TOKEN)
    found: list[str] = []
    await look(found, page, "new-credential")
    await form.get_by_role("button", name="Add credential").click()
    await expect(choice).to_have_value("github")
    await page.get_by_role("button", name="Test github").click()
    # At the field: nobody's token, and no network.
    result = page.locator(".credential").get_by_role("status")
    await expect(result).to_contain_text("Test failed")
    await expect(page.locator(".notice--bad")).to_have_count(0)
    second = await picker(page, "issue2", "GitHub token")
    # The record of the service is no secret to choose.
    assert not any("service:" in one for one in await second.locator("option").all_inner_texts())
    await second.select_option("github")
    await page.keyboard.press("Control+s")
    await expect(page.get_by_label("Workflow").get_by_text("saved", exact=True)).to_be_visible()
    document = await stored(page, studio)
    used = [one["data"]["configurations"].get("github_token") for one in document["nodes"][1:3]]
    assert used == ["${vault:github}"] * 2
    assert TOKEN not in json.dumps(document) + await page.content()
    await page.goto(f"{studio.url}/#/credentials")
    table = page.get_by_role("table", name="Services")
    await expect(table.get_by_role("row", name="github github")).to_be_visible()
    await look(found, page, "credentials")
    await page.get_by_role("button", name="Remove github").click()
    uses = page.get_by_role("dialog").get_by_role("list", name="Used by")
    await expect(uses.get_by_role("link", name=NAME)).to_have_attribute("href", f"#/w/{NAME}")
    await expect(uses).to_contain_text("2 nodes")
    await page.get_by_role("button", name="Cancel").click()
    await expect(table.get_by_role("row", name="github github")).to_be_visible()
    assert found == []


async def test_a_secret_of_a_webhook_is_added_by_keyboard_alone(page: Page, studio: Studio) -> None:
    hands = Hands(page)
    await page.goto(f"{studio.url}/#/w/{NAME}")
    await expect(page.locator(".react-flow__node[data-id=start]")).to_be_visible()
    await hands.open_node("Hook")
    await hands.until("Tab", "Auth token: credential")
    await page.keyboard.type("Add a credential")
    form = page.get_by_role("form", name="New credential")
    await expect(form).to_be_visible()
    await hands.until("Shift+Tab", "Name", whole=True)
    await page.keyboard.press("Control+a")
    await page.keyboard.type("hook key")
    await expect(form.get_by_text("Use letters, digits and _ . -")).to_be_visible()
    await page.keyboard.press("Control+a")
    await hands.type("hook-key", then="Tab")
    await hands.type("s3cret", then="Enter")
    choice = page.get_by_label("Auth token: credential")
    await expect(choice).to_have_value("hook-key")
    await expect(choice).to_be_focused()
    names = cast("Any", await studio.ask(page, "GET", "/api/v1/secrets"))["names"]
    assert "hook-key" in names
    # One of a service, which is picked for the next node and tested there.
    token = page.get_by_label("GitHub token: credential")
    await page.keyboard.press("Escape")
    await hands.open_node("Issue 1")
    await hands.until("Tab", "GitHub token: credential")
    await page.keyboard.type("Add a credential")
    await expect(form).to_be_visible()
    await hands.until("Shift+Tab", "Name", whole=True)
    await page.keyboard.press("Control+a")
    await hands.type("keyed", then="Tab")
    await hands.type(TOKEN, then="Enter")
    await expect(token).to_have_value("keyed")
    await page.keyboard.press("Escape")
    await hands.open_node("Issue 2")
    await hands.until("Tab", "GitHub token: credential")
    await page.keyboard.type("keyed")
    await expect(token).to_have_value("keyed")
    await hands.until("Tab", "Test keyed")
    await page.keyboard.press("Enter")
    await expect(page.locator(".credential").get_by_role("status")).to_contain_text("Test failed")
    await hands.focus()
    await page.keyboard.press("Escape")
    # The pages of credentials and of triggers are reached from the edge of the window.
    await hands.to_page("Credentials")
    await expect(page.get_by_role("table", name="Secrets")).to_contain_text("hook-key")
    await hands.until("Shift+Tab", "Triggers")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name=f"Activate {NAME}")).to_be_visible()
    await hands.until("Tab", f"Activate {NAME}")
