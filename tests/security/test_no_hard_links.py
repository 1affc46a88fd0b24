"""A home on a file system without hard links: private files are new and whole there, too."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from tests.security.controls import Control

from toolweave.access.vault_key import KeySource, create_key, find_key
from toolweave.storage.files import write_private

pytestmark = pytest.mark.anyio

MANY = 8


@pytest.fixture
def without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `link` fail as it does on exFAT."""

    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)


@pytest.mark.usefixtures("without_links")
async def test_a_vault_key_is_created_without_hard_links(tmp_path: Path, control: Control) -> None:
    source = KeySource(tmp_path, use_keyring=False)
    made = await create_key(source)
    control("it is found at the next start", await find_key(source) == made)
    with pytest.raises(FileExistsError):
        write_private(tmp_path / "vault.key", "another key")
    assert await find_key(source) == made
    (left,) = os.scandir(tmp_path)
    assert left.name == "vault.key"
    assert left.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("without_links")
def test_of_writers_at_the_same_moment_one_creates_the_file(
    tmp_path: Path, control: Control
) -> None:
    path, start = tmp_path / "key", Barrier(MANY)

    def write(number: int) -> int | None:
        start.wait()
        try:
            write_private(path, str(number))
        except FileExistsError:
            return None
        return number

    with ThreadPoolExecutor(MANY) as threads:
        wrote = [one for one in threads.map(write, range(MANY)) if one is not None]
    control("one of them writes it", wrote)
    assert [str(one) for one in wrote] == [path.read_text(encoding="utf-8")]
    assert [one.name for one in tmp_path.iterdir()] == ["key"]
