"""A past run at one of its steps: what was known then, other values, and recorded answers."""

from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Page, expect

from e2e.fields import box
from e2e.mcp import approved, calling
from e2e.studio import Studio, shot
from rest.drawn import drawn
from toolweave.testing.server import ScriptedServer, a_tool, says

pytestmark = pytest.mark.anyio


@pytest.fixture
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_a_past_run_continues_with_recorded_answers_until_one_is_missing_and_then_live(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    server = ScriptedServer(tmp_path / "post", a_tool("send"))
    server.on_call("send", [says("sent once")], [says("sent twice")])
    await approved(page, studio, "post", server)
    letter = {"id": "letter", "type": "prompt", "name": "Letter", "data": {"prompt": "Hi {{who}}"}}
    document = drawn("travelled", letter, calling("send", "post", "send", text="{{ data }}"))
    body = {"document": document, "inputs": {"who": "Ada"}}
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))["id"]
    await page.goto(f"{studio.url}/#/runs/{run}")
    status = page.locator(".run-panel__head .badge").first
    await expect(status).to_have_text("success")
    await page.locator(".timeline__row", has_text="send").click()
    await page.get_by_role("tab", name="Earlier outputs").click()
    await expect(page.get_by_role("region", name="Letter earlier output")).to_have_text("Hi Ada")
    await shot(page, "known-then")
    await continued(page, "send", '"Hi Bob"')
    alert = page.get_by_role("alert").filter(has_text="The recorded answers end at send")
    reason = page.locator(".run-panel__error")
    await expect(reason).to_contain_text("expected 'Hi Ada', got 'Hi Bob'")
    await shot(page, "recorded-answers-end")
    assert len(server.heard("tools/call")) == 1
    await alert.get_by_role("button", name="Continue live").click()
    await expect(status).to_have_text("success")
    await expect(alert).to_have_count(0)
    await page.locator(".timeline__row", has_text="send").click()
    await expect(page.locator(".step-detail")).to_contain_text("sent twice")
    _, live = server.heard("tools/call")
    assert live["arguments"] == {"text": "Hi Bob"}


async def test_a_changed_node_continues_with_recorded_answers_and_stops_where_one_is_missing(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    server = ScriptedServer(tmp_path / "desk", a_tool("file"), a_tool("send"))
    await approved(page, studio, "desk", server)
    document = drawn(
        "redrawn",
        calling("file", "desk", "file", text="Ada"),
        {"id": "letter", "type": "prompt", "name": "Letter", "data": {"prompt": "Dear Ada"}},
        calling("send", "desk", "send", text="{{ data }}"),
    )
    await studio.ask(page, "PUT", "/api/v1/workflows/redrawn", {"document": document})
    await page.goto(f"{studio.url}/#/w/redrawn")
    await page.locator(".react-flow__node[data-id=letter]").wait_for()
    await page.keyboard.press("Control+Enter")
    status = page.locator(".run-panel__head .badge").first
    await expect(status).to_have_text("success")
    assert len(server.heard("tools/call")) == 2
    await page.locator(".react-flow__node[data-id=letter]").click()
    await box(page, "Text").fill("Hello Ada")
    await page.locator(".timeline__row", has_text="file").click()
    await page.get_by_role("button", name="Re-run from here").click()
    dialog = page.get_by_role("dialog", name="Re-run from file")
    await expect(dialog).to_contain_text("as they are on the canvas now")
    await dialog.get_by_role("checkbox", name="Use recorded answers").check()
    await dialog.get_by_role("button", name="Run from here", exact=True).click()
    alert = page.get_by_role("alert").filter(has_text="The recorded answers end at send")
    await expect(alert).to_be_visible()
    reason = page.locator(".run-panel__error")
    await expect(reason).to_contain_text("expected 'Dear Ada', got 'Hello Ada'")
    await alert.get_by_role("button", name="Stop here").click()
    await expect(alert).to_have_count(0)
    await expect(status).to_have_text("failed")
    await page.locator(".timeline__row", has_text="Letter").click()
    await expect(page.locator(".step-detail")).to_contain_text("Hello Ada")
    assert len(server.heard("tools/call")) == 2  # the answer of `file` was recorded


async def continued(page: Page, step: str, value: str) -> None:
    """Run again from a step with another input and recorded answers."""
    await page.get_by_role("button", name="Re-run from here").click()
    dialog = page.get_by_role("dialog", name=f"Re-run from {step}")
    field = dialog.get_by_role("textbox", name="Input")
    await expect(field).to_have_text('"Hi Ada"')
    await field.fill(value)
    await dialog.get_by_role("checkbox", name="Use recorded answers").check()
    await dialog.get_by_role("button", name="Run from here", exact=True).click()
