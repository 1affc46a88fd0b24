"""API keys: shown once, kept as a hash, limited by scopes, gone when revoked."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from toolweave.access.keys import FRESH_S, MAX_KNOWN, SCOPES, ApiKeys
from toolweave.errors import Conflict, Denied, Invalid, NotFound
from toolweave.storage.database import (
    Database,
    DatabaseReader,
    DatabaseWriter,
    NotificationSender,
    Row,
    SqlDialect,
    Values,
    open_database,
)

pytestmark = pytest.mark.anyio


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 16, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(database: Database, clock: Clock) -> ApiKeys:
    return ApiKeys(database, clock)


def files_in(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


async def test_a_key_is_256_random_bits_and_known_by_its_text_alone(keys: ApiKeys) -> None:
    made = [await keys.create("ci", ["tools:read"]) for _ in range(20)]
    texts = {text for _, text in made}
    assert len(texts) == 20
    assert all(re.fullmatch(r"tw_[A-Za-z0-9_-]{43}", text) for text in texts)
    key, text = made[0]
    assert await keys.check(text) == key
    for wrong in ("", text[:-1], text + "x", text.upper(), key.id, "tw_", "é", "\ud800", "\0"):
        assert await keys.check(wrong) is None


async def test_only_the_hash_is_in_the_database(
    keys: ApiKeys, database: Database, home: Path
) -> None:
    _, text = await keys.create("ci", ["tools:read"])
    (row,) = await database.rows("SELECT * FROM api_keys")
    assert text not in map(str, row)
    secret = text.removeprefix("tw_").encode()
    files = files_in(home)
    assert files
    assert not any(secret in data for data in files)


async def test_a_list_shows_no_secret(keys: ApiKeys) -> None:
    key, text = await keys.create("ci", ["tools:read"])
    assert await keys.list() == [key]
    assert text not in repr(await keys.list())


async def test_a_key_allows_its_scopes_and_admin_all(keys: ApiKeys) -> None:
    key, _ = await keys.create("ci", ["tools:read", "health:check"])
    assert [scope for scope in SCOPES if key.allows(scope)] == ["tools:read", "health:check"]
    admin, _ = await keys.create("root", ["admin"])
    assert all(admin.allows(scope) for scope in SCOPES)
    admin.require("tools:execute")
    with pytest.raises(Denied) as caught:
        key.require("tools:execute")
    assert caught.value.code == "SCOPE_MISSING"
    assert caught.value.facts == {"scope": "tools:execute"}


@pytest.mark.parametrize("scopes", [[], ["tools:raed"], ["tools:read", "tools"], [""]])
async def test_an_unknown_scope_is_refused_with_a_close_one(
    keys: ApiKeys, scopes: list[str]
) -> None:
    with pytest.raises(Invalid) as caught:
        await keys.create("ci", scopes)
    assert caught.value.code == "SCOPE_UNKNOWN"
    assert "tools:read" in str(caught.value.as_json())
    assert await keys.list() == []


async def test_a_revoked_key_is_refused_at_once_in_this_process(keys: ApiKeys) -> None:
    key, text = await keys.create("ci", ["tools:read"])
    assert await keys.check(text) is not None
    revoked = await keys.revoke("ci")
    assert (revoked.id, revoked.revoked_at is not None) == (key.id, True)
    assert await keys.check(text) is None
    with pytest.raises(NotFound) as caught:
        await keys.revoke("ci")
    assert caught.value.code == "KEY_NOT_FOUND"


async def test_another_process_hears_of_it_within_a_second(
    keys: ApiKeys, clock: Clock, home: Path
) -> None:
    _, text = await keys.create("ci", ["tools:read"])
    async with open_database(home / "toolweave.db") as elsewhere:
        other = ApiKeys(elsewhere, clock)
        assert await other.check(text) is not None
        await keys.revoke("ci")
        clock.seconds += FRESH_S
        assert await other.check(text) is None


async def test_of_keys_with_one_name_none_is_revoked_by_it(keys: ApiKeys) -> None:
    one, text = await keys.create("key", ["tools:read"])
    two, _ = await keys.create("key", ["tools:read"])
    with pytest.raises(Conflict) as caught:
        await keys.revoke("key")
    assert caught.value.code == "KEY_NAME_SHARED"
    assert one.id in str(caught.value.hint)
    assert two.id in str(caught.value.hint)
    await keys.revoke(one.id)
    assert await keys.check(text) is None
    assert (await keys.revoke("key")).id == two.id


async def test_an_id_goes_before_a_name(keys: ApiKeys) -> None:
    one, _ = await keys.create("a", ["tools:read"])
    await keys.create(one.id, ["tools:read"])
    assert (await keys.revoke(one.id)).name == "a"


async def test_an_unknown_name_gets_a_close_one(keys: ApiKeys) -> None:
    await keys.create("deploy", ["tools:read"])
    with pytest.raises(NotFound) as caught:
        await keys.revoke("depoly")
    assert caught.value.hint == "did you mean 'deploy'?"


class Slow:
    """Reads, and only then waits: the moment in which somebody revokes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.has_read = anyio.Event()
        self.may_go_on = anyio.Event()

    async def fetch(self, sql: str, values: Values) -> list[Row]:
        rows = await self._database.rows(sql, *values)
        if "hash = ?" in sql and not self.has_read.is_set():
            self.has_read.set()
            await self.may_go_on.wait()
        return rows


async def test_what_was_read_before_a_revocation_is_not_remembered_after_it(
    database: Database, clock: Clock
) -> None:
    slow = Slow(database)
    reader: DatabaseReader = slow
    writer: DatabaseWriter = database._writer  # pyright: ignore[reportPrivateUsage]  # the real one
    sender: NotificationSender = database._sender  # pyright: ignore[reportPrivateUsage]  # the real one
    dialect: SqlDialect = database.dialect
    keys = ApiKeys(Database(dialect, reader=reader, writer=writer, sender=sender), clock)
    _, text = await keys.create("ci", ["tools:read"])
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keys.check, text)
            await slow.has_read.wait()
            await keys.revoke("ci")
            slow.may_go_on.set()
    assert await keys.check(text) is None


class Counting:
    """Counts how often the database is asked for a key."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.asked: list[Sequence[object]] = []

    async def fetch(self, sql: str, values: Values) -> list[Row]:
        self.asked.append(values)
        return await self._database.rows(sql, *values)


async def test_within_a_second_the_database_is_asked_once_for_good_and_bad_keys_alike(
    database: Database, clock: Clock
) -> None:
    counting = Counting(database)
    writer: DatabaseWriter = database._writer  # pyright: ignore[reportPrivateUsage]  # the real one
    sender: NotificationSender = database._sender  # pyright: ignore[reportPrivateUsage]  # the real one
    keys = ApiKeys(Database(database.dialect, reader=counting, writer=writer, sender=sender), clock)
    _, text = await keys.create("ci", ["tools:read"])
    for _ in range(10):
        assert await keys.check(text) is not None
        assert await keys.check("tw_bad") is None
    assert len(counting.asked) == 2


async def test_a_flood_of_wrong_keys_does_not_fill_the_memory(
    keys: ApiKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_KNOWN == 10_000
    monkeypatch.setattr("toolweave.access.keys.MAX_KNOWN", 10)
    _, text = await keys.create("ci", ["tools:read"])
    for number in range(50):
        assert await keys.check(f"tw_{number}") is None
        assert len(keys._known) <= 10  # pyright: ignore[reportPrivateUsage]  # what is bounded
    assert await keys.check(text) is not None
