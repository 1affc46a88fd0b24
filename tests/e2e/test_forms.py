"""The inspector's form and modes, in a real browser against a real service and its demo server."""

import re
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Locator, Page, Route, expect

from e2e.fields import box
from e2e.studio import WHOLE, Studio, shot
from rest.drawn import drawn

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


OLD = "2020-01-01T00:00:00.000Z"


async def opened(page: Page, studio: Studio, name: str, data: dict[str, Any]) -> Locator:
    """Store a workflow with one MCP node of the demo server, and open its inspector."""
    sample = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    node = {"id": "call", "type": "mcp", "name": "call", "data": data}
    node["data"] = {"serverId": sample["server"], "parameterValues": {}, **data}
    document = drawn(name, node)
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    await page.goto(f"{studio.url}/#/w/{name}")
    await page.locator(".react-flow__node[data-id=call]").click()
    return page.locator(".inspector")


def tool(name: str, **more: Any) -> dict[str, Any]:
    """The data of a node that calls a tool."""
    return {"toolName": name, "toolDescription": "", "parameters": [], "mode": "detailed", **more}


async def saved(page: Page, studio: Studio, name: str) -> dict[str, Any]:
    """Save, and give the node's data as it is stored."""
    async with page.expect_response(lambda answer: answer.request.method == "PUT"):
        await page.keyboard.press("Control+s")
    await expect(page.locator(".editor__bar .badge").first).to_have_text("saved")
    kept = cast("Any", await studio.ask(page, "GET", f"/api/v1/workflows/{name}"))
    checked = await studio.ask(
        page, "POST", "/api/v1/edit/validate", {"document": kept["document"]}
    )
    assert cast("Any", checked)["valid"]
    return next(node["data"] for node in kept["document"]["nodes"] if node["id"] == "call")


@pytest.mark.requirement("001:FR-007")
@pytest.mark.requirement("001:FR-009")
@pytest.mark.requirement("001:ui.form.array")
@pytest.mark.requirement("001:ui.form.enum")
@pytest.mark.requirement("001:ui.form.object")
@pytest.mark.requirement("001:ui.form.nested")
@pytest.mark.requirement("001:ui.form.save")
async def test_a_nested_schema_is_configured_in_the_form(page: Page, studio: Studio) -> None:
    form = await opened(page, studio, "order", tool("make_order"))
    await expect(form.get_by_text("How soon it should go out.")).to_be_visible()
    await form.get_by_role("combobox", name="Name", exact=True).fill("Ada")
    await box(form, "street").fill("Main Street 1")
    await box(form, "city").fill("London")
    await box(form, "country").fill("GB")
    await form.get_by_role("button", name="Address required").click()
    await expect(box(form, "street")).to_have_count(0)
    await form.get_by_role("button", name="Address required").click()
    await expect(box(form, "street")).to_have_value("Main Street 1")
    for number, sku in ((1, "AB-1234"), (2, "CD-5678")):
        await form.get_by_role("button", name="Add to items").click()
        await expect(box(form, "sku")).to_have_count(number)
        await box(form, "sku").last.fill(sku)
        await box(form, "unit_price").last.fill("9.5")
    await form.get_by_role("button", name="Remove items 1").click()
    await expect(box(form, "sku")).to_have_value("CD-5678")
    await form.get_by_role("combobox", name="Payment", exact=True).select_option(label="invoice")
    await box(form, "reference").fill("A-1")
    await form.get_by_role("combobox", name="priority").select_option(label="high")
    await form.get_by_role("button", name="Null for note").click()
    await form.locator(".fold__title", has_text="labels").click()
    await form.get_by_role("button", name="Add an entry to labels").click()
    await form.get_by_label("Name of entry key1").fill("gift")
    await form.get_by_label("Name of entry key1").press("Tab")
    await expect(form.get_by_label("Name of entry gift")).to_be_visible()
    await form.get_by_role("combobox", name="gift").select_option(label="boolean")
    await shot(page, "form-nested")
    await expect(form.locator(".field__fault")).to_have_count(0)
    kept = await saved(page, studio, "order")
    assert kept["parameterValues"] == {
        "customer": {
            "name": "Ada",
            "address": {"street": "Main Street 1", "city": "London", "country": "GB"},
        },
        "items": [{"sku": "CD-5678", "unit_price": 9.5}],
        "payment": {"method": "invoice", "reference": "A-1"},
        "priority": "high",
        "note": None,
        "labels": {"gift": False},
    }


