"""A run looked at closely: large outputs, pictures, logs, and what a model chose, made fixed."""

import base64
import io
import wave
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Locator, Page, expect

from e2e.mcp import approved, calling
from e2e.studio import Studio, shot
from e2e.test_playground import PIXEL
from rest.drawn import drawn
from toolweave.testing.model import KEY, ScriptedModel, calls
from toolweave.testing.server import ScriptedServer, a_tool, answers

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


LARGE = 60


def call(name: str, server: str, tool: str, **more: Any) -> dict[str, Any]:
    data: dict[str, Any] = {"serverId": server, "toolName": tool, "parameters": []}
    data |= {"toolDescription": "", "mode": "detailed", "parameterValues": {}, **more}
    return {"id": name, "type": "mcp", "name": name, "data": data}


async def test_logs_pictures_and_five_megabytes_are_shown_without_holding_the_page_up(
    page: Page, studio: Studio
) -> None:
    server = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))["server"]
    count = {"start": 3, "step_delay_s": 0}
    document = drawn(
        "close-look",
        call("count", server, "countdown", parameterValues=count),
        call("draw", server, "draw", parameterValues={"color": "#cc3344"}),
        {"id": "much", "type": "prompt", "name": "Much", "data": {"prompt": "{{who}}" * LARGE}},
        call("report", server, "markdown_report", parameterValues={"title": "All <b>well</b>"}),
    )
    body = {"document": document, "inputs": {"who": "0123456789" * 10_000}}
    run = cast("Any", await studio.ask(page, "POST", "/api/v1/runs", body))["id"]
    await page.goto(f"{studio.url}/#/runs/{run}")
    status = page.locator(".run-panel__head .badge")
    await expect(status).to_have_text("success")
    # Each node on the canvas says how long it took.
    await expect(page.locator(".react-flow__node[data-id=count] .step__took")).to_be_visible()
    detail = page.locator(".step-detail")
    await page.locator(".timeline").get_by_role("option", name="count").click()
    said = detail.get_by_role("region", name="Text of the tool")
    await expect(said).to_have_text("Counted down from 3.")
    await expect(detail.get_by_label("count output", exact=True)).to_contain_text('"steps": 3')
    await shot(page, "run-text")
    await detail.get_by_role("tab", name="Log and attempts").click()
    await expect(detail.get_by_role("list", name="Log")).to_contain_text("lift-off")
    await expect(detail.get_by_role("list", name="Log")).to_contain_text("3/3")
    await detail.get_by_role("tab", name="Input").click()
    await expect(detail.get_by_role("heading", name="Parameters")).to_be_visible()
    await expect(detail.get_by_label("count settings")).to_contain_text('"start": 3')
    await shot(page, "run-log")
    await page.locator(".timeline").get_by_role("option", name="draw").click()
    picture = detail.get_by_role("img", name="Image of draw output")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("image => image.naturalWidth") == 64
    await shot(page, "run-picture")
    await page.locator(".timeline").get_by_role("option", name="report").click()
    await expect(detail.get_by_label("report output", exact=True)).to_contain_text("<b>well</b>")
    await expect(detail.locator("b")).to_have_count(0)
    await page.locator(".timeline").get_by_role("option", name="Much").click()
    await expect(detail).to_contain_text("of 6,000,000 characters")
    assert len(await detail.locator(".value").inner_text()) < 25_000
    async with page.expect_download() as downloading:
        await detail.get_by_role("button", name="Download everything").click()
    path = await (await downloading.value).path()
    assert path.stat().st_size == 100_000 * LARGE + 2
    await shot(page, "run-large")
    # Its node shows the beginning as well.
    await page.locator(".react-flow__node[data-id=much]").dblclick()
    view = page.get_by_role("dialog", name="Much")
    output = view.get_by_role("region", name="Output").first
    await expect(output).to_contain_text("A part of 6,000,000 characters is shown.")


