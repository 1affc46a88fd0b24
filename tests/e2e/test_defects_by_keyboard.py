"""The defects of `README.md` once more, by somebody who has no mouse."""

import json
import re
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Locator, Page, Route, expect

from e2e.hands import Hands
from e2e.mcp import calling
from e2e.studio import WHOLE, Studio
from e2e.test_building import trigger
from e2e.test_defects import box_of, is_apart, node, overlap, saving, store
from e2e.test_layout import BOTTOM, TOPS
from rest.drawn import drawn, greeting
from servers.rooms import eventually
from toolweave.testing.model import KEY, ScriptedModel, says

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def opened(hands: Hands, studio: Studio, document: dict[str, Any]) -> None:
    """Store a workflow, and open it by its address."""
    await store(hands.page, studio, document)
    name = document["name"]
    await hands.page.goto(f"{studio.url}/#/w/{name}")
    await expect(hands.page.locator("h1:focus")).to_have_text(f"Workflow {name}")
    await expect(hands.page.locator(".step").first).to_be_visible()


async def new_workflow(hands: Hands) -> None:
    """From the start page to a new draft, with the focus on its name."""
    await hands.until("Tab", "New workflow")
    await hands.page.keyboard.press("Enter")
    await expect(hands.page.locator("h1:focus")).to_have_text("Workflow untitled")
    await hands.until("Tab", "Workflow name")


async def import_file(hands: Hands, document: dict[str, Any]) -> None:
    """From the start page, by its button."""
    await hands.until("Tab", "Import")
    async with hands.page.expect_file_chooser() as chooser:
        await hands.page.keyboard.press("Enter")
    text = json.dumps(document).encode()
    file = {"name": "a.json", "mimeType": "application/json", "buffer": text}
    await (await chooser.value).set_files(cast("Any", file))
    await expect(hands.page.get_by_label("Workflow name")).to_have_value(document["name"])


def status(page: Page) -> Locator:
    return page.get_by_role("region", name="Run").locator(".run-panel__head .badge").first


async def test_drafts_are_kept_apart_and_discarded(page: Page, studio: Studio) -> None:
    """Defects 1 and 7."""
    hands = Hands(page)
    await opened(hands, studio, greeting("edited"))
    await hands.walk("ArrowRight", "Greet")
    await hands.press("Enter")
    await hands.lands("Name")
    await hands.page.keyboard.press("Control+a")
    await hands.type("Mine", then="Escape")
    await expect(saving(page)).to_have_text("unsaved")
    drafts = page.get_by_role("table", name="Unsaved drafts")
    for name in ("One draft", "Other draft"):
        await hands.to_page("Workflows")
        await new_workflow(hands)
        await hands.page.keyboard.press("Control+a")
        await hands.type(name, then="Tab")
    await hands.to_page("Workflows")
    await expect(drafts.get_by_role("link")).to_have_text(["One draft", "Other draft"])
    await hands.open("One draft", "Workflow One draft")
    await hands.until("F6", "Discard draft")
    await hands.to_page("Workflows")
    await hands.open("edited", "Workflow edited")
    await expect(node(page, "greet")).to_contain_text("Mine")
    await expect(page.get_by_role("button", name="Discard draft")).to_have_count(1)
    await hands.until("F6", "Discard draft")
    await page.keyboard.press("Enter")
    await expect(node(page, "greet")).to_contain_text("Greet")
    await hands.to_page("Workflows")
    for name in ("One draft", "Other draft"):
        await expect(drafts.get_by_role("link").first).to_have_text(name)
        await hands.until("Tab", f"Discard draft {name}")
        await page.keyboard.press("Enter")
    await expect(drafts).to_have_count(0)
    assert await page.get_by_role("link", name="edited", exact=True).count() >= 1