@pytest.mark.requirement("001:ui.form.live-check")
@pytest.mark.requirement("001:ui.form.refuse")
@pytest.mark.requirement("001:ui.node.invalid-usable")
async def test_wrong_values_are_told_at_their_field_and_a_step_is_undone_whole(
    page: Page, studio: Studio
) -> None:
    form = await opened(page, studio, "forecast", tool("weather"))
    node = page.locator(".react-flow__node[data-id=call]")
    city = form.locator(".param", has_text="City")
    await expect(node.locator(".step__mark--bad")).to_be_visible()
    await expect(city.locator(".field__fault")).to_have_count(0)  # nobody touched it yet
    await box(form, "city").fill("O")
    await box(form, "city").fill("")
    await expect(city.locator(".field__fault")).to_have_text("Enter a value for City")
    await box(form, "city").press_sequentially("Oslo")
    await expect(city.locator(".field__fault")).to_have_count(0)
    days = box(form, "days")
    await days.fill("3")
    await days.fill("many")
    await expect(form.get_by_text("Not valid: a number is expected")).to_be_visible()
    await shot(page, "form-wrong")
    await page.keyboard.press("Control+s")
    notice = page.get_by_text("Not saved: many is not valid, a number is expected")
    await expect(notice).to_be_visible()
    await page.locator(".react-flow__node[data-id=end]").click()
    await node.click()
    await expect(days).to_have_value("many")
    await days.fill("99")
    await expect(form.get_by_text("Not valid: at most")).to_be_visible()
    await page.keyboard.press("Control+s")
    await expect(page.get_by_text("Not saved: 99 is not valid")).to_be_visible()
    await days.fill("3")
    kept = await saved(page, studio, "forecast")
    assert kept["parameterValues"] == {"city": "Oslo", "days": 3}
    await form.get_by_role("button", name="Expression for days").click()
    await days.fill("{{ trigger.days }}")
    await box(form, "city").fill("")
    await expect(node.locator(".step__mark--bad")).to_be_visible()
    await page.get_by_role("button", name="Undo").click()
    await expect(box(form, "city")).to_have_value("Oslo")
    kept = await saved(page, studio, "forecast")
    assert kept["parameterValues"] == {"city": "Oslo", "days": "{{ trigger.days }}"}


@pytest.mark.requirement("000:ui.mode-selection")
@pytest.mark.requirement("000:ui.select-tool")
@pytest.mark.requirement("000:ui.stale-tools")
async def test_modes_are_switched_there_and_back_without_losing_a_value(
    page: Page, studio: Studio
) -> None:
    snapshot: dict[str, Any] = {
        "serverId": "demo",
        "name": "weather",
        "description": "",
        "parameters": [],
    }
    config: dict[str, Any] = {
        "taskDescription": "Say",
        "availableTools": [snapshot],
        "timestamp": OLD,
    }
    values = {"parameterValues": {"city": "Oslo"}, "timestamp": OLD, "toolName": "weather"}
    data = tool("", mode="fullNaturalLanguage", fullNaturalLanguageConfig=config)
    form = await opened(
        page, studio, "modes", data | {"preservedDetailedConfig": values, "toolDescription": ""}
    )
    await expect(form.get_by_text("Tool list may be outdated")).to_be_visible()
    await expect(form.get_by_text("3 of 10,000 characters, at least 20")).to_be_visible()
    await shot(page, "mode-stale")
    await page.keyboard.press("Control+s")
    await expect(page.get_by_text("Not saved: Natural language description is too")).to_be_visible()
    await form.get_by_role("button", name="Refresh the tools").click()
    await expect(form.get_by_text("Tool list may be outdated")).to_have_count(0)
    await form.get_by_role("button", name="Tools (1 of").click()
    await form.get_by_role("list", name="Tools to choose from").get_by_label("greet").check()
    await shot(page, "mode-tools")
    await form.get_by_role("button", name="Use 2 tools").click()
    await expect(form.get_by_role("button", name="Tools (2 of")).to_be_visible()
    await form.get_by_label("Task", exact=True).fill("Say what the weather in Oslo is like")
    await form.get_by_label("Manual").check()
    await expect(form.get_by_label("Choose a tool")).to_have_value("weather")
    await form.get_by_role("button", name="Use this tool").click()
    await expect(box(form, "city")).to_have_value("Oslo")
    await form.get_by_label("Describe values (AI)").check()
    await form.get_by_label("What the tool should do").fill("The weather in Rome")
    await expect(form.get_by_text("19 of 10,000 characters")).to_be_visible()
    await form.get_by_label("Manual").check()
    await expect(box(form, "city")).to_have_value("Oslo")
    await form.get_by_label("Describe values (AI)").check()
    await expect(form.get_by_label("What the tool should do")).to_have_value("The weather in Rome")
    await form.get_by_label("Describe task (AI)").check()
    await expect(form.get_by_label("Task", exact=True)).to_have_value(
        "Say what the weather in Oslo is like"
    )
    # A choice is stored by the service; until then another one can be made, with keys as well.
    answers = anyio.Event()

    async def hold(route: Route) -> None:
        await answers.wait()
        await route.continue_()

    await form.get_by_label("Manual").check()
    await page.route("**/api/v1/edit/mode", hold)
    await form.get_by_role("button", name="Use this tool").click()
    await form.get_by_label("Describe values (AI)").check()
    await page.keyboard.press("ArrowRight")
    await expect(form.get_by_label("Describe task (AI)")).to_be_focused()
    answers.set()
    await expect(form.get_by_label("Task", exact=True)).to_be_editable()
    await expect(form.get_by_label("Describe task (AI)")).to_be_checked()
    await expect(form.get_by_label("Describe task (AI)")).to_be_focused()
    kept = await saved(page, studio, "modes")
    assert kept["mode"] == "fullNaturalLanguage"
    listed = kept["fullNaturalLanguageConfig"]["availableTools"]
    assert {one["name"] for one in listed} == {"greet", "weather"}
    assert kept["preservedDetailedConfig"]["parameterValues"] == {"city": "Oslo"}


