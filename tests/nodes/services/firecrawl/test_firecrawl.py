"""EXTERNAL_ACTION.FIRECRAWL: each action's requests, and the handling of the answers."""

from datetime import timedelta

import pytest
from tests.nodes.action.trying import checked, code_of
from tests.nodes.services.acting import SECRET, TOKEN, Bench, bench

from toolweave.catalog.node import Outcome, Resumed, Wait
from toolweave.errors import Denied, Invalid, TimedOut, Unavailable
from toolweave.json_text import JsonObject
from toolweave.nodes.services.firecrawl.action import node
from toolweave.nodes.services.firecrawl.api import ACTIONS
from toolweave.testing.service import Told

pytestmark = pytest.mark.anyio

URL = "https://example.com/docs"
SCHEMA: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}}}
PAGE: JsonObject = {
    "markdown": "# Hi\n\n**Read** [this](https://x).",
    "html": "<h1>Hi</h1>",
    "json": {"name": "Lamp"},
    "screenshot": "https://cdn/x.png",
    "metadata": {"sourceURL": URL},
}
DATA = Told({"success": True, "data": PAGE})
PLAIN: JsonObject = {"onlyMainContent": True, "excludeTags": ["script", "style"]}

CASES: list[tuple[str, JsonObject, JsonObject, str]] = [
    ("scrape", {}, {"formats": ["markdown"], **PLAIN}, "# Hi\n\n**Read** [this](https://x)."),
    ("scrape",
     {"format": "html", "include_selectors": ["article"], "exclude_selectors": ["nav"],
      "headers": {"Accept-Language": "en"}},
     {"formats": ["html"], "onlyMainContent": False, "includeTags": ["article"],
      "excludeTags": ["nav"], "headers": {"Accept-Language": "en"}}, "<h1>Hi</h1>"),
    ("scrape", {"format": "text"}, {"formats": ["markdown"], **PLAIN}, "Hi\n\nRead this."),
    ("scrape", {"format": "json", "schema": SCHEMA},
     {"formats": [{"type": "json", "schema": SCHEMA}], **PLAIN}, '{"name":"Lamp"}'),
    ("screenshot", {"screenshot": {"fullPage": False, "quality": 50}},
     {"formats": [{"type": "screenshot", "fullPage": False, "quality": 50}], **PLAIN},
     "# Hi\n\n**Read** [this](https://x)."),
]  # fmt: skip


@pytest.mark.parametrize(("action", "inputs", "body", "content"), CASES)
async def test_a_page_is_asked_for_exactly_so(
    action: str, inputs: JsonObject, body: JsonObject, content: str
) -> None:
    async with bench(usual=DATA) as here:
        config: JsonObject = {"firecrawl_api_key": TOKEN, "action_type": "crawl"}
        found = await here.result(node, config, {"url": URL, "action_type": action, **inputs})
        assert here.lines == ["POST /v2/scrape"]
        assert here.last == {"url": URL, **body}
    assert here.service.heard[0].headers["authorization"] == f"Bearer {SECRET}"
    assert found["content"] == content
    assert found["urls_processed"] == [URL]
    if action == "screenshot":
        assert found["data"] == "https://cdn/x.png"


async def test_several_pages_are_read_in_one_go() -> None:
    async with bench(usual=DATA) as here:
        config: JsonObject = {"firecrawl_api_key": TOKEN, "action_type": "scrape"}
        found = await here.result(node, config, {"urls": [URL, URL]})
        assert len(here.lines) == 2
    assert found["stats"] == {"pages": 2, "action": "scrape"}


async def go_on(here: Bench, config: JsonObject, inputs: JsonObject) -> tuple[JsonObject, int]:
    """Run a node to its end; what it gives, and how often it waited."""
    resumed, waits = None, 0
    while isinstance(found := await here.act(node, config, inputs, resumed), Wait):
        assert found.until is not None
        await here.clock.advance((found.until - here.clock.now()).total_seconds())
        resumed, waits = Resumed("timer", memory=found.memory), waits + 1
    assert isinstance(found, Outcome)
    return checked(node, found), waits


