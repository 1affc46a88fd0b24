"""`/api/v1/inbox`: listed, shown and answered, each by a key that may."""

from typing import Any

import anyio
import httpx2
import pytest

from rest.house import House

pytestmark = pytest.mark.anyio

INBOX = "/api/v1/inbox"
ASKING: dict[str, Any] = {
    "toolweave": 1,
    "name": "ask",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "ask",
            "type": "HUMAN_IN_THE_LOOP",
            "data": {
                "subtype": "FORM",
                "configurations": {
                    "form_title": "Boxes",
                    "form_schema": {
                        "type": "object",
                        "properties": {"boxes": {"type": "integer", "minimum": 1}},
                        "required": ["boxes"],
                    },
                    "people": ["ada"],
                },
            },
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "ask"}],
}


async def asked(house: House) -> dict[str, Any]:
    """The question of a run that asks for boxes."""
    body = {"document": ASKING}
    answer = await house.client.post("/api/v1/runs", json=body, headers=await house.key())
    assert answer.status_code == 202, answer.text
    key = await house.key("workflows:read")
    with anyio.fail_after(60):
        while True:
            found = (await house.client.get(INBOX, headers=key)).json()["questions"]
            if found:
                return found[0]
            await anyio.sleep(0.02)


async def reply(
    house: House, question: str, body: dict[str, Any], name: str = "ada", *scopes: str
) -> httpx2.Response:
    _, text = await house.keys.create(name, list(scopes or ("workflows:run",)))
    return await house.client.post(
        f"{INBOX}/{question}/answer", json=body, headers={"X-API-Key": text}
    )


async def test_a_question_is_listed_shown_and_answered_by_the_name_of_the_key(
    house: House,
) -> None:
    found = await asked(house)
    assert found["question"]["title"] == "Boxes"
    assert found["question"]["people"] == ["ada"]
    key = await house.key("workflows:read")
    shown = await house.client.get(f"{INBOX}/{found['id'][:8]}", headers=key)
    assert shown.json() == found
    others = await house.client.get(INBOX, params={"for": "eve"}, headers=key)
    assert others.json() == {"questions": [], "notices": []}

    wrong = await reply(house, found["id"], {"reply": {"boxes": 0}})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "ANSWER_INVALID")
    noted = await reply(house, found["id"], {"reply": {"boxes": 1}}, "eve")
    assert noted.json()["counts"] is False
    taken = await reply(house, found["id"], {"reply": {"boxes": 2}})
    assert (taken.status_code, taken.json()["counts"]) == (202, True)

    with anyio.fail_after(60):
        while True:
            run = await house.client.get(f"/api/v1/runs/{found['run']}", headers=key)
            if run.json()["status"] != "waiting" and run.json()["status"] != "running":
                break
            await anyio.sleep(0.02)
    step = next(one for one in run.json()["steps"] if one["key"] == "ask")
    assert step["value"]["form_data"] == {"boxes": 2}
    assert [(one["by"], one["via"]) for one in step["value"]["answers"]] == [
        ("eve", "rest"),
        ("ada", "rest"),
    ]
    late = await reply(house, found["id"], {"reply": {"boxes": 3}})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "QUESTION_CLOSED")


async def test_only_an_admin_speaks_for_others(house: House) -> None:
    found = await asked(house)
    body = {"reply": {"boxes": 2}, "as": "ada"}
    denied = await reply(house, found["id"], body, "eve")
    assert (denied.status_code, denied.json()["error"]["code"]) == (403, "SCOPE_MISSING")
    assert (await reply(house, found["id"], body, "studio", "admin")).json()["counts"] is True


async def test_a_question_that_is_not_there_is_not_found(house: House) -> None:
    answer = await reply(house, "0123456789abcdef", {"reply": 1})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "QUESTION_UNKNOWN")


@pytest.mark.parametrize(
    ("method", "channel", "status", "code"),
    [
        ("POST", "slack", 403, "HOOK_DENIED"),
        ("POST", "discord", 403, "HOOK_DENIED"),
        ("POST", "telegram", 403, "HOOK_DENIED"),
        ("POST", "generic", 403, "HOOK_DENIED"),
        ("POST", "pigeon", 404, "HOOK_NOT_FOUND"),
        ("GET", "slack", 405, "METHOD_NOT_ALLOWED"),
    ],
)
async def test_nobody_posts_replies_without_a_proof(
    house: House, method: str, channel: str, status: int, code: str
) -> None:
    answer = await house.client.request(method, f"/hooks/people/{channel}", json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
