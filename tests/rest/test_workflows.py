"""`/api/v1/workflows`: saved over what was seen, told apart by revision, converted without loss."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.workflow.sample_files import FOLDER, JSON_FILES, dialect_of, text_of

from rest.drawn import drawn
from rest.house import house_in
from toolweave import json_text
from toolweave.access.keys import ApiKeys
from toolweave.home import WORKFLOWS
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.format import FORMAT_NAMES

pytestmark = pytest.mark.anyio

ALL = "/api/v1/workflows"
CONVERT = f"{ALL}/convert"


@dataclass(frozen=True)
class Office:
    """The routes over a real folder, and keys for them."""

    client: httpx2.AsyncClient
    keys: ApiKeys
    folder: Path
    openapi: dict[str, Any]

    async def key(self, *scopes: str) -> dict[str, str]:
        _, text = await self.keys.create("test", list(scopes))
        return {"X-API-Key": text}

    async def save(self, document: object, revision: str | None = None) -> httpx2.Response:
        headers = await self.key("workflows:write")
        body = {"document": document, "revision": revision}
        return await self.client.put(f"{ALL}/demo", json=body, headers=headers)

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        headers = await self.key("workflows:read") | headers
        return await self.client.get(ALL + path, headers=headers)


@pytest.fixture
def office(opened: Office) -> Office:
    """The same for all tests, without what an earlier one saved."""
    for path in opened.folder.glob("*.json"):
        path.unlink()
    return opened


@pytest.fixture(scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Office]:
    home = tmp_path_factory.mktemp("office") / "home"
    async with house_in(home, rate_per_s=1e6, burst=10**6) as house:
        described = await house.client.get("/api/v1/openapi.json", headers=await house.key())
        yield Office(house.client, house.keys, home / WORKFLOWS, described.json())


def _workflow(name: str = "demo", description: str = "d") -> dict[str, Any]:
    return {
        "id": "w",
        "name": name,
        "description": description,
        "version": "1",
        "schemaVersion": "1.3.0",
        "nodes": [],
        "connections": [],
    }


def _untimed(document: dict[str, Any]) -> dict[str, Any]:
    """A stored document without the times of saving."""
    assert document.keys() >= {"createdAt", "updatedAt"}
    return {key: document[key] for key in document if key not in ("createdAt", "updatedAt")}


def _code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_a_saved_workflow_is_listed_and_shown_at_its_revision(office: Office) -> None:
    assert (await office.get("")).json() == {"workflows": []}
    saved = await office.save(_workflow())
    revision = saved.json()["revision"]
    assert (saved.status_code, saved.headers["etag"]) == (201, f'"{revision}"')
    shown = await office.get("/demo")
    assert (shown.json(), shown.headers["etag"]) == (saved.json(), saved.headers["etag"])
    assert _untimed(shown.json()["document"]) == _workflow()
    [listed] = (await office.get("")).json()["workflows"]
    assert (listed["name"], listed["revision"], listed["nodes"]) == ("demo", revision, 0)


async def test_a_workflow_that_is_as_you_have_it_is_not_sent_again(office: Office) -> None:
    etag = (await office.save(_workflow())).headers["etag"]
    again = await office.get("/demo", **{"If-None-Match": etag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    assert (await office.get("/demo", **{"If-None-Match": '"0"'})).status_code == 200


@pytest.mark.parametrize("way", ["body", "head", "any"])
async def test_saving_over_the_revision_that_was_seen_replaces_it(office: Office, way: str) -> None:
    first = (await office.save(_workflow())).json()["revision"]
    changed = _workflow(description="new")
    if way == "body":
        answer = await office.save(changed, first)
    else:
        match = f'"{first}"' if way == "head" else "*"
        headers = await office.key("workflows:write") | {"If-Match": match}
        answer = await office.client.put(f"{ALL}/demo", json={"document": changed}, headers=headers)
    assert (answer.status_code, _untimed(answer.json()["document"])) == (200, changed)
    assert answer.json()["revision"] != first


async def test_saving_over_what_has_changed_tells_both_versions_and_writes_nothing(
    office: Office,
) -> None:
    first = (await office.save(_workflow())).json()["revision"]
    second = (await office.save(_workflow(description="theirs"), first)).json()["revision"]
    answer = await office.save(_workflow(description="mine"), first)
    assert _code(answer) == (409, "WORKFLOW_CHANGED")
    facts = answer.json()["error"]["facts"]
    assert (facts["expected"], facts["current"]) == (first, second)
    assert _untimed(facts["yours"]) == _workflow(description="mine")
    assert _untimed(facts["theirs"]) == _workflow(description="theirs")
    assert (await office.get("/demo")).json()["revision"] == second


async def test_a_persons_edit_of_the_file_is_seen_at_once_and_not_overwritten(
    office: Office,
) -> None:
    first = (await office.save(_workflow())).json()["revision"]
    text = json_text.write(_workflow(description="by hand"))
    (office.folder / "demo.json").write_text(text, encoding="utf-8")
    assert (await office.get("/demo")).json()["document"]["description"] == "by hand"
    assert _code(await office.save(_workflow(), first)) == (409, "WORKFLOW_CHANGED")


async def test_a_new_workflow_takes_no_name_that_is_taken(office: Office) -> None:
    await office.save(_workflow())
    answer = await office.save(_workflow("DEMO", "mine"))
    assert _code(answer) == (409, "WORKFLOW_NAME_TAKEN")
    assert _untimed(answer.json()["error"]["facts"]["theirs"]) == _workflow()


async def test_a_new_workflow_is_saved_under_its_own_name(office: Office) -> None:
    assert _code(await office.save(_workflow("other"))) == (422, "WORKFLOW_NAME_MISMATCH")
    unnamed = await office.save({"id": "w", "version": "1", "nodes": [], "connections": []})
    assert (unnamed.status_code, unnamed.json()["name"]) == (201, "demo")


async def test_another_name_over_a_revision_renames(office: Office) -> None:
    first = (await office.save(_workflow())).json()["revision"]
    answer = await office.save(_workflow("New name"), first)
    assert (answer.status_code, answer.json()["slug"]) == (200, "new-name")
    names = [one["name"] for one in (await office.get("")).json()["workflows"]]
    assert names == ["New name"]
    assert _code(await office.get("/demo")) == (404, "WORKFLOW_NOT_FOUND")


async def test_a_workflow_is_deleted_at_the_revision_that_was_seen(office: Office) -> None:
    etag = (await office.save(_workflow())).headers["etag"]
    key = await office.key("workflows:write")

    async def delete(**head: str) -> httpx2.Response:
        return await office.client.delete(f"{ALL}/demo", headers=key | head)

    assert _code(await delete()) == (422, "REVISION_MISSING")
    assert _code(await delete(**{"If-Match": '"0"'})) == (409, "WORKFLOW_CHANGED")
    assert (await delete(**{"If-Match": etag})).status_code == 204
    assert _code(await delete(**{"If-Match": etag})) == (404, "WORKFLOW_NOT_FOUND")


async def test_the_list_counts_what_validation_finds(office: Office) -> None:
    """The list and the editor agree; a repaired file is counted anew."""

    async def counts() -> tuple[int, int]:
        [listed] = (await office.get("")).json()["workflows"]
        return listed["errors"], listed["warnings"]

    ask: JsonObject = {"id": "ask", "type": "prompt", "name": "Ask", "data": {}}
    revision = (await office.save(drawn("demo", ask))).json()["revision"]
    assert (await counts(), await counts()) == ((1, 0), (1, 0))
    fixed = drawn("demo", {**ask, "data": {"prompt": "Hello"}})
    assert (await office.save(fixed, revision)).status_code == 200
    assert await counts() == (0, 0)


async def test_a_workflow_with_faults_is_saved_with_its_problems(office: Office) -> None:
    nodes: list[Json] = [{"id": "a", "type": kind, "data": {}} for kind in ("start", "end")]
    saved = await office.save({**_workflow(), "nodes": nodes})
    assert saved.status_code == 201
    problems = [(one["code"], one["pointer"]) for one in saved.json()["problems"]]
    assert ("NODE_ID_DUPLICATE", "/nodes/1/id") in problems


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "JSON_INVALID"),
        (b"[" * 10_000, 400, "JSON_INVALID"),
        (b'{"document": {"a": NaN}}', 400, "JSON_INVALID"),
        (b'{"document": {}, "document": {}}', 400, "JSON_INVALID"),
        (b'{"document": {"name": "\\ud800"}}', 400, "JSON_INVALID"),
        (b"[]", 422, "BODY_INVALID"),
        (b'{"document": 5}', 422, "BODY_INVALID"),
        (b'{"document": {}, "more": 1}', 422, "BODY_INVALID"),
        (b'{"document": {"a": 1}}', 422, "WORKFLOW_UNKNOWN_DIALECT"),
    ],
)
async def test_what_is_no_workflow_is_refused(
    office: Office, body: bytes, status: int, code: str
) -> None:
    headers = await office.key("workflows:write") | {"Content-Type": "application/json"}
    answer = await office.client.put(f"{ALL}/demo", content=body, headers=headers)
    assert _code(answer) == (status, code)
    assert not (await office.get("")).json()["workflows"]


async def test_the_head_decides_which_revision_was_seen(office: Office) -> None:
    etag = (await office.save(_workflow())).headers["etag"]
    headers = await office.key("workflows:write") | {"If-Match": f'"0", W/{etag}'}
    body = {"document": _workflow(description="new"), "revision": "0" * 64}
    answer = await office.client.put(f"{ALL}/demo", json=body, headers=headers)
    assert (answer.status_code, answer.json()["document"]["description"]) == (200, "new")


@pytest.mark.parametrize("name", ["..", "%2e%2e%2fetc", "a%00b", "%F0%9F%A6%8A", "x" * 300])
async def test_a_name_that_is_a_path_or_nonsense_finds_nothing(office: Office, name: str) -> None:
    answer = await office.get(f"/{name}")
    assert answer.status_code in {404, 422}
    assert answer.json()["error"]["code"] != "INTERNAL"


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "", "workflows:read"),
        ("GET", "/demo", "workflows:read"),
        ("POST", "/convert", "workflows:read"),
        ("PUT", "/demo", "workflows:write"),
        ("DELETE", "/demo", "workflows:write"),
    ],
)
async def test_every_endpoint_wants_its_scope(
    office: Office, method: str, path: str, scope: str
) -> None:
    other = {"workflows:read": "workflows:write", "workflows:write": "workflows:read"}[scope]
    assert _code(await office.client.request(method, ALL + path)) == (401, "KEY_MISSING")
    answer = await office.client.request(method, ALL + path, headers=await office.key(other))
    assert _code(answer) == (403, "SCOPE_MISSING")
    assert answer.json()["error"]["facts"] == {"scope": scope}


@pytest.mark.parametrize(("path", "allowed"), [("/demo", "DELETE, GET, PUT"), ("/convert", "POST")])
async def test_another_method_is_told_all_that_there_are(
    office: Office, path: str, allowed: str
) -> None:
    answer = await office.client.patch(ALL + path)
    assert _code(answer) == (405, "METHOD_NOT_ALLOWED")
    assert answer.headers["allow"] == allowed


async def test_a_workflow_called_convert_is_a_workflow_like_any(office: Office) -> None:
    key = await office.key("workflows:write")
    saved = await office.client.put(CONVERT, json={"document": _workflow("convert")}, headers=key)
    assert saved.status_code == 201
    assert (await office.get("/convert")).json()["name"] == "convert"


@pytest.mark.parametrize("name", JSON_FILES)
async def test_a_workflow_converted_there_and_back_is_the_same(office: Office, name: str) -> None:
    key = await office.key("workflows:read")
    document = json_text.read(text_of(name))
    for to in FORMAT_NAMES:
        there = await office.client.post(
            CONVERT, json={"document": document, "to": to}, headers=key
        )
        assert (there.json()["from"], there.json()["to"]) == (dialect_of(name), to)
        body = {"document": there.json()["document"], "to": dialect_of(name)}
        back = await office.client.post(CONVERT, json=body, headers=key)
        assert back.json()["document"] == document


async def test_the_text_of_a_file_is_converted_yaml_too(office: Office) -> None:
    text = (FOLDER / "agent-team" / "current.yaml").read_text(encoding="utf-8")
    key = await office.key("workflows:read")
    body = {"document": text, "to": "flow"}
    answer = await office.client.post(CONVERT, json=body, headers=key)
    assert (answer.status_code, answer.json()["from"]) == (200, "agent-team")


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("{", "WORKFLOW_NOT_JSON"),
        ('{"a": 1, "a": 2}', "WORKFLOW_NOT_JSON"),
        ({}, "WORKFLOW_UNKNOWN_DIALECT"),
    ],
)
async def test_what_cannot_be_converted_is_answered_with_the_reason(
    office: Office, document: Json, code: str
) -> None:
    key = await office.key("workflows:read")
    body = {"document": document, "to": "flow"}
    answer = (await office.client.post(CONVERT, json=body, headers=key)).json()
    assert (answer["from"], answer["document"]) == (None, None)
    assert [problem["code"] for problem in answer["problems"]] == [code]


@pytest.mark.parametrize("body", [{"to": "flow"}, {"document": {}, "to": "xml"}, {"document": {}}])
async def test_a_conversion_that_is_not_said_in_full_is_refused(
    office: Office, body: JsonObject
) -> None:
    key = await office.key("workflows:read")
    refused = await office.client.post(CONVERT, json=body, headers=key)
    assert _code(refused) == (422, "BODY_INVALID")


async def test_the_openapi_document_describes_the_five_endpoints(office: Office) -> None:
    paths = office.openapi["paths"]
    own = [path for path in paths if path.startswith(ALL) and "/versions" not in path]
    described = {f"{method} {path}" for path in own for method in paths[path]}
    assert described == {
        *(f"get {ALL}", f"post {CONVERT}"),
        *(f"{method} {ALL}/{{name}}" for method in ("get", "put", "delete")),
    }
    put = paths[f"{ALL}/{{name}}"]["put"]
    assert {"200", "201", "409", "422"} <= put["responses"].keys()
    assert [parameter["name"] for parameter in put["parameters"]] == ["name", "If-Match"]
    read = put["requestBody"]["content"]["application/json"]["schema"]
    assert read == {"$ref": "#/components/schemas/SaveWorkflowRequest"}
    assert office.openapi["components"]["schemas"]["SaveWorkflowRequest"]["required"] == [
        "document"
    ]
