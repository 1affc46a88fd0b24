"""The list of problems: where each one is, what to do here, and the way back to the settings."""

import pytest
from playwright.async_api import Page, expect

from e2e.mcp import calling
from e2e.opening import inspector, open_workflow
from e2e.studio import Studio
from rest.drawn import drawn

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_a_problem_of_the_whole_workflow_names_no_place_of_its_file(
    page: Page, studio: Studio
) -> None:
    steps = [
        {"id": f"p{at}", "type": "prompt", "name": f"Step {at}", "data": {"prompt": "x"}}
        for at in range(100)
    ]
    await open_workflow(page, studio, drawn("wide", *steps))
    await page.locator(".editor__bar").get_by_role("button", name="warning").click()
    problems = page.get_by_role("complementary", name="Problems")
    about = problems.get_by_role("button", name="102 nodes")
    await expect(about).to_contain_text("Workflow")
    assert "/nodes" not in await about.inner_text()
    # The way back is where the list is.
    await problems.get_by_role("button", name="Close problems").click()
    await expect(inspector(page)).to_be_visible()
    await page.get_by_role("button", name="Build with AI").click()
    builder = page.get_by_role("complementary", name="Build with AI")
    await builder.get_by_role("button", name="Close the builder").click()
    await expect(inspector(page)).to_be_visible()
    assert await builder.count() == 0


async def test_a_hint_names_no_command_of_the_terminal(page: Page, studio: Studio) -> None:
    await studio.ask(page, "POST", "/api/v1/samples")
    await open_workflow(page, studio, drawn("gone", calling("call", "demo", "no_such_tool")))
    await page.locator(".editor__bar").get_by_role("button", name="error").click()
    problems = page.get_by_role("complementary", name="Problems")
    await expect(problems).to_contain_text("no_such_tool")
    text = await problems.inner_text()
    assert "Check now" in text
    assert "toolweave validate" not in text
