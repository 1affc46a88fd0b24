"""One look of FLOW.WAIT at what it waits for: a condition, a file, an API, a database, …"""

import hashlib
import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

import anyio.to_thread

from toolweave import json_text
from toolweave.catalog.node import NodeContext, NodeInput
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.sql_texts import address_fault, statement_fault
from toolweave.clock import timestamp
from toolweave.errors import Invalid, Limited, NotFound, TimedOut, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.file_path import check_path
from toolweave.nodes.flow._items import is_same
from toolweave.nodes.flow._queue import look_in_queue, read_queue
from toolweave.nodes.flow._wait_state import WaitMemory, WaitOutcome, holds
from toolweave.nodes.web_address import check_url

MAX_READ = 16 * 1024 * 1024
MAX_ROWS = 1_000
QUERY_S = 30.0
_THRESHOLD = "availability_threshold"
_Look: TypeAlias = Callable[[NodeContext, WaitMemory], Awaitable[WaitOutcome]]


async def look(context: NodeContext, memory: WaitMemory, reply: Json) -> WaitOutcome:
    """Look once."""
    kind = context.given.text("wait_type")
    if kind == "condition":
        return _condition(context, memory, reply)
    looks: dict[str, _Look] = {
        "file": _file,
        "api_response": _api,
        "database_change": _database,
        "resource": _resource,
        "queue_message": look_in_queue,
    }
    if kind not in looks:
        raise Invalid("WAIT_INVALID", f"there is no wait_type {kind!r:.80}")
    return await looks[kind](context, memory)


def _condition(context: NodeContext, memory: WaitMemory, reply: Json) -> WaitOutcome:
    if not context.given.text("wait_condition"):
        message = "to wait for a condition, 'wait_condition' is needed"
        raise refused_at(("wait_condition",), "WAIT_INVALID", message)
    return WaitOutcome(memory.looked(), {} if reply is None else reply)


def check_wait(given: NodeInput) -> None:
    """Whether a wait that looks by itself has its settings. Raises `WAIT_INVALID`."""
    match given.text("wait_type"):
        case "file":
            _watched(given)
        case "api_response":
            _asked(given)
        case "database_change":
            _query(given)
        case "resource":
            _measured(given)
        case "queue_message":
            read_queue(given)
        case _:
            pass


def _watched(given: NodeInput) -> tuple[str, Json]:
    config = given.record("file_config")
    path, watched = _text(config, "file_config", "file_path"), config.get("watch_type", "creation")
    if watched not in ("creation", "modification", "deletion"):
        message = f"'file_config' has watch_type {watched!r:.80}"
        hint = "use creation, modification or deletion"
        raise refused_at(("file_config", "watch_type"), "WAIT_INVALID", message, hint=hint)
    check_path(path, "file_config", "file_path")
    return path, watched


def _asked(given: NodeInput) -> str:
    url = _text(given.record("api_config"), "api_config", "url")
    check_url(url, "api_config", "url")
    return url


def _query(given: NodeInput) -> tuple[str, str]:
    config = given.record("database_config")
    address = _text(config, "database_config", "connection_string")
    query = _text(config, "database_config", "condition_query")
    for name, fault in (
        ("connection_string", address_fault(address)),
        ("condition_query", statement_fault(query, allow_writes=False)),
    ):
        if fault is not None:
            raise refused_at(("database_config", name), fault.code, fault.message, hint=fault.hint)
    return address, query


def _measured(given: NodeInput) -> tuple[str, float]:
    config = given.record("resource_config")
    kind, most = _text(config, "resource_config", "resource_type"), config.get(_THRESHOLD, 80)
    if not isinstance(most, int | float) or isinstance(most, bool):
        message = f"{_THRESHOLD!r} must be a number of percent"
        raise refused_at(("resource_config", _THRESHOLD), "WAIT_INVALID", message)
    if kind not in _MEASURES:
        message = f"'resource_config' has resource_type {kind!r}"
        hint = "use cpu, memory or disk"
        raise refused_at(("resource_config", "resource_type"), "WAIT_INVALID", message, hint=hint)
    return kind, most


async def _file(context: NodeContext, memory: WaitMemory) -> WaitOutcome:
    config = context.given.record("file_config")
    path, watched = _watched(context.given)
    files = context.resources.files
    try:
        content, facts = await files.read(path, max_bytes=MAX_READ)
    except NotFound:
        content, facts = b"", None
    mark = f"{facts.modified_at.isoformat()} {facts.size}" if facts else None
    first: Json = mark if memory.looks == 0 else memory.first
    memory = replace(memory.looked(f"no {watched} of the file was seen"), first=first)
    seen: JsonObject = {"file_path": path, "watch_type": watched}
    if facts is None or watched == "deletion":
        return WaitOutcome(memory, seen if facts is None and watched == "deletion" else None)
    if watched == "modification" and mark == first:
        return WaitOutcome(memory)
    expected = config.get("expected_content")
    if isinstance(expected, str) and expected.encode() not in content:
        return WaitOutcome(replace(memory, fault="the file does not hold the expected content"))
    more: JsonObject = {"size": facts.size, "modified_at": timestamp(facts.modified_at)}
    return WaitOutcome(memory, seen | more)


