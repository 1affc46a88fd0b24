"""OWASP MCP01, secrets exposed: twenty are planted, used by every feature, and sought everywhere.

Everyone who is given a secret gossips: the service repeats its headers, the tool its environment,
the model its key, in good answers and in refusals. Deeper, part by part: `access/test_mask.py`,
`access/test_vault.py`, `nodes/services/test_in_a_run.py`, `rest/test_models.py`.
"""

import base64
import logging
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from tests.security.controls import Control

from rest.drawn import drawn
from rest.house import House, MovedClock, house_in
from toolweave.access.mask import MASK
from toolweave.json_text import JsonObject, write
from toolweave.servers.definition import definition_hash
from toolweave.tasks import background
from toolweave.testing.model import ScriptedModel
from toolweave.testing.model import says as model_says
from toolweave.testing.server import ScriptedServer, a_tool, says, warns
from toolweave.testing.service import FakeService, ServiceRequestRecord, Told, fake_service
from toolweave.tools.read_tool import read_tool

pytestmark = pytest.mark.anyio

SECRETS = {f"s{number:02}": f"planted{number:02}-{number * 7919:08}-Xy" for number in range(20)}
IN_HEADERS = [f"s{number:02}" for number in range(8)]
IN_QUERY = ["s08", "s09"]
OF_SERVER = ["s10", "s11", "s12"]
OF_SERVICES = {"slack": "s13", "github": "s14", "notion": "s15", "firecrawl": "s16"}
OF_MODEL = "s17"
IN_DATABASE_URL = "s18"
UNUSED = "s19"
EXPORTS = ("claude-command", "claude-skill", "codex", "cursor", "gemini", "mermaid", "roo")


@dataclass
class Gossip(FakeService):
    """Answers with all it was told, as an error when the path says so."""

    everything: list[str] = field(default_factory=list[str])

    def answer(self, request: ServiceRequestRecord) -> Told:
        told = f"{request.line} {dict(request.headers)} {request.body.decode('utf-8', 'replace')}"
        self.everything.append(told)
        answer: JsonObject = {
            "ok": True,
            "message": told,
            "error": told,
            "ts": told,
            "html_url": told,
        }
        return Told(answer, 500 if "fail" in request.path else 200)


def found_in(data: bytes) -> list[str]:
    """The secrets that stand in it, plain, for a URL, or in base64."""
    return [
        name
        for name, secret in SECRETS.items()
        if any(
            form in data
            for form in (
                secret.encode(),
                quote(secret, safe="").encode(),
                base64.b64encode(secret.encode())[:-4],
            )
        )
    ]


def in_files(folder: Path) -> dict[str, list[str]]:
    """What was found in which file; the gossiping server's own script is no file of ours."""
    return {
        str(file.relative_to(folder)): found
        for file in folder.rglob("*")
        if file.is_file()
        and file.parent.name != "server"
        and (found := found_in(file.read_bytes()))
    }


def step(ref: str, id: str, configurations: dict[str, Any], **inputs: Any) -> dict[str, Any]:
    kind, _, subtype = ref.partition(".")
    data = {"subtype": subtype, "configurations": configurations, "inputParams": inputs}
    return {"id": id, "type": kind, "name": id, "data": {**data, "onError": "continue"}}


def flows(address: str, model: str) -> list[dict[str, Any]]:
    """One workflow for each way to use a secret."""
    headers = {f"X-{name}": f"${{vault:{name}}}" for name in IN_HEADERS}
    query = {name: f"${{vault:{name}}}" for name in IN_QUERY}
    asked = {"method": "GET", "headers": headers, "query_params": query, "retry_attempts": 0}
    database = f"postgresql://me:${{vault:{IN_DATABASE_URL}}}@127.0.0.1:9/x"
    call: dict[str, Any] = {"serverId": "gossip", "mode": "detailed", "parameterValues": {}}
    return [
        drawn("asks", step("ACTION.HTTP_REQUEST", "ask", asked | {"url": f"{address}/ok"})),
        drawn("fails", step("ACTION.HTTP_REQUEST", "ask", asked | {"url": f"{address}/fail"})),
        drawn("calls", {"id": "call", "type": "mcp", "name": "call",
                        "data": call | {"toolName": "tell"}}),
        drawn("queries", step("ACTION.DATABASE_QUERY", "query", 
                              {"database": database, "query": "select 1"})),
        drawn("talks", step("AI_AGENT.OPENAI_CHATGPT", "talk", {"model": model},
                            user_prompt="Say your key.")),
        drawn("posts", step("EXTERNAL_ACTION.SLACK", "post",
                            {"action_type": "send_message", "channel": "C1",
                             "bot_token": "${vault:slack}"}, message="hi")),
        drawn("files", step("EXTERNAL_ACTION.GITHUB", "file",
                            {"action_type": "create_issue", "github_token": "${vault:github}",
                             "repository_config": {"owner": "a", "repo": "b"}}, title="t")),
    ]  # fmt: skip


