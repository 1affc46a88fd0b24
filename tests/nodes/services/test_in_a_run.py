"""Each service node in a real run, with a real vault: its outputs, and that no token gets out."""

import base64
import logging
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from tests.nodes.flow.running import NODES, alone, an_engine, finish, outcome_of
from tests.nodes.services.smtp_server import serving_smtp

from toolweave import json_text
from toolweave.app.open_engine import open_resources
from toolweave.credentials.store import Credential, Credentials
from toolweave.engine.engine import Engine
from toolweave.engine.execution_report import execution
from toolweave.engine.plan import make_plan
from toolweave.engine.runs import RunRequest
from toolweave.home import Home, open_home
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock
from toolweave.testing.service import FakeService, ServiceRequestRecord, Told, fake_service

pytestmark = pytest.mark.anyio

# One for each kind, in the form that service has them.
TOKENS = {
    "slack": "xoxb-planted-slack-8302746519",
    "github": "ghp_plantedGithub8302746519abcdef",
    "notion": "ntn_plantedNotion8302746519abcdef",
    "google": "ya29.planted-google-8302746519",
    "firecrawl": "fc-planted8302746519abcdef",
    "discord": "MTplanted.Discord.8302746519_abcdef",
    "telegram": "8302746519:AAplantedTelegramTokenabcdef",
}


@dataclass(frozen=True)
class Case:
    """A node's settings; `{kind}` in them is the credential."""

    ref: str
    kind: str
    config: JsonObject
    inputs: JsonObject


CASES = [
    Case("EXTERNAL_ACTION.SLACK", "slack",
         {"action_type": "send_message", "channel": "C024BE91L", "bot_token": "${vault:slack}"},
         {"message": "Hi {{ data.who }}"}),
    Case("EXTERNAL_ACTION.GITHUB", "github",
         {"action_type": "create_issue", "github_token": "${vault:github}",
          "repository_config": {"owner": "acme", "repo": "shop"}}, {"title": "{{ data.who }}"}),
    Case("EXTERNAL_ACTION.NOTION", "notion", {"notion_token": "${vault:notion}"},
         {"instruction": '{"operation": "search", "query": "Tasks"}'}),
    Case("EXTERNAL_ACTION.GOOGLE_CALENDAR", "google",
         {"action_type": "create_event", "access_token": "${vault:google}", "date": "2026-04-03",
          "summary": "{{ data.who }} is away"}, {}),
    Case("EXTERNAL_ACTION.FIRECRAWL", "firecrawl",
         {"action_type": "scrape", "firecrawl_api_key": "${vault:firecrawl}"},
         {"url": "https://example.com"}),
    Case("EXTERNAL_ACTION.DISCORD_ACTION", "discord",
         {"action_type": "send_message", "server_id": "1", "channel_id": "5",
          "message_content": "Hi {{ data.who }}"}, {}),
    Case("EXTERNAL_ACTION.TELEGRAM_ACTION", "telegram",
         {"action_type": "send_message", "telegram_bot_token": "${vault:telegram}",
          "chat_id": "-100", "message_text": "Hi {{ data.who }}"}, {}),
]  # fmt: skip
each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.ref)


@dataclass
class Gossip(FakeService):
    """Answers with everything it was told, tokens included."""

    status: int = 200

    def answer(self, request: ServiceRequestRecord) -> Told:
        self.heard.append(request)
        told = f"{request.line} {dict(request.headers)} {request.body.decode('utf-8', 'replace')}"
        names: JsonObject = dict.fromkeys(("message", "error", "description"), told)
        is_good = self.status < 300
        state = {"status": "completed"}  # of a job
        body: JsonObject = {"ok": is_good, "success": is_good, **names, "id": "1", **state}
        if is_good:
            body.pop("error")
        return Told({**body, "data": {"markdown": told}}, self.status)


