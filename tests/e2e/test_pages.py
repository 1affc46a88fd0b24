"""The pages beside the editor: what waits for a person, and what is managed."""

from typing import Any, cast

import pytest
from playwright.async_api import Page, expect

from e2e.studio import Studio, shot
from e2e.test_access import EVERYTHING, findings
from rest.drawn import greeting

pytestmark = pytest.mark.anyio

FORM: dict[str, Any] = {
    "form_title": "Boxes for <b>Ada</b> **today**",
    "form_schema": {
        "type": "object",
        "properties": {
            "boxes": {"type": "integer", "title": "Boxes", "minimum": 1},
            "size": {"type": "string", "title": "Size", "enum": ["small", "large"]},
            "fast": {"type": "boolean", "title": "In a hurry"},
        },
        "required": ["boxes", "size"],
    },
    "people": ["ada", "grace"],
}
ASKING: dict[str, Any] = {
    "toolweave": 1,
    "name": "ask",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "ask",
            "type": "HUMAN_IN_THE_LOOP",
            "data": {"subtype": "FORM", "configurations": FORM},
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "ask"}],
}


async def test_a_question_is_answered_by_its_form_and_the_run_goes_on(
    page: Page, studio: Studio
) -> None:
    await page.goto(f"{studio.url}/#/inbox")
    await expect(page.get_by_role("heading", name="Nothing to answer")).to_be_visible()
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", {"document": ASKING}))
    await expect(page.locator(".rail__count")).to_contain_text("1")
    card = page.get_by_role("region", name="Question")
    asked = card.locator(".question__text")
    await expect(asked).to_contain_text("Boxes for <b>Ada</b>")
    await expect(asked.locator("strong")).to_have_text("today")
    await expect(asked).not_to_contain_text("**")
    await expect(card.get_by_text("contains HTML")).to_be_visible()
    await card.get_by_label("Size").select_option("large")
    await card.get_by_role("button", name="Send answer").click()
    await expect(card.locator(".field__fault")).to_have_text("Required.")
    await card.get_by_label("Boxes").fill("0")
    await card.get_by_role("button", name="Send answer").click()
    await expect(card.get_by_role("alert")).to_be_visible()
    await shot(page, "inbox")
    await card.get_by_label("Boxes").fill("3")
    await card.get_by_label("In a hurry").check()
    await card.get_by_label("Answer as").select_option("grace")
    await card.get_by_role("button", name="Send answer").click()
    await expect(page.get_by_role("heading", name="Nothing to answer")).to_be_visible()
    await expect(page.locator(".rail__count")).to_have_count(0)
    await page.goto(f"{studio.url}/#/runs/{run['id']}")
    await expect(page.locator(".run-panel__head .badge")).to_have_text("success")
    whole = cast("Any", await studio.ask(page, "GET", f"/api/v1/runs/{run['id']}"))
    given = next(step["value"] for step in whole["steps"] if step["key"] == "ask")
    assert given["form_data"] == {"boxes": 3, "size": "large", "fast": True}
    # The page of a run that waits has the question as well, before anything is selected.
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", {"document": ASKING}))
    await page.goto(f"{studio.url}/#/runs/{run['id']}")
    panel = page.get_by_role("region", name="Run", exact=True)
    await expect(panel.get_by_role("region", name="Question")).to_contain_text("Boxes for")
    assert await findings(page, EVERYTHING) == []
    async with page.expect_response("**/api/v1/edit/trigger") as described:
        await page.locator(".react-flow__node[data-id=t]").click()
    # The workflow of this run has no name.
    assert (await described.value).ok
    await expect(page.get_by_role("heading", level=1)).to_have_text("Run of untitled")
    await panel.get_by_role("button", name="Answer", exact=True).click()
    await panel.get_by_label("Boxes").fill("2")
    await panel.get_by_label("Size").select_option("large")
    await panel.get_by_role("button", name="Send answer").click()
    await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
    # On a small screen the run comes before the canvas.
    await page.set_viewport_size({"width": 390, "height": 844})
    run_box, canvas_box = [
        await page.locator(part).bounding_box() for part in (".run-panel", ".editor__canvas")
    ]
    assert run_box is not None
    assert canvas_box is not None
    assert run_box["y"] < canvas_box["y"]


async def test_a_workflow_is_published_and_taken_back(page: Page, studio: Studio) -> None:
    await studio.ask(page, "PUT", "/api/v1/workflows/hello", {"document": greeting("hello")})
    await page.goto(f"{studio.url}/#/manage/published")
    await expect(page.get_by_role("heading", name="No published tools yet")).to_be_visible()
    await page.get_by_role("button", name="Publish a workflow").click()
    await page.get_by_label("Workflow", exact=True).select_option("hello")
    await page.get_by_role("button", name="Publish a workflow").click()
    table = page.get_by_role("table", name="Published tools")
    await expect(table.get_by_role("row", name="hello")).to_be_visible()
    await page.get_by_role("button", name="Unpublish hello").click()
    await page.get_by_role("dialog").get_by_role("button", name="Unpublish").click()
    await expect(page.get_by_role("heading", name="No published tools yet")).to_be_visible()
    assert await studio.ask(page, "GET", "/api/v1/published") == {"published": []}


async def test_a_model_is_added_and_its_key_is_never_shown(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/manage")
    await page.get_by_role("button", name="Add a model", exact=True).click()
    form = page.get_by_role("form", name="Add a model")
    await form.get_by_label("Name").fill("mine")
    await form.get_by_label("Provider").select_option("compatible")
    await form.get_by_label("Model", exact=True).fill("small")
    await form.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    await form.get_by_label("Key").fill("sk-of-nobody")
    await form.get_by_role("button", name="Add a model").click()
    row = page.get_by_role("table", name="Models").get_by_role("row", name="mine")
    await expect(row).to_contain_text("in the vault")
    await expect(form).to_have_count(0)
    await shot(page, "manage-models")
    assert "sk-of-nobody" not in await page.content()
    for section, missing in (("Library", "No libraries yet"), ("Documents", "No documents yet")):
        await page.get_by_role("tab", name=section).click()
        await expect(page.get_by_role("heading", name=missing)).to_be_visible()
    await page.get_by_role("tab", name="Models").click()
    await page.get_by_role("button", name="Remove mine").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(row).to_have_count(0)
