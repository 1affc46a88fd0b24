"""J9 in the browser: schedules, webhooks, keys, settings, health, and files edited elsewhere."""

import re
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Page, expect

from e2e.studio import Studio, shot
from rest.drawn import drawn

pytestmark = pytest.mark.anyio


def operated() -> dict[str, Any]:
    """A workflow with a schedule and a webhook."""
    document = drawn("orders")
    at_nine = {"cron_expression": "0 9 * * 1-5", "timezone": "Europe/Berlin"}
    document["nodes"] = [
        trigger("nine", "Every morning", "CRON", 0, **at_nine),
        trigger("hook", "New order", "WEBHOOK", 160, webhook_path="/orders/new"),
        {"id": "end", "type": "end", "name": "End", "data": {}, "position": {"x": 300, "y": 60}},
    ]
    document["connections"] = [
        {"id": one, "from": one, "to": "end", "fromPort": "output", "toPort": "input"}
        for one in ("nine", "hook")
    ]
    return document


def trigger(identity: str, name: str, subtype: str, y: int, **config: object) -> dict[str, Any]:
    data = {"subtype": subtype, "configurations": config}
    place = {"x": 0, "y": y}
    return {"id": identity, "type": "TRIGGER", "name": name, "data": data, "position": place}


async def both(page: Page, name: str) -> None:
    """A picture in light and one in dark."""
    await shot(page, name)
    await page.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    await shot(page, f"{name}-dark")
    await page.evaluate("() => { document.documentElement.dataset.theme = 'light' }")


async def test_a_workflow_is_operated_from_the_studio(page: Page, studio: Studio) -> None:
    path = "/api/v1/workflows/orders"
    await studio.ask(page, "PUT", path, {"document": operated()})
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await switch_on_and_pause(page, studio)
    await see_the_run_arrive(page, studio)
    await make_use_and_revoke_a_key(page, studio)
    await follow_the_file(page, studio)