async def test_an_import_and_an_added_tool_leave_no_run_of_another_workflow(
    page: Page, studio: Studio
) -> None:
    """Defects 3, 8, 14, 15 (the text of a server) and 17."""
    hands, run = Hands(page), page.get_by_role("region", name="Run")
    # From now on: one that opens while the first listener is being added is lost.
    page.on("filechooser", lambda _: None)
    sample = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    await opened(hands, studio, greeting("was-run"))
    await hands.press("Control+Enter")
    await expect(status(page)).to_have_text("success")
    await hands.to_page("Workflows")
    wrong = drawn("wrong", {"id": "if", "type": "FLOW", "name": "If", "data": {"subtype": "IF"}})
    lost = {"id": "lost", "from": "start", "to": "end", "fromPort": "nowhere", "toPort": "input"}
    wrong["connections"].append(lost)
    for one in wrong["nodes"]:
        one["position"] = {"x": 0, "y": 0}
    await import_file(hands, wrong)
    await expect(run).to_have_count(0)
    await expect(page.locator(".step[data-state=done], .step--done")).to_have_count(0)
    await eventually(lambda: is_apart(page, ["start", "if", "end"]))
    line = page.locator(".react-flow__edge[data-id=lost] path").first
    assert await line.evaluate("line => getComputedStyle(line).strokeDasharray") != "none"
    bar = page.locator(".editor__bar")
    badge = bar.get_by_role("button", name=re.compile("error|warning"))
    await expect(badge).to_be_visible()
    await hands.to_page("Workflows")
    # The description of a tool is its server's: nobody here can shorten it.
    described = calling("tool", sample["server"], "weather", city="Oslo")
    described["data"]["toolDescription"] = "long " * 2_000
    hello = {"id": "greet", "type": "prompt", "name": "Greet", "data": {"prompt": "Hello!"}}
    right = drawn("right", hello, described)
    note = {"id": "hint", "type": "note", "name": "hint", "data": {"content": "Read me"}}
    right["nodes"].append(note | {"position": {"x": 0, "y": 300}})
    body = {"document": right}
    found = cast("Any", await studio.ask(page, "POST", "/api/v1/edit/validate", body))["problems"]
    assert [one["code"] for one in found] == ["TEXT_TOO_LONG"]
    await import_file(hands, right)
    await expect(node(page, "hint")).to_contain_text("Read me")
    await expect(badge).to_have_count(0)
    await page.keyboard.press("Control+e")
    await hands.lands("Format")
    await hands.type("Mermaid", then="Tab")
    text = page.locator(".export__file pre")
    await expect(text).to_contain_text("Greet")
    assert "hint" not in await text.inner_text()
    await page.keyboard.press("Escape")
    # A tool that becomes a new workflow shows no run of the one that is open.
    await hands.press("Control+Enter")
    await expect(status(page)).to_have_text("success")
    assert await badge.count() == 0  # the workflow has been validated by now
    await hands.to_page("Servers")
    await expect(page.get_by_role("button", name="Try it: greet")).to_be_visible()
    await hands.until("Tab", "Try it: greet")
    await page.keyboard.press("Enter")
    await hands.lands("Name")
    await hands.until("Tab", "Use in a new workflow")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Workflow name")).to_have_value("untitled")
    await expect(node(page, "greet")).to_be_visible()
    await expect(run).to_have_count(0)
    assert await page.get_by_text("Re-run from here").count() == 0


async def test_a_workflow_is_built_and_its_problems_are_corrected(
    page: Page, studio: Studio
) -> None:
    """Defects 4, 5, 9, 10, 13, 15 (the order), 16, 19 (the mode switch) and 22."""
    hands = Hands(page)
    sample = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    look = calling("tool", sample["server"], "weather", city="Oslo")
    ask = {"questionText": "Send it?", "options": [{"label": "Yes"}, {"label": "No"}]}
    wait = {"subtype": "DELAY", "configurations": {"duration_seconds": -5}}
    document = drawn(
        "assembled",
        {"id": "say", "type": "prompt", "name": "Say", "data": {"prompt": "{{nobody}}"}},
        {"id": "ask", "type": "askUserQuestion", "name": "Ask", "data": ask},
        look | {"name": "Look"},
        {"id": "wait", "type": "FLOW", "name": "Wait", "data": wait},
    )
    document["connections"][2]["fromPort"] = "branch-0"
    await opened(hands, studio, document)
    await hands.find("Wait")
    await add_from_the_palette(hands)
    await follow_the_problems(hands)
    await add_to_a_list(hands)
    await correct_a_value(hands)
    await switch_the_mode(hands)
    await hands.press("u")
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="Save and publish")).to_be_visible()
    await expect(dialog).to_contain_text("unsaved changes")
    await page.keyboard.press("Escape")
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/assembled"))
    assert [one["id"] for one in kept["document"]["nodes"]] == [
        one["id"] for one in document["nodes"]
    ]
    await hands.press("Control+s")
    await expect(saving(page)).to_have_text("saved")
    await hands.to_page("Workflows")
    row = page.get_by_role("row", name="assembled")
    await expect(row).to_contain_text("1 error")
    assert "No errors" not in await row.inner_text()


