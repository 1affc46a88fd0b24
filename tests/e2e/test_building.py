"""Building a workflow with the mouse: search, problems, lists, requests, drafts, publishing."""

import re
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Page, Route, expect

from e2e.fields import box
from e2e.studio import WHOLE, Studio, shot
from e2e.test_access import EVERYTHING, findings
from rest.drawn import drawn, greeting
from servers.rooms import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def opened(page: Page, studio: Studio, document: dict[str, Any]) -> None:
    name = document["name"]
    await studio.ask(page, "PUT", f"/api/v1/workflows/{name}", {"document": document})
    await page.goto(f"{studio.url}/#/w/{name}")
    await expect(page.locator(".step").first).to_be_visible()


def trigger(kind: str, **config: Any) -> dict[str, Any]:
    data = {"subtype": kind, "configurations": config}
    return {"id": "hook", "type": "TRIGGER", "name": "Hook", "position": {"x": 0, "y": 0}} | {
        "data": data
    }


async def test_a_search_adds_the_best_match_in_view_and_a_problem_leads_to_its_field(
    page: Page, studio: Studio
) -> None:
    """With a server connected, whose tools match as well."""
    await studio.ask(page, "POST", "/api/v1/samples")
    await opened(page, studio, greeting("building"))
    search = page.get_by_role("searchbox", name="Search nodes and tools")
    await search.fill("if")
    await expect(page.locator(".palette__title").first).to_have_text("If")
    await page.locator(".react-flow__node[data-id=end]").click()
    await page.keyboard.press("ArrowLeft")
    await search.press("Enter")
    added = page.locator(".react-flow__node.selected")
    await expect(added).to_contain_text("If")
    await expect(added).to_be_in_viewport(ratio=WHOLE)
    # As many as the canvas is wide, and more.
    for typed, title in (("delay", "Delay"), ("delay", "Delay"), ("webhook", "Webhook")):
        await search.fill(typed)
        await search.press("Enter")
        await expect(added).to_contain_text(title)
        await expect(added).to_be_in_viewport(ratio=WHOLE)
    await shot(page, "search-ranked")
    # From the list of problems to the settings, and to those of a node that is clicked.
    badge = page.locator(".editor__bar").get_by_role("button", name="error")
    await badge.click()
    problems = page.get_by_role("complementary", name="Problems")
    await problems.get_by_role("button", name="condition").first.click()
    inspector = page.get_by_role("complementary", name="Inspector")
    await expect(inspector.get_by_label("Name", exact=True)).to_have_value("If")
    await badge.click()
    await expect(problems).to_be_visible()
    # With the keyboard alone as well.
    await problems.get_by_role("button", name="condition").first.focus()
    await page.keyboard.press("Enter")
    await expect(problems).to_have_count(0)
    await expect(inspector.get_by_label("Name", exact=True)).to_have_value("If")
    await badge.focus()
    await page.keyboard.press("Enter")
    await expect(problems).to_be_visible()
    await page.get_by_role("button", name="Fit to view").click()
    greet = page.locator(".react-flow__node[data-id=greet]")

    async def is_chosen() -> bool:
        await greet.click()  # which misses a node that the animation of the view still moves
        return await page.locator(".react-flow__node.selected[data-id=greet]").count() == 1

    await eventually(is_chosen)
    await expect(inspector.get_by_label("Name", exact=True)).to_have_value("Greet")
    assert await problems.count() == 0


