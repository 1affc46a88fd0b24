"""Expression fields: what can be named comes up as it is typed, what it gives stands below."""

from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from e2e.fields import box
from e2e.studio import Studio, shot
from rest.drawn import drawn
from servers.rooms import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


def workflow(name: str, server: str) -> dict[str, Any]:
    """The weather of a city, then a sentence and a decision about it."""
    data: dict[str, Any] = {
        "serverId": server,
        "toolName": "weather",
        "mode": "detailed",
        "parameters": [],
    }
    data |= {"toolDescription": "", "parameterValues": {}}
    made = drawn(
        name,
        {"id": "get", "type": "mcp", "name": "get", "data": data},
        {"id": "say", "type": "prompt", "name": "Say", "data": {"prompt": "."}},
        {
            "id": "check",
            "type": "FLOW",
            "name": "Check",
            "data": {"subtype": "IF", "configurations": {"condition_expression": "true"}},
        },
    )
    made["connections"][-1]["fromPort"] = "true"
    properties = {"city": {"type": "string", "default": "Oslo"}}
    return {**made, "inputSchema": {"type": "object", "properties": properties}}


async def chosen(page: Page, node: str) -> Locator:
    selected = page.locator(f".react-flow__node.selected[data-id={node}]")

    async def is_selected() -> bool:
        # A panel that opens moves the canvas, perhaps away from the pointer.
        await page.locator(f".react-flow__node[data-id={node}]").click()
        return await selected.count() == 1

    await eventually(is_selected)
    return page.locator(".inspector")


async def test_an_expression_is_completed_by_keyboard_and_tried_with_the_last_run(
    page: Page, studio: Studio
) -> None:
    sample = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    document = workflow("weather-words", sample["server"])
    await studio.ask(page, "PUT", "/api/v1/workflows/weather-words", {"document": document})
    await page.goto(f"{studio.url}/#/w/weather-words")
    form = await chosen(page, "get")
    city = box(form, "city")
    names = form.get_by_role("listbox", name="Suggestions")
    await city.press_sequentially("{{ trigger.c")
    option = names.get_by_role("option", name="trigger.city")
    await expect(option).to_have_attribute("aria-selected", "true")
    # The editor took the place of the field while it was typed in.
    await expect(city).to_be_focused()
    await expect(city).to_have_attribute("aria-multiline", "false")
    with anyio.fail_after(60):
        # A list that is asked for again just now takes no keys.
        while await city.inner_text() != "{{ trigger.city }}":
            await city.press("Enter")
    await expect(names).to_have_count(0)
    await expect(form.get_by_text("No run yet")).to_be_visible()
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".run-panel__head .badge")).to_have_text("success")
    await expect(form.locator(".preview__value")).to_have_text("Oslo")
    await names_of_outputs_are_offered(page)
    await a_condition_is_tried_and_faults_have_a_place(page)
    await page.get_by_role("button", name="Undo").click()
    await expect(form.locator(".preview__fault")).to_have_count(0)
    runs = cast("Any", await studio.ask(page, "GET", "/api/v1/runs?workflow=weather-words"))
    assert len(runs["runs"]) == 1  # trying runs nothing


async def names_of_outputs_are_offered(page: Page) -> None:
    form = await chosen(page, "say")
    text = box(form, "text")
    names = form.get_by_role("listbox", name="Suggestions")
    await text.fill("")
    await text.press_sequentially("In {{high")
    await expect(names.get_by_role("option").first).to_contain_text("data.days[0].high_c")
    await expect(names.get_by_role("option").first).to_contain_text("number")
    await shot(page, "expression-names")
    await text.press("Escape")
    await expect(names).to_have_count(0)
    await text.press("Control+Space")
    await expect(names.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    await text.press("ArrowDown")
    await text.press("ArrowUp")
    await text.press("Enter")
    await text.press("End")
    await expect(text).to_have_text("In {{ data.days[0].high_c }}")
    await expect(form.locator(".preview__value")).to_contain_text("In ")
    await expect(form.locator(".preview__value")).not_to_contain_text("{{")
    # A prompt inserts values by name; anything else would be sent as it is written.
    warning = form.get_by_text("is kept as text")
    assert await warning.count() == 0
    await text.fill("Twice {{ data.days[0].high_c * 2 }}")
    await expect(warning).to_contain_text("{{ data.days[0].high_c * 2 }}")


async def a_condition_is_tried_and_faults_have_a_place(page: Page) -> None:
    form = await chosen(page, "check")
    condition = box(form, "Condition expression")
    await condition.fill("nodes.get.output.city == 'Oslo'")
    await expect(form.locator(".preview__value")).to_have_text("true")
    await condition.fill("nodes.get.output.nothing > 1")
    await expect(form.locator(".preview__place mark")).to_be_visible()
    await shot(page, "expression-fault")
