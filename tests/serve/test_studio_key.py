"""The studio's own key: one a home, private, replaced when it cannot be trusted."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from toolweave.access.keys import Keys
from toolweave.app.ground import open_ground
from toolweave.serve.browser import may_open, studio_url
from toolweave.serve.http import Address
from toolweave.serve.studio_key import FILE, studio_key
from toolweave.settings import Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def keys(tmp_path: Path) -> AsyncGenerator[Keys]:
    settings = Settings(home=tmp_path)
    async with open_ground(settings, environ={}, directory=tmp_path) as ground:
        yield Keys(ground.database, ground.clock)


async def test_it_is_made_once_for_the_user_alone(keys: Keys, tmp_path: Path) -> None:
    first = await studio_key(keys, tmp_path)
    assert first is not None
    assert await studio_key(keys, tmp_path) == first
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    known = await keys.check(first)
    assert known is not None
    assert known.scopes == {"admin"}


async def test_one_that_others_could_read_is_revoked_and_replaced(
    keys: Keys, tmp_path: Path
) -> None:
    first = await studio_key(keys, tmp_path)
    assert first is not None
    (tmp_path / FILE).chmod(0o644)
    second = await studio_key(keys, tmp_path)
    assert second not in {None, first}
    assert await keys.check(first) is None
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


async def test_a_revoked_one_is_replaced(keys: Keys, tmp_path: Path) -> None:
    first = await studio_key(keys, tmp_path)
    await keys.revoke("studio")
    assert await studio_key(keys, tmp_path) not in {None, first}


async def test_where_no_file_can_be_kept_there_is_none(keys: Keys, tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert await studio_key(keys, tmp_path) is None


async def test_the_key_stands_in_the_fragment_which_no_server_sees() -> None:
    assert studio_url("http://127.0.0.1:8765", "tw_x") == "http://127.0.0.1:8765/#token=tw_x"
    assert studio_url("http://127.0.0.1:8765", None) == "http://127.0.0.1:8765/"


async def test_a_browser_is_opened_where_there_is_a_screen() -> None:
    assert may_open({"DISPLAY": ":0"})
    assert Address("0.0.0.0", 8765).browsable == "http://127.0.0.1:8765"
    assert Address("127.0.0.1", 8765).browsable == "http://127.0.0.1:8765"
