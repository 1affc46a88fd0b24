"""Skills of a server over REST, and what a chat may do with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from rest.house import House, house_in
from rest.test_chat import events, use
from rest.test_servers import SERVERS, approved
from servers.skilled import BODY, FILES, FORMS, MAIN, MORE, a_skilled_server, files_read, serve
from toolweave.testing.model import ScriptedModel, calls, says
from toolweave.testing.server import ScriptedServer

pytestmark = pytest.mark.anyio


async def with_approved_skill(house: House, server: ScriptedServer) -> None:
    admin = await house.key("servers:admin", "tools:read", "tools:execute")
    reader = await house.key("tools:read")
    base = f"{SERVERS}/{await approved(house, server, admin)}/skills"
    (found,) = (await house.client.get(base, headers=reader)).json()["skills"]
    assert (found["name"], found["state"]) == ("pdf-forms", "not approved")
    yes = {"skill": "pdf-forms", "hash": found["hash"]}
    denied = await house.client.post(f"{base}/approve", json=yes, headers=reader)
    assert denied.status_code == 403
    other = await house.client.post(f"{base}/approve", json=yes | {"hash": "0" * 64}, headers=admin)
    assert (other.status_code, other.json()["error"]["code"]) == (409, "SKILL_CHANGED")
    done = await house.client.post(f"{base}/approve", json=yes, headers=admin)
    assert done.json()["skills"][0]["state"] == "approved"
    assert files_read(server) == []
    body = {"skill": "pdf-forms"}
    read = await house.client.post(f"{base}/read", json=body, headers=admin)
    assert read.json()["text"] == BODY
    forgotten = await house.client.post(f"{base}/forget", json=body, headers=admin)
    assert forgotten.json()["skills"][0]["state"] == "not approved"
    await house.client.post(f"{base}/approve", json=yes, headers=admin)


async def say(house: House, model: ScriptedModel, *wanted: Any) -> tuple[list[Any], str]:
    """What a chat that makes these calls tells, and what the model was asked last."""
    key = await house.key("tools:execute")
    model.answers(*wanted, says("Done."))
    said = await house.client.post("/api/v1/chat", json={"message": "Fill it in."}, headers=key)
    results = [one for one in events(said) if one["type"] == "result"]
    return results, json.dumps(model.heard[-1].body)


async def test_a_chat_reads_an_approved_skill_file_by_file_and_gets_no_tools_from_it(
    tmp_path: Path,
) -> None:
    server = a_skilled_server(tmp_path / "server")
    async with house_in(tmp_path / "home") as house:
        await with_approved_skill(house, server)
        before = len(files_read(server))
        with ScriptedModel().running() as model:
            await use(house, model)
            (main, more, none), asked = await say(
                house,
                model,
                # The server has a tool of its own called `read_skill`; ours is the second.
                calls("mine__read_skill_2", {"skill": "pdf-forms"}),
                calls("mine__read_skill_2", {"skill": "pdf-forms", "file": "references/FORMS.md"}),
                calls("bank__transfer", {}),
            )
        assert BODY in main["text"]
        assert "references/FORMS.md" in main["text"]
        assert MORE in more["text"]
        assert files_read(server)[before:] == [MAIN, FORMS]
        # Only ours gives instructions, and `allowed-tools` gives nothing.
        assert "The one exception is what `mine__read_skill_2` gives" in asked
        assert "pdf-forms: Fill in PDF forms." in asked
        assert (none["isError"], "no tool 'bank__transfer'" in none["text"]) == (True, True)


@pytest.mark.parametrize(
    "wrong",
    [BODY.replace("capitals", "capitols"), BODY + "More."],
)
async def test_a_model_is_not_given_a_skill_that_changed_since_its_approval(
    tmp_path: Path, wrong: str
) -> None:
    server = a_skilled_server(tmp_path / "server", "legacy")
    async with house_in(tmp_path / "home") as house:
        await with_approved_skill(house, server)
        with ScriptedModel().running() as model:
            await use(house, model)
            read = calls("mine__read_skill_2", {"skill": "pdf-forms"})
            (control,), _ = await say(house, model, read)
            serve(server, FILES | {MAIN: wrong})
            (refused,), asked = await say(house, model, read)
        assert (control["isError"], refused["isError"]) == (False, True)
        assert "SKILL_MISMATCH" in refused["text"]
        assert wrong not in asked
        assert "Always answer" not in refused["text"]


async def test_a_chat_has_no_tool_for_skills_that_nobody_approved(tmp_path: Path) -> None:
    server = a_skilled_server(tmp_path / "server")
    async with house_in(tmp_path / "home") as house:
        await approved(house, server, await house.key("servers:admin"))
        key = await house.key("tools:execute")
        tools = (await house.client.get("/api/v1/chat/tools", headers=key)).json()["tools"]
        assert [one["toolName"] for one in tools] == [
            *("echo", "read_skill", "list_resources", "read_resource"),
        ]
        with ScriptedModel().running() as model:
            await use(house, model)
            (control, refused), asked = await say(
                house,
                model,
                calls("mine__echo", {"text": "x"}),
                calls("mine__read_resource", {"uri": MAIN}),
            )
        assert "exception" not in asked
        assert (control["isError"], refused["isError"]) == (False, True)
        assert "SKILL_UNAPPROVED" in refused["text"]
        assert files_read(server) == []
