"""What trying the studio as a new user found, and no other test shows; numbers as in the findings.

`README.md` lists the tests of each defect, also those in other files.
"""

import json
import re
from typing import Any, cast

import pytest
from playwright.async_api import Locator, Page, Route, expect

from e2e.fields import box
from e2e.mcp import calling
from e2e.studio import Studio, shot
from e2e.test_drawing import DROP
from rest.drawn import drawn, greeting
from servers.rooms import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def store(page: Page, studio: Studio, document: dict[str, Any]) -> None:
    path = f"/api/v1/workflows/{document['name']}"
    await studio.ask(page, "PUT", path, {"document": document})


async def opened(page: Page, studio: Studio, document: dict[str, Any]) -> None:
    await store(page, studio, document)
    await page.goto(f"{studio.url}/#/w/{document['name']}")
    await expect(page.locator(".step").first).to_be_visible()


def node(page: Page, name: str) -> Locator:
    return page.locator(f".react-flow__node[data-id='{name}']")


def saving(page: Page) -> Locator:
    return page.locator(".editor__bar .badge").first


async def box_of(what: Locator) -> tuple[float, float, float, float]:
    box = await what.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    is_beside = one[2] <= other[0] or other[2] <= one[0]
    return not (is_beside or one[3] <= other[1] or other[3] <= one[1])


async def is_apart(page: Page, names: list[str]) -> bool:
    """Whether no node covers another one."""
    boxes = [await box_of(node(page, name)) for name in names]
    pairs = [(one, other) for one in boxes for other in boxes if one is not other]
    return not any(overlap(one, other) for one, other in pairs)


async def test_a_notice_of_a_draft_acts_on_that_draft_only(page: Page, studio: Studio) -> None:
    """Defect 1: the notice of a new draft discarded the edits of another workflow."""
    await opened(page, studio, greeting("two-drafts"))
    await node(page, "greet").click()
    await page.get_by_label("Name", exact=True).fill("Mine")
    await expect(saving(page)).to_have_text("unsaved")
    await page.goto(f"{studio.url}/#/new")
    await page.get_by_label("Workflow name").fill("The other draft")
    await page.goto(f"{studio.url}/#/")
    await page.reload()  # the draft is no longer open
    drafts = page.get_by_role("table", name="Unsaved drafts")
    await drafts.get_by_role("link", name="The other draft").click()
    await expect(page.get_by_label("Workflow name")).to_have_value("The other draft")
    await expect(page.get_by_text("Unsaved new workflow restored")).to_be_visible()
    await page.goto(f"{studio.url}/#/w/two-drafts")
    discard = page.get_by_role("button", name="Discard draft")
    await expect(node(page, "greet")).to_contain_text("Mine")
    await expect(discard).to_have_count(1)
    await expect(page.get_by_text("Unsaved changes restored")).to_be_visible()
    await discard.click()
    await expect(node(page, "greet")).to_contain_text("Greet")
    await page.goto(f"{studio.url}/#/")
    await expect(drafts.get_by_role("link", name="The other draft")).to_be_visible()
    await page.get_by_role("button", name="Discard draft The other draft").click()
    await expect(drafts).to_have_count(0)
    assert await page.get_by_role("link", name="two-drafts").count() >= 1