async def test_only_the_fields_that_apply_are_shown_and_a_hidden_value_is_reported(
    page: Page, studio: Studio
) -> None:
    data = {"subtype": "SPLIT", "configurations": {"split_by": "size", "size": 4}}
    split = {"id": "split", "type": "FLOW", "name": "Split", "data": data}
    slack = {"subtype": "SLACK", "configurations": {"channel": "#general"}}
    asked: dict[str, Any] = {"subtype": "OPENAI_CHATGPT", "configurations": {}}
    document = drawn(
        "applies",
        split,
        {"id": "post", "type": "EXTERNAL_ACTION", "name": "Post", "data": slack},
        {"id": "ask", "type": "AI_AGENT", "name": "Ask", "data": asked},
    )
    await studio.ask(page, "PUT", "/api/v1/workflows/applies", {"document": document})
    await page.goto(f"{studio.url}/#/w/applies")
    # The last node is out of view at first. Playwright scrolls to what it clicks, which the canvas
    # undoes, and the click may meet another node.
    await page.get_by_role("button", name="Show all").click()
    await expect(page.locator(".react-flow__node[data-id=ask]")).to_be_in_viewport(ratio=WHOLE)
    await page.locator(".react-flow__node[data-id=split]").click()
    form = page.get_by_role("complementary", name="Inspector")
    size, parts = form.get_by_label("Size", exact=True), form.get_by_label("Parts", exact=True)
    await expect(size).to_have_value("4")
    assert await parts.count() == 0
    split_by = form.get_by_role("combobox", name=re.compile("^Split by"))
    await split_by.select_option("Parts")
    await expect(parts).to_be_visible()
    await expect(size).to_have_count(0)
    # It comes back with its value, and until then is not forgotten.
    await expect(form.get_by_text("Not used with the chosen settings")).to_contain_text("Size")
    await split_by.select_option("Size")
    await expect(size).to_have_value("4")
    await expect(form.get_by_text("Not used with the chosen settings")).to_have_count(0)
    # The input over the connection is seldom set: it is folded. A message and a prompt are not.
    inputs = form.get_by_role("button", name="Inputs", exact=True)
    await expect(inputs).to_have_attribute("aria-expanded", "false")
    await page.locator(".react-flow__node[data-id=post]").click()
    await expect(form.get_by_label("Name", exact=True)).to_have_value("Post")
    await expect(box(form, "message")).to_be_visible()
    await box(form, "message").fill("Hi")
    await box(form, "message").fill("")
    message = form.locator(".param", has=box(page, "message"))
    await expect(message.locator(".field__fault")).to_have_text("Enter a value for Message")
    await page.locator(".react-flow__node[data-id=ask]").click()
    await expect(form.get_by_label("Name", exact=True)).to_have_value("Ask")
    await expect(form.get_by_role("button", name="Inputs", exact=True)).to_be_visible()
    sections = await form.locator(".fold__title").all_inner_texts()
    assert [title.lstrip("▾▸ \n") for title in sections[:2]] == ["Inputs", "Settings"]
