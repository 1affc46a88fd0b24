"""`/api/v1/keys`: made, used, revoked; the one in use only by somebody who is sure."""

from typing import Any

import pytest

from rest.house import House
from toolweave.access.keys import STUDIO

pytestmark = pytest.mark.anyio

KEYS = "/api/v1/keys"


async def made(house: House, admin: dict[str, str], **body: Any) -> dict[str, Any]:
    answer = await house.client.post(KEYS, json={"name": "ci", **body}, headers=admin)
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()


async def test_a_key_is_shown_once_works_and_ends(house: House) -> None:
    admin = await house.key("admin")
    new = await made(house, admin, scopes=["workflows:read"])
    asks = {"X-API-Key": new["key"]}
    assert (await house.client.get("/api/v1/workflows", headers=asks)).status_code == 200
    assert (await house.client.get(KEYS, headers=asks)).status_code == 403
    listed = await house.client.get(KEYS, headers=admin)
    assert new["key"] not in listed.text + house.logged.getvalue()
    (mine,) = [one for one in listed.json()["keys"] if one["id"] == new["id"]]
    assert (mine["isYours"], mine["isStudio"], mine["revokedAt"]) == (False, False, None)
    gone = await house.client.delete(f"{KEYS}/{new['id']}", headers=admin)
    assert gone.status_code == 204
    refused = await house.client.get("/api/v1/workflows", headers=asks)
    assert refused.json()["error"]["code"] == "KEY_INVALID"
    again = await house.client.delete(f"{KEYS}/{new['id']}", headers=admin)
    assert again.json()["error"]["code"] == "KEY_NOT_FOUND"


async def test_a_key_may_be_limited_to_published_tools(house: House) -> None:
    admin = await house.key("admin")
    new = await made(house, admin, scopes=["workflows:run"], tools=["greet"])
    assert new["tools"] == ["greet"]


async def test_the_key_in_use_ends_only_by_somebody_who_is_sure(house: House) -> None:
    admin = await house.key("admin")
    studio, _ = await house.keys.create(STUDIO, ["admin"])
    listed = (await house.client.get(KEYS, headers=admin)).json()["keys"]
    (mine,) = [one for one in listed if one["isYours"]]
    assert [one["id"] for one in listed if one["isStudio"]] == [studio.id]
    for key in (mine["id"], studio.id):
        refused = await house.client.delete(f"{KEYS}/{key}", headers=admin)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "KEY_IN_USE")
    for key in (studio.id, mine["id"]):
        done = await house.client.delete(f"{KEYS}/{key}?sure=true", headers=admin)
        assert done.status_code == 204


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"scopes": []}, "BODY_INVALID"),
        ({"scopes": ["everything"]}, "SCOPE_UNKNOWN"),
        ({"scopes": ["admin"], "tools": ["greet"]}, "KEY_TOOLS_USELESS"),
        ({"scopes": ["admin"], "name": " "}, "BODY_INVALID"),
        ({"scopes": ["admin"], "name": STUDIO}, "KEY_NAME_RESERVED"),
        ({"scopes": ["admin"], "key": "tw_mine"}, "BODY_INVALID"),
    ],
)
async def test_what_is_no_key_is_refused(house: House, body: dict[str, Any], code: str) -> None:
    answer = await house.client.post(
        KEYS, json={"name": "ci", **body}, headers=await house.key("admin")
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)
