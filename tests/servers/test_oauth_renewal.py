"""Tokens that end: renewed early, once, and at the right place, or a person is needed."""

import json
import logging
from collections.abc import Generator

import anyio
import pytest

from network.wire import http, json_answer, peer
from servers.authorization import Protected, protected_server
from servers.signing_in import (
    ShiftedClock,
    added,
    connected,
    paths,
    renewed_at,
    signed_in,
    tokens,
)
from servers.transports.connecting import reason
from toolweave.errors import Denied

pytestmark = pytest.mark.anyio


SECRET = "hunter2hunter2"


@pytest.fixture
def protected() -> Generator[Protected]:
    with protected_server() as known:
        yield known


async def test_a_token_that_ended_is_renewed_before_the_first_request(
    protected: Protected,
) -> None:
    vault = await signed_in(protected)
    old = vault.kept
    protected.provider.revoke_all(refresh=False)
    with anyio.fail_after(60):
        async with connected(protected, vault, clock=ShiftedClock(3601)) as client:
            assert await added(client) == "42"
    new = vault.kept
    assert paths(protected.issuer_log) == ["/token"]  # not the server's own address
    assert new.tokens.access_token != old.tokens.access_token
    assert new.tokens.refresh_token != old.tokens.refresh_token
    assert new.expires_at is not None
    assert old.expires_at is not None
    assert new.expires_at > old.expires_at
    assert set(tokens(protected.server_log)) == {f"Bearer {new.tokens.access_token}"}
    assert "/register" not in paths(protected.issuer_log)


@pytest.mark.parametrize(("left_s", "renewals"), [(90, 0), (30, 1)])
async def test_a_token_is_renewed_a_minute_before_it_ends(
    protected: Protected, left_s: int, renewals: int
) -> None:
    vault = await signed_in(protected)
    with anyio.fail_after(60):
        async with connected(protected, vault, clock=ShiftedClock(3600 - left_s)) as client:
            assert await added(client) == "42"
    assert protected.provider.refreshed == renewals


async def test_a_very_short_token_is_not_renewed_with_every_request(protected: Protected) -> None:
    protected.provider.lifetime_s = 40
    vault = await signed_in(protected)
    with anyio.fail_after(60):
        async with connected(protected, vault) as client:
            assert await added(client) == "42"
    assert protected.provider.refreshed == 0


async def test_a_token_without_an_end_is_used_until_it_is_refused(protected: Protected) -> None:
    protected.provider.lifetime_s = None
    vault = await signed_in(protected)
    assert vault.kept.expires_at is None
    with anyio.fail_after(60):
        async with connected(protected, vault, clock=ShiftedClock(10**9)) as client:
            assert await added(client) == "42"
            protected.provider.revoke_all(refresh=False)
            assert await added(client) == "42"
    assert protected.provider.refreshed == 1


async def test_many_requests_at_once_renew_a_token_once(protected: Protected) -> None:
    vault = await signed_in(protected)
    clock = ShiftedClock()
    with anyio.fail_after(60):
        async with connected(protected, vault, clock=clock) as client:
            clock.seconds = 3601
            async with anyio.create_task_group() as tasks:
                for _ in range(10):
                    tasks.start_soon(added, client)
            assert protected.provider.refreshed == 1
            protected.provider.revoke_all(refresh=False)
            async with anyio.create_task_group() as tasks:
                for _ in range(10):
                    tasks.start_soon(added, client)
    assert protected.provider.refreshed == 2


async def test_a_slow_call_does_not_hold_up_others(protected: Protected) -> None:
    vault = await signed_in(protected)
    with anyio.fail_after(60):
        async with connected(protected, vault) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "slow", {"seconds": 60})
            while not protected.seen:
                await anyio.lowlevel.checkpoint()
            assert await added(client) == "42"
            tasks.cancel_scope.cancel()


async def test_a_refused_renewal_needs_a_person(protected: Protected) -> None:
    vault = await signed_in(protected)
    protected.provider.revoke_all()
    failure = await reason(connected(protected, vault, clock=ShiftedClock(3601)))
    assert isinstance(failure, Denied)
    assert failure.code == "SERVER_SIGN_IN_REQUIRED"
    assert failure.hint == "run `toolweave servers sign-in tools`"
    assert set(paths(protected.issuer_log)) == {"/token"}
    assert vault.kept.tokens.refresh_token is None
    protected.issuer_log.clear()
    again = await reason(connected(protected, vault, clock=ShiftedClock(3601)))
    assert again.code == "SERVER_SIGN_IN_REQUIRED"
    assert protected.issuer_log == []  # what was refused is not asked for again


async def test_a_renewal_made_by_another_process_is_taken_over(protected: Protected) -> None:
    vault = await signed_in(protected)
    first_clock = ShiftedClock()
    with anyio.fail_after(60):
        async with connected(protected, vault, clock=first_clock) as first:
            async with connected(protected, vault, clock=ShiftedClock(3601)) as second:
                assert await added(second) == "42"
            assert protected.provider.refreshed == 1
            first_clock.seconds = 3601
            assert await added(first) == "42"
    assert protected.provider.refreshed == 1


async def test_a_sign_in_made_elsewhere_helps_a_connection_that_was_locked_out(
    protected: Protected,
) -> None:
    vault = await signed_in(protected)
    with anyio.fail_after(60):
        async with connected(protected, vault) as client:
            protected.provider.revoke_all()
            with pytest.raises(Exception, match="requires authentication"):
                await added(client)
            vault.entries.update((await signed_in(protected)).entries)
            assert await added(client) == "42"


@pytest.mark.parametrize(
    ("status", "shift_s", "code"),
    [(503, 3570, None), (503, 3601, "SERVER_HTTP_ERROR"), (429, 3601, "SERVER_RATE_LIMITED")],
)
async def test_a_renewal_that_fails_for_now_costs_nothing_that_still_works(
    protected: Protected, status: int, shift_s: float, code: str | None
) -> None:
    vault = await signed_in(protected)
    async with peer(http(status)) as sick:
        kept = renewed_at(vault, sick.url)
        client = connected(protected, vault, clock=ShiftedClock(shift_s))
        if code is None:
            with anyio.fail_after(60):
                async with client:
                    assert await added(client) == "42"
        else:
            assert (await reason(client)).code == code
    assert vault.kept.tokens == kept.tokens


async def test_a_renewal_answered_with_nonsense_costs_nothing_either(
    protected: Protected, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    vault = await signed_in(protected)
    async with peer(json_answer(json.dumps({"access_token": [SECRET]}).encode())) as sick:
        kept = renewed_at(vault, sick.url)
        failure = await reason(connected(protected, vault, clock=ShiftedClock(3601)))
    assert failure.code == "SERVER_PROTOCOL"
    assert SECRET not in str(failure.as_json()) + caplog.text
    assert vault.kept.tokens == kept.tokens
