"""What is in the vault stays in the vault, and is noticed when somebody meddles with it."""

import base64
import os
import sqlite3
from pathlib import Path

import anyio
import pytest
from tests.access.folders import files_in, make
from tests.storage.disks import read_only

from toolweave.access.vault import Vault
from toolweave.access.vault_key import KeySource
from toolweave.errors import Denied, Invalid, NotFound, Unavailable
from toolweave.storage.database import Database, open_database

pytestmark = pytest.mark.anyio


def with_key(database: Database, home: Path, key: bytes) -> Vault:
    return Vault(database, KeySource(home, given=base64.b64encode(key).decode()))


async def test_a_secret_comes_back_as_it_was_put(vault: Vault) -> None:
    for value in ("s3cret", "", "日本 😀\n\0", "x" * 100_000):
        await vault.put("NAME", value)
        assert await vault.get("NAME") == value


async def test_a_secret_is_stored_together_with_its_hosts_or_not_at_all(
    vault: Vault, database: Database
) -> None:
    await vault.store("good", "s3cret", hosts=["api.example.com"], by="test")
    found = {one.name: (one.is_bound, one.hosts) for one in await vault.bindings()}
    assert found == {"good": (True, ["api.example.com"])}
    await database.execute("DROP TABLE secret_destinations")
    with pytest.raises(sqlite3.OperationalError):
        await vault.store("half", "s3cret", hosts=["api.example.com"], by="test")
    assert await vault.names() == ["good"]


async def test_a_secret_outlives_the_process(vault: Vault, database: Database, home: Path) -> None:
    await vault.put("NAME", "first")
    await vault.put("NAME", "second")
    later = Vault(database, KeySource(home, use_keyring=False))
    assert await later.get("NAME") == "second"


async def test_names_are_listed_sorted_without_a_key(vault: Vault, database: Database) -> None:
    for name in ("b", "a", "input:token"):
        await vault.put(name, "value")
    keyless = Vault(database, KeySource(Path("nowhere"), use_keyring=False))
    assert await keyless.names() == ["a", "b", "input:token"]


async def test_a_missing_secret_is_named_with_a_close_one(vault: Vault) -> None:
    await vault.put("GITHUB_TOKEN", "value")
    with pytest.raises(NotFound) as caught:
        await vault.get("GITHUB_TOKN")
    assert caught.value.code == "SECRET_NOT_FOUND"
    assert caught.value.hint == "did you mean 'GITHUB_TOKEN'?"


async def test_a_deleted_secret_is_gone(vault: Vault) -> None:
    await vault.put("NAME", "value")
    await vault.delete("NAME")
    assert await vault.names() == []
    for attempt in (vault.get("NAME"), vault.delete("NAME")):
        with pytest.raises(NotFound):
            await attempt


@pytest.mark.parametrize("name", ["", "(check)", "a b", "a}", "ü", "-x", "a" * 201, "a\n"])
async def test_a_name_that_could_not_be_referred_to_is_refused(vault: Vault, name: str) -> None:
    with pytest.raises(Invalid) as caught:
        await vault.put(name, "value")
    assert caught.value.code == "SECRET_NAME_INVALID"
    with pytest.raises(NotFound):
        await vault.get(name)


async def test_a_value_that_is_no_text_is_refused_without_repeating_it(vault: Vault) -> None:
    with pytest.raises(Invalid) as caught:
        await vault.put("NAME", "hidden\ud800")
    assert caught.value.code == "SECRET_VALUE_INVALID"
    assert "hidden" not in str(caught.value.as_json())


async def test_planted_secrets_are_nowhere_in_the_files_of_the_database(
    vault: Vault, database: Database, home: Path
) -> None:
    planted = [os.urandom(18).hex() for _ in range(20)]
    for number, value in enumerate(planted):
        await vault.put(f"NAME_{number}", "overwritten " + value)
        await vault.put(f"NAME_{number}", value)
    files = files_in(home)
    assert files["toolweave.db-wal"]
    stored = b"".join(content for name, content in files.items() if name != "vault.key")
    # The control: what is not sealed can be found this way.
    assert b"NAME_7" in stored
    for value in planted:
        for form in (value.encode(), base64.b64encode(value.encode()), bytes.fromhex(value)):
            assert form not in stored


