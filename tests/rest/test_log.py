"""The log: one JSON object a line, with the client, the tool and the time; no key, no body."""

import io
import logging
from pathlib import Path

import orjson
import pytest

from rest.house import House, house_in
from toolweave.rest.log import logged_to

pytestmark = pytest.mark.anyio

SECRET = "hunter2-in-a-body"


def files_in(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


@pytest.mark.requirement("004:log.timing")
async def test_a_request_is_logged_with_client_tool_and_time(house: House) -> None:
    made, text = await house.keys.create("somebody's name", ["tools:execute"])
    answer = await house.invoke("search_nodes", {"query": SECRET}, {"X-API-Key": text})
    request_id = answer.headers["x-request-id"]
    (line,) = [each for each in house.log_lines() if each.get("request_id") == request_id]
    took_ms = line.pop("took_ms")
    assert 0 < took_ms < 60_000
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "toolweave.rest",
        "message": "request",
        "method": "POST",
        "path": "/api/v1/mcp/invoke",
        "request_id": request_id,
        "client": made.id,
        "client_name": "somebody's name",
        "tool": "search_nodes",
        "status": 200,
        "is_error": False,
    }


@pytest.mark.requirement("004:log.errors", "004:security.no-user-data")
async def test_neither_a_key_nor_a_body_nor_a_query_is_logged(tmp_path: Path) -> None:
    async with house_in(tmp_path) as house:
        _, text = await house.keys.create("somebody's name", ["tools:execute", "tools:read"])
        key = {"X-API-Key": text}
        await house.invoke("search_nodes", {"query": SECRET}, key)
        await house.invoke("search_nodes", {"query": 5, SECRET: SECRET}, key)
        await house.invoke(SECRET, {}, key)
        await house.client.post("/api/v1/mcp/invoke", content=SECRET.encode(), headers=key)
        await house.client.get(f"/api/v1/mcp/tools?key={text}", headers=key)
        await house.client.get("/api/v1/mcp/tools", headers={"X-API-Key": text + "x"})
        await house.client.get("/mcp", headers={"Authorization": f"Bearer {text}"})
        await house.client.get("/api/v1/mcp/tools/internal", headers=house.service_token())
        log = house.logged.getvalue()
        statuses = [line["status"] for line in house.log_lines()]
        assert statuses == [200, 200, 404, 415, 200, 401, 400, 200]
        for secret in (SECRET, text, *house.service_token().values()):
            assert secret not in log


@pytest.mark.requirement("004:security.no-user-data", "004:security.no-pii-in-errors")
async def test_neither_the_home_nor_an_error_keeps_what_was_asked(tmp_path: Path) -> None:
    async with house_in(tmp_path) as house:
        key = await house.key()
        nodes = [{"node_type": "FLOW", "subtype": "IF"}, {"node_type": SECRET, "subtype": SECRET}]
        await house.invoke("get_node_details", {"nodes": nodes}, key)
        await house.invoke("search_nodes", {"query": SECRET}, key)
        denied = await house.client.get("/api/v1/mcp/tools", headers={"X-API-Key": SECRET})
        assert SECRET not in denied.text
        assert key["X-API-Key"] not in denied.text
    kept = files_in(tmp_path)
    assert kept
    assert not any(SECRET.encode() in data for data in kept)
    assert not any(key["X-API-Key"].encode() in data for data in kept)


def test_a_line_is_json_whatever_is_logged() -> None:
    stream = io.StringIO()
    logger = logging.getLogger("toolweave.tests")
    with logged_to(stream):
        logger.warning("two\nlines %s", "“quoted”", extra={"path": '/a"b\n{"level":"fake"}'})
        try:
            raise ValueError("never shown")
        except ValueError:
            logger.exception("failed")
    logger.warning("after the end")
    first, second = (orjson.loads(line) for line in stream.getvalue().splitlines())
    assert first["message"] == "two\nlines “quoted”"
    assert first["level"] == "warning"
    assert second["error"] == "ValueError"
    assert "never shown" not in stream.getvalue()