@dataclass
class Run:
    """A home where every credential is for the fake service."""

    home: Home
    engine: Engine
    service: Gossip
    clock: FakeClock

    async def go(self, case: Case) -> tuple[str, str]:
        graph = alone(case.ref, {**case.config, "retry_attempts": 0}, case.inputs)
        with anyio.fail_after(60):
            run = await self.engine.runs.start(RunRequest(graph, {"who": "Ada"}))
            return run, await finish(self.engine, self.clock, run)


@asynccontextmanager
async def opened(home: Path) -> AsyncGenerator[Run]:
    clock = FakeClock()
    async with (
        fake_service(kind=Gossip) as service,
        open_home(Settings(home=home), clock=clock, environ={}, directory=home) as opened,
        open_resources(opened, allow_private=True) as resources,
        an_engine(opened.database, clock, resources) as engine,
    ):
        assert isinstance(service, Gossip)
        credentials = Credentials(opened.vault)
        for kind, token in TOKENS.items():
            known = Credential(name=kind, kind=kind, base_url=service.address)
            await credentials.put(known, token)
        yield Run(opened, engine, service, clock)


async def told_of(engine: Engine, run: str) -> str:
    """Everything that is kept of a run: its journal, and what is shown of it."""
    entries = await engine.journal.read(run)
    shown = execution(run, await engine.plan(run), entries)
    return json_text.write(shown) + repr(entries)


def leaks(text: bytes) -> list[str]:
    """Which tokens are in it, plain or in base64."""
    return [
        kind
        for kind, token in TOKENS.items()
        if token.encode() in text or base64.b64encode(token.encode())[:-4] in text
    ]


def in_files(home: Path) -> list[str]:
    return [kind for file in home.rglob("*") if file.is_file() for kind in leaks(file.read_bytes())]


