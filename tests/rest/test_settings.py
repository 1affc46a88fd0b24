"""`/api/v1/settings`, `/secrets`, `/doctor` and a server's health: how this home stands."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from rest.house import House
from rest.listening import listening
from servers.authorization import protected_server
from toolweave.app.settings_report import SettingLine, setting_lines, without_password
from toolweave.home import open_home
from toolweave.servers.definition import HttpServer, definition_hash
from toolweave.servers.health import Health
from toolweave.settings import WORDS, Settings, from_environment
from toolweave.testing.server import ScriptedServer, a_tool

pytestmark = pytest.mark.anyio

SECRET = "pl4nted-value-of-nobody"


async def test_every_setting_is_told_with_where_it_comes_from(house: House) -> None:
    admin = await house.key("admin")
    answer = (await house.client.get("/api/v1/settings", headers=admin)).json()
    assert [one["variable"] for one in answer["settings"]] == [f"TOOLWEAVE_{one}" for one in WORDS]
    told = {one["variable"]: one for one in answer["settings"]}
    assert told["TOOLWEAVE_HOME"]["value"] == answer["home"]
    # The house is opened with rates of its own, as `--database` would be.
    assert told["TOOLWEAVE_RATE_PER_S"]["source"] == "command line"
    assert told["TOOLWEAVE_CALL_DEADLINE_S"] == {
        "variable": "TOOLWEAVE_CALL_DEADLINE_S",
        "words": "Timeout of a tool call in seconds.",
        "value": "30",
        "default": "30",
        "source": "default",
    }


async def lines(home: Path, environ: Mapping[str, str]) -> dict[str, SettingLine]:
    settings = from_environment({"TOOLWEAVE_HOME": str(home), **environ})
    plain = Settings(
        home=home,
        keep_runs=settings.keep_runs,
        file_roots=settings.file_roots,
        backend_key=settings.backend_key,
    )
    async with open_home(plain, environ={"TOOLWEAVE_HOME": str(home), **environ}) as opened:
        return {one.variable.removeprefix("TOOLWEAVE_"): one for one in setting_lines(opened)}


async def test_no_secret_is_among_the_settings(tmp_path: Path) -> None:
    found = await lines(
        tmp_path,
        {
            "TOOLWEAVE_KEEP_RUNS": "7",
            "TOOLWEAVE_VAULT_KEY": SECRET,
            "TOOLWEAVE_MODEL_KEY": SECRET,
            "TOOLWEAVE_BACKEND_KEY": SECRET,
            "TOOLWEAVE_MODEL_URL": f"http://ada:{SECRET}@127.0.0.1:9/v1?key={SECRET}",
            "TOOLWEAVE_FILE_ROOTS": str(tmp_path / "docs"),
        },
    )
    assert SECRET not in str(found)
    assert (found["KEEP_RUNS"].value, found["KEEP_RUNS"].source) == ("7", "environment")
    assert (found["VAULT_KEY"].value, found["VAULT_KEY"].source) == ("set", "environment")
    assert found["MODEL_URL"].value == "http://127.0.0.1:9/v1"
    assert found["FILE_ROOTS"].value == str(tmp_path / "docs")
    assert found["DATABASE"].value == str(tmp_path / "toolweave.db")
    assert found["LOCKFILE"].value is not None


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ada:pw@db:5432/tw?password=pw", "postgresql://db:5432/tw"),
        ("postgresql:///tw", "postgresql:///tw"),
        ("/var/lib/toolweave.db", "/var/lib/toolweave.db"),
    ],
)
def test_an_address_is_shown_without_who_signs_in(address: str, shown: str) -> None:
    assert without_password(address) == shown


async def test_a_secret_goes_in_and_never_comes_out(house: House) -> None:
    admin = await house.key("admin")
    path = "/api/v1/secrets/mine"
    kept = await house.client.put(path, json={"value": SECRET}, headers=admin)
    listed = await house.client.get("/api/v1/secrets", headers=admin)
    assert kept.json() == {"name": "mine"}
    assert "mine" in listed.json()["names"]
    assert await house.home.vault.get("mine") == SECRET
    assert (await house.client.get(path, headers=admin)).status_code == 405
    assert (await house.client.delete(path, headers=admin)).status_code == 204
    gone = await house.client.delete(path, headers=admin)
    assert gone.json()["error"]["code"] == "SECRET_NOT_FOUND"
    assert SECRET not in kept.text + listed.text + house.logged.getvalue()
    empty = await house.client.put(path, json={"value": ""}, headers=admin)
    assert empty.json()["error"]["code"] == "BODY_INVALID"


async def test_the_doctor_says_what_is_missing_and_what_to_do(house: House) -> None:
    answer = await house.client.get("/api/v1/doctor", headers=await house.key("admin"))
    found = {one["what"]: one for one in answer.json()["findings"]}
    assert found["home"]["details"] == str(house.home.settings.home)
    assert found["models"]["state"] == "note"
    assert "Manage" in found["models"]["remedy"]


async def test_a_servers_checks_calls_and_log_are_told(house: House, tmp_path: Path) -> None:
    admin = await house.key("admin")
    server = ScriptedServer(tmp_path, a_tool("peek"))
    registry = house.home.registry
    added = await registry.add("watched", server.definition)
    now = house.clock.now()
    for at, ms in enumerate((12.5, 8.0)):
        health = Health(state="connected", latency_ms=ms, tool_count=1)
        await house.home.pings.save(added.id, now - timedelta(days=1, seconds=9 - at), health)
    broken = Health(state="error", reason="it went away")
    await house.home.pings.save(added.id, now - timedelta(days=1), broken)
    path = f"/api/v1/servers/{added.id}"
    told = (await house.client.get(f"{path}/health?limit=3", headers=admin)).json()
    assert [(one["ok"], one["latencyMs"], one["reason"]) for one in told["checks"]] == [
        (True, 12.5, None),
        (True, 8.0, None),
        (False, None, "it went away"),
    ]
    assert (told["calls"], told["log"]) == ([], [])
    refused = await house.client.post(f"{path}/sign-in", headers=admin)
    assert refused.json()["error"]["code"] == "SERVER_SIGN_IN_UNUSED"
    assert (await house.client.delete(path, headers=admin)).status_code == 204


async def test_a_person_signs_in_to_a_server_from_the_page(house: House) -> None:
    admin = await house.key("admin")
    with protected_server() as known:
        definition = HttpServer(url=known.url, oauth=True)
        added = await house.home.registry.add("web", definition)
        await house.home.registry.approve("web", definition_hash(definition))
        listed = (await house.client.get("/api/v1/servers", headers=admin)).json()["servers"]
        assert [one["signIn"] for one in listed if one["id"] == added.id] == [True]
        # It did not answer at all before: a sign-in enables it again.
        await house.home.registry.note_failure(added, "gone", will_retry=False, threshold=1)
        assert (await house.home.registry.get("web")).auto_disabled
        path = f"/api/v1/servers/{added.id}/sign-in"
        async with listening(house, admin, path, "POST") as heard:
            kind, page = await heard.receive()
            assert kind == "page"
            async with httpx2.AsyncClient(trust_env=False) as browser:
                await browser.get((await browser.get(page["url"])).headers["location"])
            kind, done = await heard.receive()
            assert (kind, done["toolCount"] > 0) == ("done", True)
        assert not (await house.home.registry.get("web")).auto_disabled
    await house.client.delete(f"/api/v1/servers/{added.id}", headers=admin)


async def test_a_person_with_a_browser_elsewhere_pastes_the_address_into_the_page(
    house: House,
) -> None:
    admin = await house.key("admin")
    with protected_server() as known:
        definition = HttpServer(url=known.url, oauth=True)
        added = await house.home.registry.add("remote", definition)
        await house.home.registry.approve("remote", definition_hash(definition))
        path = f"/api/v1/servers/{added.id}/sign-in"

        async def paste(address: str) -> httpx2.Response:
            body = {"address": address}
            return await house.client.post(f"{path}/address", json=body, headers=admin)

        early = await paste("http://127.0.0.1:1/callback?code=x&state=y")
        assert early.json()["error"]["code"] == "SERVER_SIGN_IN_NOT_RUNNING"
        async with listening(house, admin, path, "POST") as heard:
            _, page = await heard.receive()
            async with httpx2.AsyncClient(trust_env=False) as browser:
                ended_at = (await browser.get(page["url"])).headers["location"]
            wrong = await paste(
                ended_at.replace("code=", "code=x&state=").replace("&state=", "&s=")
            )
            assert wrong.json()["error"]["code"] == "SERVER_SIGN_IN_ADDRESS_INVALID"
            assert (await paste(ended_at)).status_code == 204
            kind, _ = await heard.receive()
            assert kind == "done"
        late = await paste(ended_at)
        assert late.status_code == 404
    await house.client.delete(f"/api/v1/servers/{added.id}", headers=admin)
