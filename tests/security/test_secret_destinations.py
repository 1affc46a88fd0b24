"""A secret goes only where it was allowed: hosts by name, and approved servers that refer to it."""

import logging
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.network.wire import http, json_answer, peer
from tests.security.controls import Control

from rest.drawn import drawn
from rest.house import House, house_in
from rest.test_runs import run_until, started
from toolweave.access.secret_destinations import to_host
from toolweave.errors import Denied
from toolweave.testing.server import ScriptedServer

pytestmark = pytest.mark.anyio

VALUE = "a-token-of-the-test-4711"
SECRETS = "/api/v1/secrets"
HERE = "127.0.0.1"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    async with house_in(tmp_path / "home", reaches_private=True) as opened:
        yield opened


async def stored(house: House, **more: Any) -> None:
    admin = await house.key("admin")
    body = {"value": VALUE, **more}
    answer = await house.client.put(f"{SECRETS}/token", json=body, headers=admin)
    assert answer.status_code == 200, answer.text


async def allow(house: House, host: str) -> None:
    admin = await house.key("admin")
    path = f"{SECRETS}/token/hosts"
    answer = await house.client.post(path, json={"host": host}, headers=admin)
    assert answer.status_code == 200, answer.text


async def sent(house: House, config: dict[str, Any]) -> str:
    """Run one request of a workflow; return its status, or the code of its failure."""
    node = {
        "id": "ask",
        "type": "ACTION",
        "name": "ask",
        "data": {"subtype": "HTTP_REQUEST", "configurations": {"method": "GET", **config}},
    }
    run = await started(house, {"document": drawn("asks", node)})
    found = await run_until(house, run, "success", "failed")
    failed = [step["error"]["code"] for step in found["steps"] if step["error"]]
    return failed[0] if failed else found["status"]


def configs(address: str) -> list[dict[str, Any]]:
    """Every place of a request that takes a secret."""
    reference = "${vault:token}"
    return [
        {"url": address, "headers": {"authorization": f"Bearer {reference}"}},
        {"url": address, "headers": {"x-plain": reference}},
        {"url": address, "query_params": {"key": reference}},
    ]


async def test_a_request_to_another_host_gets_no_secret(house: House, control: Control) -> None:
    await stored(house, hosts=["api.example.com"])
    async with peer(json_answer(b"{}")) as server:
        for config in configs(server.url):
            assert await sent(house, config) == "SECRET_NOT_ALLOWED", config
        assert server.heads == []
        await allow(house, HERE)
        for config in configs(server.url):
            control("an allowed host gets it", await sent(house, config) == "success")
        assert sum(VALUE.encode() in head for head in server.heads) == len(server.heads) == 3


async def test_a_secret_that_nobody_bound_goes_to_no_host(house: House, control: Control) -> None:
    await stored(house)
    async with peer(json_answer(b"{}")) as server:
        config = configs(server.url)[0]
        assert await sent(house, config) == "SECRET_NOT_ALLOWED"
        await allow(house, HERE)
        control("it does once it was allowed", await sent(house, config) == "success")


async def test_a_redirect_to_another_origin_gets_no_secret_in_any_header(
    house: House, control: Control
) -> None:
    await stored(house, hosts=[HERE])
    async with (
        peer(json_answer(b"{}")) as target,
        peer(http(302, location=target.url)) as first,
    ):
        assert await sent(house, configs(first.url)[1]) == "success"
    control("the host it was meant for got it", VALUE.encode() in first.heads[0])
    assert len(target.heads) == 1
    assert VALUE.encode() not in target.heads[0]


async def test_a_deleted_secret_leaves_no_destinations_for_the_next_one(
    house: House, control: Control
) -> None:
    await stored(house, hosts=[HERE])
    admin = await house.key("admin")
    async with peer(json_answer(b"{}")) as server:
        config = configs(server.url)[0]
        control("it was allowed", await sent(house, config) == "success")
        assert (await house.client.delete(f"{SECRETS}/token", headers=admin)).is_success
        await stored(house)
        assert await sent(house, config) == "SECRET_NOT_ALLOWED"


async def test_a_secret_of_an_earlier_release_is_bound_to_the_first_host_with_a_warning(
    house: House, control: Control, caplog: pytest.LogCaptureFixture
) -> None:
    await house.home.vault.put("token", VALUE)
    caplog.set_level(logging.WARNING)
    async with peer(json_answer(b"{}")) as server, peer(json_answer(b"{}"), host="::1") as other:
        here, elsewhere = configs(server.url)[0], configs(f"http://[::1]:{other.port}/")[0]
        control("the first host gets it", await sent(house, here) == "success")
        warned = [one for one in caplog.records if getattr(one, "host", "") == HERE]
        assert len(warned) == 1
        assert await sent(house, elsewhere) == "SECRET_NOT_ALLOWED"
        assert other.heads == []
        control("the first host still does", await sent(house, here) == "success")
        await allow(house, "::1")
        control("so does one that a person allowed", await sent(house, elsewhere) == "success")


async def test_tokens_of_an_earlier_sign_in_are_bound_by_their_first_use(
    house: House, control: Control
) -> None:
    vault = house.home.vault
    await vault.put("oauth-tokens:google", "{}")
    await vault.put("google", VALUE)
    first = await vault.use("google", to_host("www.googleapis.com"))
    control("the first host gets the token", first == VALUE)
    with pytest.raises(Denied) as refused:
        await vault.use("google", to_host("attacker.example.com"))
    assert refused.value.code == "SECRET_NOT_ALLOWED"
    await vault.put("google", "renewed")
    renewed = await vault.use("google", to_host("www.googleapis.com"))
    control("a renewed token goes to the same host", renewed == "renewed")
    with pytest.raises(Denied):
        await vault.use("google", to_host("attacker.example.com"))


async def test_a_token_of_a_service_goes_to_that_service_only(
    house: House, control: Control
) -> None:
    admin = await house.key("admin")
    body = {"token": VALUE, "kind": "slack", "baseUrl": "https://slack.example.com"}
    answer = await house.client.put("/api/v1/services/token", json=body, headers=admin)
    assert answer.is_success, answer.text
    listed = (await house.client.get(SECRETS, headers=admin)).json()["secrets"]
    [bound] = [one for one in listed if one["name"] == "token"]
    assert (bound["isBound"], bound["hosts"]) == (True, ["slack.example.com"])
    async with peer(json_answer(b"{}")) as server:
        assert await sent(house, configs(server.url)[0]) == "SECRET_NOT_ALLOWED"
        await allow(house, HERE)
        control("an allowed host gets it", await sent(house, configs(server.url)[0]) == "success")


def test_an_approved_server_gets_what_its_definition_names_and_that_is_shown(
    tmp_path: Path, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tw = Commands(tmp_path, tmp_path)
    stored = tw("secrets", "set", "token", "--host", "API.example.com.", input=VALUE)
    assert stored.code == 0, stored
    definition = ScriptedServer(tmp_path / "server").definition
    env = ("--env", "KEY=${vault:token}")
    tw.ok("servers", "add", "mine", *env, "--", definition.command, *definition.args)
    shown = tw.ok("secrets", "show", "token", "--json").json
    assert (shown["hosts"], shown["servers"]) == (["api.example.com"], [])
    tw.ok("servers", "approve", "mine", "--yes")
    after = tw.ok("secrets", "show", "token", "--json").json
    control("the approved server is listed", after["servers"] == ["mine"])
    refused = tw("secrets", "allow", "token", "https://api.example.com/path", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "SECRET_HOST_INVALID")
    tw.ok("secrets", "allow", "token", "::1")