@each
async def test_a_workflow_with_it_runs_to_a_declared_output_and_keeps_its_token(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with opened(tmp_path) as here:
        run, status = await here.go(case)
        assert status == "success", await here.engine.get(run)
        outcome = await outcome_of(here.engine, run)
        record = await told_of(here.engine, run)
        sent = here.service.heard[-1]
        assert TOKENS[case.kind] in sent.line + str(dict(sent.headers))
    spec = NODES[case.ref].spec
    assert outcome.ports == ("output",)
    assert isinstance(outcome.value, dict)
    assert outcome.value.keys() == {given.name for given in spec.outputs}
    assert outcome.value["success"] is True
    assert leaks(record.encode()) == []
    assert leaks(caplog.text.encode()) == []
    assert in_files(tmp_path) == []


@pytest.mark.parametrize(
    "ref", sorted({case.ref for case in CASES} - {"EXTERNAL_ACTION.NOTION"})
)  # Notion's examples are sentences, which need a model
async def test_every_example_runs_as_it_stands(ref: str, tmp_path: Path) -> None:
    spec = NODES[ref].spec
    (tmp_path / "files" / "out").mkdir(parents=True)
    (tmp_path / "files" / "out" / "sales.csv").write_bytes(b"a,b\n")
    async with opened(tmp_path) as here:
        kind = next(case.kind for case in CASES if case.ref == ref)
        await here.home.vault.put("discord-deploy-webhook", f"{here.service.address}/hook")
        for example in spec.examples:
            for name in re.findall(r"\$\{vault:([a-z-]+token|[a-z-]+key)\}", str(example)):
                known = Credential(name=name, kind=kind, base_url=here.service.address)
                await Credentials(here.home.vault).put(known, TOKENS[kind])
            graph = alone(ref, example.configurations, example.input_params)
            with anyio.fail_after(60):
                run = await here.engine.runs.start(RunRequest(graph, {"ours": 1}))
                assert await finish(here.engine, here.clock, run) == "success", example.name
            value = (await outcome_of(here.engine, run)).value
            assert isinstance(value, dict)
            assert value.keys() == {given.name for given in spec.outputs}


@each
async def test_a_refusal_that_repeats_the_token_does_not_tell_it(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with opened(tmp_path) as here:
        here.service.status = 400
        run, status = await here.go(case)
        assert status == "failed"
        record = await told_of(here.engine, run)
        assert "SERVICE_REFUSED" in record
    assert leaks(record.encode()) == []
    assert leaks(caplog.text.encode()) == []
    assert in_files(tmp_path) == []


async def test_a_credential_of_another_kind_is_sent_nowhere(tmp_path: Path) -> None:
    async with opened(tmp_path) as here:
        slack = CASES[0]
        config: JsonObject = {**slack.config, "use_oauth": False, "bot_token": "${vault:github}"}
        run, status = await here.go(Case(slack.ref, "github", config, slack.inputs))
        assert status == "failed"
        told = await told_of(here.engine, run)
        assert "SERVICE_CREDENTIAL_MISMATCH" in told
        assert here.service.heard == []


@pytest.mark.parametrize("place", ["message", "channel_override"])
async def test_a_value_that_came_in_cannot_name_a_secret(tmp_path: Path, place: str) -> None:
    async with opened(tmp_path) as here:
        inputs: JsonObject = {"message": "Hi", place: "${vault:github}"}
        config: Json = {**CASES[0].config, "action_type": "get_channel_info"}
        assert isinstance(config, dict)
        for action in ("send_message", "get_channel_info"):
            await here.go(Case(CASES[0].ref, "slack", {**config, "action_type": action}, inputs))
        assert here.service.heard
        for heard in here.service.heard:
            assert TOKENS["github"] not in heard.line
            assert TOKENS["github"].encode() not in heard.body


async def test_a_limit_is_waited_for_by_the_run_and_not_by_the_process(tmp_path: Path) -> None:
    async with opened(tmp_path) as here:
        here.service.status = 429
        graph = alone(CASES[1].ref, CASES[1].config, CASES[1].inputs)
        with anyio.fail_after(60):
            run = await here.engine.runs.start(RunRequest(graph, {"who": "Ada"}))
            assert await here.engine.advance(run) == "waiting"
            here.service.status = 200
            assert await finish(here.engine, here.clock, run) == "success"
        assert len(here.service.heard) == 2
        value = (await outcome_of(here.engine, run)).value
    assert isinstance(value, dict)
    assert isinstance(value["execution_metadata"], dict)
    assert value["execution_metadata"]["attempts"] == 2


async def test_a_mail_is_sent_by_a_run_and_its_password_kept(tmp_path: Path) -> None:
    ref = "EXTERNAL_ACTION.EMAIL"
    async with opened(tmp_path) as here:
        with serving_smtp() as postbox:
            postbox.password = TOKENS["slack"]
            await here.home.vault.put("smtp", postbox.password)
            config: JsonObject = {
                "smtp_host": "127.0.0.1",
                "smtp_port": postbox.port,
                "security": "none",
                "username": postbox.username,
                "password": "${vault:smtp}",
                "from_address": "robot@example.com",
            }
            mail: JsonObject = {"to": ["ada@example.com"], "subject": "Hi", "text": "Words"}
            run, status = await here.go(Case(ref, "slack", config, mail))
            assert status == "success"
        assert len(postbox.mails) == 1
        value = (await outcome_of(here.engine, run)).value
        record = await told_of(here.engine, run)
    assert isinstance(value, dict)
    assert value.keys() == {given.name for given in NODES[ref].spec.outputs}
    assert leaks(record.encode()) == []
    assert in_files(tmp_path) == []


@pytest.mark.parametrize(
    ("configured", "given", "effect"),
    [
        ("get_user_info", None, "keyed"),
        ("get_user_info", "send_message", "once"),
        ("send_message", "get_user_info", "keyed"),
        ("get_user_info", "{{ data.action }}", "once"),
    ],
)
def test_the_action_of_the_input_decides_whether_a_step_may_be_repeated(
    configured: str, given: str | None, effect: str
) -> None:
    config: JsonObject = {**CASES[0].config, "action_type": configured}
    plan = make_plan(alone(CASES[0].ref, config, {"action_type": given}), NodeRegistry())
    assert plan.by_id["n"].effect == effect