def second_of_silence() -> str:
    """A sound that is too large for the value to be sent to a page as a whole."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(bytes(32_000))
    return base64.b64encode(file.getvalue()).decode()


async def has_media(where: Locator) -> None:
    """Shown, played, linked and read; a sound that is squeezed flat cannot be played."""
    await expect(where.get_by_role("img", name="Image of")).to_be_visible()
    sound = where.locator("audio")
    await expect(sound).to_be_visible()
    assert await sound.evaluate("sound => sound.getBoundingClientRect().height") > 30
    link = where.get_by_role("link", name="https://example.org/report.pdf")
    await expect(link).to_have_attribute("target", "_blank")
    await expect(where.locator(".value")).to_contain_text("Drawn for you.")
    await expect(where.locator(".value")).to_contain_text("# Notes")
    assert PIXEL[:20] not in await where.locator(".value").inner_text()


async def test_media_of_a_tool_are_shown_played_and_linked_everywhere(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    server = ScriptedServer(tmp_path, a_tool("make", inputSchema={"type": "object"}))
    notes = {"uri": "memo://notes", "mimeType": "text/markdown", "text": "# Notes"}
    content: list[dict[str, Any]] = [
        {"type": "text", "text": "Drawn for you."},
        {"type": "image", "mimeType": "image/png", "data": PIXEL},
        {"type": "audio", "mimeType": "audio/wav", "data": second_of_silence()},
        {"type": "resource_link", "uri": "https://example.org/report.pdf", "name": "Report"},
        {"type": "resource", "resource": notes},
    ]
    server.on_call("make", *[[answers({"content": content})]] * 3)
    identity = await approved(page, studio, "maker", server)
    document = drawn("making", calling("make", "maker", "make") | {"name": "Make it"})
    await studio.ask(page, "PUT", "/api/v1/workflows/making", {"document": document})
    async with page.expect_response("**/api/v1/edit/validate") as checked:
        await page.goto(f"{studio.url}/#/w/making")
    step = page.locator(".react-flow__node[data-id=make]")
    await expect(step).to_be_visible()
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".run-panel__head .badge")).to_have_text("success")
    # A natural name is no problem, although the check reports it.
    assert "NODE_NAME_UNUSUAL" in await (await checked.value).text()
    await expect(page.locator(".editor__bar").get_by_role("button", name="warning")).to_have_count(
        0
    )
    await page.locator(".timeline").get_by_role("option", name="Make it").click()
    await has_media(page.locator(".step-detail"))
    await shot(page, "media-run")
    await step.dblclick()
    view = page.get_by_role("dialog", name="Make it")
    await has_media(view.get_by_role("region", name="Output").first)
    # The icon of its server, as on the canvas.
    await expect(view.locator(".node-view__head .monogram")).to_have_text("M")
    await view.get_by_role("button", name="Run step").click()
    await expect(view.get_by_text("Result of this step alone")).to_be_visible()
    await has_media(view.get_by_role("region", name="Output").first)
    await shot(page, "media-step")
    await page.keyboard.press("Escape")
    await page.goto(f"{studio.url}/#/servers/{identity}")
    await page.get_by_role("button", name="Try it: make").click()
    playground = page.get_by_role("dialog", name="Try make")
    await playground.get_by_role("button", name="Run", exact=True).click()
    await has_media(playground)
    await shot(page, "media-playground")


@pytest.mark.requirement("000:ui.mode-selection")
async def test_what_a_model_chose_is_shown_and_frozen_and_taken_back(
    page: Page, studio: Studio
) -> None:
    server = cast("Any", await studio.ask(page, "POST", "/api/v1/samples"))["server"]
    words = {
        "description": "The weather in Rome for two days",
        "timestamp": "2026-01-01T00:00:00.000Z",
    }
    node = call(
        "ask", server, "weather", mode="naturalLanguageParam", naturalLanguageParamConfig=words
    )
    with ScriptedModel(calls("weather", {"city": "Rome", "days": 2})).running() as model:
        added = {"name": "fake", "provider": "anthropic", "key": KEY, "model": "small"}
        added["baseUrl"] = model.base_url("anthropic")
        await studio.ask(page, "POST", "/api/v1/models", added)
        document = drawn("in-words", node)
        await studio.ask(page, "PUT", "/api/v1/workflows/in-words", {"document": document})
        await page.goto(f"{studio.url}/#/w/in-words")
        await page.locator(".react-flow__node[data-id=ask]").click()
        await page.keyboard.press("Control+Enter")
        await expect(page.locator(".run-panel__head .badge")).to_have_text("success")
    detail = page.locator(".step-detail")
    await detail.get_by_role("tab", name="AI decision").click()
    await expect(detail.get_by_label("Arguments of weather")).to_contain_text('"city": "Rome"')
    await expect(detail).to_contain_text("10 tokens in, 5 out")
    await shot(page, "run-chosen")
    form = page.locator(".inspector")
    await detail.get_by_role("button", name="Lock these values").click()
    await expect(form.get_by_role("combobox", name="City", exact=True)).to_have_value("Rome")
    await expect(form.get_by_label("Manual")).to_be_checked()
    await shot(page, "run-frozen")
    await page.get_by_role("button", name="Undo").click()
    await expect(form.get_by_label("Describe values (AI)")).to_be_checked()
    kept = cast("Any", await studio.ask(page, "GET", "/api/v1/workflows/in-words"))
    assert kept["document"]["nodes"][1]["data"]["mode"] == "naturalLanguageParam"
    gone = await page.request.delete(f"{studio.url}/api/v1/models/fake", headers=studio.headers)
    assert gone.ok