async def test_an_import_leaves_no_run_and_no_problem_of_another_workflow(
    page: Page, studio: Studio
) -> None:
    """Defects 3 and 14, and 17: a note is no step of an exported flow."""
    await opened(page, studio, greeting("has-run"))
    await page.get_by_role("button", name="Run", exact=True).click()
    run = page.get_by_role("region", name="Run")
    await expect(run.locator(".run-panel__head .badge").first).to_have_text("success")
    wrong = drawn("wrong", {"id": "if", "type": "FLOW", "name": "If", "data": {"subtype": "IF"}})
    await page.evaluate(DROP, [json.dumps(wrong), "wrong.json", ".editor__bar"])
    await expect(page.get_by_label("Workflow name")).to_have_value("wrong")
    await expect(run).to_have_count(0)
    await expect(page.locator(".step[data-state=done], .step--done")).to_have_count(0)
    badge = page.locator(".editor__bar").get_by_role("button", name="error")
    await expect(badge).to_be_visible()
    note = {"id": "hint", "type": "note", "name": "hint", "data": {"content": "Read me"}}
    right = greeting("right")
    right["nodes"].append(note | {"position": {"x": 0, "y": 300}})
    await page.evaluate(DROP, [json.dumps(right), "right.json", ".editor__bar"])
    await expect(page.get_by_label("Workflow name")).to_have_value("right")
    await expect(node(page, "hint")).to_contain_text("Read me")
    await expect(badge).to_have_count(0)
    await page.keyboard.press("Control+e")
    await page.get_by_role("dialog").get_by_label("Format").select_option("mermaid")
    text = page.locator(".export__file pre")
    await expect(text).to_contain_text("Greet")
    assert "hint" not in await text.inner_text()