async def test_a_webhook_begins_a_new_workflow_with_an_address_that_works(
    page: Page, studio: Studio
) -> None:
    # Enter waits for nodes that are still loading, instead of being lost or adding another one.
    answers = anyio.Event()

    async def hold(route: Route) -> None:
        await answers.wait()
        await route.continue_()

    await page.route("**/api/v1/catalog/nodes", hold)
    await page.goto(f"{studio.url}/#/new")
    await page.reload()
    start = page.locator(".react-flow__node[data-id=start]")
    await expect(start).to_be_visible()
    first = page.get_by_role("button", name="Add first step")
    await first.click()
    await expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    # Not a second start or end.
    options = page.get_by_role("dialog").get_by_role("option")
    await expect(options.first).to_contain_text("Prompt")
    await page.keyboard.press("Escape")
    search = page.get_by_role("searchbox", name="Search nodes and tools")
    await search.fill("webhook")
    palette = page.get_by_role("complementary", name="Palette")
    await expect(palette).to_contain_text("Loading nodes…")
    assert "No results" not in await palette.inner_text()
    await search.press("Enter")
    answers.set()
    await expect(page.locator(".react-flow__node.selected")).to_contain_text("Webhook")
    # It takes the place of a start that nothing is connected to; the search is free for the next.
    await expect(start).to_have_count(0)
    await expect(first).to_have_count(0)
    await expect(search).to_have_value("")
    recent = page.get_by_role("region", name="Recent")
    await expect(recent.get_by_role("button", name="Webhook")).to_be_visible()
    # A star puts a node first, and moves nothing under the pointer.
    loop = palette.get_by_role("button", name="For each")
    before = await loop.bounding_box()
    await loop.focus()
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    favorites = palette.get_by_role("region", name="Favorites")
    await expect(favorites.get_by_role("button", name="For each")).to_have_count(1)
    await expect(palette.get_by_role("region").first).to_have_accessible_name("Favorites")
    await expect(loop).to_have_count(2)
    after = await loop.last.bounding_box()
    assert after is not None
    assert before is not None
    assert abs(after["y"] - before["y"]) < 1  # it scrolls by whole pixels
    await page.keyboard.press("Enter")
    await expect(favorites).to_have_count(0)
    # A click adds a node and moves nothing under the pointer.
    delay = palette.get_by_role("button", name="Delay")
    before = await delay.bounding_box()
    await delay.click()
    await expect(page.locator(".react-flow__node.selected")).to_contain_text("Delay")
    assert await delay.bounding_box() == before
    await page.get_by_role("button", name="Undo").click()
    await page.locator(".react-flow__node", has_text="Webhook").click()
    trigger = page.get_by_role("region", name="Trigger", exact=True)
    address = re.compile(rf"^{re.escape(studio.url)}/hooks/untitled-[0-9a-f]{{6}}$")
    await expect(trigger.locator("code")).to_have_text(address)
    await expect(trigger.get_by_role("button", name="Listen for a test event")).to_be_visible()
    await box(page.locator(".inspector"), "webhook_path").fill("")
    await expect(trigger.locator("code")).to_have_count(0)
    assert "hooks" not in await trigger.inner_text()
    await expect(trigger.get_by_role("button", name="Listen")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await page.get_by_role("button", name="Undo").click()
    await expect(start).to_be_visible()


async def test_a_webhook_is_tried_with_a_request_that_the_dialog_offers(
    page: Page, studio: Studio
) -> None:
    """What completion offers, `trigger.body`, is there when the workflow is run by hand."""
    document = drawn("hooked")
    said = {"prompt": "Order {{ trigger.body.order }} by {{ trigger.method }}"}
    say = {"id": "say", "type": "prompt", "name": "Say", "position": {"x": 260, "y": 0}}
    document["nodes"] = [trigger("WEBHOOK", webhook_path="/o"), say | {"data": said}]
    document["nodes"].append({**drawn("x")["nodes"][-1], "position": {"x": 520, "y": 0}})
    document["connections"] = [
        {"id": "1", "from": "hook", "to": "say"},
        {"id": "2", "from": "say", "to": "end"},
    ]
    await opened(page, studio, document)
    await page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    body = dialog.get_by_label("body")
    assert await body.input_value() == "{}"
    await body.fill('{"order": 7}')
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await expect(page.get_by_role("region", name="Result").last).to_contain_text("Order 7 by POST")


async def test_a_failed_step_says_why_where_its_output_would_be(page: Page, studio: Studio) -> None:
    settings = {"outcome": "error", "message": "the order is closed"}
    stop = {"subtype": "STOP", "configurations": settings}
    node = {"id": "stop", "type": "FLOW", "name": "Stop", "data": stop}
    await opened(page, studio, drawn("failing", node))
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator(".run-panel__head .badge")).to_have_text("failed")
    await page.locator(".timeline").get_by_role("option", name="Stop").click()
    alert = page.locator(".step-detail").get_by_role("alert")
    await expect(alert).to_contain_text("the order is closed")
    assert "No output" not in await page.locator(".step-detail").inner_text()


async def test_a_new_list_item_has_the_focus(page: Page, studio: Studio) -> None:
    ask = {"questionText": "Send it?", "options": [{"label": "Yes"}, {"label": "No"}]}
    node = {"id": "ask", "type": "askUserQuestion", "name": "Ask", "data": ask}
    await opened(page, studio, drawn("listed", node))
    await page.locator(".react-flow__node[data-id=ask]").click()
    await page.get_by_role("button", name="Add to Answers").click()
    await page.keyboard.type("Later")
    await expect(page.locator(":focus")).to_have_value("Later")
    nodes = page.locator(".react-flow__node[data-id=ask]")
    await expect(nodes).to_contain_text("Later")
    assert await page.locator(".react-flow__node").count() == 3


