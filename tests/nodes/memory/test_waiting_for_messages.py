"""FLOW.WAIT for a message in a queue of a real Redis."""

import uuid
from dataclasses import dataclass

import pytest
from tests.nodes.flow.running import alone, an_engine, fields, outcome_of
from tests.nodes.memory.conftest import Secrets
from tests.resources.redis_server import RedisServer

from toolweave.catalog.resources.record import Resources
from toolweave.engine.engine import Engine
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json, JsonObject
from toolweave.resources.stores import OpenStores
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Queue:
    """A queue of its own, and who waits for what is in it."""

    stores: OpenStores
    database: Database
    clock: FakeClock
    name: str

    async def add(self, *messages: str) -> None:
        async with self.stores.redis("${vault:queue-url}") as redis:
            await redis.ask("RPUSH", self.name, *messages)

    async def left(self) -> list[str]:
        async with self.stores.redis("${vault:queue-url}") as redis:
            found = await redis.ask("LRANGE", self.name, 0, -1)
        assert isinstance(found, list)
        return [one.decode() for one in found if isinstance(one, bytes)]

    async def begin(self, engine: Engine, *, condition: str = "", **config: Json) -> str:
        settings: JsonObject = {
            "wait_type": "queue_message",
            "queue_config": {"queue_name": self.name, "queue_type": "redis", **config},
            "check_interval_seconds": 10,
            "wait_condition": condition,
        }
        run = await engine.runs.start(RunRequest(alone("FLOW.WAIT", settings, {}), {"n": 1}))
        await engine.advance(run)
        return run

    async def look_again(self, engine: Engine, run: str) -> str:
        await self.clock.advance(11)
        return await engine.advance(run)


@pytest.fixture
def queue(
    plain_stores: OpenStores,
    sqlite_database: Database,
    clock: FakeClock,
    redis_server: RedisServer,
    secrets: Secrets,
) -> Queue:
    secrets.values["queue-url"] = redis_server.url
    return Queue(plain_stores, sqlite_database, clock, f"queue-{uuid.uuid4().hex}")


async def message_of(engine: Engine, run: str) -> Json:
    trigger = fields(await outcome_of(engine, run))["trigger_data"]
    assert isinstance(trigger, dict)
    return trigger["message"]


@pytest.mark.exercises("FLOW.WAIT.wait_type=queue_message", "FLOW.WAIT.queue_config")
async def test_a_message_is_waited_for_and_taken_once(queue: Queue) -> None:
    async with an_engine(queue.database, queue.clock, Resources(stores=queue.stores)) as engine:
        first = await queue.begin(engine, message_filter={"kind": "paid"})
        assert (await engine.get(first)).status == "waiting"
        await queue.add(
            '{"kind":"other"}', '{"kind":"paid","order":1}', '{"kind":"paid","order":2}'
        )
        assert await queue.look_again(engine, first) == "success"
        assert await message_of(engine, first) == {"kind": "paid", "order": 1}
        second = await queue.begin(engine, message_filter={"kind": "paid"})
        assert await message_of(engine, second) == {"kind": "paid", "order": 2}
        assert await queue.left() == ['{"kind":"other"}']


async def test_a_message_may_be_left_where_it_is_and_be_any_text(queue: Queue) -> None:
    async with an_engine(queue.database, queue.clock, Resources(stores=queue.stores)) as engine:
        await queue.add("just words")
        run = await queue.begin(engine, consume_message=False)
        assert await message_of(engine, run) == "just words"
        assert await queue.left() == ["just words"]


async def test_what_the_condition_refuses_stays_in_the_queue(queue: Queue) -> None:
    async with an_engine(queue.database, queue.clock, Resources(stores=queue.stores)) as engine:
        await queue.add("1", "7")
        run = await queue.begin(engine, condition="trigger.message > 5")
        assert await message_of(engine, run) == 7
        assert await queue.left() == ["1"]


async def test_a_message_that_was_taken_before_a_cut_is_found_again(queue: Queue) -> None:
    async with an_engine(queue.database, queue.clock, Resources(stores=queue.stores)) as engine:
        run = await queue.begin(engine)
        assert (await engine.get(run)).status == "waiting"
        async with queue.stores.redis("${vault:queue-url}") as redis:
            await redis.ask("SET", f"toolweave:taken:{run}/n", "taken")
        await queue.add("next")
        assert await queue.look_again(engine, run) == "success"
        assert await message_of(engine, run) == "taken"
        assert await queue.left() == ["next"]


async def test_a_redis_that_is_away_is_no_failure_of_the_wait(
    queue: Queue, secrets: Secrets
) -> None:
    secrets.values["away"] = "redis://127.0.0.1:1/0"
    async with an_engine(queue.database, queue.clock, Resources(stores=queue.stores)) as engine:
        run = await queue.begin(engine, connection_string="${vault:away}")
        assert (await engine.get(run)).status == "waiting"