async def add_from_the_palette(hands: Hands) -> None:
    """The best match, in view, behind the selected node at the edge."""
    page = hands.page
    added = page.locator(".react-flow__node.selected")
    await hands.until("F6", "Search nodes")
    best = page.locator(".palette__title").first
    await page.keyboard.type("zzzz")
    await expect(page.get_by_role("complementary", name="Palette")).to_contain_text("No results")
    for typed, title in (("webhook", "Webhook"), ("if", "If")):
        await page.keyboard.press("Control+a")
        await page.keyboard.type(typed)
        await expect(best).to_have_text(title)
    await page.keyboard.press("Enter")
    await expect(added).to_contain_text("If")
    await expect(added).to_be_in_viewport(ratio=WHOLE)


async def follow_the_problems(hands: Hands) -> None:
    """Errors first, and each leads to the settings of its node."""
    page = hands.page
    problems = page.get_by_role("complementary", name="Problems").locator(".inspector__problem")
    name = page.get_by_role("complementary", name="Inspector").get_by_label("Name", exact=True)
    await expect(page.get_by_role("button", name="2 errors")).to_be_visible()
    await hands.until("F6", "Palette")
    await hands.until("Tab", "2 errors")
    await hands.press("Enter")
    kinds = await problems.evaluate_all("all => all.map(one => one.className.includes('--error'))")
    assert kinds == sorted(kinds, reverse=True)
    assert len(set(kinds)) == 2
    first = (await problems.first.inner_text()).split("\n")[0]
    if not (await hands.to_panel("side")).startswith(first):
        await hands.until("Tab", first)
    await page.keyboard.press("Enter")
    await hands.lands("Open with input and output")
    await expect(name).to_have_value("Wait")
    # Another node opens as well while the problems are shown.
    await hands.until("F6", "Palette")
    await hands.until("Tab", "2 errors")
    await hands.press("Enter")
    await hands.walk("ArrowRight", "If")
    await hands.press("Enter")
    await hands.lands("Name")
    await expect(page.locator(":focus")).to_have_value("If")
    await page.keyboard.press("Escape")


async def add_to_a_list(hands: Hands) -> None:
    """What is typed next is the new item."""
    page = hands.page
    await hands.find("Ask")
    await page.keyboard.press("Enter")
    await hands.lands("Name")
    await hands.until("Tab", "Add to Answers")
    await page.keyboard.press("Enter")
    await page.keyboard.type("Later")
    await expect(page.locator(":focus")).to_have_value("Later")
    await page.keyboard.press("Escape")
    await expect(node(page, "ask")).to_contain_text("Later")
    await hands.lands("Ask, Ask a person, selected")


async def correct_a_value(hands: Hands) -> None:
    """A fault ends with its value, though the service has not answered yet."""
    page = hands.page
    await hands.find("Wait")
    await page.keyboard.press("Enter")
    await hands.lands("Name")
    await hands.until("Tab", "Duration seconds")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("-6")
    fault = page.locator(".param", has=page.locator(":focus")).last.locator(".field__fault")
    # What is typed is refused here; what the service said is of the value before.
    await expect(fault).to_have_text(["Not valid: at least 0 is expected", re.compile("is -5")])
    released = anyio.Event()

    async def hold(route: Route) -> None:
        await released.wait()
        await route.continue_()

    await page.route("**/api/v1/edit/validate", hold)
    await page.keyboard.press("Control+a")
    await page.keyboard.type("6")
    await expect(fault).to_have_count(0)
    released.set()  # the route stays: to remove it would answer for those that it holds
    await page.keyboard.press("Escape")


