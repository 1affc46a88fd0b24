"""The studio's own key: one a home, private, replaced when it cannot be trusted."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from toolweave.access.keys import ApiKeys
from toolweave.cli.studio_protocol import KEY_FILE as FILE
from toolweave.home import open_home
from toolweave.serve.browser import FILE as LEADING
from toolweave.serve.browser import leading_file, may_open, studio_url
from toolweave.serve.command import studio_key
from toolweave.serve.http import ListenAddress
from toolweave.settings import Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def keys(tmp_path: Path) -> AsyncGenerator[ApiKeys]:
    settings = Settings(home=tmp_path)
    async with open_home(settings, environ={}, directory=tmp_path) as home:
        yield ApiKeys(home.database, home.clock)


async def test_it_is_made_once_for_the_user_alone(keys: ApiKeys, tmp_path: Path) -> None:
    first = await studio_key(keys, tmp_path)
    assert first is not None
    assert await studio_key(keys, tmp_path) == first
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    known = await keys.check(first)
    assert known is not None
    assert known.scopes == {"admin"}


async def test_one_that_others_could_read_is_revoked_and_replaced(
    keys: ApiKeys, tmp_path: Path
) -> None:
    first = await studio_key(keys, tmp_path)
    assert first is not None
    (tmp_path / FILE).chmod(0o644)
    second = await studio_key(keys, tmp_path)
    assert second not in {None, first}
    assert await keys.check(first) is None
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


async def test_a_revoked_one_is_replaced(keys: ApiKeys, tmp_path: Path) -> None:
    first = await studio_key(keys, tmp_path)
    await keys.revoke("studio")
    assert await studio_key(keys, tmp_path) not in {None, first}


async def test_homes_that_share_a_database_have_keys_of_their_own(
    keys: ApiKeys, tmp_path: Path
) -> None:
    homes = tmp_path / "one", tmp_path / "other"
    for home in homes:
        home.mkdir()
    first, second = [await studio_key(keys, home, is_shared=True) for home in homes]
    assert await studio_key(keys, homes[0], is_shared=True) == first != second
    # A lost file ends only the key that was in it.
    (homes[0] / FILE).unlink()
    third = await studio_key(keys, homes[0], is_shared=True)
    valid = [text for text in (first, second, third) if text and await keys.check(text)]
    assert valid == [second, third]


async def test_where_no_file_can_be_kept_there_is_none(keys: ApiKeys, tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert await studio_key(keys, tmp_path) is None


async def test_the_key_stands_in_the_fragment_which_no_server_sees() -> None:
    assert studio_url("http://127.0.0.1:8765", "tw_x") == "http://127.0.0.1:8765/#token=tw_x"
    assert studio_url("http://127.0.0.1:8765", None) == "http://127.0.0.1:8765/"


async def test_a_browser_is_opened_where_there_is_a_screen() -> None:
    assert may_open({"DISPLAY": ":0"})
    assert ListenAddress("0.0.0.0", 8765).browsable == "http://127.0.0.1:8765"
    assert ListenAddress("127.0.0.1", 8765).browsable == "http://127.0.0.1:8765"


async def test_a_browser_gets_a_private_file_and_never_the_key(tmp_path: Path) -> None:
    url = studio_url("http://127.0.0.1:8765", "tw_secret")
    (tmp_path / LEADING).write_text("of a service that was killed", encoding="utf-8")
    with leading_file(tmp_path, url) as given:
        assert given == (tmp_path / LEADING).resolve().as_uri()
        assert (tmp_path / LEADING).stat().st_mode & 0o077 == 0
        assert f'url={url}"' in (tmp_path / LEADING).read_text(encoding="utf-8")
    assert not (tmp_path / LEADING).exists()


async def test_where_no_private_file_can_be_kept_a_browser_gets_no_key(tmp_path: Path) -> None:
    (tmp_path / LEADING).mkdir()
    with leading_file(tmp_path, "http://127.0.0.1:8765/#token=tw_secret") as given:
        assert given is None
