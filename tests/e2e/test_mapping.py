"""Values of the input in rows of conditions and maps and in JSON: added to what is there."""

import json
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from e2e.fields import box
from e2e.hands import Hands
from e2e.studio import WHOLE, Studio, shot
from rest.drawn import drawn
from rest.test_pinned_data import pinned

pytestmark = pytest.mark.anyio

NOTE = json.dumps({"inner": {"deep": 3}, "more": "x" * 200})
OUTPUT: dict[str, Any] = {"level": 7, "name": "Ada", "note": NOTE}


def mapped(name: str) -> dict[str, Any]:
    """A pinned output, a request that sends it, and a condition about it."""
    source = {"subtype": "HTTP_REQUEST", "configurations": {"url": "https://example.org"}}
    request = {
        "subtype": "HTTP_REQUEST",
        "configurations": {"method": "POST", "headers": {"Accept": "text/plain"}},
    }
    document = drawn(
        name,
        {"id": "source", "type": "ACTION", "name": "Source", "data": source},
        {"id": "check", "type": "FLOW", "name": "Check", "data": {"subtype": "IF"}},
        {"id": "send", "type": "ACTION", "name": "Send", "data": request},
    )
    document["connections"][2]["fromPort"] = "true"
    document["connections"].append({"id": "direct", "from": "source", "to": "send"})
    return pinned(document, source={"output": OUTPUT})


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def opened(page: Page, studio: Studio, name: str, node: str) -> Locator:
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": mapped(name)})
    await page.goto(f"{studio.url}/#/w/{name}")
    return await view_of(page, node)


async def view_of(page: Page, node: str) -> Locator:
    drawn_node = page.locator(f".react-flow__node[data-id={node}]")
    await expect(drawn_node).to_be_in_viewport(ratio=WHOLE)
    await drawn_node.dblclick()
    view = page.get_by_role("dialog")
    await expect(view.get_by_role("tree", name="Input")).to_be_visible()
    return view


def value(view: Locator, name: str) -> Locator:
    return view.get_by_role("tree", name="Input").get_by_role("treeitem", name=name).first


async def test_conditions_are_mapped_with_the_mouse_and_survive_the_switch(
    page: Page, studio: Studio
) -> None:
    view = await opened(page, studio, "mapped-conditions", "check")
    # However long the text is, its mark can be read.
    mark = view.get_by_role("tree", name="Input").get_by_text("JSON in text")
    await expect(mark.first).to_be_in_viewport(ratio=WHOLE)
    rows = view.get_by_role("group", name="Condition expression", exact=True)
    await rows.get_by_label("Condition 1: field").click()
    await value(view, "level 7").click()
    await rows.get_by_label("Condition 1: operator").select_option("is greater than")
    # It is compared with a number; until that is entered, there is no result and no fault.
    await expect(rows.get_by_label("Condition 1: kind of value")).to_have_value("other")
    await expect(rows).to_contain_text("Enter a value to compare with")
    await expect(rows.locator(".preview__fault")).to_have_count(0)
    await rows.get_by_label("Condition 1: value", exact=True).click()
    await page.keyboard.type("-5")
    await expect(rows.locator(".preview__value")).to_have_text("true")
    # A new row has the focus, so that a click on a value fills that row.
    await rows.get_by_role("button", name="Add condition").click()
    await expect(rows.get_by_label("Condition 2: field")).to_be_focused()
    await view.get_by_role("searchbox", name="Search the input").fill("deep")
    await value(view, "deep 3").click()
    await expect(rows.get_by_label("Condition 2: field")).to_have_value(
        "data.note.parseJson().inner.deep"
    )
    await rows.get_by_label("Condition 2: value", exact=True).fill("3")
    await expect(rows.locator(".field__fault")).to_have_count(0)
    await view.get_by_role("button", name="Expression", exact=True).click()
    await expect(box(view, "Condition expression")).to_have_text(
        "data.level > -5 && data.note.parseJson().inner.deep == 3"
    )
    await view.get_by_role("button", name="Rows", exact=True).click()
    await expect(rows.get_by_label("Condition 2: field")).to_have_value(
        "data.note.parseJson().inner.deep"
    )
    # What rows cannot show is not shown as empty rows.
    await rows.get_by_label("Condition 2: field").fill("data.")
    await view.get_by_role("button", name="Expression", exact=True).click()
    await expect(view.get_by_role("button", name="Rows", exact=True)).to_be_disabled()
    assert await rows.count() == 0