async def switch_the_mode(hands: Hands) -> None:
    """The fields below the switch stay where they are."""
    page = hands.page
    await hands.find("Look")
    await page.keyboard.press("Enter")
    await hands.lands("Name")
    modes = page.get_by_role("dialog").locator(".modes")
    await hands.until("Tab", "Manual")
    bottoms = set[float]()
    radios = modes.get_by_role("radio")
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    # The first change is not stored yet when the dialog is closed; none of them is lost.
    await page.route("**/api/v1/edit/mode", hold)
    for at in range(3):
        await expect(radios.nth(at)).to_be_checked()
        await expect(radios.nth(at)).to_be_focused()
        bottoms.add(await modes.evaluate(BOTTOM))
        await page.keyboard.press("ArrowRight" if at < 2 else "Escape")
    assert len(bottoms) == 1
    assert len(held) == 1
    await held[0].continue_()
    await page.unroute("**/api/v1/edit/mode", hold)
    for mode in ("AI task", "AI values"):
        await expect(node(page, "tool")).to_contain_text(mode)
        await hands.press("Control+z")
        await expect(node(page, "tool")).not_to_contain_text(mode)


async def test_runs_are_started_read_and_compared(page: Page, studio: Studio) -> None:
    """Defects 2, 6, 11, 12, 19 (filters and columns), 20 and 21."""
    hands = Hands(page)
    await a_failed_step_and_a_notice(hands, studio)
    await a_webhook(hands, studio)
    await a_model_that_nobody_asks(hands, studio)
    await a_past_run(hands, studio)
    await two_runs(hands, studio)


async def a_failed_step_and_a_notice(hands: Hands, studio: Studio) -> None:
    page = hands.page
    settings = {"outcome": "error", "message": "the order is closed"}
    stop = {"subtype": "STOP", "configurations": settings}
    one = {"id": "stop", "type": "FLOW", "name": "Stop", "data": stop}
    await opened(hands, studio, drawn("stopping", one))
    await hands.press("Control+Enter")
    await expect(status(page)).to_have_text("failed")
    detail = page.locator(".step-detail")
    await hands.to_panel("run")
    await hands.until("Tab", "Steps in start order")
    await hands.press("Home", "ArrowDown")
    chosen = page.get_by_role("listbox").get_by_role("option", selected=True)
    await expect(chosen).to_contain_text("Stop")
    await expect(detail.get_by_role("alert")).to_contain_text("the order is closed")
    assert "No output" not in await detail.inner_text()
    # A notice of an error covers neither this nor the inspector, and ends with the next success.
    notice = page.locator(".notice--bad")
    await page.keyboard.press("Escape")
    await hands.press("a")
    await hands.type("if", then="Enter")
    await hands.lands("If")
    for key in ("Dismiss", "Control+s"):
        await page.keyboard.press("Control+Enter")
        await expect(notice).to_be_visible()
        shown = await box_of(notice)
        for part in ("run", "side"):
            assert not overlap(shown, await box_of(page.locator(f"[data-stop={part}]")))
        if key == "Dismiss":
            await hands.to_panel("notices")
            await hands.until("Tab", key)
            await page.keyboard.press("Enter")
        else:
            await hands.press(key)
        await expect(notice).to_have_count(0)


async def a_webhook(hands: Hands, studio: Studio) -> None:
    page = hands.page
    document = drawn("keyed-hook")
    said = {"prompt": "Order {{ trigger.body.order }} by {{ trigger.method }}"}
    say = {"id": "say", "type": "prompt", "name": "Say", "position": {"x": 260, "y": 0}}
    document["nodes"][:1] = [trigger("WEBHOOK", webhook_path="/k"), say | {"data": said}]
    edges = (("hook", "say"), ("say", "end"))
    document["connections"] = [{"id": two, "from": one, "to": two} for one, two in edges]
    await opened(hands, studio, document)
    await page.keyboard.press("Control+Enter")
    body = page.get_by_role("dialog").get_by_label("body")
    await expect(body).to_have_value("{}")
    await hands.lands("Headers")
    await hands.until("Tab", "Body")
    await page.keyboard.press("Control+a")
    await page.keyboard.type('{"order": 7}')
    await hands.until("Tab", "Run")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("region", name="Result").last).to_contain_text("Order 7 by POST")


