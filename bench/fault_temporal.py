"""Workers that Temporal places runs on, and a Temporal that is killed or terminates runs."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

import anyio
import anyio.to_thread
from bench.fault_ground import (
    PATIENCE_S,
    Fault,
    Fleet,
    Ground,
    draining,
    home,
    killing,
    one_that_works,
    ordeal,
    pausing,
    side_by_side,
    start_one,
)
from bench.fault_postgres import a_server
from bench.fault_rows import Found, Part, Work, each_fails, until_found
from bench.fault_workers import crash, none_uncertain
from temporalio.client import Client
from temporalio.service import RPCError
from tests.engine.building import workflow
from tests.engine.temporal_server import TemporalServer, a_temporal_server
from tests.storage.postgres import Postgres

from toolweave.engine.runs import RunRequest

LEASE_S = 3
GROUNDS = 5
# How long Temporal is away, and every which time it is long: after some leases activities are given
# up.
SHORT_S, LONG_S, LONG_EVERY = (0.5, 2.0 * LEASE_S), (5.0 * LEASE_S, 8.0 * LEASE_S), 5
# How soon a terminated run must be cancelled, and how long a control is watched.
CANCELLED_S, CONTROL_S = 60.0, 12.0
# A step, then a wait of a year; a run is terminated when so many others were started after it.
WAITING = workflow({"s": "start", "a": "once", "year": "once"}, ["s > a", "a > year"])
BEHIND = 3


def on_temporal(vice: str, server: TemporalServer, number: int) -> Fleet:
    """Workers that seem to be on machines of their own; a run costs much more than locally."""
    queue = f"bench-{number}"
    backend = server.address(lease_s=LEASE_S, queue=queue)
    at_once = 6 if vice else 3
    return Fleet(hold_s=LEASE_S, away=True, vice=vice, backend=backend, at_once=at_once, pace=2.0)


async def many(fault: Fault, grounds: int, times: int, dice: Random, vice: str) -> Found:
    """So many faults on several databases of one Postgres and several queues of one Temporal."""
    if vice:
        grounds, times = 1, min(times, 3)
    with (
        a_server() as postgres,
        tempfile.TemporaryDirectory(prefix="toolweave-") as name,
        a_temporal_server(Path(name)) as server,
    ):
        return await side_by_side(
            grounds,
            lambda _: postgres.new_database(),
            lambda number: on_temporal(vice, server, number),
            fault,
            times,
            dice,
        )


def befallen(fault: Fault, grounds: int, times: int, vice: str = "") -> Work:
    """The same, as what a line does."""

    async def work(dice: Random) -> Found:
        return await many(fault, grounds, times, dice, vice)

    return work


def killed_on_temporal(kills: int) -> Part:
    """Workers are killed; others take over when the lease is over."""
    control = each_fails(
        step_started=befallen(killing, 1, 3, "hasty"), takeover=befallen(killing, 1, 1, "shy")
    )
    work = befallen(killing, GROUNDS, kills)
    return Part("worker killed (Temporal)", work, control, kills, has_uncertain=kills > 3)


def paused_on_temporal(times: int) -> Part:
    """A worker stopped past its heartbeat, then continued: it must be fenced."""
    work, control = befallen(pausing, 2, times), befallen(pausing, 1, 3, "unfenced")
    what = "worker paused past its heartbeat (Temporal)"
    return Part(what, work, control, times, has_uncertain=times > 3)


def drained_on_temporal(times: int) -> Part:
    """A worker that is asked to stop: no step of it may become uncertain."""

    def work(vice: str = "") -> Work:
        async def done(dice: Random) -> Found:
            return none_uncertain(await many(draining, 2, times, dice, vice))

        return done

    return Part("worker drained (Temporal)", work(), work("undrained"), times)


@asynccontextmanager
async def one_of_each(
    vice: str, pace: float = 2.0
) -> AsyncGenerator[tuple[Ground, TemporalServer, Postgres]]:
    """Workers, a Postgres and a Temporal of their own."""
    with a_server() as postgres, tempfile.TemporaryDirectory(prefix="toolweave-") as name:
        folder = Path(name)
        with a_temporal_server(folder) as server:
            fleet = replace(on_temporal(vice, server, 0), pace=pace, at_once=6)
            async with home(postgres.new_database(), folder, fleet) as there:
                yield there, server, postgres


def temporal_killed(times: int) -> Part:
    """Temporal itself, killed: running steps end as if it was there, lost signals are found."""

    def work(vice: str = "") -> Work:
        async def done(dice: Random) -> Found:
            # Steps longer than leases: they go on while Temporal is away.
            async with one_of_each(vice, pace=40.0 if vice == "unkept" else 16.0) as (
                there,
                server,
                _,
            ):
                if vice == "unkept":
                    there.patience_s = PATIENCE_S
                fault = outage_of(server, 1 if vice else LONG_EVERY)
                found, _ = await ordeal(there, fault, 1 if vice else times, dice)
            return none_uncertain(found)

        return done

    control = each_fails(reconciler=work("careless"), keep=until_found(work("unkept")))
    return Part("Temporal killed", work(), control, times)


def outage_of(server: TemporalServer, long_every: int) -> Fault:
    """Kill the server, and start a run that it knows nothing of, before it is started again."""
    numbers = count(1)

    async def outage(there: Ground, dice: Random) -> float:
        await one_that_works(there, dice)
        server.kill()
        await start_one(there)
        is_long = next(numbers) % long_every == 0
        await anyio.sleep(dice.uniform(*(LONG_S if is_long else SHORT_S)))
        await anyio.to_thread.run_sync(server.start)
        return 0.0

    return outage


def crashed_under_temporal(times: int) -> Part:
    """Postgres crashes while Temporal places runs; no worker is gone, so little is uncertain."""

    async def work(dice: Random, vice: str = "") -> Found:
        async with one_of_each(vice) as (there, _, postgres):

            async def crashing(_there: Ground, dice: Random) -> float:
                await anyio.sleep(dice.uniform(1.0, 3.0))
                await crash(postgres)
                return 0.0

            found, _ = await ordeal(there, crashing, 3 if vice else times, dice)
        return found

    async def control(dice: Random) -> Found:
        return await work(dice, "hasty")

    return Part("Postgres restarted (Temporal)", work, control, times)


def terminated(number: int) -> Part:
    """Workflows terminated in Temporal, in a step or while they wait: their runs are cancelled."""

    async def work(dice: Random, vice: str = "", times: int = number) -> Found:
        async with one_of_each(vice) as (there, server, _):
            client = await Client.connect(server.target)
            for one in range(times):
                run = await there.engine.runs.start(RunRequest(WAITING, {"n": one}))
                there.started.append(run)
                await anyio.sleep(dice.uniform(0.0, 0.3))
                if one >= BEHIND:
                    await terminate(client, there.started[one - BEHIND])
            for run in there.started[-BEHIND:]:
                await terminate(client, run)
            left = times
            with anyio.move_on_after(CONTROL_S if vice else CANCELLED_S):
                while left:
                    await anyio.sleep(0.2)
                    query = "SELECT count(*) FROM runs WHERE status <> 'cancelled'"
                    row = await there.database.row(query)
                    left = int(row[0]) if row else times
        return Found(runs=times, faults=times, lost=left)

    async def control(dice: Random) -> Found:
        return await work(dice, "careless", 6)

    return Part("workflow terminated in Temporal", work, control, number)


async def terminate(client: Client, run: str) -> None:
    """Terminate the workflow of a run, once there is one."""
    with anyio.fail_after(CANCELLED_S):
        while True:
            try:
                await client.get_workflow_handle(run).terminate("too expensive")
                return
            except RPCError:
                await anyio.sleep(0.1)
