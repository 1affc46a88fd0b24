"""Every action of the nodes for outside services, in runs over REST: the requests that are sent."""

from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.nodes.services.acting import SECRET
from tests.nodes.services.discord import test_discord as discord
from tests.nodes.services.firecrawl import test_firecrawl as firecrawl
from tests.nodes.services.github import test_github as github
from tests.nodes.services.google_calendar import test_google_calendar as calendar
from tests.nodes.services.notion import test_notion as notion
from tests.nodes.services.slack import test_slack as slack
from tests.nodes.services.telegram import test_telegram as telegram
from tests.seeds.running import START, Json, Service, document, node, service_in, step

from toolweave import json_text
from toolweave.testing.service import Script, Told, fake_service

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Case:
    """A node's settings and inputs, and the last request that comes of them."""

    config: Json
    inputs: Json
    line: str
    # Any: a body of any JSON.
    body: Any


@dataclass(frozen=True)
class Kind:
    """A service: the kind of its credential, its node, its cases and what it answers."""

    name: str
    ref: str
    cases: Callable[[], Iterator[Case]]
    usual: Told
    script: Script | None = None


def of_slack() -> Iterator[Case]:
    for config, inputs, line, body in slack.CASES:
        yield Case({**slack.CONFIG, **config}, inputs, line, body)


def of_github() -> Iterator[Case]:
    for action, config, inputs, line, body in github.CASES:
        shared = {"github_token": github.TOKEN, "repository_config": config}
        yield Case({"action_type": action, **shared}, inputs, line, body)


def of_notion() -> Iterator[Case]:
    for instruction, context, line, body in notion.STRUCTURED:
        words = instruction if isinstance(instruction, str) else json_text.write(instruction)
        yield Case(notion.CONFIG, {"instruction": words, "context": context}, line, body)


def of_calendar() -> Iterator[Case]:
    for action, config, data, line, body in calendar.CASES:
        settings = {**calendar.CONFIG, **config, "action_type": action}
        yield Case(settings, {"data": data}, line, body)


def of_firecrawl() -> Iterator[Case]:
    config = {"firecrawl_api_key": firecrawl.TOKEN, "action_type": "crawl"}
    for action, inputs, body, _ in firecrawl.CASES:
        given = {"url": firecrawl.URL, "action_type": action, **inputs}
        yield Case(config, given, "POST /v2/scrape", {"url": firecrawl.URL, **body})
    for action in ("crawl", "extract"):
        given = {"url": firecrawl.URL, "urls": [firecrawl.URL], "schema": firecrawl.SCHEMA}
        yield Case(config, {"action_type": action, **given}, f"GET /v2/{action}/j1", None)


def of_discord() -> Iterator[Case]:
    for action, config, data, line, body, _ in discord.CASES:
        if action != "send_webhook":  # goes to an address of its own
            settings = {**discord.CONFIG, **config, "action_type": action}
            yield Case(settings, {"data": data}, line, body)


def of_telegram() -> Iterator[Case]:
    for action, config, method, body in telegram.CASES:
        settings = {**telegram.CONFIG, **config, "action_type": action}
        yield Case(settings, {}, f"POST /bot{SECRET}/{method}", {"chat_id": "-100", **body})


JOB = Told({"success": True, "id": "j1"})
DONE = Told({"status": "completed", "data": [firecrawl.PAGE]})
KINDS = [
    pytest.param(
        Kind("slack", "EXTERNAL_ACTION.SLACK", of_slack, Told({"ok": True})),
        marks=pytest.mark.requirement("004:run.EXTERNAL_ACTION.SLACK"),
    ),
    pytest.param(
        Kind("github", "EXTERNAL_ACTION.GITHUB", of_github, github.MADE, github.KNOWN),
        marks=pytest.mark.requirement("004:run.EXTERNAL_ACTION.GITHUB"),
    ),
    pytest.param(
        Kind("notion", "EXTERNAL_ACTION.NOTION", of_notion, Told({"ok": True}), notion.SCRIPT),
        marks=pytest.mark.requirement("004:run.EXTERNAL_ACTION.NOTION"),
    ),
    pytest.param(
        Kind("google", "EXTERNAL_ACTION.GOOGLE_CALENDAR", of_calendar, Told(calendar.EVENT)),
        marks=pytest.mark.requirement("004:run.EXTERNAL_ACTION.GOOGLE_CALENDAR"),
    ),
    pytest.param(
        Kind(
            "firecrawl", "EXTERNAL_ACTION.FIRECRAWL", of_firecrawl, firecrawl.DATA,
            {"POST /v2/crawl": JOB, "GET /v2/crawl/j1": DONE, "POST /v2/extract": JOB,
             "GET /v2/extract/j1": DONE},
        ),
        marks=pytest.mark.requirement("004:run.EXTERNAL_ACTION.FIRECRAWL"),
    ),
    pytest.param(
        Kind(
            "discord", "EXTERNAL_ACTION.DISCORD_ACTION", of_discord,
            Told({"id": "77", "channel_id": "5"}),
        ),
        marks=pytest.mark.requirement("004:run.EXTERNAL_ACTION.DISCORD_ACTION"),
    ),
    pytest.param(
        Kind("telegram", "EXTERNAL_ACTION.TELEGRAM_ACTION", of_telegram, telegram.SENT),
        marks=pytest.mark.requirement("004:run.EXTERNAL_ACTION.TELEGRAM_ACTION"),
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Service]:
    async with service_in(tmp_path_factory.mktemp("services") / "home") as opened:
        yield opened


@pytest.mark.parametrize("kind", KINDS)
async def test_each_action_is_done_at_the_service_by_a_run(service: Service, kind: Kind) -> None:
    async with fake_service(kind.script, usual=kind.usual) as there:
        stored = {"token": SECRET, "kind": kind.name, "baseUrl": there.address}
        for name in ("the-token", kind.name):
            await service.json("PUT", f"services/{name}", stored)
        cases = list(kind.cases())
        assert len(cases) > 3
        made = [document("act", START, node("n", kind.ref, {**one.config, "retry_attempts": 0},
                one.inputs)) for one in cases]  # fmt: skip
        for case, workflow in zip(cases, made, strict=True):
            there.heard.clear()
            run = await service.started(workflow)
            if case.line.endswith("/j1"):  # a job, which is asked after
                await service.until(run, "waiting", "success")
                await service.later(60)
            shown = await service.over(run)
            assert shown["status"] == "success", (case, shown["error"])
            assert step(shown)["value"]["success"] is True
            assert there.heard[-1].line == case.line
            sent = there.heard[-1].json
            if isinstance(sent, dict) and kind.name == "google" and "id" not in (case.body or {}):
                sent.pop("id", None)
            assert sent == case.body, case
            assert SECRET not in str(shown)
        for name in {"the-token", kind.name}:
            await service.send("DELETE", f"services/{name}")
