"""Deliveries that come many times, to a real `toolweave serve` that is killed in between."""

import tempfile
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import anyio.to_thread
import httpx2
from bench.fault_rows import Found, Part, say
from tests.triggers.test_process import prepared, runs_of, serving

THREADS = 8
BUSY = 429
ENDED_S = 60


class Deliveries:
    """Who delivered what, and which run each was told."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = httpx2.Client(timeout=30, limits=httpx2.Limits(max_connections=THREADS))
        self.answers: defaultdict[int, list[str]] = defaultdict(list)
        self._lock = threading.Lock()

    def send(self, order: int, *, named: bool) -> bool:
        """Deliver once; whether it was taken."""
        headers = {"idempotency-key": f"order-{order}"} if named else {}
        while True:
            try:
                answer = self.client.post(
                    f"{self.url}/hooks/orders", json={"order": order}, headers=headers
                )
            except httpx2.TransportError:
                return False
            if answer.status_code != BUSY:
                break
            time.sleep(0.2)
        answer.raise_for_status()
        with self._lock:
            self.answers[order].append(str(answer.json()["run_id"]))
        return True


def delivered(dice: Random, orders: int, times: int, *, named: bool) -> Found:
    """Every order so many times, in any order; the service is killed in the middle."""
    found = Found(faults=orders * times)
    queue = [order for order in range(orders) for _ in range(times)]
    dice.shuffle(queue)
    with tempfile.TemporaryDirectory(prefix="toolweave-hooks-") as name:
        home = Path(name, "home")
        prepared(home, delay_s=0)
        deliveries = Deliveries("")
        while queue:
            with serving(home) as (url, process), ThreadPoolExecutor(THREADS) as threads:
                deliveries.url = url
                is_first = len(queue) == orders * times
                sent = queue[: len(queue) // 2] if is_first else queue
                futures = [(one, threads.submit(deliveries.send, one, named=named)) for one in sent]
                if is_first:
                    # Killed while some are on their way.
                    next(future for _, future in futures[len(futures) // 2 :]).result()
                    process.kill()
                left = [one for one, future in futures if not future.result()]
                queue = queue[len(sent) :] + left
                say(f"  {len(queue)} deliveries are left")
                if not queue:
                    ended = time.monotonic() + ENDED_S
                    while time.monotonic() < ended and any(
                        run.status != "success" for run in runs_of(home)
                    ):
                        time.sleep(0.5)
        runs = runs_of(home)
    told = {order: set(answers) for order, answers in deliveries.answers.items()}
    found.runs = len(runs)
    found.lost = sum(order not in told for order in range(orders))
    found.lost += sum(run.status != "success" for run in runs)
    found.lost += len(set().union(*told.values()) - {run.id for run in runs})
    found.twice = max(len(runs) - orders, 0) + sum(len(ids) - 1 for ids in told.values())
    return found


def duplicates(orders: int, times: int) -> Part:
    """The same deliveries many times; the control are those that nobody names."""

    async def work(dice: Random) -> Found:
        return await anyio.to_thread.run_sync(lambda: delivered(dice, orders, times, named=True))

    async def control(dice: Random) -> Found:
        return await anyio.to_thread.run_sync(lambda: delivered(dice, 5, 5, named=False))

    return Part(f"webhooks {orders} x {times}, and a kill", work, control, orders * times)
