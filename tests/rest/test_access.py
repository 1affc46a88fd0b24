"""Who gets in: keys, scopes, rates, and the programs of this machine."""

from pathlib import Path

import httpx2
import pytest

from rest.house import BASE, House, house_in
from toolweave.access.keys import SCOPES

pytestmark = pytest.mark.anyio

NO_KEY = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
NO_CHAT = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
NO_MEDIA = "f" * 64
# method, address, the scope it wants
KEYED = [
    ("GET", "/api/v1/mcp/tools", "tools:read"),
    ("POST", "/api/v1/mcp/invoke", "tools:execute"),
    ("GET", "/api/v1/mcp/tools/get_node_types", "tools:read"),
    ("GET", "/api/v1/mcp/tools/nope", "tools:read"),
    ("GET", "/api/v1/mcp/health", "health:check"),
    ("POST", "/api/v1/samples", "admin"),
    ("GET", "/api/v1/catalog/nodes", "tools:read"),
    ("GET", "/api/v1/catalog/node", "tools:read"),
    ("GET", "/api/v1/catalog/stats", "tools:read"),
    ("GET", "/api/v1/catalog/template", "tools:read"),
    ("GET", "/api/v1/catalog/templates", "tools:read"),
    ("GET", "/api/v1/workflows", "workflows:read"),
    ("GET", "/api/v1/overview", "workflows:read"),
    ("POST", "/api/v1/workflows/convert", "workflows:read"),
    ("GET", "/api/v1/workflows/unknown", "workflows:read"),
    ("PUT", "/api/v1/workflows/unknown", "workflows:write"),
    ("DELETE", "/api/v1/workflows/unknown", "workflows:write"),
    ("GET", "/api/v1/workflows/unknown/versions", "workflows:read"),
    ("GET", "/api/v1/workflows/unknown/versions/1234", "workflows:read"),
    ("PUT", "/api/v1/workflows/unknown/versions/1234", "workflows:write"),
    ("POST", "/api/v1/workflows/unknown/versions/1234/restore", "workflows:write"),
    ("POST", "/api/v1/edit/build", "workflows:write"),
    ("POST", "/api/v1/edit/validate", "workflows:read"),
    ("POST", "/api/v1/edit/fix", "workflows:read"),
    ("POST", "/api/v1/edit/mode", "workflows:read"),
    ("POST", "/api/v1/edit/export", "workflows:read"),
    ("POST", "/api/v1/edit/import", "workflows:read"),
    ("POST", "/api/v1/edit/preview", "workflows:read"),
    ("POST", "/api/v1/edit/names", "workflows:read"),
    ("POST", "/api/v1/edit/input", "workflows:read"),
    ("POST", "/api/v1/edit/test", "workflows:run"),
    ("POST", "/api/v1/edit/tool", "workflows:read"),
    ("POST", "/api/v1/edit/node", "workflows:read"),
    ("POST", "/api/v1/edit/backtest", "workflows:read"),
    ("POST", "/api/v1/edit/extract", "workflows:read"),
    ("POST", "/api/v1/edit/trigger", "workflows:read"),
    ("GET", "/api/v1/runs", "workflows:read"),
    ("POST", "/api/v1/runs", "workflows:run"),
    ("GET", "/api/v1/runs/0000", "workflows:read"),
    ("GET", "/api/v1/runs/0000/events", "workflows:read"),
    ("GET", "/api/v1/runs/0000/workflow", "workflows:read"),
    ("GET", "/api/v1/runs/0000/input", "workflows:read"),
    ("GET", "/api/v1/runs/0000/output", "workflows:read"),
    ("GET", "/api/v1/runs/0000/media", "workflows:read"),
    ("GET", f"/api/v1/runs/0000/media/{NO_MEDIA}", "workflows:read"),
    ("POST", "/api/v1/runs/0000/cancel", "workflows:run"),
    ("POST", "/api/v1/runs/0000/answer", "workflows:run"),
    ("GET", "/api/v1/inbox", "workflows:read"),
    ("GET", "/api/v1/inbox/abcd", "workflows:read"),
    ("POST", "/api/v1/inbox/abcd/answer", "workflows:run"),
    ("POST", "/api/v1/signals", "workflows:run"),
    ("POST", "/api/v1/runs/0000/fork", "workflows:run"),
    ("POST", "/api/v1/runs/0000/freeze", "workflows:read"),
    ("POST", "/api/v1/chat", "tools:execute"),
    ("GET", "/api/v1/chat/tools", "tools:execute"),
    ("POST", f"/api/v1/chat/{NO_CHAT}/stop", "tools:execute"),
    ("DELETE", f"/api/v1/chat/{NO_CHAT}", "tools:execute"),
    ("GET", "/api/v1/servers", "tools:read"),
    ("POST", "/api/v1/servers", "servers:admin"),
    ("GET", "/api/v1/servers/discovered", "servers:admin"),
    ("POST", "/api/v1/servers/discovered", "servers:admin"),
    ("GET", "/api/v1/servers/approvals", "servers:admin"),
    ("POST", "/api/v1/servers/approvals/lockfile", "servers:admin"),
    ("GET", "/api/v1/servers/no-server", "servers:admin"),
    ("DELETE", "/api/v1/servers/no-server", "servers:admin"),
    ("POST", "/api/v1/servers/no-server/approve", "servers:admin"),
    ("POST", "/api/v1/servers/no-server/enable", "servers:admin"),
    ("POST", "/api/v1/servers/no-server/disable", "servers:admin"),
    ("POST", "/api/v1/servers/no-server/check", "servers:admin"),
    ("GET", "/api/v1/servers/no-server/tools", "tools:read"),
    ("GET", "/api/v1/servers/no-server/resources", "tools:read"),
    ("GET", "/api/v1/servers/no-server/prompts", "tools:read"),
    ("POST", "/api/v1/servers/no-server/resources/read", "tools:execute"),
    ("POST", "/api/v1/servers/no-server/prompts/get", "tools:execute"),
    ("POST", "/api/v1/servers/no-server/complete", "tools:execute"),
    ("GET", "/api/v1/servers/no-server/skills", "tools:read"),
    ("POST", "/api/v1/servers/no-server/skills/read", "tools:execute"),
    ("POST", "/api/v1/servers/no-server/skills/approve", "servers:admin"),
    ("POST", "/api/v1/servers/no-server/skills/forget", "servers:admin"),
    ("GET", "/api/v1/servers/no-server/health", "servers:admin"),
    ("GET", "/api/v1/servers/no-server/difference", "servers:admin"),
    ("GET", "/api/v1/servers/no-server/migrations", "servers:admin"),
    ("POST", "/api/v1/servers/no-server/migrations", "servers:admin"),
    ("POST", "/api/v1/servers/no-server/sign-in", "servers:admin"),
    ("POST", "/api/v1/servers/no-server/sign-in/address", "servers:admin"),
    ("DELETE", "/api/v1/servers/no-server/sign-in", "servers:admin"),
    ("GET", "/api/v1/calls", "tools:read"),
    ("POST", "/api/v1/calls/stop", "tools:execute"),
    ("POST", "/api/v1/calls/resume", "tools:execute"),
    ("GET", "/api/v1/keys", "admin"),
    ("POST", "/api/v1/keys", "admin"),
    ("DELETE", f"/api/v1/keys/{NO_KEY}", "admin"),
    ("POST", "/api/v1/oauth/requests", "admin"),
    ("POST", "/api/v1/oauth/grants", "admin"),
    ("GET", "/api/v1/settings", "admin"),
    ("GET", "/api/v1/doctor", "admin"),
    ("GET", "/api/v1/secrets", "admin"),
    ("GET", "/api/v1/secrets/unknown/uses", "admin"),
    ("PUT", "/api/v1/secrets/unknown", "admin"),
    ("DELETE", "/api/v1/secrets/unknown", "admin"),
    ("POST", "/api/v1/secrets/unknown/hosts", "admin"),
    ("GET", "/api/v1/models", "admin"),
    ("GET", "/api/v1/models/discovered", "admin"),
    ("POST", "/api/v1/models", "admin"),
    ("DELETE", "/api/v1/models/nobody", "admin"),
    ("PUT", "/api/v1/models/nobody/default", "admin"),
    ("POST", "/api/v1/models/nobody/test", "admin"),
    ("GET", "/api/v1/published", "workflows:read"),
    ("PUT", "/api/v1/published/unknown", "workflows:write"),
    ("DELETE", "/api/v1/published/unknown", "workflows:write"),
    ("GET", "/api/v1/events?seconds=0", "workflows:read"),
    ("GET", "/api/v1/triggers", "workflows:read"),
    ("POST", "/api/v1/triggers/listen", "workflows:write"),
    ("POST", "/api/v1/triggers/unknown/enable", "workflows:write"),
    ("POST", "/api/v1/triggers/unknown/disable", "workflows:write"),
    ("POST", "/api/v1/triggers/unknown/pause", "workflows:write"),
    ("POST", "/api/v1/triggers/unknown/resume", "workflows:write"),
    ("POST", "/api/v1/triggers/unknown/run", "workflows:run"),
    ("GET", "/api/v1/services", "admin"),
    ("PUT", "/api/v1/services/unknown", "admin"),
    ("DELETE", "/api/v1/services/unknown", "admin"),
    ("POST", "/api/v1/services/nothing/test", "admin"),
    ("GET", "/api/v1/library", "workflows:read"),
    ("POST", "/api/v1/library", "servers:admin"),
    ("GET", "/api/v1/library/shelf", "workflows:read"),
    ("DELETE", "/api/v1/library/shelf", "servers:admin"),
    ("POST", "/api/v1/library/shelf/refresh", "workflows:write"),
    ("GET", "/api/v1/library/shelf/flows/some", "workflows:read"),
    ("POST", "/api/v1/library/shelf/flows/some/run", "workflows:run"),
    ("GET", "/api/v1/library/shelf/templates/any", "workflows:read"),
    ("POST", "/api/v1/library/shelf/templates/any/fill", "workflows:read"),
    ("GET", "/api/v1/documents", "workflows:read"),
    ("POST", "/api/v1/documents/check", "workflows:read"),
    ("POST", "/api/v1/documents/run", "tools:execute"),
    ("POST", "/api/v1/documents/clear", "workflows:write"),
    ("POST", "/api/v1/documents/bind", "workflows:write"),
    ("POST", "/api/v1/documents/unbind", "workflows:write"),
    ("GET", "/mcp", "tools:read"),
    ("POST", "/mcp", "tools:read"),
    ("DELETE", "/mcp", "tools:read"),
    ("POST", "/mcp/", "tools:read"),
    ("OPTIONS", "/mcp", "tools:read"),
]
INTERNAL = [("GET", "/api/v1/mcp/tools/internal"), ("POST", "/api/v1/mcp/invoke/internal")]
OPEN = {"/health", "/ready", "/api/v1/public/health"}
ANY_KEY = {"/api/v1/openapi.json"}
EXAMPLES = {
    "get_node_types": "{tool_name}",
    "unknown": "{name}",
    "0000": "{run}",
    "nobody": "{model}",
    "no-server": "{server}",
    "shelf": "{library}",
    "some": "{flow}",
    "any": "{template}",
    "abcd": "{id}",
    "1234": "{number}",
    "nothing": "{service}",
    NO_CHAT: "{chat}",
    NO_MEDIA: "{digest}",
    NO_KEY: "{key}",
    "?seconds=0": "",
}


