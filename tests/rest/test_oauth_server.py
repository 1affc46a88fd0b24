"""Programs sign in to `/mcp` with OAuth: metadata, consent, tokens that are keys, their end."""

import anyio
import httpx2
import pytest

from rest.house import BASE, House
from rest.oauth_programs import REDIRECT, Program, fields_of, register

pytestmark = pytest.mark.anyio


async def test_a_request_without_a_key_learns_where_to_sign_in(house: House) -> None:
    refused = await house.client.post("/mcp", json={})
    assert refused.status_code == 401
    said = refused.headers["www-authenticate"]
    # In the shape of which MCP clients show the message.
    error = refused.json()["error"]
    assert (refused.json()["jsonrpc"], refused.json()["id"]) == ("2.0", None)
    assert error["message"].startswith("an API key is required; send it as")
    assert (error["code"], error["data"]["code"]) == (-32000, "KEY_MISSING")
    metadata_url = f"{BASE}/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{metadata_url}"' in said
    assert 'scope="tools:read tools:execute workflows:read workflows:run"' in said
    assert "an API key is required" in refused.text
    for path in (metadata_url, f"{metadata_url}/", f"{BASE}/.well-known/oauth-protected-resource"):
        resource = (await house.client.get(path)).json()
        assert resource["resource"] == f"{BASE}/mcp"
        assert resource["authorization_servers"] == [BASE]
    server = (await house.client.get("/.well-known/oauth-authorization-server")).json()
    assert server["issuer"] == BASE
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["client_id_metadata_document_supported"] is True
    assert "admin" not in server["scopes_supported"]


async def test_a_wrong_token_and_a_missing_scope_are_told_apart(house: House) -> None:
    wrong = await house.client.post("/mcp", json={}, headers={"Authorization": "Bearer x"})
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]
    narrow = await house.client.post("/mcp", json={}, headers=await house.key("health:check"))
    assert narrow.status_code == 403
    said = narrow.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in said
    assert 'scope="tools:read"' in said
    assert "resource_metadata=" in said
    # Elsewhere there is nothing to sign in to.
    other = await house.client.get("/api/v1/keys")
    assert "resource_metadata" not in other.headers["www-authenticate"]


