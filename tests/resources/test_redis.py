"""The client of Redis against a real one, against hostile ones, and where it may connect to."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream
from tests.nodes.memory.conftest import Secrets
from tests.nodes.memory.running import Memory
from tests.resources.redis_server import RedisServer

from toolweave.access.mask import Masker
from toolweave.access.secret_text import SecretTexts
from toolweave.errors import Denied, Invalid, NotFound, TimedOut, ToolweaveError, Unavailable
from toolweave.json_text import JsonObject
from toolweave.resources import redis as redis_client
from toolweave.resources.redis import RedisAddress, read_address
from toolweave.resources.stores import OpenStores, open_stores
from toolweave.storage.database import Database

pytestmark = pytest.mark.anyio

CONFIG: JsonObject = {
    "storage_backend": "redis",
    "connection_config": {"url": "${vault:redis}"},
    "key_prefix": "test-redis:",
}


@pytest.fixture
def redis(plain_memory: Memory, redis_server: RedisServer, secrets: Secrets) -> Memory:
    secrets.values["redis"] = redis_server.url
    return plain_memory


@asynccontextmanager
async def answering(*replies: bytes) -> AsyncGenerator[str]:
    """A server that says one thing after the other, whatever it is asked, then hangs up."""

    async def serve(client: SocketStream) -> None:
        async with client:
            for reply in replies:
                await client.receive()
                await client.send(reply)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with anyio.create_task_group() as group:
        group.start_soon(listener.serve, serve)
        yield f"redis://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
        group.cancel_scope.cancel()
    await listener.aclose()


async def test_what_is_set_is_in_redis_under_its_own_name(
    redis: Memory, redis_server: RedisServer
) -> None:
    await redis.keys("set", "a", {"n": 1}, config=CONFIG, options={"ttl": 100})
    assert redis_server.ask("GET", "test-redis:a") == b'$7\r\n{"n":1}\r\n'
    assert redis_server.ask("TTL", "test-redis:a").strip() in {b":100", b":99"}
    await redis.keys("set", "a", 2, config=CONFIG)
    assert redis_server.ask("TTL", "test-redis:a").strip() == b":-1"


async def test_a_value_ends_by_the_clock_of_redis(redis: Memory) -> None:
    await redis.keys("set", "brief", 1, config=CONFIG, options={"ttl": 0.01})
    with anyio.fail_after(60):
        async with redis.stores.redis("${vault:redis}") as client:
            # Redis itself waits: nobody ever adds to this list.
            await client.ask("BLPOP", "test-redis:never", "0.05")
    assert (await redis.keys("get", "brief", config=CONFIG))["value"] is None


async def test_plain_text_of_another_program_is_read_as_text(
    redis: Memory, redis_server: RedisServer
) -> None:
    redis_server.ask("SET", "test-redis:text", "hello")
    assert (await redis.keys("get", "text", config=CONFIG))["value"] == "hello"


async def test_another_kind_of_value_is_a_refusal_and_no_failure(
    redis: Memory, redis_server: RedisServer
) -> None:
    redis_server.ask("RPUSH", "test-redis:list", "x")
    value = await redis.keys("get", "list", config=CONFIG)
    assert value["success"] is False
    assert "WRONGTYPE" in str(value["error_message"])
    assert (await redis.keys("exists", "list", config=CONFIG))["exists"] is True


async def test_clear_without_a_prefix_is_refused(redis: Memory, redis_server: RedisServer) -> None:
    redis_server.ask("SET", "test-redis-of-others", "1")
    with pytest.raises(Invalid):
        await redis.keys("clear", config={**CONFIG, "key_prefix": ""})
    assert redis_server.ask("EXISTS", "test-redis-of-others").strip() == b":1"


async def test_many_keys_are_listed_and_cleared(redis: Memory) -> None:
    config: JsonObject = {**CONFIG, "key_prefix": "many:", "max_keys": 5000}
    async with redis.stores.redis("${vault:redis}") as client:
        for start in range(0, 3000, 1000):
            pairs = [word for n in range(start, start + 1000) for word in (f"many:{n}", "1")]
            await client.ask("MSET", *pairs)
    assert len(_listed(await redis.keys("keys", config=config))) == 3000
    await redis.keys("clear", config=config)
    assert _listed(await redis.keys("keys", config=config)) == []


async def test_a_large_value_comes_back_whole(redis: Memory) -> None:
    value = "ä" * 3_000_000
    await redis.keys("set", "large", value, config=CONFIG)
    assert (await redis.keys("get", "large", config=CONFIG))["value"] == value


async def test_a_wrong_password_is_told_without_showing_it(
    redis: Memory, redis_server: RedisServer, secrets: Secrets
) -> None:
    secrets.values["redis"] = f"redis://:wrong-password@127.0.0.1:{redis_server.port}"
    with pytest.raises(Denied) as caught:
        await redis.keys("get", "a", config=CONFIG)
    assert caught.value.code == "REDIS_DENIED"
    assert "wrong-password" not in str(caught.value.as_json())


async def test_another_database_holds_other_keys(
    redis: Memory, redis_server: RedisServer, secrets: Secrets
) -> None:
    await redis.keys("set", "here", 1, config=CONFIG)
    secrets.values["redis"] = redis_server.url.removesuffix("/0") + "/3"
    assert (await redis.keys("get", "here", config=CONFIG))["exists"] is False


async def test_a_connection_that_was_lost_is_made_again(
    redis: Memory, redis_server: RedisServer
) -> None:
    await redis.keys("set", "a", 1, config=CONFIG)
    redis_server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    assert (await redis.keys("get", "a", config=CONFIG))["value"] == 1


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", "REDIS_PROTOCOL"),
        (b"$99999999999\r\n", "REDIS_PROTOCOL"),
        (b"$-5\r\n", "REDIS_PROTOCOL"),
        (b"$abc\r\n", "REDIS_PROTOCOL"),
        (b"*999999999\r\n", "REDIS_PROTOCOL"),
        (b"*1\r\n" * 10, "REDIS_PROTOCOL"),
        (b"+" + b"x" * 200_000, "REDIS_PROTOCOL"),
        (b"$10\r\nabc", "REDIS_UNREACHABLE"),
        (b"", "REDIS_UNREACHABLE"),
        (b"-LOADING Redis is loading the dataset in memory\r\n", "REDIS_BUSY"),
        (b"-OOM command not allowed\r\n", "REDIS_BUSY"),
        (b"-NOAUTH Authentication required.\r\n", "REDIS_DENIED"),
    ],
)
async def test_a_hostile_server_gets_a_typed_error(
    plain_memory: Memory, secrets: Secrets, reply: bytes, code: str
) -> None:
    with anyio.fail_after(60):
        async with answering(reply) as url:
            secrets.values["redis"] = url
            with pytest.raises(ToolweaveError) as caught:
                await plain_memory.keys("get", "a", config=CONFIG)
    assert caught.value.code == code


async def test_a_scan_that_is_answered_oddly_is_told(
    plain_memory: Memory, secrets: Secrets
) -> None:
    async with answering(b":1\r\n") as url:
        secrets.values["redis"] = url
        with pytest.raises(Unavailable) as caught:
            await plain_memory.keys("keys", config=CONFIG)
    assert caught.value.code == "REDIS_PROTOCOL"


async def test_a_server_that_never_answers_is_given_up(
    plain_memory: Memory, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_client, "DEADLINE_S", 0.05)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    secrets.values["redis"] = f"redis://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
    with anyio.fail_after(60), pytest.raises(TimedOut) as caught:
        await plain_memory.keys("get", "a", config=CONFIG)
    await listener.aclose()
    assert caught.value.code == "REDIS_TIMED_OUT"


async def test_nobody_there_is_told(plain_memory: Memory, secrets: Secrets) -> None:
    secrets.values["redis"] = "redis://127.0.0.1:1"
    with pytest.raises(Unavailable) as caught:
        await plain_memory.keys("get", "a", config=CONFIG)
    assert caught.value.code == "REDIS_UNREACHABLE"


async def test_a_secret_that_is_missing_is_told(plain_memory: Memory) -> None:
    with pytest.raises(NotFound) as caught:
        await plain_memory.keys("get", "a", config=CONFIG)
    assert caught.value.code == "SECRET_NOT_FOUND"


@pytest.mark.parametrize(
    "url",
    [
        "redis://127.0.0.1",
        "redis://localhost",
        "redis://[::1]",
        "redis://[::ffff:127.0.0.1]",
        "redis://10.0.0.1",
        "redis://192.168.1.1",
        "redis://169.254.169.254",
        "redis://0x7f.1",
        "redis://2130706433",
        "redis://:${vault:password}@127.0.0.1",
        "rediss://internal",
    ],
)
async def test_a_workflow_cannot_name_a_private_address(
    plain_memory: Memory, secrets: Secrets, url: str
) -> None:
    secrets.values["password"] = "open-sesame"
    config: JsonObject = {"storage_backend": "redis", "connection_config": {"url": url}}
    with pytest.raises(ToolweaveError) as caught:
        await plain_memory.keys("get", "a", config=config)
    # A name without a dot may have no address here at all.
    assert caught.value.code in {"STORE_ADDRESS_DENIED", "STORE_UNREACHABLE"}
    assert caught.value.code == "STORE_ADDRESS_DENIED" or "internal" in url


@pytest.mark.parametrize("address", ["169.254.169.254", "100.100.100.200", "0.0.0.0"])
async def test_no_secret_makes_a_metadata_address_reachable(
    plain_memory: Memory, secrets: Secrets, address: str
) -> None:
    secrets.values["redis"] = f"redis://{address}"
    with pytest.raises(Denied) as caught:
        await plain_memory.keys("get", "a", config=CONFIG)
    assert caught.value.code == "STORE_ADDRESS_DENIED"


@pytest.mark.parametrize("scheme", ["redis", "postgresql"])
async def test_a_public_name_that_turns_private_is_refused(
    sqlite_database: Database, tmp_path: Path, secrets: Secrets, scheme: str
) -> None:
    async def rebound(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1", "10.1.2.3"]

    secrets.values["url"] = f"{scheme}://cache.example.com/0"
    texts = SecretTexts(secrets, Masker())
    async with open_stores(sqlite_database, tmp_path, texts, resolve=rebound) as stores:
        with pytest.raises(Denied) as caught:
            await _reach(stores, scheme, "${vault:url}")
    assert caught.value.code == "STORE_ADDRESS_DENIED"


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.com", "redis://", "redis://h:99999", "redis://h/x", "", "redis://h:a"),
        *("redis:///tmp/redis.sock",),
    ],
)
def test_what_is_no_address_of_a_redis_is_refused(url: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_address(url)
    assert caught.value.code == "STORE_ADDRESS_INVALID"


def test_an_address_is_read_with_all_its_parts() -> None:
    found = read_address("rediss://me:p%40ss@cache.example.com:6380/2")
    assert found == RedisAddress("cache.example.com", 6380, "me", "p@ss", 2, True)
    plain = read_address("redis://cache.example.com")
    assert plain == RedisAddress("cache.example.com", 6379, "", "", 0, False)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://h/db",
        "postgresql:///db?host=/tmp",
        "postgresql://h/db?hostaddr=127.0.0.1",
        "postgresql://h/db?service=x",
        "postgresql://a,b/db",
        "postgresql://h/db?sslrootcert=x",
        "host=h dbname=db",
    ],
)
async def test_what_is_no_plain_address_of_a_postgres_is_refused(
    plain_stores: OpenStores, url: str
) -> None:
    with pytest.raises(Invalid) as caught:
        await plain_stores.postgres(url)
    assert caught.value.code == "STORE_ADDRESS_INVALID"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "169.254.169.254"])
async def test_a_postgres_at_a_private_address_is_refused(
    plain_stores: OpenStores, host: str
) -> None:
    with pytest.raises(Denied) as caught:
        await plain_stores.postgres(f"postgresql://user@{host}/db")
    assert caught.value.code == "STORE_ADDRESS_DENIED"


async def test_no_more_databases_are_opened_than_a_process_can_hold(
    plain_memory: Memory,
) -> None:
    def config(number: int) -> JsonObject:
        return {"storage_backend": "sqlite", "connection_config": {"path": f"{number}.db"}}

    for number in range(16):
        await plain_memory.keys("set", "a", number, config=config(number))
    with pytest.raises(Invalid) as caught:
        await plain_memory.keys("set", "a", 1, config=config(16))
    assert caught.value.code == "STORES_TOO_MANY"
    assert (await plain_memory.keys("get", "a", config=config(3)))["value"] == 3


def _listed(value: JsonObject) -> list[object]:
    keys = value["keys"]
    assert isinstance(keys, list)
    return [*keys]


async def _reach(stores: OpenStores, scheme: str, url: str) -> None:
    if scheme == "redis":
        async with stores.redis(url):
            return
    await stores.postgres(url)


async def test_a_name_without_an_address_is_told(
    sqlite_database: Database, tmp_path: Path, secrets: Secrets
) -> None:
    async def nowhere(_host: str, _port: int) -> list[str]:
        raise OSError("no such name")

    texts = SecretTexts(secrets, Masker())
    async with open_stores(sqlite_database, tmp_path, texts, resolve=nowhere) as stores:
        with pytest.raises(Unavailable) as caught:
            await _reach(stores, "redis", "redis://cache.example.com")
    assert caught.value.code == "STORE_UNREACHABLE"