async def test_a_crawl_is_begun_once_and_asked_after_until_it_is_over() -> None:
    job = "/v2/crawl/j1"
    limited = Told({"error": "slow down"}, 429, {"retry-after": "3"})
    done = Told(
        {"status": "completed", "data": [PAGE], "creditsUsed": 2,
         "next": "https://api.firecrawl.dev/v2/crawl/j1?skip=1"}
    )  # fmt: skip
    states = [Told({"status": "scraping"}), limited, done, Told({"data": [PAGE]})]
    script = {"POST /v2/crawl": Told({"success": True, "id": "j1"}), f"GET {job}": states}
    config: JsonObject = {"firecrawl_api_key": TOKEN, "action_type": "crawl"}
    inputs: JsonObject = {"url": URL, "max_depth": 3, "limit": 40}
    async with bench(script) as here:
        found, waits = await go_on(here, config, inputs)
        assert here.service.heard[0].json == {
            "url": URL,
            "limit": 40,
            "maxDiscoveryDepth": 3,
            "scrapeOptions": {"formats": ["markdown"], **PLAIN},
        }
        assert here.lines[1:] == [f"GET {job}"] * 3 + [f"GET {job}?skip=1"]
    assert waits == 2
    assert found["urls_processed"] == [URL, URL]
    assert found["stats"] == {"pages": 2, "credits": 2, "action": "crawl"}


async def test_data_is_extracted_by_a_schema() -> None:
    script = {
        "POST /v2/extract": Told({"success": True, "id": "x1"}),
        "GET /v2/extract/x1": Told({"status": "completed", "data": {"name": "Lamp"}}),
    }
    config: JsonObject = {"firecrawl_api_key": TOKEN, "action_type": "extract"}
    async with bench(script) as here:
        found = await here.result(node, config, {"url": URL, "schema": SCHEMA, "format": "json"})
        sent = here.service.heard[0].json
    assert isinstance(sent, dict)
    assert sent["urls"] == [URL]
    assert sent["schema"] == SCHEMA
    assert found["data"] == {"name": "Lamp"}
    assert found["content"] == '{"name":"Lamp"}'
    assert found["urls_processed"] == [URL]
    assert set(ACTIONS) == {"scrape", "crawl", "extract", "screenshot"}


async def test_a_job_that_never_ends_is_given_up() -> None:
    script = {
        "POST /v2/crawl": Told({"success": True, "id": "j1"}),
        "GET /v2/crawl/j1": Told({"status": "scraping"}),
    }
    config: JsonObject = {"firecrawl_api_key": TOKEN, "action_type": "crawl", "timeout": 60}
    async with bench(script) as here:
        began = here.clock.now()
        with pytest.raises(TimedOut) as caught:
            await go_on(here, config, {"url": URL})
        assert here.clock.now() - began < timedelta(seconds=120)
    assert code_of(caught) == "SERVICE_JOB_TIMEOUT"


async def test_firecrawls_refusals_are_failures() -> None:
    config: JsonObject = {"firecrawl_api_key": TOKEN, "action_type": "scrape"}
    async with bench(usual=Told({"success": False, "error": "blocked"})) as here:
        with pytest.raises(Invalid) as refused:
            await here.act(node, config, {"url": URL})
    assert "blocked" in refused.value.message
    async with bench(usual=Told({"error": "Insufficient credits"}, 402)) as here:
        with pytest.raises(Denied):
            await here.act(node, config, {"url": URL})
    script = {
        "POST /v2/crawl": Told({"success": True, "id": "j1"}),
        "GET /v2/crawl/j1": Told({"status": "failed", "error": "dns"}),
    }
    async with bench(script) as here:
        with pytest.raises(Unavailable):
            await here.act(node, {**config, "action_type": "crawl"}, {"url": URL})


@pytest.mark.parametrize(
    ("action", "inputs"),
    [("scrape", {}), ("crawl", {"urls": [URL]}), ("extract", {"url": URL})],
)
async def test_what_an_action_needs_is_asked_for(action: str, inputs: JsonObject) -> None:
    async with bench() as here:
        with pytest.raises(Invalid) as caught:
            await here.act(node, {"firecrawl_api_key": TOKEN, "action_type": action}, inputs)
        assert here.lines == []
    assert code_of(caught) == "SERVICE_FIELD_MISSING"