async def test_a_person_agrees_and_the_program_gets_a_limited_key(house: House) -> None:
    program = await Program.registered(house)
    opened = await program.opened()
    assert opened.status_code == 302
    assert opened.headers["location"].startswith("/#/authorize?client_id=")
    admin = await house.key("admin")
    query = opened.headers["location"].partition("?")[2]
    shown = await house.client.post("/api/v1/oauth/requests", json={"query": query}, headers=admin)
    assert shown.json() == {
        "clientName": "unnamed program",
        "clientHost": None,
        "redirectHost": "127.0.0.1:40000",
        "isLocal": True,
        "scopes": ["tools:read", "workflows:run"],
        "grantable": [
            *("tools:read", "tools:execute", "health:check"),
            *("workflows:read", "workflows:write", "workflows:run"),
        ],
    }
    # Less than it asked for, and for one tool only.
    body = {"allowed": True, "scopes": ["tools:read"], "tools": ["greet"]}
    granted = fields_of((await program.decided(body)).json()["location"])
    assert (granted["state"], granted["iss"]) == ("st-1", BASE)
    answer = await program.exchanged(granted["code"])
    assert answer.headers["cache-control"] == "no-store"
    tokens = answer.json()
    assert (tokens["token_type"], tokens["scope"]) == ("Bearer", "tools:read")
    assert (await program.connected(tokens["access_token"])).status_code == 200
    assert (await program.connected(tokens["access_token"] + "x")).status_code == 401
    keys = (await house.client.get("/api/v1/keys", headers=admin)).json()["keys"]
    [key] = [one for one in keys if one["client"] == program.client_id]
    assert (key["name"], key["scopes"], key["tools"]) == (
        "unnamed program (OAuth)",
        ["tools:read"],
        ["greet"],
    )
    await house.client.delete(f"/api/v1/keys/{key['id']}", headers=admin)
    assert (await program.connected(tokens["access_token"])).status_code == 401
    assert (await program.renewed(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_the_person_can_say_no_and_cannot_grant_what_is_for_keys_only(house: House) -> None:
    program = await Program.registered(house)
    refused = fields_of((await program.decided({"allowed": False})).json()["location"])
    assert refused["error"] == "access_denied"
    assert "code" not in refused
    for scopes in ([], ["admin"], ["servers:admin", "tools:read"]):
        answer = await program.decided({"allowed": True, "scopes": scopes})
        assert answer.json()["error"]["code"] == "SCOPE_UNKNOWN"
    body = {"allowed": True, "scopes": ["workflows:write"], "tools": ["greet"]}
    assert (await program.decided(body)).json()["error"]["code"] == "KEY_TOOLS_USELESS"


async def test_consent_needs_a_key_with_admin(house: House) -> None:
    program = await Program.registered(house)
    for headers, status in (({}, 401), (await house.key(), 403)):
        for path in ("requests", "grants"):
            body = {"query": "client_id=x", "allowed": True}
            answer = await house.client.post(f"/api/v1/oauth/{path}", json=body, headers=headers)
            assert answer.status_code == status
    assert await program.code("tools:read")  # and this one has it


async def test_a_code_is_good_once_and_its_second_use_ends_what_it_gave(house: House) -> None:
    program = await Program.registered(house)
    code = await program.code("tools:read")
    token = (await program.exchanged(code)).json()["access_token"]
    assert (await program.connected(token)).status_code == 200
    again = await program.exchanged(code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert (await program.connected(token)).status_code == 401


@pytest.mark.parametrize(
    "change",
    [
        {"code_verifier": "v" * 43},
        {"code_verifier": ""},
        {"client_id": "other"},
        {"redirect_uri": "http://127.0.0.1:40001/callback"},
        {"resource": "https://elsewhere.example/mcp"},
    ],
)
async def test_a_code_of_another_request_is_not_exchanged(
    house: House, change: dict[str, str]
) -> None:
    program = await Program.registered(house)
    refused = await program.exchanged(await program.code("tools:read"), **change)
    assert refused.status_code == 400
    assert "access_token" not in refused.text
    # The control: the same without the change.
    assert (await program.exchanged(await program.code("tools:read"))).status_code == 200


async def test_a_code_and_a_token_end(house: House) -> None:
    program = await Program.registered(house)
    code = await program.code("tools:read")
    house.clock.seconds += 61
    assert (await program.exchanged(code)).json()["error"] == "invalid_grant"
    tokens = (await program.exchanged(await program.code("tools:read"))).json()
    house.clock.seconds += 3_599
    assert (await program.connected(tokens["access_token"])).status_code == 200
    house.clock.seconds += 2
    assert (await program.connected(tokens["access_token"])).status_code == 401
    renewed = await program.renewed(tokens["refresh_token"])
    assert (await program.connected(renewed.json()["access_token"])).status_code == 200


async def test_a_renewal_replaces_both_tokens_and_one_used_twice_ends_the_grant(
    house: House,
) -> None:
    program = await Program.registered(house)
    first = (await program.exchanged(await program.code("tools:read"))).json()
    assert (await program.renewed(first["refresh_token"], client_id="x")).status_code == 400
    second = (await program.renewed(first["refresh_token"])).json()
    assert second["refresh_token"] != first["refresh_token"]
    assert (await program.connected(first["access_token"])).status_code == 401
    assert (await program.connected(second["access_token"])).status_code == 200
    stolen = await program.renewed(first["refresh_token"])
    assert stolen.json()["error"] == "invalid_grant"
    assert (await program.connected(second["access_token"])).status_code == 401
    assert (await program.renewed(second["refresh_token"])).json()["error"] == "invalid_grant"


async def test_an_old_renewal_ends_the_grant_however_often_it_was_renewed(house: House) -> None:
    program = await Program.registered(house)
    first = (await program.exchanged(await program.code("tools:read"))).json()
    other = (await program.exchanged(await program.code("tools:read"))).json()
    stolen, renewed = first["refresh_token"], first
    for _ in range(3):  # by the thief
        renewed = (await program.renewed(stolen)).json()
        stolen = renewed["refresh_token"]
    assert (await program.connected(renewed["access_token"])).status_code == 200
    mine = await program.renewed(first["refresh_token"])
    assert mine.json()["error"] == "invalid_grant"
    assert (await program.connected(renewed["access_token"])).status_code == 401
    assert (await program.renewed(stolen)).json()["error"] == "invalid_grant"
    # The control: another grant goes on.
    assert (await program.renewed(other["refresh_token"])).status_code == 200


async def test_a_code_used_twice_at_once_gives_nothing_that_lasts(house: House) -> None:
    program = await Program.registered(house)
    assert (await program.exchanged(await program.code("tools:read"))).status_code == 200
    code = await program.code("tools:read")
    answers: list[httpx2.Response] = []

    async def exchange() -> None:
        answers.append(await program.exchanged(code))

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(exchange)
    for given in [one for one in answers if one.status_code == 200]:
        token = given.json()["access_token"]
        assert (await program.connected(token)).status_code == 401


DAMAGED_OAUTH = (
    "oauth_clients SET redirects",
    "oauth_clients SET name",
    "oauth_codes SET asked",
    "oauth_codes SET expires_at",
    "oauth_grants SET expires_at",
    "oauth_grants SET client_id",
    "api_keys SET expires_at",
    "api_keys SET scopes",
)


@pytest.mark.parametrize("damaged", ["garbage{", "7", b"\xff\x00"])
async def test_damaged_rows_give_nobody_access_and_no_internal_error(
    house: House, damaged: str | bytes
) -> None:
    for column in DAMAGED_OAUTH:
        program = await Program.registered(house)
        tokens = (await program.exchanged(await program.code("tools:read"))).json()
        assert (await program.connected(tokens["access_token"])).status_code == 200
        code = await program.code("tools:read")
        await house.home.database.execute(f"UPDATE {column} = ?", damaged)
        house.clock.seconds += 2  # what was checked is not remembered
        answers = [
            await program.opened(),
            await program.exchanged(code),
            await program.renewed(tokens["refresh_token"]),
            await program.connected(tokens["access_token"]),
        ]
        assert [one.status_code for one in answers if one.status_code >= 500] == [], column
        if column.endswith("expires_at"):
            assert (
                200
                not in [answer.status_code for answer in answers[1:]][
                    {"oauth_codes": 0, "oauth_grants": 1, "api_keys": 2}[column.split()[0]] :
                ][:1]
            ), column
        for table in ("oauth_clients", "oauth_codes", "oauth_grants", "api_keys"):
            await house.home.database.execute(f"DELETE FROM {table}")


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_a_program_revokes_its_own_grant(house: House, kind: str) -> None:
    program = await Program.registered(house)
    tokens = (await program.exchanged(await program.code("tools:read"))).json()
    unknown = await house.client.post("/oauth/revoke", data={"token": "unknown"})
    assert unknown.status_code == 200
    assert (await program.connected(tokens["access_token"])).status_code == 200
    await house.client.post("/oauth/revoke", data={"token": tokens[kind]})
    assert (await program.connected(tokens["access_token"])).status_code == 401


async def test_a_key_that_was_made_by_hand_is_not_revoked_there(house: House) -> None:
    key = await house.key("tools:read")
    await house.client.post("/oauth/revoke", data={"token": key["X-API-Key"]})
    assert (await house.keys.check(key["X-API-Key"])) is not None


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
    ],
)
async def test_a_wrong_request_is_answered_by_the_redirect(
    house: House, change: dict[str, str | None], error: str
) -> None:
    program = await Program.registered(house)
    location = (await program.opened(**change)).headers["location"]
    assert location.startswith(f"{REDIRECT}?")
    told = fields_of(location)
    assert (told["error"], told["state"], told["iss"]) == (error, "st-1", BASE)


@pytest.mark.parametrize(
    "redirect",
    [
        "http://127.0.0.1:40000/other",
        "http://127.0.0.1:40000/callback?x=1",
        "http://localhost:40000/callback",
        "https://127.0.0.1:40000/callback",
        "http://127.0.0.1.evil.example:40000/callback",
        "http://127.0.0.1:40000@evil.example/callback",
        "http://evil.example/callback",
        "javascript:alert(1)",
        "http://127.0.0.1:40000/call\r\nSet-Cookie: a=b\r\nback",
        "http://127.0.0.1:40000/call\tback",
        "\x01http://127.0.0.1:40000/callback",
        "",
    ],
)
async def test_nobody_is_sent_to_an_address_that_was_not_registered(
    house: House, redirect: str
) -> None:
    program = await Program.registered(house)
    refused = await program.opened(redirect_uri=redirect)
    assert (refused.status_code, "location" in refused.headers) == (400, False)
    body = {"allowed": True, "scopes": ["tools:read"]}
    consent = await program.decided(body, redirect_uri=redirect)
    assert consent.json()["error"]["code"] == "OAUTH_REDIRECT_INVALID"
    # The control: another port of the person's own machine is the same program.
    other_port = await program.opened(redirect_uri="http://127.0.0.1:50000/callback")
    assert other_port.status_code == 302


async def test_other_redirects_match_exactly(house: House) -> None:
    program = await Program.registered(house, "https://app.example/cb", "cursor://tool/oauth")
    for right in ("https://app.example/cb", "cursor://tool/oauth"):
        assert (await program.opened(redirect_uri=right)).status_code == 302
    for wrong in ("https://app.example:8443/cb", "https://app.example/cb/", "cursor://tool/oauth2"):
        assert (await program.opened(redirect_uri=wrong)).status_code == 400


@pytest.mark.parametrize(
    "redirect",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "http://example.com/cb",
        "https://user@example.com/cb",
        "https://example.com/cb#x",
        "https://example.com\\@evil.example/",
        "JavaScript://x",
        "vbscript:x",
        "//example.com/cb",
        "https://example.com/\u65e5\u672c",
        "https://example.com/a\tb",
        "x" * 3_000,
        7,
    ],
)
async def test_a_program_cannot_register_a_dangerous_redirect(
    house: House, redirect: object
) -> None:
    refused = await register(house, {"redirect_uris": [redirect]})
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_redirect_uri")
    right = {"redirect_uris": ["https://example.com/cb"], "client_name": "A\u202eB\x00" + "c" * 200}
    named = (await register(house, right)).json()["client_name"]
    assert named == ("AB" + "c" * 200)[:80]


