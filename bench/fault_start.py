"""Services that start: after a kill under load, and behind a pooler that loses locks."""

import os
import subprocess
import tempfile
import time
from pathlib import Path
from random import Random

import anyio.to_thread
from bench import restart
from bench.fault_postgres import a_server
from bench.fault_rows import Found, Part, say
from tests.rest.process import PROGRAM, environ_of, served
from tests.storage.test_pooler import PROGRAM as POOLER
from tests.storage.test_pooler import pooled

# How soon all runs must continue.
RESUMED_S = 5.0
# One of two processors has something else to do.
SPINNERS = 1
STARTED_S = 60.0


def restarted_under_load(rounds: int) -> Part:
    """Killed with runs under way, on a busy machine; the control waits before it starts."""

    def measured(rounds: int, delay_s: float) -> Found:
        with tempfile.TemporaryDirectory(prefix="toolweave-restart-") as name:
            state = Path(name, "home")
            with served(state) as server:
                key = server.key
                (state / "studio.key").write_text(key, encoding="ascii")
                restart.start_runs(server.url, state)
                restart.until_grown(state, {}, 4)
                server.process.kill()
            argv = (*PROGRAM, "serve", "--port", "0", "--no-browser")
            if delay_s:
                argv = ("sh", "-c", f'sleep {delay_s}; exec "$@"', "sh", *argv)
            environ = environ_of(state)
            found, took = Found(runs=restart.RUNS), list[float]()
            for number in range(rounds):
                took_s, cpu_s = restart.resumed(argv, environ, SPINNERS)
                found.faults += 1
                took.append(took_s)
                say(f"{number + 1}: {took_s:.2f} s, {cpu_s:.2f} s of CPU")
        load = os.getloadavg()[0]
        found.note = (
            f"{restart.RUNS} runs resumed within {max(took):.1f} s at most, "
            f"{sorted(took)[len(took) // 2]:.1f} s in the middle; load average {load:.0f}"
        )
        if max(took) > RESUMED_S:
            found.wrong.append(found.note)
        return found

    async def work(_dice: Random) -> Found:
        return await anyio.to_thread.run_sync(measured, rounds, 0.0)

    async def control(_dice: Random) -> Found:
        return await anyio.to_thread.run_sync(measured, 1, RESUMED_S)

    return Part("killed service resumes its runs", work, control, rounds, is_alone=True)


def behind_a_pooler(times: int) -> Part:
    """PgBouncer in transaction mode: refused at start, with the reason; a session pool works."""

    def started(mode: str, options: str) -> str:
        """What a service says when it starts behind a pooler."""
        with (
            a_server() as server,
            tempfile.TemporaryDirectory(prefix="toolweave-pooler-") as name,
            pooled(server, Path(name), f"pool_mode = {mode}", options) as address,
        ):
            state, log = Path(name, "home"), Path(name, "log")
            state.mkdir()
            words = ("serve", "--port", "0", "--no-browser", "--database", address)
            with (
                log.open("wb") as stderr,
                subprocess.Popen(
                    [*PROGRAM, *words], stderr=stderr, cwd=state, env=environ_of(state)
                ) as process,
            ):
                until = time.monotonic() + STARTED_S
                while time.monotonic() < until and process.poll() is None:
                    if b"http://" in log.read_bytes():
                        break
                    time.sleep(0.05)
                code = process.poll()
                process.kill()
            return f"{code} {log.read_text(encoding='utf-8')}"

    def tried() -> Found:
        assert POOLER is not None, "pgbouncer is not installed"
        found = Found(runs=2 * times)
        for number in range(times):
            options = "ignore_startup_parameters = options" if number % 2 else ""
            said = started("transaction", options)
            found.faults += 1
            if "transaction mode" not in said or said.startswith("None"):
                found.wrong.append(f"in transaction mode: {said[:200]}")
            said = started("session", options)
            if not said.startswith("None") or "http://" not in said:
                found.wrong.append(f"in session mode: {said[:200]}")
        found.note = "ok: transaction mode refused at start, session mode starts"
        return found

    async def work(_dice: Random) -> Found:
        return await anyio.to_thread.run_sync(tried)

    async def control(_dice: Random) -> Found:
        said = await anyio.to_thread.run_sync(started, "session", "")
        is_refused = "transaction mode" in said
        return Found() if is_refused else Found(wrong=["a session pool is not refused"])

    return Part("PgBouncer in transaction mode", work, control, times)
