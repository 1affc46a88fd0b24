"""Workers of the local backend that are killed, paused and drained, on Postgres and SQLite."""

import tempfile
from pathlib import Path
from random import Random

import anyio
import anyio.to_thread
from bench.fault_ground import (
    Fleet,
    Ground,
    decide,
    draining,
    feed,
    home,
    judged,
    killing,
    pausing,
    side_by_side,
    until_over,
)
from bench.fault_postgres import a_server
from bench.fault_rows import Found, Part, Work, each_fails, say
from tests.storage.postgres import Postgres

from toolweave.engine.lease_owner import HOLD_S

GROUNDS = 4
CRASH_S = (5.0, 20.0)
KILL_EVERY_S = 10.0


def killed(kills: int, *, away: bool) -> Part:
    """On one machine the system tells that a worker is gone; of another only its silence does."""

    def work(vice: str = "") -> Work:
        async def done(dice: Random) -> Found:
            hold_s = HOLD_S if away and not vice else 2.0
            fleet = Fleet(hold_s=hold_s, away=away, vice=vice)
            times, grounds = (2, 1) if vice else (kills, GROUNDS)
            with a_server() as server:
                return await side_by_side(
                    grounds, lambda _: server.new_database(), lambda _: fleet, killing, times, dice
                )

        return done

    where = "another machine" if away else "this machine"
    control = each_fails(takeover=work("shy"), step_started=work("hasty"))
    what = f"worker killed on {where} (Postgres)"
    return Part(what, work(), control, kills, has_uncertain=kills > 3)


def beside(kills: int) -> Part:
    """Several processes on one SQLite file, one of them killed again and again."""

    async def working(_there: Ground, _dice: Random) -> float:
        await anyio.sleep(1)
        return 0.0

    async def work(dice: Random, vice: str = "") -> Found:
        fleet = Fleet(workers=2, hold_s=HOLD_S, vice=vice)
        fault, times, grounds = (working, 3, 1) if vice else (killing, kills, GROUNDS)
        return await side_by_side(
            grounds, lambda top: f"sqlite:///{top / 'runs.db'}", lambda _: fleet, fault, times, dice
        )

    async def control(dice: Random) -> Found:
        return await work(dice, "greedy")

    return Part("worker killed (SQLite)", work, control, kills, has_uncertain=kills > 3)


def paused(times: int) -> Part:
    """A worker stopped (SIGSTOP) past its lease, then continued: it must be fenced."""

    async def work(dice: Random, vice: str = "") -> Found:
        fleet = Fleet(vice=vice, at_once=12 if vice else 4)
        number, grounds = (10, 1) if vice else (times, GROUNDS)
        with a_server() as server:
            return await side_by_side(
                grounds, lambda _: server.new_database(), lambda _: fleet, pausing, number, dice
            )

    async def control(dice: Random) -> Found:
        return await work(dice, "unfenced")

    what = "worker paused past its lease (Postgres)"
    return Part(what, work, control, times, has_uncertain=times > 3)


def drained(times: int) -> Part:
    """A worker that is asked to stop: no step of it may become uncertain."""

    def work(vice: str = "") -> Work:
        async def done(dice: Random) -> Found:
            fleet = Fleet(vice=vice)
            number, grounds = (3, 1) if vice else (times, 2)
            with a_server() as server:
                return none_uncertain(
                    await side_by_side(
                        grounds,
                        lambda _: server.new_database(),
                        lambda _: fleet,
                        draining,
                        number,
                        dice,
                    )
                )

        return done

    return Part("worker drained (Postgres)", work(), work("undrained"), times)


def none_uncertain(found: Found) -> Found:
    """The same, and wrong where a person had to decide."""
    if found.uncertain:
        found.wrong.append(f"{found.uncertain} steps became uncertain")
    return found


def storm(runs: int, crashes: int) -> Part:
    """Postgres crashes every 5 to 20 s, one of four workers is killed every 10 s."""

    async def work(dice: Random) -> Found:
        return await stormed(runs, crashes, dice, "")

    async def control(dice: Random) -> Found:
        return await stormed(30, 2, dice, "hasty")

    what = f"{runs:,} runs, Postgres crashes, 4 workers killed"
    return Part(what, work, control, crashes, has_uncertain=True)


async def stormed(runs: int, crashes: int, dice: Random, vice: str) -> Found:
    """Until there were so many runs and so many crashes."""
    with a_server() as server, tempfile.TemporaryDirectory(prefix="toolweave-") as name:
        fleet = Fleet(workers=4, vice=vice, at_once=40)
        async with home(server.new_database(), Path(name), fleet) as there:
            storm = Storm(there, server, dice)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(feed, there)
                tasks.start_soon(decide, there)
                tasks.start_soon(storm.kill_workers)
                await storm.crash_until(runs, crashes)
                await until_over(there)
                tasks.cancel_scope.cancel()
            found = await judged(there)
    found.faults = storm.crashes + storm.kills
    found.note = f"ok: {storm.crashes} crashes of Postgres, {storm.kills} kills of workers"
    if storm.crashes < crashes:
        found.wrong.append(f"{storm.crashes} crashes of {crashes}")
    return found


class Storm:
    """Crashes of a server and of workers, each at a time of its own."""

    def __init__(self, there: Ground, server: Postgres, dice: Random) -> None:
        self._there = there
        self._server = server
        self._dice = dice
        # Nobody can begin to work where no database is.
        self._is_there = anyio.Lock()
        self.crashes = 0
        self.kills = 0

    async def crash_until(self, runs: int, crashes: int) -> None:
        """Crash the server until so many runs were started in so many crashes."""
        while len(self._there.started) < runs or self.crashes < crashes:
            await anyio.sleep(self._dice.uniform(*CRASH_S))
            async with self._is_there:
                await crash(self._server)
            self.crashes += 1
            if self.crashes % 5 == 0:
                say(f"{self.crashes} crashes, {self.kills} kills, {len(self._there.started)} runs")

    async def kill_workers(self) -> None:
        """Kill one every ten seconds, and hire another."""
        while True:
            await anyio.sleep(KILL_EVERY_S)
            workers = self._there.workers
            workers.pop(self._dice.randrange(len(workers))).kill()
            self.kills += 1
            async with self._is_there:
                workers.append(await anyio.to_thread.run_sync(self._there.hire))


async def crash(server: Postgres) -> None:
    """Stop the server as a crash does, and start it again."""
    await anyio.to_thread.run_sync(server.stop)
    await anyio.to_thread.run_sync(server.start)
