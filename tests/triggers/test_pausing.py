"""A trigger that somebody paused starts nothing, across restarts, until it is resumed."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.storage.postgres import Postgres
from tests.triggers.hosting import Host, hosting, node, trigger

from toolweave.access.webhook_signatures import WebhookRequest
from toolweave.app.change_feed import TOPICS, ChangeFeed
from toolweave.app.run_progress import ProgressListeners
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import Authoring
from toolweave.errors import Denied, NotFound, Unavailable
from toolweave.publishing.service import Published
from toolweave.triggers import file_watch as watching
from toolweave.triggers import schedules
from toolweave.triggers.listing import trigger_lines
from toolweave.triggers.recent_events import KEPT
from toolweave.triggers.trigger_line import TriggerLine

pytestmark = pytest.mark.anyio

HOOK = trigger("WEBHOOK", "hook", webhook_path="/orders")
EVERY_MINUTE = trigger("CRON", "often", cron_expression="* * * * *")


@pytest.fixture
async def host(tmp_path: Path) -> AsyncGenerator[Host]:
    async with hosting(tmp_path / "home") as opened:
        yield opened


def delivery(**headers: str) -> WebhookRequest:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return WebhookRequest(
        method="POST",
        path="/orders",
        received_at=now,
        headers=headers,
        query={},
        body=b"",
        client_ip="",
    )


async def line(host: Host, identity: str) -> TriggerLine:
    await host.triggers.recent_events.save()
    return next(one for one in await trigger_lines(host.home) if one.node == identity)


async def test_a_paused_hook_starts_nothing_after_a_restart_either(
    host: Host, tmp_path: Path
) -> None:
    await host.enable("Orders", HOOK, node("end"))
    (run,) = (await host.triggers.deliver(delivery())).runs
    await host.triggers.switches.pause("Orders", "hook")
    async with hosting(tmp_path / "home", clock=host.clock) as again:
        for one in (host, again):
            with pytest.raises(Unavailable) as refused:
                await one.triggers.deliver(delivery())
            assert refused.value.code == "HOOK_PAUSED"
    assert [one.id for one in await host.runs()] == [run]
    shown = await line(host, "hook")
    assert (shown.state, shown.reason) == ("paused", None)
    assert {one.outcome for one in shown.recent} == {"started", "paused"}
    await host.triggers.switches.resume("Orders")
    assert len((await host.triggers.deliver(delivery())).runs) == 1
    assert (await line(host, "hook")).state == "on"


async def test_times_of_the_pause_are_not_made_up_for(host: Host) -> None:
    await host.enable("Often", EVERY_MINUTE, node("end"))
    look = (schedules.REF, host.triggers.schedules.poll)
    await host.triggers.poller.once(*look)
    await host.triggers.switches.pause("Often")
    await host.clock.advance(3600)
    await host.triggers.poller.once(*look)
    assert await host.runs() == []
    await host.triggers.switches.resume("often")
    await host.triggers.poller.once(*look)
    assert await host.runs() == []
    await host.clock.advance(60)
    await host.triggers.poller.once(*look)
    assert len(await host.runs()) == 1


async def test_files_of_the_pause_are_no_news(host: Host) -> None:
    folder = host.home.settings.home / "files" / "inbox"
    folder.mkdir(parents=True)
    await host.enable("Inbox", trigger("FILE_WATCH", path="inbox"), node("end"))
    await host.triggers.switches.pause("Inbox")
    (folder / "a").touch()
    await host.triggers.switches.resume("Inbox")
    (folder / "b").touch()
    for _ in range(3):
        await host.clock.advance(5)
        await host.triggers.poller.once(watching.REF, host.triggers.watching.poll)
    assert [one["path"] for one in await host.inputs()] == ["b"]


async def test_one_of_two_is_paused_and_stays_so_when_enabled_again(host: Host) -> None:
    await host.enable("Both", EVERY_MINUTE, HOOK, node("end"))
    await host.triggers.switches.pause("Both", "often")
    await host.enable("Both", EVERY_MINUTE, HOOK, node("other"))
    found = await host.triggers.switches.list()
    assert {one.node: one.paused_at is not None for one in found} == {"often": True, "hook": False}
    assert len((await host.triggers.deliver(delivery())).runs) == 1


@pytest.mark.parametrize("identity", [None, "nobody"])
async def test_what_is_not_on_cannot_be_paused(host: Host, identity: str | None) -> None:
    await host.store("Off", HOOK, node("end"))
    if identity:
        await host.triggers.switches.enable("Off")
    for change in (host.triggers.switches.pause, host.triggers.switches.resume):
        with pytest.raises(NotFound) as refused:
            await change("Off", identity)
        assert refused.value.code == "TRIGGER_NOT_FOUND"


async def test_a_trigger_that_cannot_work_any_more_stays_paused(host: Host) -> None:
    await host.home.vault.put("hook-token", "s3cret-of-the-hook")
    token = {"authentication": "header_token", "auth_token": "${vault:hook-token}"}
    await host.enable("Orders", trigger("WEBHOOK", "hook", webhook_path="/o", **token), node("end"))
    await host.triggers.switches.pause("Orders")
    await host.home.vault.delete("hook-token")
    with pytest.raises(NotFound):
        await host.triggers.switches.resume("Orders")
    shown = await line(host, "hook")
    assert shown.state == "paused"
    assert "hook-token" in (shown.reason or "")
    assert "s3cret" not in str(shown)


async def test_every_trigger_of_every_workflow_is_listed_with_what_is_wrong(host: Host) -> None:
    never = trigger("CRON", "never", cron_expression="0 0 30 2 *")
    await host.store("Wrong", never, node("end"))
    await host.store("Hand", trigger("MANUAL", "by-hand"), node("end"))
    await host.store("Asleep", trigger("CRON", "off", enabled=False), node("end"))
    berlin = trigger("CRON", "daily", cron_expression="0 9 * * *", timezone="Europe/Berlin")
    await host.enable("Report", berlin, HOOK, node("end"))
    await host.store("Report", berlin, node("end"))
    await host.enable("Gone", trigger("WORKFLOW_FAILED", "alarm"), node("end"))
    stored = await host.studio.home.workflows.load("Gone")
    await host.studio.home.workflows.delete("Gone", over=stored.revision)
    found = {one.node: one for one in await trigger_lines(host.home)}
    assert {name: one.state for name, one in found.items()} == {
        "never": "off",
        "by-hand": "by hand",
        "off": "switched off in the workflow",
        "daily": "on",
        "hook": "on",
        "alarm": "deleted",
    }
    assert "cannot be used" in (found["never"].reason or "")
    assert not found["daily"].is_current
    facts = [(fact.label, fact.value) for fact in found["daily"].facts]
    assert ("Time zone", "Europe/Berlin") in facts
    assert [time[11:16] for time in found["daily"].next_times] == ["08:00"] * 5
    hook = found["hook"].hook
    assert hook is not None
    assert (hook.paths, hook.methods, hook.proof) == (["/hooks/orders"], ["POST"], "none")


async def test_the_last_deliveries_are_kept_with_their_runs_and_no_more(host: Host) -> None:
    await host.home.vault.put("t", "s3cret-token")
    token = {"authentication": "header_token", "auth_token": "${vault:t}"}
    hook = trigger("WEBHOOK", "hook", webhook_path="/orders", **token)
    await host.enable("Orders", hook, node("end"))
    with pytest.raises(Denied):
        await host.triggers.deliver(delivery(authorization="Bearer wrong-one"))
    first = (await line(host, "hook")).recent
    assert [(one.outcome, one.run) for one in first] == [("refused", None)]
    runs = [
        (await host.triggers.deliver(delivery(authorization="Bearer s3cret-token"))).runs[0]
        for _ in range(KEPT + 5)
    ]
    await host.engine.advance(runs[-1])
    recent = (await line(host, "hook")).recent
    assert [one.run for one in recent] == list(reversed(runs))[:KEPT]
    assert recent[0].status == "success"
    assert "s3cret-token" not in str(recent)
    assert "wrong-one" not in str(first)


@pytest.mark.xdist_group("postgres")
async def test_postgres_keeps_pauses_deliveries_and_versions_as_well(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with hosting(tmp_path / "home", database=postgres.with_tables()) as host:
        topics = ChangeFeed(
            RunningStudio(
                home=host.home,
                connections=host.studio.connections,
                gate=host.studio.gate,
                transports=host.studio.transports,
                shared_limits=host.studio.shared_limits,
                engine=host.engine,
                authoring=Authoring(host.home, host.studio.connections),
                published=Published(host.home),
                progress=ProgressListeners(),
            )
        )
        before = await topics.now()
        await host.enable("Orders", HOOK, node("end"))
        for _ in range(KEPT + 1):
            await host.triggers.deliver(delivery())
            await host.triggers.recent_events.save()
        shown = await line(host, "hook")
        assert (shown.state, len(shown.recent)) == ("on", KEPT)
        await host.triggers.switches.pause("Orders")
        assert (await line(host, "hook")).state == "paused"
        await host.triggers.switches.resume("Orders")
        assert (await line(host, "hook")).state == "on"
        after = await topics.now()
        changed = {topic for topic in TOPICS if before[topic] != after[topic]}
        assert {"triggers", "workflows"} <= changed
