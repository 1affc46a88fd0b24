"""Where the vault's key is kept, who may read it, and what a keyring that hangs can do: nothing."""

import base64
import os
import threading
from collections.abc import Generator
from pathlib import Path

import anyio
import keyring
import keyring.backend
import keyring.errors
import pytest
from keyring.backends import fail
from tests.access.folders import files_in, make, mode_of
from tests.storage.disks import read_only

from toolweave.access.vault import Vault
from toolweave.access.vault_key import KeySource, create_key, find_key
from toolweave.errors import Denied, Invalid
from toolweave.storage.database import Database

pytestmark = pytest.mark.anyio

KEY = bytes(range(32))


class DictKeyring(keyring.backend.KeyringBackend):
    """A keyring that works, for as long as the test runs."""

    priority = 5  # pyright: ignore[reportAssignmentType] as keyring's own backends do it
    # The library chooses among all classes there are: other tests must not get one of these.
    viable = False  # pyright: ignore[reportAssignmentType] as above

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


class PlainTextKeyring(DictKeyring):
    """Works, but is no safer than a file."""

    priority = 0.5  # pyright: ignore[reportAssignmentType] as above


class LockedKeyring(DictKeyring):
    """Says no, in its own way."""

    def get_password(self, service: str, username: str) -> str | None:
        raise keyring.errors.KeyringLocked("no desktop")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise RuntimeError("no bus")


class HangingKeyring(DictKeyring):
    """Waits for somebody to answer a question on a desktop that is not there."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.answered.wait()
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        self.answered.wait()


@pytest.fixture(autouse=True)
def system_keyring() -> Generator[None]:
    """What this machine has is put back; tests begin with none."""
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())
    yield
    keyring.set_keyring(before)


async def test_without_a_keyring_a_new_key_goes_to_a_file_only_its_user_can_read(
    home: Path,
) -> None:
    before = os.umask(0)
    try:
        made = await create_key(KeySource(home))
    finally:
        os.umask(before)
    assert mode_of(home / "vault.key") == 0o600
    assert mode_of(home) == 0o700
    assert len(made.value) == 32
    assert await find_key(KeySource(home)) == made
    assert list(files_in(home)) == ["vault.key"]


async def test_a_working_keyring_keeps_the_key_and_no_file_is_made(home: Path) -> None:
    keyring.set_keyring(DictKeyring())
    made = await create_key(KeySource(home))
    assert await find_key(KeySource(home)) == made
    assert "keyring" in made.origin
    assert files_in(home) == {}


@pytest.mark.parametrize("backend", [PlainTextKeyring, LockedKeyring, HangingKeyring])
async def test_a_keyring_that_is_no_use_is_passed_over_for_the_file(
    home: Path, backend: type[DictKeyring]
) -> None:
    used = backend()
    keyring.set_keyring(used)
    source = KeySource(home, keyring_deadline_s=0.1)
    with anyio.fail_after(60):
        assert await find_key(source) is None
        made = await create_key(source)
    assert "file" in made.origin
    assert used.kept == {}
    if isinstance(used, HangingKeyring):
        used.answered.set()


async def test_a_key_in_a_file_wins_over_the_keyring(home: Path) -> None:
    in_file = await create_key(KeySource(home, use_keyring=False))
    keyring.set_keyring(DictKeyring())
    await create_key(KeySource(home))
    assert await find_key(KeySource(home)) == in_file


async def test_secrets_of_a_keyring_that_is_gone_are_not_sealed_anew(
    database: Database, home: Path
) -> None:
    keyring.set_keyring(DictKeyring())
    await Vault(database, KeySource(home)).put("NAME", "value")
    keyring.set_keyring(fail.Keyring())
    with pytest.raises(Denied) as caught:
        await Vault(database, KeySource(home)).put("NAME", "other")
    assert caught.value.code == "VAULT_KEY_MISSING"
    assert not (home / "vault.key").exists()


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(KEY).decode(),
        base64.urlsafe_b64encode(b"\xff" * 32).decode(),
        base64.urlsafe_b64encode(b"\xff" * 32).decode().rstrip("="),
        base64.b64encode(KEY).decode() + "\n",
    ],
)
async def test_a_key_given_by_the_environment_wins(home: Path, text: str) -> None:
    await create_key(KeySource(home))
    found = await find_key(KeySource(home, given=text))
    assert found
    assert found.value in {KEY, b"\xff" * 32}
    assert "TOOLWEAVE_VAULT_KEY" in found.origin


@pytest.mark.parametrize("text", ["short", "ü" * 44, base64.b64encode(KEY[:16]).decode(), "  "])
async def test_what_is_no_key_is_refused_without_repeating_it(home: Path, text: str) -> None:
    with pytest.raises(Invalid) as caught:
        await find_key(KeySource(home, given=text))
    assert caught.value.code == "SETTING_INVALID"
    assert text.strip() in {"", "short"} or text not in str(caught.value.as_json())


def test_a_key_does_not_show_itself() -> None:
    assert "hidden" not in repr(KeySource(Path("home"), given="hidden"))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
async def test_a_key_file_others_can_read_is_refused_with_the_way_to_mend_it(
    home: Path, mode: int
) -> None:
    made = await create_key(KeySource(home))
    (home / "vault.key").chmod(mode)
    with pytest.raises(Denied) as caught:
        await find_key(KeySource(home))
    assert caught.value.code == "VAULT_KEY_EXPOSED"
    assert caught.value.hint == f"run: chmod 600 {home / 'vault.key'}"
    (home / "vault.key").chmod(0o600)
    assert await find_key(KeySource(home)) == made


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
async def test_a_key_file_of_another_user_is_refused(home: Path) -> None:
    await create_key(KeySource(home))
    os.chown(home / "vault.key", 12345, 12345)
    with pytest.raises(Denied) as caught:
        await find_key(KeySource(home))
    assert caught.value.code == "VAULT_KEY_EXPOSED"
    assert caught.value.hint
    assert "chown" in caught.value.hint


async def test_a_link_in_place_of_the_key_file_is_not_followed(home: Path, tmp_path: Path) -> None:
    await create_key(KeySource(tmp_path / "elsewhere"))
    (make(home) / "vault.key").symlink_to(tmp_path / "elsewhere" / "vault.key")
    with pytest.raises(Denied) as caught:
        await find_key(KeySource(home))
    assert caught.value.code == "VAULT_KEY_MISSING"


@pytest.mark.parametrize("content", [b"", b"not a key", b"\xff" * 2000])
async def test_a_key_file_without_a_key_is_refused(home: Path, content: bytes) -> None:
    await create_key(KeySource(home))
    await anyio.Path(home / "vault.key").write_bytes(content)
    with pytest.raises(Denied) as caught:
        await find_key(KeySource(home))
    assert caught.value.code == "VAULT_KEY_WRONG"


async def test_a_home_that_cannot_be_written_asks_for_the_variable(home: Path) -> None:
    with read_only(make(home)):
        with pytest.raises(Denied) as caught:
            await create_key(KeySource(home))
        assert caught.value.code == "VAULT_KEY_MISSING"
        assert caught.value.hint
        assert "TOOLWEAVE_VAULT_KEY" in caught.value.hint
        assert await find_key(KeySource(home, given=base64.b64encode(KEY).decode()))
