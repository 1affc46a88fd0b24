"""FLOW.WAIT for a message in a queue: a list in a Redis, added to at its end.

A message that is taken stands under the name of its step for a while, so that a try that was cut
off after taking it finds it again: none is lost, and none is taken for two steps.
"""

from toolweave import json_text
from toolweave.catalog.node import NodeContext, NodeInput
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.resources.stores import RedisConnection
from toolweave.errors import Invalid, Limited, TimedOut, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.flow._wait_state import WaitMemory, WaitOutcome, holds, why_unmet

BUILT_IN = "redis"
# Where the connection is not said, this secret of the vault has its address.
ADDRESS = "${vault:queue-url}"
MAX_LOOKED_AT = 1_000
KEPT_S = 7 * 24 * 3600
_TAKE = (
    "if redis.call('LREM', KEYS[1], 1, ARGV[1]) == 0 then return 0 end "
    "redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[2]) return 1"
)


def read_queue(given: NodeInput) -> str:
    """The name of the queue. Raises `WAIT_INVALID`, `WAIT_NOT_BUILT_IN`."""
    config = given.record("queue_config")
    name, kind = config.get("queue_name"), config.get("queue_type", BUILT_IN)
    if kind != BUILT_IN:
        raise refused_at(
            ("queue_config", "queue_type"),
            "WAIT_NOT_BUILT_IN",
            f"FLOW.WAIT cannot look into a queue of type {kind!r:.80}; built in is {BUILT_IN!r}",
            hint="connect a server that can, and look with FLOW.LOOP and FLOW.DELAY",
        )
    if isinstance(name, str) and name:
        return name
    message = "'queue_config' needs 'queue_name'"
    raise refused_at(("queue_config", "queue_name"), "WAIT_INVALID", message)


async def look_in_queue(context: NodeContext, memory: WaitMemory) -> WaitOutcome:
    """Look once; the first message that fits is taken, if it is to be."""
    config, name = context.given.record("queue_config"), read_queue(context.given)
    address = config.get("connection_string")
    stores = context.resources.stores
    try:
        async with stores.redis(address if isinstance(address, str) else ADDRESS) as redis:
            found = await _found(context, redis, name, config)
    except (Limited, TimedOut, Unavailable) as error:
        return WaitOutcome(memory.looked(error.message))
    return WaitOutcome(
        memory.looked("no message in the queue is the one that is waited for"), found
    )


async def _found(
    context: NodeContext, redis: RedisConnection, name: str, config: JsonObject
) -> Json:
    own = f"toolweave:taken:{context.key}"
    taken = await redis.ask("GET", own)
    if isinstance(taken, bytes):
        return _told(name, taken)
    listed = await redis.ask("LRANGE", name, 0, MAX_LOOKED_AT - 1)
    wanted: Json = config.get("message_filter") or {}
    for raw in listed if isinstance(listed, list) else []:
        assert isinstance(raw, bytes)
        told = _told(name, raw)
        is_wanted = not wanted or holds(wanted, told["message"])
        # What nobody waits for stays in the queue, so the condition is asked before it is taken.
        if not is_wanted or why_unmet(context.given, told, context.now()) is not None:
            continue
        if config.get("consume_message", True) is False:
            return told
        if await redis.ask("EVAL", _TAKE, 2, name, own, raw, KEPT_S) == 1:
            return told
    return None


def _told(name: str, raw: bytes) -> JsonObject:
    try:
        message: Json = json_text.read(raw)
    except Invalid:
        message = raw.decode("utf-8", "replace")
    return {"queue_name": name, "message": message}