async def test_conditions_are_built_with_the_keyboard_alone(page: Page, studio: Studio) -> None:
    name = "keyed-conditions"
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": mapped(name)})
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(page.locator(".react-flow__node[data-id=check]")).to_be_visible()
    await Hands(page).find("Check")
    await page.keyboard.press("Enter")
    view = page.get_by_role("dialog")
    rows = view.get_by_role("group", name="Condition expression", exact=True)
    await tab_to(page, rows.get_by_label("Condition 1: field"))
    await page.keyboard.press("Alt+i")
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowDown")
    await expect(value(view, "level 7")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(rows.get_by_label("Condition 1: field")).to_have_value("data.level")
    await tab_to(page, rows.get_by_label("Condition 1: operator"))
    await page.keyboard.type("is greater t")
    await tab_to(page, rows.get_by_label("Condition 1: value", exact=True))
    await page.keyboard.type("5")
    await expect(rows.locator(".preview__value")).to_have_text("true")
    await tab_to(page, rows.get_by_role("button", name="Add condition"))
    await page.keyboard.press("Enter")
    field = rows.get_by_label("Condition 2: field")
    await expect(field).to_be_focused()
    # A value within JSON that a tool returned as text.
    await tab_to(page, view.get_by_role("searchbox", name="Search the input"), back=True)
    await page.keyboard.type("deep")
    await expect(value(view, "deep 3")).to_be_visible()
    await tab_to(page, view.get_by_role("tab", name="Tree"))
    await page.keyboard.press("Tab")
    await Hands(page).until("ArrowDown", "#deep")
    await page.keyboard.press("Enter")
    await expect(field).to_have_value("data.note.parseJson().inner.deep")
    await expect(field).to_be_focused()
    await tab_to(page, rows.get_by_label("Condition 2: value", exact=True))
    await page.keyboard.type("4")
    await expect(rows.locator(".preview__value")).to_have_text("false")
    await tab_to(page, rows.get_by_label("Condition: all or any"), back=True)
    await page.keyboard.press("ArrowDown")
    await expect(rows.locator(".preview__value")).to_have_text("true")
    await tab_to(page, view.get_by_role("button", name="Expression", exact=True), back=True)
    await page.keyboard.press("Enter")
    await expect(box(view, "Condition expression")).to_have_text(
        "data.level > 5 || data.note.parseJson().inner.deep == 4"
    )
    assert await rows.count() == 0
    # The step alone, on an input that is typed.
    output = view.get_by_role("region", name="Output", exact=True)
    await tab_to(page, output.get_by_role("button", name="Edit its input"))
    await page.keyboard.press("Enter")
    await expect(view.get_by_label("Input of this step, as JSON")).to_be_visible()
    await Hands(page).reach("Input of this step, as JSON")
    await page.keyboard.press("Control+a")
    await page.keyboard.insert_text(json.dumps({"level": 1, "note": '{"inner": {"deep": 5}}'}))
    await Hands(page).until("Shift+Tab", "Run step")
    await page.keyboard.press("Enter")
    await expect(output.locator(".badge")).to_have_text("false")


async def tab_to(page: Page, target: Locator, *, back: bool = False) -> None:
    """Press Tab until something has the focus."""
    await expect(target).to_be_visible()
    for _ in range(80):
        if await target.evaluate("one => one === document.activeElement"):
            return
        await page.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError("it cannot be reached with Tab")


async def test_maps_and_json_take_a_value_where_the_caret_is(page: Page, studio: Studio) -> None:
    view = await opened(page, studio, "mapped-maps", "send")
    headers = view.get_by_role("group", name="Headers", exact=True)
    accept = box(headers, "headers: value of Accept")
    await accept.click()
    await page.keyboard.press("Home")
    await expect(view.get_by_text("the value of Accept")).to_be_visible()
    await value(view, "name Ada").click()
    await expect(accept).to_have_text("{{ data.name }}text/plain")
    await expect(accept).to_be_focused()
    await headers.get_by_role("button", name="Add to headers").click()
    await page.keyboard.type("X-Level")
    level = box(headers, "headers: value of X-Level")
    await value(view, "level 7").drag_to(level)
    await expect(level).to_have_text("{{ data.level }}")
    await shot(page, "map-mapped")
    body = box(view, "body")
    await body.fill('{"who": ""}')
    await body.press("ArrowLeft")
    await body.press("ArrowLeft")
    await value(view, "name Ada").click()
    await expect(body).to_have_value('{"who": "{{ data.name }}"}')
    # With the keyboard alone: into the tree, and back to the field with the value.
    await body.fill('{"level": }')
    await body.press("ArrowLeft")
    await page.keyboard.press("Alt+i")
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowDown")
    await expect(value(view, "level 7")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(body).to_have_value('{"level": "{{ data.level }}"}')
    await expect(body).to_be_focused()
    assert await accept.inner_text() == "{{ data.name }}text/plain"