async def ask(
    house: House, method: str, path: str, headers: dict[str, str] | None = None
) -> httpx2.Response:
    body = {"name": "get_node_types"} if method == "POST" else None
    return await house.client.request(method, path, json=body, headers=headers or {})


def code_of(answer: httpx2.Response) -> str:
    error = answer.json()["error"]
    return error["data"]["code"] if "data" in error else error["code"]


@pytest.mark.requirement(
    "004:access.api-key",
    "004:access.tools:read",
    "004:access.tools:execute",
    "004:access.health:check",
)
@pytest.mark.parametrize(("method", "path", "scope"), KEYED)
async def test_no_bad_revoked_and_wrong_scope_keys_stay_outside(
    house: House, method: str, path: str, scope: str
) -> None:
    right, text = await house.keys.create("right", [scope])
    wrong = await house.key(*set(SCOPES) - {scope, "admin"})
    for headers in ({}, {"X-API-Key": "tw_bad"}, {"Authorization": f"Basic {text}"}):
        answer = await ask(house, method, path, headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert code_of(answer) == ("KEY_INVALID" if "X-API-Key" in headers else "KEY_MISSING")
    answer = await ask(house, method, path, wrong)
    assert (answer.status_code, code_of(answer)) == (403, "SCOPE_MISSING")
    assert f'scope="{scope}"' in answer.headers["www-authenticate"]
    for headers in ({"X-API-Key": text}, {"Authorization": f"bearer {text}"}):
        assert (await ask(house, method, path, headers)).status_code not in {401, 403, 500}
    await house.keys.revoke(right.id)
    house.clock.seconds += 1.0  # another process sees it within a second
    answer = await ask(house, method, path, {"X-API-Key": text})
    assert (answer.status_code, code_of(answer)) == (401, "KEY_INVALID")


async def test_every_route_is_among_those_tried_here(house: House) -> None:
    document = (
        await house.client.get("/api/v1/openapi.json", headers=await house.key("health:check"))
    ).json()
    tried = {f"{method} {path}" for method, path, _ in KEYED}
    tried |= {f"{method} {path}" for method, path in INTERNAL}
    for name, shown in EXAMPLES.items():
        tried = {path.replace(name, shown) for path in tried}
    described = {
        f"{method.upper()} {path}"
        for path in set(document["paths"]) - OPEN - ANY_KEY
        for method in document["paths"][path]
    }
    assert described <= tried
    assert (await house.client.get("/api/v1/openapi.json")).status_code == 401


async def test_admin_may_do_everything(house: House) -> None:
    admin = await house.key("admin")
    for method, path, _ in KEYED:
        assert (await ask(house, method, path, admin)).status_code not in {401, 403}


@pytest.mark.requirement("004:access.internal")
@pytest.mark.parametrize(("method", "path"), INTERNAL)
async def test_the_internal_pair_wants_the_service_token(
    house: House, method: str, path: str
) -> None:
    key = await house.key("admin")
    for headers in ({}, key, {"X-Service-Token": ""}, {"X-Service-Token": "nope"}):
        answer = await ask(house, method, path, headers)
        assert (answer.status_code, code_of(answer)) == (401, "SERVICE_TOKEN_INVALID")
    assert (await ask(house, method, path, house.service_token())).status_code == 200


@pytest.mark.requirement("004:access.internal")
@pytest.mark.parametrize("peer", ["192.168.1.7", "8.8.8.8", "testclient", "::2"])
async def test_the_internal_pair_is_out_of_reach_from_elsewhere(tmp_path: Path, peer: str) -> None:
    async with house_in(tmp_path, peer=peer) as house:
        for method, path in INTERNAL:
            answer = await ask(house, method, path, house.service_token())
            assert (answer.status_code, code_of(answer)) == (403, "INTERNAL_ONLY")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::"])
async def test_on_another_bind_the_internal_pair_is_off(tmp_path: Path, host: str) -> None:
    async with house_in(tmp_path, host=host) as house:
        for method, path in INTERNAL:
            for headers in ({}, {"X-Service-Token": ""}):
                answer = await ask(house, method, path, headers)
                assert (answer.status_code, code_of(answer)) == (403, "INTERNAL_ONLY")
        assert not (tmp_path / "service.token").exists()


@pytest.mark.requirement("004:access.rate-limit")
async def test_each_key_has_its_own_rate(tmp_path: Path) -> None:
    async with house_in(tmp_path, rate_per_s=2, burst=5) as house:
        one, other = await house.key(), await house.key()
        statuses = [
            (await ask(house, "GET", "/api/v1/mcp/tools", one)).status_code for _ in "1234567"
        ]
        assert statuses == [200] * 5 + [429] * 2
        refused = await ask(house, "POST", "/mcp", one)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert code_of(refused) == "RATE_LIMITED"
        assert (await ask(house, "GET", "/api/v1/mcp/tools", other)).status_code == 200
        house.clock.seconds += 1
        statuses = [(await ask(house, "GET", "/api/v1/mcp/tools", one)).status_code for _ in "123"]
        assert statuses == [200, 200, 429]


@pytest.mark.requirement("004:access.rate-limit")
async def test_a_thousand_requests_a_second_get_what_the_rate_allows(tmp_path: Path) -> None:
    async with house_in(tmp_path, rate_per_s=50, burst=200) as house:
        key = await house.key()
        statuses: list[int] = []
        for _ in range(1_000):
            house.clock.seconds += 0.001
            statuses.append((await ask(house, "GET", "/api/v1/mcp/tools", key)).status_code)
        assert set(statuses) == {200, 429}
        assert 249 <= statuses.count(200) <= 251
        limited = await ask(house, "POST", "/api/v1/mcp/invoke", key)
        assert limited.json()["error"]["code"] == -32000
        assert int(limited.headers["retry-after"]) >= 1


async def test_wrong_keys_do_not_spend_a_good_keys_rate(tmp_path: Path) -> None:
    async with house_in(tmp_path, rate_per_s=1, burst=3) as house:
        key = await house.key()
        for number in range(20):
            bad = {"X-API-Key": f"tw_{number}"}
            assert (await ask(house, "GET", "/api/v1/mcp/tools", bad)).status_code == 401
        assert (await ask(house, "GET", "/api/v1/mcp/tools", key)).status_code == 200


async def test_a_session_belongs_to_the_key_that_opened_it(house: House) -> None:
    mine, theirs = await house.key(), await house.key()
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    accept = {"Accept": "application/json, text/event-stream"}
    opened = await house.client.post(f"{BASE}/mcp", json=hello, headers=mine | accept)
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    stolen = await house.client.post("/mcp", json=ping, headers=theirs | accept | session)
    assert stolen.status_code == 404
    own = await house.client.post("/mcp", json=ping, headers=mine | accept | session)
    assert own.status_code == 200
    for headers, status in ((theirs, 404), (mine, 200), (mine, 404)):
        ended = await house.client.delete("/mcp", headers=headers | accept | session)
        assert ended.status_code == status