async def test_an_imported_file_is_laid_out_and_its_wrong_connection_is_drawn(
    page: Page, studio: Studio
) -> None:
    """Defect 8."""
    document = greeting("foreign")
    for one in document["nodes"]:
        one["position"] = {"x": 0, "y": 0}
    lost = {"id": "lost", "from": "start", "to": "end", "fromPort": "nowhere", "toPort": "input"}
    document["connections"].append(lost)
    await expect(page.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()
    await page.evaluate(DROP, [json.dumps(document), "foreign.json", ".page"])
    await expect(node(page, "end")).to_be_visible()
    names = [one["id"] for one in document["nodes"]]
    await eventually(lambda: is_apart(page, names))
    await expect(page.locator(".react-flow__edge[data-id=lost]")).to_be_attached()
    await shot(page, "imported")
    line = page.locator(".react-flow__edge[data-id=lost] path").first
    dashes = await line.evaluate("line => getComputedStyle(line).strokeDasharray")
    assert dashes != "none"


async def test_the_list_counts_errors_and_problems_come_worst_first(
    page: Page, studio: Studio
) -> None:
    """Defects 9 and 15."""
    document = drawn(
        "faulty",
        {"id": "first", "type": "prompt", "name": "First", "data": {"prompt": "{{nobody}}"}},
        {"id": "if", "type": "FLOW", "name": "If", "data": {"subtype": "IF"}},
    )
    await store(page, studio, document)
    await page.goto(f"{studio.url}/#/")
    row = page.get_by_role("row", name="faulty")
    await expect(row).to_contain_text("error")
    assert "No errors" not in await row.inner_text()
    await row.get_by_role("link", name="faulty").click()
    await page.locator(".editor__bar").get_by_role("button", name="error").click()
    problems = page.get_by_role("complementary", name="Problems").locator(".inspector__problem")
    await expect(problems.first).to_have_class(re.compile("--error"))
    kinds = await problems.evaluate_all("all => all.map(one => one.className.includes('--error'))")
    assert kinds == sorted(kinds, reverse=True)
    assert len(set(kinds)) == 2
    # The description of a tool is its server's: nobody here can shorten it.
    described = calling("tool", "nobody", "look", text="x")
    described["data"]["toolDescription"] = "long " * 2_000
    body = {"document": drawn("described", described)}
    found = cast("Any", await studio.ask(page, "POST", "/api/v1/edit/validate", body))["problems"]
    [long] = [one["message"] for one in found if one["code"] == "TEXT_TOO_LONG"]
    await opened(page, studio, body["document"])
    await expect(problems.filter(has_text="no server 'nobody'")).to_have_count(1)
    assert long not in "".join(await problems.all_inner_texts())


async def test_an_error_notice_covers_no_result_and_ends_with_the_next_success(
    page: Page, studio: Studio
) -> None:
    """Defect 11."""
    await opened(page, studio, greeting("noticed"))
    await page.get_by_role("button", name="Run", exact=True).click()
    run = page.get_by_role("region", name="Run")
    await expect(run.locator(".run-panel__head .badge").first).to_have_text("success")
    await page.evaluate(DROP, ["no workflow", "words.txt", ".canvas"])
    notice = page.locator(".notice--bad")
    await expect(notice).to_be_visible()
    notices, result = await box_of(notice), await box_of(run)
    assert not overlap(notices, result)
    side = await box_of(page.get_by_role("complementary", name="Inspector"))
    assert not overlap(notices, side)
    await notice.get_by_role("button", name="Dismiss").click()
    await expect(notice).to_have_count(0)
    await page.evaluate(DROP, ["no workflow", "words.txt", ".canvas"])
    await expect(notice).to_be_visible()
    await node(page, "greet").click()
    await page.get_by_label("Name", exact=True).fill("Better")
    await page.keyboard.press("Control+s")
    await expect(saving(page)).to_have_text("saved")
    await expect(notice).to_have_count(0)


async def test_the_page_of_a_run_leads_on_and_marks_reused_steps(
    page: Page, studio: Studio
) -> None:
    """Defect 20."""
    await store(page, studio, greeting("past"))
    body = {"workflow": "past", "inputs": {"who": "Ada"}}
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))
    await page.goto(f"{studio.url}/#/runs/{run['id']}")
    panel = page.get_by_role("region", name="Run")
    await expect(panel.locator(".run-panel__head .badge").first).to_have_text("success")
    own = f"#/runs/{run['id']}"
    assert await page.locator(f".editor a[href='{own}']").count() == 0
    await page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    inspector = page.get_by_role("complementary", name="Inspector")
    await expect(inspector).to_contain_text("see what it did")
    assert "change it" not in await inspector.inner_text()
    fork = cast(
        "Any",
        await studio.ask(page, "POST", f"/api/v1/runs/{run['id']}/fork", {"from": "end"}),
    )
    await page.goto(f"{studio.url}/#/runs/{fork['id']}")
    await expect(panel.get_by_text("reused").first).to_be_visible()
    await page.get_by_role("link", name="Open workflow").click()
    await expect(page.get_by_label("Workflow name")).to_have_value("past")
    # Defect 3: what begins on the page of a server shows no run of the page before.
    sample = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))
    await page.goto(f"{studio.url}/#/runs/{run['id']}")
    await expect(panel.locator(".run-panel__head .badge").first).to_have_text("success")
    await page.goto(f"{studio.url}/#/servers/{sample['server']}")
    await page.get_by_role("button", name="Add greet to a new workflow").click()
    await expect(page.get_by_label("Workflow name")).to_have_value("untitled")
    await expect(panel).to_have_count(0)


async def test_a_corrected_value_is_not_reported_until_the_service_answers(
    page: Page, studio: Studio
) -> None:
    """Defect 22: a problem belonged to a value that was no longer there."""
    delay = {"subtype": "DELAY", "configurations": {"duration_seconds": -5}}
    data = {"id": "wait", "type": "FLOW", "name": "Wait", "data": delay}
    await opened(page, studio, drawn("lagging", data))
    await node(page, "wait").click()
    field = box(page.get_by_role("complementary", name="Inspector"), "duration_seconds")
    own = page.locator(".param", has=page.get_by_role("textbox", name="Duration seconds"))
    fault = own.locator(".field__fault")
    await field.fill("-6")
    # What is typed is refused here; what the service said is of the value before.
    await expect(fault).to_have_text(["Not valid: at least 0 is expected", re.compile("is -5")])

    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await page.route("**/api/v1/edit/validate", hold)
    await field.fill("6")
    await expect(fault).to_have_count(0)
    # The service has not answered.
    assert not any(route.request.failure for route in held)
    await page.unroute("**/api/v1/edit/validate", hold)
    for route in held:
        await route.continue_()
