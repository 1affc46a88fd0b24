"""What others get wrong, tried in a real browser: it is told in words, and nothing is lost."""

import json
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from e2e.fields import box
from e2e.mcp import approved, calling, reconnected
from e2e.studio import Studio, shot
from rest.drawn import drawn, greeting
from toolweave.testing.server import ScriptedServer, a_tool, says

pytestmark = pytest.mark.anyio

HOSTILE = (
    "<img src=x onerror=hit()><script>hit()</script> a\u202eb\u200bc \x1b[31mred "
    "[here](javascript:hit())"
)
SPELT = (
    "<img src=x onerror=hit()><script>hit()</script> a⟦U+202E⟧b⟦U+200B⟧c ⟦U+001B⟧[31mred "
    "[here](javascript:hit())"
)
MARKS = (
    "contains characters that change the text direction, invisible characters, "
    "terminal escape codes, HTML, a Markdown link"
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
    return page.locator(f".react-flow__node[data-id={name}]")


def state(page: Page) -> Locator:
    """Whether the open workflow is saved."""
    return page.locator(".editor__bar .badge").first


def words(name: str, description: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string", "description": description}}}


async def test_what_others_wrote_is_text_with_a_mark_wherever_it_is_shown(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    tool = a_tool("peek", description=HOSTILE + " on and on" * 300)
    tool["inputSchema"] = words("text", HOSTILE)
    server = ScriptedServer(tmp_path, tool)
    server.on_call("peek", [says(HOSTILE)])
    await approved(page, studio, "hostile", server)
    await opened(page, studio, drawn("hostile", calling("look", "hostile", "peek", text="x")))
    await page.keyboard.press("m")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="hostile").click()
    told = dialog.locator(".tool__words")
    await expect(told.locator(".badge")).to_have_text(MARKS)
    await expect(told.locator("bdi")).to_contain_text(SPELT)
    await told.get_by_role("button", name="Show all").click()
    await expect(told.locator("bdi")).to_contain_text("on and on on and on")
    await page.keyboard.press("Escape")
    item = page.locator(".palette__item", has_text="peek")
    await expect(item.locator(".odd")).to_contain_text("contains")
    await expect(item).to_contain_text("a\\u{202E}b")  # as the catalog spells it
    await node(page, "look").click()
    about = page.locator(".param__about")
    await expect(about.locator("bdi")).to_have_text(SPELT)
    await expect(about.locator(".badge")).to_have_text(MARKS)
    await page.get_by_role("textbox", name="Name", exact=True).fill(HOSTILE)
    await expect(node(page, "look").locator(".step__title")).to_contain_text(SPELT)
    await expect(node(page, "look").locator(".odd")).to_contain_text("contains")
    await shot(page, "hostile-node")
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge").first).to_have_text("success")
    await expect(page.locator(".step-detail")).to_contain_text("U+202E")
    await shot(page, "hostile-run")
    await studio.ask(
        page,
        "PUT",
        "/api/v1/workflows/described",
        {
            "document": drawn("described")
            | {"description": HOSTILE, "metadata": {"tags": [HOSTILE]}}
        },
    )
    await page.goto(f"{studio.url}/#/")
    row = page.get_by_role("row", name="described")
    await expect(row.locator(".faint").first).to_have_text(SPELT)
    for one in ("\u202e", "\u200b"):
        assert one not in await page.locator("#main").inner_text()
    await expect(page.locator("main img[src=x]")).to_have_count(0)
    assert await page.evaluate("document.scripts.length") == 1


async def test_a_tool_that_goes_changes_or_does_not_answer_leaves_its_node_usable(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    server = ScriptedServer(tmp_path, a_tool("first"), a_tool("second"))
    identity = await approved(page, studio, "moody", server)
    nobody = calling("lost", "nobody", "first", text="hello")
    call = calling("call", "moody", "first", text="hello")
    await opened(page, studio, drawn("moody", call, nobody))
    await expect(node(page, "lost").locator(".step__mark--missing")).to_be_visible()
    await node(page, "call").click()
    form = page.locator(".inspector")
    await expect(box(form, "text")).to_have_value("hello")
    await expect(node(page, "call").locator(".step__mark--good")).to_be_visible()
    server.change(tools=[a_tool("second")])
    await reconnected(page, studio, identity)
    await expect(form.get_by_text("The server no longer has the tool first")).to_be_visible()
    await expect(node(page, "call").locator(".step__mark--invalid")).to_be_visible()
    await expect(box(form, "text")).to_have_value("hello")
    await shot(page, "tool-gone")
    await form.get_by_label("Tool", exact=True).select_option("second")
    await expect(node(page, "call").locator(".step__mark--good")).to_be_visible()
    await expect(box(form, "text")).to_have_value("hello")
    needy = words("text", "Another meaning.") | {"required": ["text"]}
    server.change(tools=[a_tool("second", inputSchema=needy)])
    await reconnected(page, studio, identity)
    await expect(form.get_by_text("This tool changed after approval")).to_be_visible()
    await shot(page, "tool-changed")
    server.change(refuses=["initialize"])
    await reconnected(page, studio, identity)
    await expect(form.get_by_text("The tools of moody cannot be listed")).to_be_visible()
    await box(form, "text").fill("still here")
    await expect(node(page, "call").locator(".step__mark--disconnected")).to_be_visible()
    await shot(page, "tool-away")
    server.change(tools=[a_tool("second")], refuses=[])
    await form.get_by_role("button", name="Try again").click()
    await expect(form.get_by_text("cannot be listed")).to_have_count(0)
    await expect(box(form, "text")).to_have_value("still here")
    await expect(node(page, "call").locator(".step__mark--good")).to_be_visible()
    await page.keyboard.press("Control+s")
    await expect(state(page)).to_have_text("saved")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/moody"))
    assert kept["document"]["nodes"][1]["data"]["parameterValues"] == {"text": "still here"}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}, "required": ["in"]}
    return schema


async def test_schemas_without_end_or_measure_are_edited_and_never_hang(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    child = {"type": "array", "items": {"$ref": "#"}}
    tree = {"type": "object", "properties": {"name": {"type": "string"}, "children": child}}
    wide = {f"p{number}": {"type": "string"} for number in range(500)}
    options = [f"option {number}" for number in range(2_000)]
    choice = {"one": {"type": "string", "enum": options}}
    slow = {"text": {"type": "string", "pattern": "^(a+)+$"}}
    tools = {
        "tree": tree,
        "deep": deep(12),
        "abyss": deep(40),
        "wide": {"type": "object", "properties": wide},
        "choice": {"type": "object", "properties": choice},
        "slow": {"type": "object", "properties": slow},
    }
    listed = [a_tool(name, inputSchema=schema) for name, schema in tools.items()]
    await approved(page, studio, "shapes", ScriptedServer(tmp_path, *listed))
    document = drawn("shapes", *(calling(name, "shapes", name) for name in tools))
    for place, one in enumerate(document["nodes"]):
        one["position"] = {"x": 230 * (place % 3), "y": 120 * (place // 3)}
    await opened(page, studio, document)
    form = page.locator(".inspector")
    await node(page, "tree").click()
    await form.locator(".fold__title", has_text="children").click()
    await form.get_by_role("button", name="Add to children").click()
    await box(form, "name").last.fill("leaf")
    await form.locator(".fold__title", has_text="children").last.click()
    await form.get_by_role("button", name="Add to children").first.click()
    # A schema within itself is drawn once, and is JSON from there on.
    await form.locator("textarea").first.fill('{"name": "grain"}')
    await shot(page, "schema-tree")
    await node(page, "deep").click()
    # Below some depth it is JSON.
    await expect(form.locator("textarea").first).to_be_visible()
    await shot(page, "schema-deep")
    await node(page, "abyss").click()
    await expect(form.locator(".field__fault, .inspector__problem").first).to_be_visible()
    await shot(page, "schema-abyss")
    await node(page, "wide").click()
    await form.get_by_label("P499", exact=True).fill("the last")
    await node(page, "choice").click()
    await form.get_by_label("One", exact=True).select_option(label="option 1999")
    await node(page, "slow").click()
    await box(form, "text").fill("a" * 40 + "!")
    await expect(form.locator(".field__fault").first).to_be_visible()
    await page.keyboard.press("Control+s")
    await page.get_by_role("button", name="Save anyway").click()
    await expect(state(page)).to_have_text("saved")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/shapes"))
    values = {one["id"]: one["data"].get("parameterValues") for one in kept["document"]["nodes"]}
    assert values["tree"] == {"children": [{"name": "leaf", "children": [{"name": "grain"}]}]}
    assert values["wide"] == {"p499": "the last"}
    assert values["choice"] == {"one": "option 1999"}


async def test_files_that_are_no_workflow_are_told_and_stay_as_they_are(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    folder = anyio.Path(studio.home / "workflows")
    await folder.mkdir(exist_ok=True)
    texts = {"broken": '{"name": "broken", "nodes": [', "other": '{"hello": 1}', "words": "words"}
    for name, text in texts.items():
        await (folder / f"{name}.json").write_text(text, "utf-8")
        await page.goto(f"{studio.url}/#/w/{name}")
        await expect(page.get_by_role("heading", name=f"{name} cannot be opened")).to_be_visible()
        await expect(page.get_by_role("alert")).to_contain_text("this file is not a workflow")
    await shot(page, "file-unreadable")
    assert [await (folder / f"{name}.json").read_text("utf-8") for name in texts] == [
        *texts.values()
    ]
    await (folder / "words.json").write_text(json.dumps(greeting("words")), "utf-8")
    await page.get_by_role("button", name="Try again").click()
    await expect(node(page, "greet")).to_be_visible()
    await page.goto(f"{studio.url}/#/w/%E0%A4")
    await expect(page.get_by_role("heading", name="There is no workflow")).to_be_visible()
    await page.goto(f"{studio.url}/#/runs/nowhere")
    await expect(page.get_by_role("heading", name="This run cannot be shown")).to_be_visible()
    await page.get_by_role("link", name="Back to runs").click()
    await expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_visible()
    odd = drawn("odd", {"id": "x", "type": "zebra", "name": "X", "data": {"kept": [1]}})
    odd["nodes"].append({**odd["nodes"][1], "name": "Twin"})
    odd["connections"].append({"id": "back", "from": "end", "to": "x"})
    await (folder / "odd.json").write_text(json.dumps(odd), "utf-8")
    await page.goto(f"{studio.url}/#/w/odd")
    await expect(page.locator(".editor__bar").get_by_text("error")).to_be_visible()
    await page.locator(".editor__bar").get_by_text("error").click()
    await expect(page.locator(".inspector")).to_contain_text("'x' is already used")
    await shot(page, "file-odd")
    await page.get_by_label("Workflow name").fill("Odd")
    await page.keyboard.press("Control+s")
    await expect(state(page)).to_have_text("saved")
    kept = json.loads(await (folder / "odd.json").read_text("utf-8"))
    assert [one["name"] for one in kept["nodes"]] == ["Start", "X", "End", "Twin"]
    await imports_say_what_is_wrong(page, studio)


async def imports_say_what_is_wrong(page: Page, studio: Studio) -> None:
    await page.goto(f"{studio.url}/#/")
    file = page.get_by_label("File to import")
    notices = page.locator(".notice")
    huge = {"name": "huge.json", "mimeType": "application/json", "buffer": b" " * 10_000_000}
    await file.set_input_files([cast("Any", huge)])
    await expect(notices.last).to_contain_text("huge.json cannot be read: the file has 10 MB")
    nonsense = {"name": "a.json", "mimeType": "application/json", "buffer": b"\x00\xff{"}
    await file.set_input_files([cast("Any", nonsense)])
    await expect(notices.last).to_contain_text("a.json cannot be read")
    good = json.dumps(greeting("brought")).encode()
    for _ in range(2):
        await page.goto(f"{studio.url}/#/")
        await file.set_input_files([cast("Any", {**nonsense, "name": "b.json", "buffer": good})])
        await expect(page.get_by_label("Workflow name")).to_have_value("brought")
    await page.goto(f"{studio.url}/#/")
    drafts = page.get_by_role("table", name="Unsaved drafts")
    await expect(drafts.get_by_role("link", name="brought")).to_have_count(2)
    await drafts.get_by_role("button", name="Discard draft brought").first.click()
    await expect(drafts.get_by_role("link", name="brought")).to_have_count(1)