async def switch_on_and_pause(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/triggers")
    morning = page.get_by_role("article", name="Trigger Every morning")
    order = page.get_by_role("article", name="Trigger New order")
    await expect(order.locator(".badge").first).to_have_text("Inactive")
    await page.get_by_role("button", name="Activate orders").click()
    await expect(page.locator(".notice")).to_contain_text("orders is active")
    for one in (morning, order):
        await expect(one.locator(".badge").first).to_have_text("Active")
    await expect(morning).to_contain_text("Europe/Berlin")
    await expect(morning).to_contain_text("Next")
    address = f"{studio.url}/hooks/orders/new"
    await order.get_by_role("button", name="Copy the address").click()
    await expect(order.get_by_role("button", name="Copy the address")).to_have_text("Copied")
    assert await page.evaluate("() => navigator.clipboard.readText()") == address
    await order.get_by_role("button", name="Pause New order").click()
    await expect(order.locator(".badge").first).to_have_text("Paused")
    refused = await page.request.post(address)
    assert refused.status == 503
    await expect(order.get_by_text("Recent events (1)")).to_be_visible()
    await both(page, "manage-triggers")
    await order.get_by_role("button", name="Resume New order").click()
    await expect(order.locator(".badge").first).to_have_text("Active")


async def see_the_run_arrive(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/runs")
    await expect(page.get_by_role("heading", name="No runs")).to_be_visible()
    asked: list[str] = []
    tab = await page.context.new_page()
    tab.on("request", lambda request: asked.append(request.url))
    await tab.goto(f"{studio.url}/#token={studio.token}")
    await tab.goto(f"{studio.url}/#/runs")
    await expect(tab.get_by_role("heading", name="No runs")).to_be_visible()
    answer = await page.request.post(f"{studio.url}/hooks/orders/new", data={"order": 7})
    run = (await answer.json())["run_id"]
    row = page.get_by_role("row", name=re.compile(run[:8]))
    await expect(row).to_contain_text("success")
    await expect(row).to_contain_text("Webhook")
    await expect(tab.get_by_role("row", name=re.compile(run[:8]))).to_contain_text("success")
    # Tabs share one stream: a browser opens no more than six to a host.
    assert [url for url in asked if url.endswith("/events")] == []
    await tab.close()
    await page.goto(f"{studio.url}/#/triggers")
    order = page.get_by_role("article", name="Trigger New order")
    await expect(order.get_by_role("link", name=f"run {run[:8]}").first).to_be_visible()
    await order.get_by_role("button", name="Run New order now").click()
    await expect(page).to_have_url(re.compile("#/runs/[0-9a-f-]{36}$"))
    await expect(page.locator(".run-panel__head .badge")).to_have_text("success")


async def make_use_and_revoke_a_key(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/manage/keys")
    await page.get_by_role("button", name="Create key", exact=True).click()
    form = page.get_by_role("form", name="Create key")
    await form.get_by_label("Name", exact=True).fill("a program")
    await form.get_by_role("checkbox", name="workflows:read").check()
    await form.get_by_role("button", name="Create key").click()
    text = await page.get_by_role("dialog").locator("code").inner_text()
    await both(page, "manage-key-made")
    await page.get_by_role("button", name="Done").click()
    assert text not in await page.content()
    asked = {"headers": {"X-API-Key": text}}
    listed = await page.request.get(f"{studio.url}/api/v1/workflows", **cast("Any", asked))
    assert listed.ok
    row = page.get_by_role("row", name="a program")
    await expect(page.get_by_role("row", name="used by this page")).to_contain_text("studio")
    await both(page, "manage-keys")
    await page.get_by_role("button", name="Revoke studio").click()
    await expect(page.get_by_role("dialog")).to_contain_text("including this one")
    await page.get_by_role("button", name="Cancel").click()
    await row.get_by_role("button", name="Revoke a program").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await expect(row).to_contain_text("revoked")
    refused = await page.request.get(f"{studio.url}/api/v1/workflows", **cast("Any", asked))
    assert refused.status == 401


async def follow_the_file(page: Page, studio: Studio) -> None:
    file = anyio.Path(studio.home) / "workflows" / "orders.json"
    saved = page.locator(".editor__bar .badge").first
    order = page.locator(".react-flow__node[data-id=hook]")
    await page.goto(f"{studio.url}/#/w/orders")
    await expect(order).to_contain_text("New order")
    text = await file.read_text(encoding="utf-8")
    await file.write_text(text.replace("New order", "Edited with git"), encoding="utf-8")
    await expect(order).to_contain_text("Edited with git")
    await expect(page.get_by_text("Reloaded: changed in another tab")).to_be_visible()
    await expect(saved).to_have_text("saved")
    await order.click()
    await page.get_by_role("textbox", name="Name", exact=True).fill("Edited here")
    await expect(saved).to_have_text("unsaved")
    await file.write_text(text.replace("New order", "Edited again"), encoding="utf-8")
    await expect(page.get_by_role("dialog")).to_contain_text("changed elsewhere")
    await page.get_by_role("button", name="Keep mine").click()
    await expect(saved).to_have_text("saved")
    assert "Edited here" in await file.read_text(encoding="utf-8")
    await page.goto(f"{studio.url}/#/triggers")
    await expect(page.get_by_text("edited since activation")).to_be_visible()


async def test_settings_secrets_and_a_servers_health_are_shown(page: Page, studio: Studio) -> None:
    made = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    await page.goto(f"{studio.url}/#/manage/settings")
    await expect(page.get_by_role("row", name="TOOLWEAVE_RATE_PER_S")).to_contain_text("1000")
    await expect(page.get_by_role("row", name="TOOLWEAVE_RATE_PER_S")).to_contain_text(
        "environment"
    )
    await expect(page.get_by_role("table", name="Findings")).to_contain_text("toolweave")
    await both(page, "manage-settings")
    await page.goto(f"{studio.url}/#/credentials")
    await page.get_by_role("button", name="Add secret", exact=True).click()
    form = page.get_by_role("form", name="Add secret")
    await form.get_by_label("Name").fill("hook-token")
    await form.get_by_label("Value").fill("s3cret-of-the-page")
    await form.get_by_role("button", name="Add secret").click()
    secrets = page.get_by_role("table", name="Secrets")
    await expect(secrets).to_contain_text("${vault:hook-token}")
    await both(page, "credentials")
    assert "s3cret-of-the-page" not in await page.content()
    await page.get_by_role("button", name="Remove hook-token").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(secrets).to_have_count(0)
    await page.goto(f"{studio.url}/#/manage/settings")
    await page.get_by_role("radio", name="Dark").check()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await page.get_by_label("System", exact=True).check()
    await expect(page.locator("html")).to_have_attribute("data-theme", "light")
    await page.goto(f"{studio.url}/#/servers/{made['server']}")
    await page.get_by_role("tab", name="Health").click()
    await page.get_by_role("button", name="Check now").click()
    await expect(page.get_by_role("img", name=re.compile("^Last . checks")).last).to_be_visible()
    await expect(
        page.get_by_role("img", name=re.compile("^Last .* none failed")).last
    ).to_be_visible()
    await both(page, "server-health")
