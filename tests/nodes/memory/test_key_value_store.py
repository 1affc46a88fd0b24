"""MEMORY.KEY_VALUE_STORE on every backend, on both databases."""

from pathlib import Path

import anyio
import pytest
from tests.nodes.memory.conftest import POSTGRES, Secrets
from tests.nodes.memory.running import Memory

from toolweave.errors import Denied, Invalid
from toolweave.json_text import Json, JsonObject, read
from toolweave.nodes.memory import _file_keys
from toolweave.nodes.memory import _memory_keys as _held
from toolweave.nodes.memory.key_value_store import node
from toolweave.storage.database import open_database

pytestmark = pytest.mark.anyio

HOSTILE_KEYS = ["a\0b", "'; DROP TABLE memory_keys; --", "日本語", "%_*?[", "\\", '"', " ", "../x"]
BACKENDS: dict[str, JsonObject] = {
    "memory": {"storage_backend": "memory"},
    "sqlite": {"storage_backend": "sqlite"},
    "postgresql": {"storage_backend": "sqlite"},
    "sqlite file": {"storage_backend": "sqlite", "connection_config": {"path": "state/a.db"}},
    "file": {"storage_backend": "file", "connection_config": {"path": "state/a.json"}},
    "redis": {"storage_backend": "redis", "connection_config": {"url": "${vault:redis}"}},
}