async def a_model_that_nobody_asks(hands: Hands, studio: Studio) -> None:
    page = hands.page
    plain = {"id": "say", "type": "prompt", "name": "Say", "data": {"prompt": "Hello!"}}
    panel = page.get_by_role("region", name="Run")
    with ScriptedModel(says("Salut.")).running() as model:
        new: dict[str, Any] = {"name": "keyed", "provider": "compatible", "model": "small"}
        new |= {"baseUrl": model.base_url("compatible"), "key": KEY}
        await studio.ask(page, "POST", "/api/v1/models", new)
        await opened(hands, studio, drawn("as-written", plain))
        await hands.press("Control+Enter")
        await expect(panel).to_contain_text("Hello!")
        assert model.heard == []
        await hands.walk("ArrowRight", "Say")
        await hands.to_panel("side")
        await hands.until("Tab", "Output")
        await page.keyboard.type("Ask")
        await page.keyboard.press("Escape")
        await hands.press("Control+Enter")
        await expect(panel).to_contain_text("Salut.")
        assert len(model.heard) == 1
    gone = await page.request.delete(f"{studio.url}/api/v1/models/keyed", headers=studio.headers)
    assert gone.ok


async def a_past_run(hands: Hands, studio: Studio) -> None:
    page = hands.page
    await store(page, studio, greeting("long-ago"))
    body = {"workflow": "long-ago", "inputs": {"who": "Ada"}}
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))
    await hands.to_page("Runs")
    runs = page.get_by_role("table", name="Runs")
    await expect(runs.get_by_role("link", name="long-ago")).to_be_visible()
    assert await page.locator(".filters > .select, .filters > .input").evaluate_all(TOPS) == 1
    await hands.open("long-ago", "Run of long-ago")
    await expect(status(page)).to_have_text("success")
    assert await page.locator(f".editor a[href='#/runs/{run['id']}']").count() == 0
    inspector = page.get_by_role("complementary", name="Inspector")
    await expect(inspector).to_contain_text("see what it did")
    assert await hands.to_panel("run") == "Steps in start order"
    await hands.press("End")
    await hands.until("Tab", "Re-run from here")
    await page.keyboard.press("Enter")
    await hands.until("Tab", "Run from here")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("region", name="Run").get_by_text("reused").first).to_be_visible()
    await hands.to_panel("bar")
    await hands.until("Tab", "Open workflow")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Workflow name")).to_have_value("long-ago")
    # A phone shows the status of a run without scrolling sideways.
    await page.set_viewport_size({"width": 390, "height": 844})
    await hands.to_page("Runs")
    success = runs.get_by_role("cell", name="success").first
    await expect(success).to_be_in_viewport(ratio=1)
    await page.set_viewport_size({"width": 1440, "height": 860})


async def two_runs(hands: Hands, studio: Studio) -> None:
    page = hands.page
    ids: list[str] = []
    for who in ("Ada", "Grace"):
        body = {"document": greeting("side-by-side"), "inputs": {"who": who}}
        ids.append(cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))["id"])
    await expect(page.get_by_role("checkbox", name=ids[1][:8])).to_be_visible()
    for run in reversed(ids):
        await hands.until("Tab", f"Select run {run[:8]}")
        await page.keyboard.press("Space")
    await hands.until("Shift+Tab", "Compare")
    await page.keyboard.press("Enter")
    row = page.get_by_role("row", name="Greet")
    await expect(row.locator("mark").first).to_be_visible()
    await expect(row.locator("strong")).to_have_text("Greet")
    marked = [text.strip() for text in await row.locator("mark").all_inner_texts()]
    assert sorted(marked) == ["Hello, Ada!", "Hello, Grace!"]