async def test_a_wrong_request_sends_nobody_to_another_host(house: House) -> None:
    program = await Program.registered(house, "https://app.example/cb", "http://127.0.0.1/callback")
    other = await program.opened(redirect_uri="https://app.example/cb", response_type="token")
    assert (other.status_code, "location" in other.headers) == (400, False)
    # The controls: a program of this machine is told, and after consent the other host is.
    assert (await program.opened(response_type="token")).status_code == 302
    refused = await program.decided({"allowed": False}, redirect_uri="https://app.example/cb")
    assert refused.json()["location"].startswith("https://app.example/cb?error=")


async def test_fields_given_twice_are_refused(house: House) -> None:
    program = await Program.registered(house)
    query = "&".join(f"{name}={value}" for name, value in program.asked().items())
    twice = await house.client.get(f"/oauth/authorize?{query}&redirect_uri=http://evil.example")
    assert twice.status_code == 400
    form = f"grant_type=refresh_token&client_id={program.client_id}&client_id=x&refresh_token=y"
    refused = await house.client.post("/oauth/token", content=form)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_request")


async def test_nothing_secret_is_stored_or_logged_as_text(house: House) -> None:
    program = await Program.registered(house)
    code = await program.code("tools:read")
    tokens = (await program.exchanged(code)).json()
    await program.connected(tokens["access_token"])
    stored = [
        str(row)
        for table in ("oauth_clients", "oauth_codes", "oauth_grants", "api_keys")
        for row in await house.home.database.rows(f"SELECT * FROM {table}")
    ]
    seen = "\n".join(stored) + house.logged.getvalue()
    assert program.client_id in seen
    for secret in (code, tokens["access_token"], tokens["refresh_token"], program.verifier):
        assert secret not in seen


async def test_this_studio_describes_itself_as_a_client_only_if_its_address_is_set(
    house: House,
) -> None:
    assert (await house.client.get("/oauth/client.json")).status_code == 404
