"""Drawing by hand: groups, copies, the text beside the canvas, files, and a thousand nodes."""

import json
from typing import Any, cast

import anyio
import pytest
from bench.studio_graphs import broad, chain
from playwright.async_api import FloatRect, Locator, Page, expect

from e2e.fields import code_text, paste_code
from e2e.medium import medium
from e2e.studio import Studio, shot
from servers.rooms import eventually

pytestmark = pytest.mark.anyio

# The ports of a node as drawn and as the model works them out before it is.
PORTS = """() => {
  const zoom = new DOMMatrix(document.querySelector('.react-flow__viewport').style.transform).a;
  return [...document.querySelectorAll('.react-flow__node:has(.step)')].flatMap((node) => {
    const box = node.getBoundingClientRect();
    return [...node.querySelectorAll('.step__port')].map((port) => {
      const at = port.getBoundingClientRect();
      const y = (at.y + at.height / 2 - box.y) / zoom;
      return `${node.dataset.id} ${port.dataset.handleid} ${Math.round(y)} of ${node.offsetHeight}`;
    });
  });
}"""
STILL_FRAMES = 10
DROP = """([text, name, selector]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  const box = document.querySelector(selector).getBoundingClientRect();
  const at = {clientX: box.x + 200, clientY: box.y + 200};
  for (const type of ['dragover', 'drop']) {
    const more = {bubbles: true, cancelable: true, dataTransfer: files};
    document.querySelector(selector).dispatchEvent(new DragEvent(type, {...more, ...at}));
  }
}"""


async def opened(page: Page, studio: Studio, document: dict[str, Any]) -> None:
    """Store a workflow and open it."""
    name = document["name"]
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(page.locator(".step").first).to_be_visible()


def node(page: Page, name: str) -> Locator:
    return page.locator(f".react-flow__node[data-id='{name}']")


async def drawn_now(page: Page) -> dict[str, Any]:
    """What is on the canvas, by the text beside it."""
    text = page.get_by_role("textbox", name="Workflow as JSON")
    if not await text.is_visible():
        await page.get_by_role("button", name="JSON", exact=True).click()
        await text.wait_for()
        await page.get_by_role("button", name="Show all").click()
    return cast("dict[str, Any]", json.loads(await code_text(text)))


async def settled(page: Page, what: Locator) -> FloatRect:
    """Where an element is once it has stayed there for some frames."""
    box, frames = await what.bounding_box(), 0
    with anyio.fail_after(60):
        while box is None or frames < STILL_FRAMES:
            await page.evaluate("() => new Promise(requestAnimationFrame)")
            before, box = box, await what.bounding_box()
            frames = frames + 1 if box == before else 0
    return box


async def drag(page: Page, what: Locator, to: Locator, x: float, y: float) -> None:
    """Drag to a place within another element, given as parts of its size."""
    start, end = await settled(page, what), await settled(page, to)
    middle = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    await page.mouse.move(*middle)
    await page.mouse.down()
    # A drag begins where the pointer is after its first move.
    await page.mouse.move(middle[0] + 3, middle[1] + 3)
    await page.mouse.move(end["x"], end["y"], steps=3)
    await page.mouse.move(end["x"] + end["width"] * x, end["y"] + end["height"] * y, steps=3)
    await page.mouse.up()


async def stands_in(page: Page, name: str, frame: str | None) -> None:
    """Wait until a node stands in a group, or in none."""
    with anyio.fail_after(60):
        while True:
            nodes = (await drawn_now(page))["nodes"]
            found = [one.get("parentId") for one in nodes if one["id"] == name]
            if found == [frame]:
                return
            await anyio.sleep(0.05)


async def test_groups_take_in_and_give_back_what_is_dragged(page: Page, studio: Studio) -> None:
    await opened(page, studio, medium("grouped"))
    await page.get_by_role("button", name="Show all").click()

    async def ports_are_in_place() -> bool:
        ports = set(await page.evaluate(PORTS))
        return {"choose branch-3 145 of 163", "hello output 33 of 86"} <= ports

    # While the picture still moves to its zoom, places on it mean nothing.
    await eventually(ports_are_in_place)
    await shot(page, "drawing-medium")
    await stands_in(page, "lost", None)
    await drag(page, node(page, "lost"), node(page, "frame"), 0.6, 0.8)
    await stands_in(page, "lost", "frame")
    await page.keyboard.press("Control+z")
    await stands_in(page, "lost", None)
    prompt = page.get_by_role("button", name="Prompt Outputs a text").first
    await drag(page, prompt, node(page, "frame"), 0.6, 0.8)
    await stands_in(page, "prompt", "frame")
    await node(page, "frame").click(position={"x": 8, "y": 4})
    await page.keyboard.press("Delete")
    await stands_in(page, "words", None)
    await page.keyboard.press("Control+z")
    await node(page, "frame").click(position={"x": 8, "y": 4})
    await page.keyboard.press("Shift+Delete")
    await expect(node(page, "words")).to_have_count(0)
    await page.keyboard.press("Control+z")
    await expect(node(page, "words")).to_have_count(1)


