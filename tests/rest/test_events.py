"""`/api/v1/events`: what changed in the home, told as it happens."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from rest.drawn import greeting
from rest.house import House
from rest.listening import Heard, listening
from toolweave.app.change_feed import PAUSE_S, TOPICS, ChangeFeed
from toolweave.app.running_studio import open_running_studio
from toolweave.home import open_home
from toolweave.servers.definition import CommandServer
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


async def until(heard: Heard, topic: str) -> str:
    """The next version of a topic."""
    while True:
        _, versions = await heard.receive()
        if topic in versions:
            return versions[topic]


async def test_every_change_is_told_by_its_topic(house: House) -> None:
    key = await house.key()
    async with listening(house, key) as heard:
        kind, versions = await heard.receive()
        assert (kind, set(versions)) == ("now", set(TOPICS))
        body = {"document": greeting("told")}
        await house.client.put("/api/v1/workflows/told", json=body, headers=key)
        saved = await until(heard, "workflows")
        file = house.home.settings.home / "workflows" / "told.json"
        file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
        assert await until(heard, "workflows") not in {saved, versions["workflows"]}
        await house.client.post("/api/v1/runs", json={"workflow": "told"}, headers=key)
        assert await until(heard, "runs") != versions["runs"]
        await house.client.put("/api/v1/published/told", json={}, headers=key)
        assert await until(heard, "published") != versions["published"]
        await house.home.registry.add("heard-of", CommandServer(command="none"))
        assert await until(heard, "servers") != versions["servers"]
    async with listening(house, key) as again:
        _, now = await again.receive()
        assert now["servers"] != versions["servers"]
        assert now["triggers"] == versions["triggers"]
    await house.home.registry.remove("heard-of")


async def test_a_question_is_told_as_soon_as_it_is_asked(house: House) -> None:
    key = await house.key()
    form: dict[str, Any] = {
        "form_title": "Boxes",
        "form_schema": {"type": "object", "properties": {}},
    }
    asking: dict[str, Any] = {
        "toolweave": 1,
        "name": "asks",
        "nodes": [
            {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
            {
                "id": "ask",
                "type": "HUMAN_IN_THE_LOOP",
                "data": {"subtype": "FORM", "configurations": form},
            },
        ],
        "edges": [{"id": "e", "source": "t", "target": "ask"}],
    }
    async with listening(house, key) as heard:
        _, versions = await heard.receive()
        started = await house.client.post("/api/v1/runs", json={"document": asking}, headers=key)
        asked = await until(heard, "inbox")
        assert asked != versions["inbox"]
        run = started.json()["id"]
        await house.client.post(f"/api/v1/runs/{run}/cancel", headers=key)
        assert await until(heard, "inbox") != asked


async def test_a_revoked_key_hears_no_more(house: House) -> None:
    key = await house.key("workflows:read")
    async with listening(house, key) as heard:
        await heard.receive()
        await house.home.registry.add("heard-of", CommandServer(command="none"))
        await until(heard, "servers")
        (mine,) = [one for one in await house.keys.list() if len(one.scopes) == 1]
        await house.keys.revoke(mine.id)
        house.clock.seconds += 2
        async for _ in heard:
            pass  # until it is noticed, something may still be sent
        with pytest.raises(anyio.EndOfStream):
            await heard.receive()
    await house.home.registry.remove("heard-of")


class Counted(ChangeFeed):
    """Counts its looks."""

    looks = 0

    async def _look(self) -> dict[str, str]:
        self.looks += 1
        return await super()._look()


async def test_while_nobody_listens_nothing_is_looked_at(tmp_path: Path) -> None:
    clock, ending = FakeClock(), False
    settings = Settings(home=tmp_path)
    async with (
        open_home(settings, clock=clock, environ={}, directory=tmp_path) as home,
        open_running_studio(home) as studio,
    ):
        topics = Counted(studio, is_ending=lambda: ending)
        async with topics.running():
            await clock.advance(100)
            assert topics.looks == 0
            with topics.listening(), anyio.fail_after(60):
                known = await topics.now()
                await home.registry.add("new", CommandServer(command="none"))
                fresh: dict[str, str] = {}
                async with anyio.create_task_group() as tasks:

                    async def hear() -> None:
                        # On a busy machine, what changed while it started comes first.
                        while not {"servers", "tools"} <= fresh.keys():
                            changed = await topics.since({**known, **fresh})
                            assert changed is not None
                            fresh.update(changed)
                        tasks.cancel_scope.cancel()

                    async def go_on() -> None:
                        while True:
                            await clock.advance(1)

                    tasks.start_soon(hear)
                    tasks.start_soon(go_on)
                assert {"servers", "tools"} <= fresh.keys()
                before = topics.looks
            await clock.advance(3)
            assert topics.looks <= before + 1
            with topics.listening(), anyio.fail_after(60):
                ending = True
                async with anyio.create_task_group() as tasks:

                    async def end() -> None:
                        assert await topics.since(await topics.now()) is None
                        tasks.cancel_scope.cancel()

                    async def pass_time() -> None:
                        while True:
                            await clock.advance(1)

                    tasks.start_soon(end)
                    tasks.start_soon(pass_time)


async def test_what_is_written_to_a_run_in_the_pause_is_told_after_it(tmp_path: Path) -> None:
    clock = FakeClock()
    settings = Settings(home=tmp_path)
    async with (
        open_home(settings, clock=clock, environ={}, directory=tmp_path) as home,
        open_running_studio(home) as studio,
    ):
        topics, news = ChangeFeed(studio), studio.engine.journal.notifications
        async with topics.running():
            with topics.listening(), anyio.fail_after(60):
                news.happened("some-run", is_call=False)
                await clock.until_asleep(PAUSE_S)
                known = await topics.now()
                # In the pause, and nothing after it.
                news.happened("some-run", is_call=False)
                await clock.advance(PAUSE_S)
                fresh = await topics.since(known)
    assert fresh is not None
    assert set(fresh) == {"runs"}