@pytest.fixture(params=[POSTGRES if one == "postgresql" else one for one in BACKENDS])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def address(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Our database is a Postgres only where that is what is tested."""
    if backend == "postgresql":
        return request.getfixturevalue("postgres_address")
    return f"sqlite:///{tmp_path / 'home' / 'ours.db'}"


@pytest.fixture
def config(backend: str, request: pytest.FixtureRequest, secrets: Secrets) -> JsonObject:
    """The settings of each backend, with a prefix no other test uses."""
    if backend == "redis":
        secrets.values["redis"] = request.getfixturevalue("redis_server").url
    return {**BACKENDS[backend], "key_prefix": f"{request.node.name}:"}


@pytest.fixture
def lasting(config: JsonObject) -> JsonObject:
    if config["storage_backend"] == "redis":
        pytest.skip("Redis has a clock of its own")
    return config


def test_every_backend_of_the_specification_is_tested() -> None:
    field = next(one for one in node.spec.configurations if one.name == "storage_backend")
    assert {str(config["storage_backend"]) for config in BACKENDS.values()} == set(field.options)


@pytest.mark.exercises(
    "MEMORY.KEY_VALUE_STORE.inputs.value",
    "MEMORY.KEY_VALUE_STORE.storage_backend=memory|redis|sqlite|file",
)
async def test_a_value_that_was_set_is_got_again(memory: Memory, config: JsonObject) -> None:
    value: Json = {"theme": "dark", "sizes": [1, 2.5, None, True], "text": "a\0b 日本"}
    done = await memory.keys("set", "42", value, config=config)
    assert (done["success"], done["exists"], done["error_message"]) == (True, True, "")
    found = await memory.keys("get", "42", config=config)
    assert (found["value"], found["exists"], found["cache_hit"]) == (value, True, True)


async def test_a_value_of_null_is_there(memory: Memory, config: JsonObject) -> None:
    await memory.keys("set", "nothing", None, config=config)
    found = await memory.keys("get", "nothing", config=config)
    assert (found["value"], found["exists"]) == (None, True)


async def test_a_missing_key_is_no_failure(memory: Memory, config: JsonObject) -> None:
    found = await memory.keys("get", "nobody", config=config)
    assert (found["value"], found["exists"], found["cache_hit"]) == (None, False, False)
    assert (found["success"], found["error_message"]) == (True, "")


async def test_exists_tells_and_delete_deletes(memory: Memory, config: JsonObject) -> None:
    await memory.keys("set", "a", 1, config=config)
    assert (await memory.keys("exists", "a", config=config))["exists"] is True
    assert (await memory.keys("delete", "a", config=config))["exists"] is False
    assert (await memory.keys("exists", "a", config=config))["exists"] is False
    assert (await memory.keys("delete", "a", config=config))["success"] is True


async def test_keys_are_listed_without_the_prefix_and_by_pattern(
    memory: Memory, config: JsonObject
) -> None:
    for key in ("user-2", "user-1", "other", "user-10"):
        await memory.keys("set", key, 1, config=config)
    await memory.keys("set", "user-9", 1, config={**config, "key_prefix": "elsewhere:"})
    assert (await memory.keys("keys", config=config))["keys"] == [
        *("other", "user-1", "user-10", "user-2")
    ]
    found = await memory.keys("keys", config=config, options={"pattern": "user-?"})
    assert found["keys"] == ["user-1", "user-2"]
    found = await memory.keys("keys", config=config, options={"pattern": "user-1*"})
    assert found["keys"] == ["user-1", "user-10"]


async def test_clear_deletes_what_has_the_prefix_and_nothing_else(
    memory: Memory, config: JsonObject
) -> None:
    elsewhere = {**config, "key_prefix": "kept:"}
    await memory.keys("set", "a", 1, config=config)
    await memory.keys("set", "a", 2, config=elsewhere)
    assert (await memory.keys("clear", config=config))["success"] is True
    assert (await memory.keys("keys", config=config))["keys"] == []
    assert (await memory.keys("get", "a", config=elsewhere))["value"] == 2


@pytest.mark.parametrize("prefix", ["100%_", "a*[b]", "\\", "ä\0"])
async def test_a_prefix_is_taken_by_the_letter(
    memory: Memory, config: JsonObject, prefix: str
) -> None:
    config = {**config, "key_prefix": f"{config['key_prefix']}{prefix}"}
    await memory.keys("set", "x", 1, config=config)
    await memory.keys("set", "y", 1, config={**config, "key_prefix": f"{'z' * 80}"})
    assert (await memory.keys("keys", config=config))["keys"] == ["x"]


@pytest.mark.parametrize("key", HOSTILE_KEYS)
async def test_any_text_is_a_key(memory: Memory, config: JsonObject, key: str) -> None:
    await memory.keys("set", key, "there", config=config)
    assert (await memory.keys("get", key, config=config))["value"] == "there"
    assert (await memory.keys("keys", config=config))["keys"] == [key]


async def test_a_value_ends_after_its_time(memory: Memory, lasting: JsonObject) -> None:
    config = {**lasting, "default_ttl": 60}
    await memory.keys("set", "short", 1, config=config)
    await memory.keys("set", "long", 1, config=config, options={"ttl": 120})
    await memory.keys("set", "always", 1, config=config, options={"ttl": 0})
    await memory.clock.advance(59)
    assert (await memory.keys("get", "short", config=config))["value"] == 1
    await memory.clock.advance(1)
    assert (await memory.keys("get", "short", config=config))["exists"] is False
    assert (await memory.keys("exists", "short", config=config))["exists"] is False
    assert (await memory.keys("keys", config=config))["keys"] == ["always", "long"]
    await memory.clock.advance(10**6)
    assert (await memory.keys("keys", config=config))["keys"] == ["always"]


async def test_more_keys_than_allowed_are_refused_until_one_goes(
    memory: Memory, config: JsonObject
) -> None:
    config = {**config, "max_keys": 2}
    for key in ("a", "b"):
        assert (await memory.keys("set", key, 1, config=config))["success"] is True
    refused = await memory.keys("set", "c", 1, config=config)
    assert (refused["success"], refused["exists"]) == (False, False)
    assert "max_keys" in str(refused["error_message"])
    assert (await memory.keys("set", "a", 2, config=config))["success"] is True
    await memory.keys("delete", "b", config=config)
    assert (await memory.keys("set", "c", 1, config=config))["success"] is True


async def test_what_has_expired_takes_no_room(memory: Memory, lasting: JsonObject) -> None:
    config = {**lasting, "max_keys": 1, "default_ttl": 5}
    await memory.keys("set", "a", 1, config=config)
    await memory.clock.advance(6)
    assert (await memory.keys("set", "b", 1, config=config))["success"] is True


async def test_writers_at_the_same_time_lose_nothing(memory: Memory, config: JsonObject) -> None:
    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(
                lambda number=number: memory.keys("set", f"k{number:02}", number, config=config)
            )
    found = await memory.keys("keys", config=config)
    assert found["keys"] == [f"k{number:02}" for number in range(20)]


@pytest.mark.parametrize(
    ("operation", "key", "value", "options", "code"),
    [
        ("get", None, None, None, "NODE_INPUT_INVALID"),
        ("set", "", 1, None, "NODE_INPUT_INVALID"),
        ("set", "a", 1, {"ttl": -1}, "NODE_INPUT_INVALID"),
        ("set", "a", 1, {"ttl": True}, "NODE_INPUT_INVALID"),
        ("set", "a", 1, {"ttl": "60"}, "NODE_INPUT_INVALID"),
        ("set", "a", 1, {"pattern": "*"}, "NODE_INPUT_INVALID"),
        ("keys", None, None, {"pattern": 1}, "NODE_INPUT_INVALID"),
        ("keys", None, None, {"pattern": "*" * 2000}, "NODE_INPUT_INVALID"),
        ("rename", "a", None, None, "NODE_INPUT_INVALID"),
        ("set", "k" * 2000, 1, None, "MEMORY_KEY_INVALID"),
        ("set", "\ud800", 1, None, "MEMORY_KEY_INVALID"),
        ("set", "a", "\ud800", None, "MEMORY_VALUE_INVALID"),
        ("set", "a", 2**70, None, "MEMORY_VALUE_INVALID"),
        ("set", "a", "x" * (17 * 1024 * 1024), None, "MEMORY_VALUE_INVALID"),
    ],
)
async def test_what_cannot_be_kept_is_refused(
    plain_memory: Memory,
    operation: str,
    key: str | None,
    value: Json,
    options: Json,
    code: str,
) -> None:
    config: JsonObject = {"storage_backend": "memory"}
    with pytest.raises(Invalid) as caught:
        await plain_memory.keys(operation, key, value, config=config, options=options)
    assert caught.value.code == code
    assert (await plain_memory.keys("keys", config=config))["keys"] == []


async def test_too_deep_a_value_is_refused(plain_memory: Memory) -> None:
    value: Json = []
    for _ in range(300):
        value = [value]
    with pytest.raises(Invalid) as caught:
        await plain_memory.keys("set", "a", value, config={"storage_backend": "memory"})
    assert caught.value.code == "MEMORY_VALUE_INVALID"


@pytest.mark.parametrize("backend", ["sqlite", "file"])
@pytest.mark.parametrize(
    "path", ["../ours.db", "/etc/passwd", "a/../../x", "a\0b", "state/../../ours.db", "link/x.db"]
)
async def test_no_path_leaves_the_folder_of_stores(
    plain_memory: Memory, tmp_path: Path, backend: str, path: str
) -> None:
    folder = tmp_path / "home" / "memory"
    folder.mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (folder / "link").symlink_to(tmp_path / "outside")
    config: JsonObject = {"storage_backend": backend, "connection_config": {"path": path}}
    with pytest.raises((Denied, Invalid)) as caught:
        await plain_memory.keys("set", "a", 1, config=config)
    assert caught.value.code in {"FILE_DENIED", "FILE_PATH_INVALID"}
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize(
    "config",
    [
        {"storage_backend": "file"},
        {"storage_backend": "file", "connection_config": {"path": 1}},
        {"storage_backend": "sqlite", "connection_config": {"url": "x"}},
        {"storage_backend": "redis"},
        {"storage_backend": "memory", "connection_config": {"path": "x"}},
        {"storage_backend": "etcd"},
    ],
)
async def test_settings_of_another_backend_are_refused(
    plain_memory: Memory, config: JsonObject
) -> None:
    with pytest.raises(Invalid) as caught:
        await plain_memory.keys("get", "a", config=config)
    assert caught.value.code == "NODE_INPUT_INVALID"


@pytest.mark.parametrize("text", ["not JSON", "[]", '{"values": 1}', '{"other": {}}'])
async def test_somebody_elses_file_is_left_as_it_is(
    plain_memory: Memory, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "home" / "memory" / "notes.json"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    config: JsonObject = {"storage_backend": "file", "connection_config": {"path": "notes.json"}}
    with pytest.raises(Invalid) as caught:
        await plain_memory.keys("set", "a", 1, config=config)
    assert caught.value.code == "MEMORY_FILE_INVALID"
    assert file.read_text(encoding="utf-8") == text


async def test_a_file_can_be_read_by_people(plain_memory: Memory, tmp_path: Path) -> None:
    config: JsonObject = {"storage_backend": "file", "connection_config": {"path": "a.json"}}
    await plain_memory.keys("set", "x", {"n": 1}, config=config)
    text = (tmp_path / "home" / "memory" / "a.json").read_text(encoding="utf-8")
    assert read(text) == {"values": {"x": {"value": {"n": 1}, "expires_at": None}}}


async def test_a_sqlite_file_is_not_our_database(plain_memory: Memory, tmp_path: Path) -> None:
    config: JsonObject = {"storage_backend": "sqlite", "connection_config": {"path": "a.db"}}
    await plain_memory.keys("set", "x", 1, config=config)
    ours: JsonObject = {"storage_backend": "sqlite"}
    assert (await plain_memory.keys("get", "x", config=ours))["exists"] is False
    async with open_database(tmp_path / "home" / "memory" / "a.db") as database:
        assert await database.rows("SELECT key, value FROM memory_keys") == [("x", "1")]


async def test_a_process_holds_only_so_much(
    plain_memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_held, "MAX_HELD", 100)
    config: JsonObject = {"storage_backend": "memory"}
    await plain_memory.keys("set", "a", "x" * 60, config=config)
    with pytest.raises(Invalid) as caught:
        await plain_memory.keys("set", "b", "x" * 60, config={**config, "key_prefix": "other:"})
    assert caught.value.code == "MEMORY_VALUE_INVALID"
    assert (await plain_memory.keys("keys", config=config))["keys"] == ["a"]


async def test_a_file_grows_only_so_far(
    plain_memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_file_keys, "MAX_VALUE_BYTES", 200)
    config = BACKENDS["file"]
    await plain_memory.keys("set", "a", "x" * 60, config=config)
    with pytest.raises(Invalid) as caught:
        await plain_memory.keys("set", "b", "x" * 60, config=config)
    assert caught.value.code == "MEMORY_VALUE_INVALID"
    assert (await plain_memory.keys("keys", config=config))["keys"] == ["a"]
