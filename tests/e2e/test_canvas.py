"""The canvas: the node search where the pointer is, what a run passed on, sub-workflows, zoom."""

from contextlib import suppress
from typing import Any, cast

import pytest
from playwright.async_api import FloatRect, Locator, Page, TimeoutError, expect

from e2e.hands import Hands
from e2e.studio import WHOLE, Studio, shot
from rest.drawn import drawn, greeting
from servers.rooms import eventually

pytestmark = pytest.mark.anyio

ZOOM = (
    "() => new DOMMatrix(getComputedStyle("
    "document.querySelector('.react-flow__viewport')).transform).a"
)


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def opened(page: Page, studio: Studio, document: dict[str, Any]) -> None:
    name = document["name"]
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(page.locator(".step").first).to_be_visible()


def node(page: Page, name: str) -> Locator:
    return page.locator(f".react-flow__node[data-id='{name}']")


def edge(page: Page, start: str, end: str) -> Locator:
    return page.locator(f".react-flow__edge[data-id='{start}-{end}']")


async def box_of(what: Locator) -> FloatRect:
    box = await what.bounding_box()
    assert box is not None
    return box


async def middle(what: Locator) -> tuple[float, float]:
    box = await box_of(what)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def press_on_edge(page: Page, wire: Locator, label: str) -> None:
    """Press a button that a connection shows while the pointer is over it."""
    button = page.get_by_role("button", name=label)

    async def is_shown() -> bool:
        x, y = await middle(wire)
        # The canvas may still move after an edit: come back until the pointer is over the line.
        await page.mouse.move(x, y + 40)
        await page.mouse.move(x, y)
        return await button.count() == 1

    await eventually(is_shown)
    await button.click()


async def add(page: Page, text: str) -> None:
    """Choose the best match of the search that is open."""
    search = page.get_by_role("dialog").get_by_role("combobox")
    await search.fill(text)
    await search.press("Enter")
    await expect(search).to_have_count(0)


async def add_by_keys(page: Page, text: str) -> None:
    search = page.get_by_role("dialog").get_by_role("combobox")
    await expect(search).to_be_focused()
    await page.keyboard.type(text)
    await page.keyboard.press("Enter")
    await expect(search).to_have_count(0)


async def test_the_search_opens_where_the_pointer_is_and_connects_what_is_chosen(
    page: Page, studio: Studio
) -> None:
    await opened(page, studio, greeting("in-context"))
    await page.get_by_role("button", name="Fit to view").click()
    wire = await box_of(edge(page, "greet", "end"))
    insert = page.get_by_role("button", name="Insert a node here")

    async def is_over_its_end() -> bool:
        # Where it can be dragged to another node, too.
        await page.mouse.move(wire["x"], wire["y"] - 60)
        await page.mouse.move(wire["x"] + wire["width"] * 0.8, wire["y"] + wire["height"] / 2)
        return await insert.count() == 1

    await eventually(is_over_its_end)
    await press_on_edge(page, edge(page, "greet", "end"), "Insert a node here")
    await shot(page, "canvas-search")
    await add(page, "delay")
    await expect(node(page, "delay")).to_be_in_viewport(ratio=WHOLE)
    await expect(edge(page, "greet", "delay")).to_be_attached()
    await expect(edge(page, "delay", "end")).to_be_attached()
    await expect(edge(page, "greet", "end")).to_have_count(0)
    # One step of the history, as a drop on an empty place is.
    await page.keyboard.press("Control+z")
    await page.get_by_role("button", name="Fit to view").click()
    await press_on_edge(page, edge(page, "start", "greet"), "Delete the connection")
    await expect(edge(page, "start", "greet")).to_have_count(0)
    await expect(edge(page, "greet", "end")).to_be_attached()
    port = node(page, "greet").locator(".step__port.source")
    canvas = await box_of(page.locator(".canvas"))
    empty = canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] - 60
    # A click on the port opens it as well, without a drag.
    await page.mouse.click(*await middle(port))
    await expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    await page.keyboard.press("Escape")
    await page.mouse.move(*await middle(port))
    await page.mouse.down()
    await page.mouse.move(*empty, steps=4)
    await page.mouse.up()
    await add(page, "if")
    await expect(edge(page, "greet", "if")).to_be_attached()
    # The port led to the end: the new node comes before it, and the data does not take both ways.
    await expect(edge(page, "if", "end")).to_be_attached()
    await expect(edge(page, "greet", "end")).to_have_count(0)
    await expect(node(page, "if")).to_be_in_viewport(ratio=WHOLE)
    await page.get_by_role("button", name="Fit to view").click()

    async def search_is_open() -> bool:
        # Until the view has moved, a node may be there.
        await page.mouse.dblclick(canvas["x"] + 30, canvas["y"] + 30)
        with suppress(TimeoutError):
            await page.get_by_role("dialog").get_by_role("combobox").wait_for(timeout=3_000)
            return True
        await page.keyboard.press("Escape")
        return False

    await eventually(search_is_open)
    await add(page, "wait")
    await expect(node(page, "wait")).to_be_in_viewport(ratio=WHOLE)
    await page.mouse.click(canvas["x"] + 30, canvas["y"] + canvas["height"] / 2, button="right")
    recent = page.get_by_role("dialog").get_by_role("option").first
    await expect(recent).to_contain_text("Wait")