async def test_copies_go_as_text_to_another_tab_and_back(page: Page, studio: Studio) -> None:
    await opened(page, studio, medium("from-here"))
    await node(page, "weather").click()
    await node(page, "choose").click(modifiers=["Shift"])
    await page.keyboard.press("Control+c")
    other = await page.context.new_page()
    await other.goto(f"{studio.url}/#token={studio.token}")
    await other.goto(f"{studio.url}/#/new")
    await node(other, "start").click()
    await other.keyboard.press("Control+v")
    await expect(node(other, "weather")).to_be_visible()
    await other.keyboard.press("Control+v")
    found = await drawn_now(other)
    assert {one["id"] for one in found["nodes"]} >= {"weather", "choose", "weather-2", "choose-2"}
    ends = {(one["from"], one["to"]) for one in found["connections"]}
    assert ends == {("weather", "choose"), ("weather-2", "choose-2")}
    text = other.get_by_role("textbox", name="Workflow as JSON")
    await text.focus()
    await other.keyboard.press("Control+a")
    await other.keyboard.press("Control+v")
    assert json.loads(await code_text(text))["toolweave"] == "nodes"
    await expect(other.locator(".json__state")).to_contain_text("The canvas is unchanged")
    await other.close()


async def test_wrong_text_stays_and_is_pointed_at_until_it_can_be_read(
    page: Page, studio: Studio
) -> None:
    await opened(page, studio, medium("as-text"))
    good = json.dumps(await drawn_now(page), indent=2)
    text = page.get_by_role("textbox", name="Workflow as JSON")
    await paste_code(text, good.replace('"version": "1.0.0"', '"version": 1.0.0'))
    await expect(page.locator(".json__state")).to_contain_text("line 4, column 17")
    await page.get_by_role("button", name="Show position").click()
    await expect(text).to_be_focused()
    place = await text.evaluate(
        "one => { const {state} = one.cmTile.root.view;"
        " return state.doc.lineAt(state.selection.main.from).number }"
    )
    assert place == 4
    word = text.get_by_text('"version"')
    plain = await text.evaluate("one => getComputedStyle(one).color")
    assert await word.evaluate("one => getComputedStyle(one).color") != plain
    await page.get_by_role("button", name="Tidy up").click()
    await expect(page.locator(".json__state")).to_contain_text("has changed")
    assert "1.0.0," in await code_text(text)
    await paste_code(text, good.replace('"Is it sure?"', '"Is it?"'))
    await expect(page.locator(".json__state")).to_contain_text("In sync")
    await page.get_by_role("button", name="Show all").click()
    await expect(node(page, "sure")).to_contain_text("Is it?")
    await page.keyboard.press("Control+z")
    await page.get_by_role("button", name="Show all").click()
    await expect(node(page, "sure")).to_contain_text("Is it sure?")


async def test_a_dropped_file_is_opened_or_comes_in(page: Page, studio: Studio) -> None:
    flow = await studio.ask(
        page, "POST", "/api/v1/workflows/convert", {"document": medium("dropped"), "to": "ccwf"}
    )
    text = json.dumps(cast("Any", flow)["document"])
    await expect(page.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()
    await page.evaluate(DROP, [text, "dropped.json", ".page"])
    await expect(node(page, "weather")).to_be_visible()
    assert "#/new/" in page.url
    await settled(page, node(page, "weather"))  # a file dropped while it opens is opened instead
    await page.evaluate(DROP, [text, "again.json", ".canvas"])
    await expect(node(page, "hello-2")).to_have_count(1)
    await page.keyboard.press("Control+z")
    await expect(node(page, "hello-2")).to_have_count(0)
    await page.evaluate(DROP, ["no workflow", "words.txt", ".canvas"])
    await expect(page.locator(".notices")).to_contain_text("words.txt cannot be read")


async def test_a_thousand_nodes_are_found_edited_tidied_and_saved(
    page: Page, studio: Studio
) -> None:
    await opened(page, studio, cast("dict[str, Any]", broad("thousand", 1_000)))
    assert await page.locator(".step").count() < 200
    await page.keyboard.press("0")
    await expect(page.locator(".step--far")).to_have_count(1_000)
    await shot(page, "drawing-thousand")
    await page.keyboard.press("Control+f")
    await page.get_by_role("dialog").get_by_role("combobox").fill("step-777")
    await page.keyboard.press("Enter")
    await expect(node(page, "n777").locator(".step__port")).to_have_count(2)
    # Their ports were not drawn from afar; the connections must be there all the same.
    await expect(page.locator(".react-flow__edge-path").first).to_be_attached()
    await page.get_by_role("textbox", name="Name", exact=True).fill("found")
    await node(page, "n777").click()
    await page.keyboard.press("Control+z")
    await expect(node(page, "n777")).to_contain_text("step-777")
    await page.keyboard.press("Control+Shift+z")
    await page.keyboard.press("Control+s")
    await expect(page.locator(".editor__bar .badge").first).to_have_text("saved")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/thousand"))
    assert kept["document"]["nodes"][777]["name"] == "found"
    await opened(page, studio, cast("dict[str, Any]", chain("in-a-line", 1_000)))
    await page.get_by_role("button", name="Tidy up").click()
    await expect(page.locator(".editor__bar .badge").first).to_have_text("unsaved")
    places = [one["position"] for one in (await drawn_now(page))["nodes"]]
    assert len({(place["x"], place["y"]) for place in places}) == 1_000
    assert len({place["y"] for place in places}) > 20
    await shot(page, "drawing-chain")
