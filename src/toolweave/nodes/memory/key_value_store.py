"""MEMORY.KEY_VALUE_STORE: keep values under names."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from toolweave import json_text
from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory._file_keys import FileKeys
from toolweave.nodes.memory._keys import KeyStore, Now, Room, matches
from toolweave.nodes.memory._memory_keys import MemoryKeys
from toolweave.nodes.memory._redis_keys import RedisKeys
from toolweave.nodes.memory._sql_keys import SqlKeys
from toolweave.nodes.memory._storable_text import escaped, text_of

_SETTINGS = {"memory": (), "redis": ("url",), "sqlite": ("path",), "file": ("path",)}
_OPTIONS = {"set": ("ttl",), "keys": ("pattern",)}
MAX_PATTERN = 1000
_OF_ALL_KEYS = frozenset({"keys", "clear"})


def check_operation(given: NodeInput) -> None:
    """Whether the operation has what it needs. Raises `NODE_INPUT_INVALID`."""
    operation, settings = given.text("operation") or "get", given.record("connection_config")
    _key(given, operation)
    _check_names(settings, _SETTINGS.get(given.text("storage_backend"), ()), "connection_config")
    if operation == "set":
        _ttl_s(given)
    elif operation == "keys":
        _pattern(given)


class KeyValueStore:
    """Keeps values under keys, between steps and between runs."""

    spec = NodeSpec(
        type="MEMORY",
        subtype="KEY_VALUE_STORE",
        summary="Keep values under keys and read them again later.",
        effect="keyed",
        configurations=(
            Field(
                "storage_backend",
                "string",
                "Where values are kept; memory is lost when the studio stops.",
                "memory",
                required=True,
                options=("memory", "redis", "sqlite", "file"),
            ),
            Field(
                "connection_config",
                "object",
                'sqlite: {} for our own database, or {"path": "a.db"}; file: {"path": "a.json"}; '
                'redis: {"url": vault reference}.',
                {},
                sensitive=True,
            ),
            Field(
                "default_ttl",
                "integer",
                "Seconds a value is kept; 0 for always.",
                0,
                minimum=0,
                maximum=86_400,
            ),
            Field("key_prefix", "string", "Put before every key: session:."),
            Field(
                "max_keys",
                "integer",
                "Most keys; a further one is refused.",
                1000,
                minimum=1,
                maximum=100_000,
            ),
        ),
        inputs=(
            Field(
                "operation",
                "string",
                "get, set, delete and exists need a key; keys lists them; clear deletes all.",
                "get",
                options=("get", "set", "delete", "exists", "keys", "clear"),
            ),
            Field("key", "string", "Name of the value, without the prefix: user-42."),
            Field("value", "any", 'What set keeps: {"count": 3}.'),
            Field(
                "options",
                "object",
                'For set {"ttl": 60}; for keys {"pattern": "user-*"}.',
                members="{ttl: number, pattern}",
            ),
        ),
        outputs=(
            Field("value", "any", "The value, for get."),
            Field("exists", "boolean", "Whether the key is there after the operation."),
            Field("keys", "array", "Keys found, sorted, without the prefix.", items="string"),
            Field("success", "boolean", "Whether it worked; a missing key is no failure."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field("operation_time", "float", "Seconds it took."),
            Field("cache_hit", "boolean", "Whether get found a value."),
        ),
        tags=("memory", "storage", "cache"),
        keywords=(
            *("key", "value", "store", "cache", "remember", "state"),
            *("redis", "sqlite", "save", "lookup", "counter", "ttl"),
        ),
        guidance="Attach it to an AI_AGENT node, or use it as a step of its own.",
        checks=(check_operation,),
        examples=(
            Example(
                "Remember a choice",
                "Keeps a user's settings in memory for an hour.",
                {"storage_backend": "memory", "key_prefix": "user:", "default_ttl": 3600},
                {
                    "operation": "set",
                    "key": "42",
                    "value": {"theme": "dark", "language": "en"},
                },
                {"exists": True, "success": True, "error_message": ""},
            ),
            Example(
                "Not there",
                "Reads a key nobody has set.",
                {"storage_backend": "memory"},
                {"operation": "get", "key": "nobody"},
                {"exists": False, "success": True, "error_message": "", "cache_hit": False},
            ),
            Example(
                "Where the import stopped",
                "Keeps a place in a file database, for good.",
                {
                    "storage_backend": "sqlite",
                    "connection_config": {"path": "state/import.db"},
                    "key_prefix": "import:",
                },
                {"operation": "set", "key": "last", "value": {"page": 17}},
            ),
            Example(
                "List sessions",
                "Keys by pattern, from a shared Redis.",
                {
                    "storage_backend": "redis",
                    "connection_config": {"url": "${vault:redis-url}"},
                    "key_prefix": "session:",
                    "max_keys": 10_000,
                },
                {"operation": "keys", "options": {"pattern": "user-*"}},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """Do one operation."""
        began = time.perf_counter()
        given = context.given
        operation = given.text("operation") or "get"
        key = _key(given, operation)
        _check_names(given.record("options"), _OPTIONS.get(operation, ()), "options")
        answer: JsonObject = {
            "value": None,
            "exists": False,
            "keys": [],
            "success": True,
            "error_message": "",
            "cache_hit": False,
        }
        async with _opened(context) as keys:
            try:
                answer |= await _do(keys, operation, key, given)
            except ToolweaveError as error:
                # Another kind of value stands there, or the like; the store itself works.
                if error.code != "REDIS_REFUSED":
                    raise
                answer |= {"success": False, "error_message": error.message}
        answer["operation_time"] = time.perf_counter() - began
        return Outcome({field.name: answer[field.name] for field in self.spec.outputs})


async def _do(keys: KeyStore, operation: str, key: str, given: NodeInput) -> JsonObject:
    prefix = given.text("key_prefix")
    match operation:
        case "get":
            text = await keys.get(key)
            is_there = text is not None
            return {"value": _value(text), "exists": is_there, "cache_hit": is_there}
        case "set":
            return await _set(keys, key, given)
        case "delete":
            await keys.delete(key)
            return {"exists": False}
        case "exists":
            return {"exists": await keys.has(key)}
        case "keys":
            found = _found(await keys.names(prefix), prefix, _pattern(given))
            return {"exists": bool(found), "keys": found}
        case "clear":
            await keys.clear(prefix)
            return {"exists": False}
        case _:
            raise Invalid("NODE_INPUT_INVALID", f"there is no operation {operation!r}")


async def _set(keys: KeyStore, key: str, given: NodeInput) -> JsonObject:
    text = text_of(given.inputs.get("value"))
    room = Room(given.text("key_prefix"), given.whole("max_keys"))
    if await keys.set(key, text, ttl_s=_ttl_s(given), room=room):
        return {"exists": True}
    told = f"there are {room.max_keys} keys already; delete some, or raise max_keys"
    return {"success": False, "error_message": told}


def _key(given: NodeInput, operation: str) -> str:
    key = given.inputs.get("key")
    if operation in _OF_ALL_KEYS:
        return ""
    if not isinstance(key, str) or not key:
        message = f"{operation} needs a key, which is a text that is not empty"
        raise refused_at(("key",), "NODE_INPUT_INVALID", message)
    whole = given.text("key_prefix") + key
    try:
        escaped(whole)  # what one store cannot keep, none takes
    except Invalid as error:
        raise refused_at(("key",), error.code, error.message, hint=error.hint) from None
    return whole


def _ttl_s(given: NodeInput) -> float:
    ttl: Json = given.record("options").get("ttl")
    if ttl is None:
        return given.number("default_ttl")
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not 0 <= ttl <= 10**9:
        message = f"options.ttl is {ttl!r:.40}; expected seconds, 0 for always"
        raise refused_at(("options", "ttl"), "NODE_INPUT_INVALID", message)
    return float(ttl)


def _pattern(given: NodeInput) -> str | None:
    pattern: Json = given.record("options").get("pattern")
    if isinstance(pattern, str | None) and len(pattern or "") <= MAX_PATTERN:
        return pattern
    message = f"options.pattern is a text such as user-*, of at most {MAX_PATTERN} characters"
    raise refused_at(("options", "pattern"), "NODE_INPUT_INVALID", message)


def _found(names: list[str], prefix: str, pattern: str | None) -> list[Json]:
    short = sorted(name.removeprefix(prefix) for name in names)
    return [name for name in short if pattern is None or matches(name, pattern)]


def _value(text: str | None) -> Json:
    if text is None:
        return None
    try:
        return json_text.read(text)
    except Invalid:
        return text  # another program put it into Redis, as plain text


@asynccontextmanager
async def _opened(context: NodeContext) -> AsyncGenerator[KeyStore]:
    given, stores = context.given, context.resources.stores
    now = Now(context.now().timestamp(), context.key)
    backend, settings = given.text("storage_backend"), given.record("connection_config")
    _check_names(settings, _SETTINGS.get(backend, ()), "connection_config")
    match backend:
        case "memory":
            yield MemoryKeys(stores.values, now.at_s)
        case "redis":
            async with stores.redis(_setting(settings, "url")) as redis:
                yield RedisKeys(redis)
        case "sqlite":
            path = settings.get("path")
            at = (
                stores.database if path is None else await stores.sqlite(_setting(settings, "path"))
            )
            yield SqlKeys(at, now)
        case "file":
            yield FileKeys(stores, _setting(settings, "path"), now.at_s)
        case _:
            raise Invalid("NODE_INPUT_INVALID", f"there is no storage_backend {backend!r}")


def _setting(settings: JsonObject, name: str) -> str:
    value = settings.get(name)
    if isinstance(value, str) and value:
        return value
    message = f"connection_config needs {name!r}, a text"
    raise refused_at(("connection_config", name), "NODE_INPUT_INVALID", message)


def _check_names(given: JsonObject, known: tuple[str, ...], field: str) -> None:
    unknown = sorted(given.keys() - set(known))
    if unknown:
        expected = ", ".join(known) or "nothing"
        message = f"{field} has {unknown[0]!r}; expected {expected}"
        raise refused_at((field, unknown[0]), "NODE_INPUT_INVALID", message)


node = KeyValueStore()
