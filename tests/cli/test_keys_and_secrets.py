"""`toolweave keys` and `toolweave secrets`: shown once, and never again."""

import anyio
import pytest
from tests.cli.driving import Commands

from toolweave.access.keys import ApiKeys
from toolweave.clock import SystemClock
from toolweave.home import open_home
from toolweave.settings import Settings


def test_a_key_is_printed_once_and_listed_without_its_text(tw: Commands) -> None:
    ran = tw.ok("keys", "create", "--name", "ci", "--scope", "tools:read", "--scope", "admin")
    assert ran.out.startswith("tw_")
    assert ran.err == "Store it safely: it is not shown again.\n"
    listed = tw.ok("keys", "list")
    assert listed.lines[1].split()[:3] == ["ci", "admin", "tools:read"]
    assert ran.out.strip() not in listed.out + tw.ok("keys", "list", "--json").out


def test_a_key_for_programs_comes_with_its_facts(tw: Commands) -> None:
    key = tw.ok("keys", "create", "--scope", "tools:read", "--json").json
    assert key["key"].startswith("tw_")
    assert (key["name"], key["scopes"], key["revokedAt"]) == ("key", ["tools:read"], None)


def test_a_revoked_key_stays_listed_as_revoked(tw: Commands) -> None:
    tw.ok("keys", "create", "--name", "old", "--scope", "tools:read")
    assert tw.ok("keys", "revoke", "old").out == "Revoked 'old'.\n"
    assert "revoked" in tw.ok("keys", "list").lines[1]
    again = tw("keys", "revoke", "old", "--json")
    assert (again.code, again.json["error"]["code"]) == (1, "KEY_NOT_FOUND")
    tw.ok("keys", "create", "--name", "new", "--scope", "tools:read")
    assert tw.ok("keys", "revoke", "new", "--json").json == {"revoked": "new"}


def test_a_key_needs_a_scope_that_exists(tw: Commands) -> None:
    assert tw("keys", "create").code == 2
    ran = tw("keys", "create", "--scope", "tools:raed")
    assert (ran.code, "[SCOPE_UNKNOWN]" in ran.err) == (1, True)
    assert "did you mean 'tools:read'?" in ran.err


def test_no_keys_and_no_secrets_say_how_to_begin(tw: Commands) -> None:
    assert "toolweave keys create --scope tools:read" in tw.ok("keys", "list").out
    assert "toolweave secrets set NAME" in tw.ok("secrets", "list").out
    assert tw.ok("keys", "list", "--json").json == tw.ok("secrets", "list", "--json").json == []


def test_a_secret_goes_in_and_never_comes_out(tw: Commands) -> None:
    ran = tw("secrets", "set", "token", input="hunter2-hunter2\n")
    assert (ran.code, ran.err) == (0, "")
    assert "${vault:token}" in ran.out
    told = tw("secrets", "set", "other", "--json", input="x")
    assert told.json == {"stored": "other"}
    listed = tw.ok("secrets", "list")
    assert listed.lines == ["other", "token"]
    assert tw.ok("secrets", "list", "--json").json == ["other", "token"]
    stored = b"".join(path.read_bytes() for path in tw.state.iterdir() if path.is_file())
    assert b"hunter2-hunter2" not in stored


def test_a_removed_secret_is_gone(tw: Commands) -> None:
    tw("secrets", "set", "token", input="x")
    assert tw.ok("secrets", "remove", "token").out == "Removed 'token'.\n"
    again = tw("secrets", "remove", "token")
    assert (again.code, "[SECRET_NOT_FOUND]" in again.err) == (1, True)
    tw("secrets", "set", "token", input="x")
    assert tw.ok("secrets", "remove", "token", "--json").json == {"removed": "token"}


@pytest.mark.parametrize(("name", "value", "code"), [("a b", "x", 1), ("token", "", 2)])
def test_a_secret_needs_a_name_and_a_value(tw: Commands, name: str, value: str, code: int) -> None:
    assert tw("secrets", "set", name, input=value).code == code


def is_valid(tw: Commands, key: str) -> bool:
    async def check() -> bool:
        settings = Settings(home=tw.state)
        async with open_home(settings, environ={}, directory=tw.project) as home:
            return await ApiKeys(home.database, SystemClock()).check(key) is not None

    return anyio.run(check)


def test_a_rotated_key_keeps_its_name_and_scopes_and_the_old_text_is_revoked(
    tw: Commands,
) -> None:
    made = tw.ok("keys", "create", "--name", "bot", "--scope", "tools:read", "--json").json
    assert is_valid(tw, made["key"])
    rotated = tw.ok("keys", "rotate", made["id"], "--json").json
    assert is_valid(tw, rotated["key"])
    assert not is_valid(tw, made["key"])
    assert rotated["key"] != made["key"]
    assert (rotated["name"], rotated["scopes"]) == ("bot", ["tools:read"])
    states = {key["id"]: key["revokedAt"] for key in tw.ok("keys", "list", "--json").json}
    assert states[made["id"]] is not None
    assert states[rotated["id"]] is None
    refused = tw("keys", "rotate", "nobody")
    assert (refused.code, "[KEY_NOT_FOUND]" in refused.err) == (1, True)