async def _api(context: NodeContext, memory: WaitMemory) -> WaitOutcome:
    config = context.given.record("api_config")
    url, method = _asked(context.given), str(config.get("method") or "GET").upper()
    headers, body = config.get("headers"), config.get("body")
    named = headers.items() if isinstance(headers, dict) else ()
    http = context.resources.http
    try:
        answered = await http.request(
            method,
            url,
            headers={name: str(value) for name, value in named},
            body=None if body is None else _sent(body),
        )
    except (Limited, TimedOut, Unavailable) as error:
        # Not there yet is what a wait is for.
        return WaitOutcome(memory.looked(error.message))
    status, answer = answered.status, _parsed(answered.body)
    memory = memory.looked(f"{method} {url} answered {status}")
    if not _is_expected(status, config.get("expected_status")):
        return WaitOutcome(memory)
    expected = config.get("expected_response")
    is_there = expected is None or (
        expected in answer
        if isinstance(expected, str) and isinstance(answer, str)
        else holds(expected, answer)
    )
    return (
        WaitOutcome(memory, {"status_code": status, "body": answer})
        if is_there
        else WaitOutcome(memory)
    )


def _is_expected(status: int, expected: Json) -> bool:
    if isinstance(expected, list):
        return any(is_same(one, status) for one in expected)
    return 200 <= status < 300 if expected is None else is_same(expected, status)


def _sent(body: Json) -> bytes:
    return body.encode() if isinstance(body, str) else json_text.canonical(body)


def _parsed(content: bytes) -> Json:
    try:
        return json_text.read(content, max_bytes=MAX_READ)
    except Invalid:
        return content[:MAX_READ].decode("utf-8", "replace")


async def _database(context: NodeContext, memory: WaitMemory) -> WaitOutcome:
    config = context.given.record("database_config")
    address, query = _query(context.given)
    databases = context.resources.databases
    try:
        found = await databases.query(
            address, query, (), allow_writes=False, max_rows=MAX_ROWS, timeout_s=QUERY_S
        )
    except (Limited, TimedOut, Unavailable) as error:
        return WaitOutcome(memory.looked(error.message))
    rows: list[Json] = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    # What was there may be large or private; to see a change, its hash is enough.
    mark = hashlib.sha256(json_text.canonical(rows)).hexdigest()
    first: Json = mark if memory.first is None else memory.first
    memory = replace(memory.looked("the query gives nothing new"), first=first)
    expected = config.get("expected_result")
    is_there = mark != first if expected is None else _is_result(expected, rows)
    return WaitOutcome(memory, {"rows": rows}) if is_there else WaitOutcome(memory)


def _is_result(expected: Json, rows: list[Json]) -> bool:
    """Whether all rows, the first row, or the one value in it are as expected."""
    if isinstance(expected, list):
        return expected == rows
    row = rows[0] if rows else None
    if isinstance(expected, dict) or not isinstance(row, dict):
        return holds(expected, row)
    return len(row) == 1 and is_same(expected, next(iter(row.values())))


async def _resource(context: NodeContext, memory: WaitMemory) -> WaitOutcome:
    kind, most = _measured(context.given)
    try:
        used = round(await anyio.to_thread.run_sync(_MEASURES[kind]), 1)
    except (AttributeError, OSError, ValueError) as error:
        message = f"this machine does not report how much of its {kind} is in use"
        raise Invalid("WAIT_NOT_BUILT_IN", message) from error
    memory = memory.looked(f"{used} percent of {kind} are in use")
    found: Json = {"resource_type": kind, "used_percent": used}
    return WaitOutcome(memory, found) if used <= most else WaitOutcome(memory)


def _cpu() -> float:
    return 100 * os.getloadavg()[0] / (os.cpu_count() or 1)


def _memory() -> float:
    return 100 * (1 - os.sysconf("SC_AVPHYS_PAGES") / os.sysconf("SC_PHYS_PAGES"))


def _disk() -> float:
    usage = shutil.disk_usage(".")
    return 100 * usage.used / usage.total


_MEASURES = {"cpu": _cpu, "memory": _memory, "disk": _disk}


def _text(config: JsonObject, field: str, name: str) -> str:
    value = config.get(name)
    if isinstance(value, str) and value:
        return value
    raise refused_at((field, name), "WAIT_INVALID", f"{field!r} needs {name!r}")