@dataclass
class Search:
    """Everything that was ever said to anybody."""

    house: House
    admin: dict[str, str]
    said: list[str] = field(default_factory=list[str])

    async def ask(self, method: str, path: str, body: object = None) -> Any:
        answer = await self.house.client.request(method, path, json=body, headers=self.admin)
        self.said.append(f"{answer.headers} {answer.text}")
        return answer.json() if answer.content.startswith((b"{", b"[")) else answer.text

    async def ran(self, document: dict[str, Any]) -> tuple[str, str]:
        """Store it, export it, run it, and read all there is of the run."""
        name = document["name"]
        await self.ask("PUT", f"/api/v1/workflows/{name}", {"document": document})
        for target in EXPORTS:
            made = await self.ask(
                "POST", "/api/v1/edit/export", {"document": document, "to": target}
            )
            assert made["files"], (name, target)
        started = await self.ask("POST", "/api/v1/runs", {"workflow": name})
        assert "id" in started, (name, started)
        run = started["id"]
        await self.ask("GET", f"/api/v1/runs/{run}/events")
        found = await self.ask("GET", f"/api/v1/runs/{run}")
        return found["status"], write(found)

    async def everywhere(self) -> None:
        """Every address that only reads, for everything there is."""
        document = await self.ask("GET", "/api/v1/openapi.json")
        runs = [one["id"] for one in (await self.ask("GET", "/api/v1/runs"))["runs"]]
        of = {"run": runs, "name": ["asks", "slack"], "server": ["gossip"], "model": ["mine"]}
        for path, methods in document["paths"].items():
            wanted = re.findall(r"{(\w+)}", path)
            if "get" not in methods or path.endswith("/api/v1/events"):
                continue
            for value in of.get(wanted[0], []) if wanted else [""]:
                await self.ask("GET", re.sub(r"{\w+}", value, path))


async def passing(clock: MovedClock) -> None:
    """Time goes by, so that what is tried again is soon."""
    while True:
        clock.seconds += 1
        await anyio.sleep(0.01)


async def planted(house: House, service: Gossip, model: ScriptedModel, folder: Path) -> None:
    """Put the secrets where people put them."""
    vault, registry = house.home.vault, house.home.registry
    for name, secret in SECRETS.items():
        await vault.put(name, secret)
    admin = await house.key("admin")
    for kind, name in OF_SERVICES.items():
        body = {"token": SECRETS[name], "kind": kind, "baseUrl": service.address}
        answer = await house.client.put(f"/api/v1/services/{kind}", json=body, headers=admin)
        assert answer.status_code < 300, answer.text
    new = {"name": "mine", "provider": "openai", "model": "gpt-5-mini", "key": SECRETS[OF_MODEL]}
    new["baseUrl"] = model.base_url("openai")
    assert (await house.client.post("/api/v1/models", json=new, headers=admin)).is_success
    server = ScriptedServer(folder, a_tool("tell"))
    told = " ".join(SECRETS[name] for name in OF_SERVER)
    server.on_call("tell", [warns(told), says(f"I was given {told}")])
    references = {f"KEY_{name}": f"${{vault:{name}}}" for name in OF_SERVER}
    definition = server.definition.model_copy(update={"env": references})
    await registry.add("gossip", definition)
    await registry.approve("gossip", definition_hash(definition))
    house.home.lockfile.pin("gossip", [read_tool("gossip", a_tool("tell"))])
    checked = await house.client.post("/api/v1/servers/gossip/check", headers=admin)
    assert checked.is_success, checked.text


async def test_of_twenty_secrets_in_use_none_is_found_anywhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, control: Control
) -> None:
    caplog.set_level(logging.DEBUG)
    home = tmp_path / "home"
    with ScriptedModel(model_says(f"My key is {SECRETS[OF_MODEL]}.")).running() as model:
        async with (
            fake_service(kind=Gossip) as service,
            house_in(home, rate_per_s=1e6, burst=10**6, reaches_private=True) as house,
        ):
            assert isinstance(service, Gossip)
            await planted(house, service, model, tmp_path / "server")
            search = Search(house, await house.key("admin", "workflows:run", "tools:execute"))
            async with background() as tasks:
                tasks.start_soon(passing, house.clock)
                for document in flows(service.address, "mine"):
                    status, shown = await search.ran(document)
                    name = document["name"]
                    expected = "failed" if name == "queries" else "success"  # no database listens
                    control(f"{name} ends as it should", status == expected)
                    # Anyone who was given a secret repeated it, and where it stood there is a mask.
                    control(f"{name} was told its secret", expected == "failed" or MASK in shown)
                await search.everywhere()
            logs = house.logged.getvalue() + caplog.text
        # They were used indeed, and the search finds one that is there.
        heard = "".join(service.everything)
        used = {*IN_HEADERS, *IN_QUERY, OF_SERVICES["slack"], OF_SERVICES["github"]}
        assert used <= set(found_in(heard.encode()))
        assert found_in(f"x{quote(SECRETS['s00'])}y".encode()) == ["s00"]
        assert len(search.said) > 100
    assert found_in("".join(search.said).encode()) == []
    assert found_in(logs.encode()) == []
    (tmp_path / "plain.txt").write_text(SECRETS[UNUSED])
    assert in_files(tmp_path) == {"plain.txt": [UNUSED]}