async def test_a_switch_has_rows_and_a_port_for_each_case_and_a_menu(
    page: Page, studio: Studio
) -> None:
    await opened(page, studio, greeting("cases"))

    async def search_is_open() -> bool:
        # Until the first view is drawn, the connection may still move.
        await page.mouse.click(*await middle(edge(page, "greet", "end")), button="right")
        return await page.get_by_role("dialog").get_by_role("combobox").count() == 1

    await eventually(search_is_open)
    await add(page, "switch")
    await expect(edge(page, "greet", "switch")).to_be_attached()
    await expect(edge(page, "switch", "end")).to_be_attached()
    ports = node(page, "switch").locator(".step__out")
    await expect(ports).to_have_text(["case-0", "default"])
    inspector = page.get_by_role("complementary", name="Inspector")
    first = inspector.get_by_role("group", name="Condition", exact=True)
    await first.get_by_label("Condition 1: field").click()
    # Letter by letter: "data." alone is no condition, and the row stays.
    await page.keyboard.type("data.city")
    await expect(first.get_by_label("Condition 1: field")).to_have_value("data.city")
    await first.get_by_label("Condition 1: value", exact=True).fill("Oslo")
    await inspector.get_by_role("button", name="Add case").click()
    await expect(inspector.get_by_label("Condition 1: field").nth(1)).to_be_focused()
    await expect(ports).to_have_text(['data.city == "Oslo"', "case-1", "default"])
    await node(page, "switch").click(button="right")
    menu = page.get_by_role("menu", name="More actions")
    await menu.get_by_role("menuitem", name="Duplicate").click()
    # The copy is in view, beside the node.
    await expect(node(page, "switch-2")).to_be_in_viewport(ratio=WHOLE)
    await expect(node(page, "switch")).to_be_in_viewport()
    assert await page.get_by_role("dialog").count() == 0


async def test_a_node_is_inserted_with_the_keyboard_alone(page: Page, studio: Studio) -> None:
    await opened(page, studio, greeting("by-keys"))
    await Hands(page).find("Greet")
    await page.keyboard.press("Shift+A")
    await add_by_keys(page, "delay")
    await expect(edge(page, "greet", "delay")).to_be_attached()
    await expect(edge(page, "delay", "end")).to_be_attached()
    assert await edge(page, "greet", "end").count() == 0
    # Behind the last node as well, where there is no connection yet.
    await page.keyboard.press("Shift+C")
    await add_by_keys(page, "End")
    await expect(edge(page, "delay", "end")).to_have_count(0)
    await page.keyboard.press("Shift+A")
    await add_by_keys(page, "sort")
    await expect(edge(page, "delay", "sort")).to_be_attached()


async def test_a_run_leaves_items_and_marks_and_the_first_view_can_be_read(
    page: Page, studio: Studio
) -> None:
    document = greeting("counted")
    document["nodes"][-1]["position"] = {"x": 4_000, "y": 0}
    lost = {"id": "lost", "from": "start", "to": "greet", "fromPort": "gone"}
    document["connections"].append(lost)
    await opened(page, studio, document)
    assert await page.evaluate(ZOOM) >= 0.75
    await expect(node(page, "start")).to_be_in_viewport(ratio=WHOLE)
    await page.keyboard.press("1")
    assert await page.evaluate(ZOOM) >= 0.75
    await page.keyboard.press("0")
    await expect(node(page, "end")).to_be_in_viewport(ratio=WHOLE)
    assert await page.evaluate(ZOOM) < 0.75
    await expect(page.locator(".wire.is-invalid")).to_have_count(1)
    await studio.ask(page, "PUT", "/api/v1/workflows/plain", {"document": greeting("plain")})
    await page.goto(f"{studio.url}/#/w/plain?run")
    await expect(node(page, "greet").locator(".step__status--success")).to_be_visible()
    await expect(page.locator(".wire__label--items").first).to_contain_text("1")
    await shot(page, "canvas-run")


async def test_a_sub_workflow_opens_with_a_way_back(page: Page, studio: Studio) -> None:
    await opened(page, studio, greeting("inner"))
    data = {"subtype": "SUBWORKFLOW", "configurations": {"workflow": "inner"}}
    call = {"id": "call", "type": "FLOW", "name": "Greet them", "data": data}
    await opened(page, studio, drawn("outer", call))
    await expect(node(page, "call")).to_contain_text("inner")
    await node(page, "call").dblclick()
    await expect(page.get_by_role("textbox", name="Workflow name")).to_have_value("inner")
    await page.get_by_role("navigation", name="Breadcrumb").get_by_role("link").click()
    await expect(page.get_by_role("textbox", name="Workflow name")).to_have_value("outer")
    await expect(page.get_by_role("navigation", name="Breadcrumb")).to_have_count(0)
    await there_and_back_by_keys(Hands(page))
    # The control: another node has no workflow to open.
    await node(page, "start").dblclick()
    assert page.url.endswith("#/w/outer")