async def test_the_same_value_is_sealed_differently_each_time(
    vault: Vault, database: Database
) -> None:
    for name in ("a", "b"):
        await vault.put(name, "same")
    before = await database.rows("SELECT nonce, sealed FROM secrets ORDER BY name")
    await vault.put("a", "same")
    after = await database.rows("SELECT nonce, sealed FROM secrets ORDER BY name")
    sealed = {row for rows in (before, after) for row in rows}
    assert len({nonce for nonce, _ in sealed}) == len({text for _, text in sealed}) == 4


async def test_another_key_is_refused(database: Database, home: Path) -> None:
    await with_key(database, home, b"1" * 32).put("NAME", "value")
    for attempt in (
        with_key(database, home, b"2" * 32).get("NAME"),
        with_key(database, home, b"2" * 32).put("OTHER", "value"),
    ):
        with pytest.raises(Denied) as caught:
            await attempt
        assert caught.value.code == "VAULT_KEY_WRONG"
        assert "TOOLWEAVE_VAULT_KEY" in caught.value.message
    assert await with_key(database, home, b"1" * 32).get("NAME") == "value"


async def test_a_lost_key_is_not_replaced_while_there_are_secrets(
    vault: Vault, database: Database, home: Path
) -> None:
    await vault.put("NAME", "value")
    (home / "vault.key").unlink()
    with pytest.raises(Denied) as caught:
        await Vault(database, KeySource(home, use_keyring=False)).put("OTHER", "value")
    assert caught.value.code == "VAULT_KEY_MISSING"
    assert not (home / "vault.key").exists()


@pytest.mark.parametrize("column", ["nonce", "sealed"])
async def test_a_flipped_bit_is_noticed(vault: Vault, database: Database, column: str) -> None:
    await vault.put("NAME", "value")
    found = await database.row(f"SELECT {column} FROM secrets WHERE name = 'NAME'")
    assert found
    for changed in (bytes([found[0][0] ^ 1]) + found[0][1:], b"", found[0][:-1]):
        await database.execute(f"UPDATE secrets SET {column} = ? WHERE name = 'NAME'", changed)
        with pytest.raises(Denied) as caught:
            await vault.get("NAME")
        assert caught.value.code == "SECRET_DAMAGED"


async def test_swapped_rows_are_noticed(vault: Vault, database: Database) -> None:
    await vault.put("HARMLESS", "public")
    await vault.put("PRECIOUS", "private")
    await database.execute("UPDATE secrets SET name = 'x' WHERE name = 'HARMLESS'")
    await database.execute("UPDATE secrets SET name = 'HARMLESS' WHERE name = 'PRECIOUS'")
    with pytest.raises(Denied) as caught:
        await vault.get("HARMLESS")
    assert caught.value.code == "SECRET_DAMAGED"


async def test_processes_that_start_together_agree_on_one_key(
    database: Database, home: Path
) -> None:
    vaults = [Vault(database, KeySource(home, use_keyring=False)) for _ in range(8)]
    async with anyio.create_task_group() as group:
        for number, vault in enumerate(vaults):
            group.start_soon(vault.put, f"NAME_{number}", "value")
    for vault in vaults:
        assert {await vault.get(f"NAME_{number}") for number in range(8)} == {"value"}
    assert [name for name in files_in(home) if name.startswith("vault.key")] == ["vault.key"]


async def test_a_second_home_on_the_same_database_is_told_that_it_has_no_key(
    database: Database, home: Path, tmp_path: Path
) -> None:
    await with_key(database, home, b"1" * 32).put("NAME", "value")
    other = KeySource(make(tmp_path / "other"), use_keyring=False)
    with pytest.raises(Denied) as caught:
        await Vault(database, other).get("NAME")
    assert caught.value.code == "VAULT_KEY_MISSING"


async def test_a_vault_that_can_only_be_read_is_read(vault: Vault, home: Path) -> None:
    await vault.put("NAME", "value")
    with read_only(home):
        async with open_database(home / "toolweave.db") as database:
            vault = Vault(database, KeySource(home, use_keyring=False))
            assert await vault.get("NAME") == "value"
            with pytest.raises(Unavailable) as caught:
                await vault.put("NAME", "other")
    assert caught.value.code == "STORAGE_READ_ONLY"