async def test_an_input_is_declared_and_asked_for(page: Page, studio: Studio) -> None:
    await opened(page, studio, greeting("declared"))
    inputs = page.get_by_role("region", name="Inputs of the workflow")
    await inputs.get_by_role("button", name="Add input").click()
    await page.keyboard.type("1who")
    await page.keyboard.press("Tab")
    await expect(inputs.locator(".field__fault")).to_have_text("Use letters, digits and _")
    await inputs.get_by_label("Name of input").fill("who")
    await page.keyboard.press("Enter")
    await inputs.get_by_role("group", name="Input who").get_by_label("Required").check()
    assert await findings(page, EVERYTHING) == []
    await page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Who (required)").fill("Ada")
    await dialog.get_by_role("button", name="Run", exact=True).click()
    result = page.get_by_role("region", name="Result").last
    await expect(result).to_contain_text("Hello, Ada!")
    await page.locator(".react-flow__node[data-id=start]").click()
    await inputs.get_by_role("button", name="Remove input who").click()
    await expect(inputs.get_by_role("group")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(inputs.get_by_role("group", name="Input who")).to_be_visible()


async def test_every_new_workflow_is_a_draft_of_its_own_and_can_be_saved(
    page: Page, studio: Studio
) -> None:
    name, saved = page.get_by_label("Workflow name"), page.locator(".editor__bar .badge").first
    for title in ("One draft", "Another draft"):
        await page.get_by_role("button", name="New workflow").click()
        await expect(name).to_have_value("untitled")
        await name.fill(title)
        await page.goto(f"{studio.url}/#/")
    drafts = page.get_by_role("table", name="Unsaved drafts")
    await expect(drafts.get_by_role("link")).to_have_text(["One draft", "Another draft"])
    await drafts.get_by_role("link", name="One draft").click()
    await expect(name).to_have_value("One draft")
    await page.goto(f"{studio.url}/#/")
    await page.get_by_role("button", name="Discard draft One draft").click()
    await expect(drafts.get_by_role("link")).to_have_text(["Another draft"])
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(drafts.get_by_role("link")).to_have_text(["One draft", "Another draft"])
    await page.get_by_role("button", name="Discard draft One draft").click()
    await page.get_by_role("button", name="Discard draft Another draft").click()
    await expect(drafts).to_have_count(0)
    for title in ("untitled", "untitled 2"):
        await page.goto(f"{studio.url}/#/new")
        await expect(name).to_have_value("untitled")
        await page.keyboard.press("Control+s")
        await expect(saved).to_have_text("saved")
        await expect(name).to_have_value(title)
    listed = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows"))["workflows"]
    assert {"untitled", "untitled 2"} <= {workflow["name"] for workflow in listed}


async def test_publishing_says_that_it_saves_first(page: Page, studio: Studio) -> None:
    await opened(page, studio, greeting("to-publish"))
    await page.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="Publish", exact=True)).to_be_enabled()
    await page.keyboard.press("Escape")
    await page.get_by_label("Workflow name").press("End")
    await page.keyboard.type("-now")
    await page.get_by_role("button", name="Publish").click()
    await expect(dialog.get_by_role("button", name="Save and publish")).to_be_enabled()
    await expect(dialog).to_contain_text("unsaved changes")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/to-publish"))
    assert kept["document"]["name"] == "to-publish"


async def test_runs_are_compared_by_names_with_the_difference_marked(
    page: Page, studio: Studio
) -> None:
    ids: list[str] = []
    for who in ("Ada", "Grace"):
        body = {"document": greeting("compared"), "inputs": {"who": who}}
        ids.append(cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))["id"])
    await page.goto(f"{studio.url}/#/compare/{ids[0]}/{ids[1]}")
    row = page.get_by_role("row", name="Greet")
    await expect(row.locator("mark").first).to_be_visible()
    await expect(row.locator("strong")).to_have_text("Greet")
    marked = [text.strip() for text in await row.locator("mark").all_inner_texts()]
    assert marked == ["Hello, Ada!", "Hello, Grace!"]
    await shot(page, "compared")