async def there_and_back_by_keys(hands: Hands) -> None:
    name = hands.page.get_by_role("textbox", name="Workflow name")
    await hands.find("Greet them")
    await hands.page.keyboard.press("o")
    await expect(name).to_have_value("inner")
    await hands.until("Tab", "outer")
    await hands.page.keyboard.press("Enter")
    await expect(name).to_have_value("outer")


CHAIN: dict[str, Any] = {
    "first": ("{{ trigger.who }}", 0),
    "second": ("{{ first.data.value }} and", 320),
    "third": ("{{ second.data.value }} {{ first.data.value }}", 640),
}


def chain(name: str) -> dict[str, Any]:
    """Three nodes of which each reads the one before, and the last one the first too."""
    nodes: list[dict[str, Any]] = [
        {
            "id": identity,
            "type": "ACTION",
            "name": identity,
            "position": {"x": x, "y": 0},
            "data": {
                "subtype": "SET_FIELDS",
                "configurations": {"set": {"value": text}},
                "inputParams": {"data": {}},
            },
        }
        for identity, (text, x) in CHAIN.items()
    ]
    return drawn(name, *nodes)


async def result_of(page: Page, studio: Studio, document: object) -> object:
    """What a run of a workflow gave at its end."""
    body = {"document": document, "inputs": {"who": "Ada"}}
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))
    found: list[object] = []

    async def is_over() -> bool:
        whole = cast("Any", await studio.ask(page, "GET", f"/api/v1/runs/{run['id']}"))
        found[:] = [step["value"] for step in whole["steps"] if step["key"] == "end"]
        return bool(found and found[0])

    await eventually(is_over)
    return found[0]


async def test_a_selection_is_extracted_to_a_sub_workflow_and_undone_in_one_step(
    page: Page, studio: Studio
) -> None:
    document = chain("whole")
    before = await result_of(page, studio, document)
    await opened(page, studio, document)
    await page.get_by_role("button", name="Fit to view").click()
    await node(page, "first").click()
    await node(page, "second").click(modifiers=["Shift"])
    inspector = page.get_by_role("complementary", name="Inspector")
    await expect(inspector).to_contain_text("2 nodes selected")
    await inspector.get_by_role("button", name="Extract to a sub-workflow…").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name of the new workflow").fill("whole")
    await dialog.get_by_role("button", name="Extract 2 nodes").click()
    # That one exists: nothing was changed.
    await expect(dialog.get_by_role("alert")).to_contain_text("already")
    await dialog.get_by_label("Name of the new workflow").fill("the beginning")
    await shot(page, "extract")
    await dialog.get_by_role("button", name="Extract 2 nodes").click()
    await expect(dialog).to_have_count(0)
    await expect(node(page, "the_beginning")).to_be_in_viewport(ratio=WHOLE)
    assert await node(page, "first").count() == 0
    await shot(page, "extracted")
    await page.keyboard.press("Control+s")
    await expect(page.get_by_text("saved", exact=True)).to_be_visible()
    stored: Any = await studio.ask(page, "GET", "/api/v1/workflows/whole")
    assert [one["id"] for one in stored["document"]["nodes"]].count("the_beginning") == 1
    assert await result_of(page, studio, stored["document"]) == before
    await page.keyboard.press("Control+z")
    await expect(node(page, "second")).to_be_visible()
    assert await node(page, "the_beginning").count() == 0


async def test_nodes_are_extracted_with_the_keyboard_and_a_refusal_says_why(
    page: Page, studio: Studio
) -> None:
    await opened(page, studio, chain("extracted-by-keys"))
    hands = Hands(page)
    await hands.find("Start")
    await page.keyboard.press("Control+ArrowRight")
    await page.keyboard.press("x")
    dialog = page.get_by_role("dialog")
    await hands.lands("Name of the new workflow")
    await page.keyboard.press("Control+a")
    await hands.type("with the start", then="Enter")
    await expect(dialog.get_by_role("alert")).to_contain_text("starts this workflow")
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await hands.find("second")
    await page.keyboard.press("Control+ArrowRight")
    await page.keyboard.press("Control+k")
    await hands.lands("Type a command")
    await hands.type("extract", then="Enter")
    await hands.lands("Name of the new workflow")
    await page.keyboard.press("Control+a")
    await hands.type("the rest", then="Enter")
    await expect(node(page, "the_rest")).to_be_focused()
    # The connections keep their ids.
    await expect(edge(page, "third", "end")).to_be_attached()
    assert await edge(page, "first", "second").count() == 1
