"""Hostile MCP servers and hostile OAuth metadata, against a real `toolweave serve`."""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import anyio.from_thread
import anyio.to_thread
import httpx2
from bench.fault_hostile import Probe
from bench.fault_rows import Found, Part, say
from tests.rest.process import PROGRAM, Served, environ_of, served
from tests.security.test_hostile_authorization import FAULTS, Answer, honest

from hostile.catalogue import (
    CONNECT_TIMEOUT,
    GOOD_HTTP,
    HTTP,
    TRIGGER,
    Vice,
    When,
    http_server,
)
from network.wire import peer

ROOT = Path(__file__).parents[1]
DEADLINE_S = 5.0
# How much later than its deadline a call may be over, and how much memory all may take.
GRACE_S, MOST_MB = 3.0, 64
DEADLINES = {
    "TOOLWEAVE_CALL_DEADLINE_S": str(DEADLINE_S),
    "TOOLWEAVE_CONNECT_DEADLINE_S": str(DEADLINE_S),
}
# So long the control is watched, and so soon a good server must work.
WAITS_S, PATIENCE_S = 30.0, 40.0
# The good server must outlive all others: by itself it ends after two minutes.
GOOD_LIFE_S = "7200"
MOMENTS: tuple[When, ...] = ("start", "list", "call")
TIMEOUTS = {CONNECT_TIMEOUT, "CALL_TIMEOUT", "SERVER_TIMED_OUT"}


class Service:
    """A service, and what is asked of it."""

    def __init__(self, server: Served) -> None:
        self._server = server
        self._http = httpx2.Client(base_url=server.url, headers=server.headers, timeout=120)

    def add(self, name: str, definition: dict[str, Any]) -> None:
        """Register a server."""
        body = {"definition": json.dumps({"mcpServers": {name: definition}})}
        self._http.post("/api/v1/servers", json=body).raise_for_status()

    def approve(self, name: str) -> set[str]:
        """Approve it, which connects and lists its tools; the codes of what is wrong."""
        shown = self._http.get(f"/api/v1/servers/{name}").raise_for_status().json()
        (found,) = (fact["value"] for fact in shown["facts"] if fact["key"] == "hash")
        approved = self._http.post(f"/api/v1/servers/{name}/approve", json={"hash": found})
        return _codes(approved.json()) if approved.is_error else set()

    def call(self, name: str, tool: str, *words: str) -> tuple[set[str], float]:
        """Call a tool by the command, which lets the service do it; its codes, and how long."""
        began = time.monotonic()
        done = subprocess.run(
            [*PROGRAM, "call", name, tool, *words, "--json"],
            cwd=self._server.home,
            env=environ_of(self._server.home) | DEADLINES,
            capture_output=True,
            check=False,
            timeout=120,
        )
        took_s = time.monotonic() - began
        said = json.loads(done.stdout or done.stderr or b"{}")
        return (_codes(said) or {"UNKNOWN"} if done.returncode else set()), took_s

    def call_patiently(self, *words: str) -> set[str]:
        """Call until it works; on a busy machine a good server misses a deadline, too."""
        until = time.monotonic() + PATIENCE_S
        while (codes := self.call(*words)[0]) and time.monotonic() < until:
            time.sleep(1)
        return codes

    def remove(self, name: str) -> None:
        """Forget it."""
        self._http.delete(f"/api/v1/servers/{name}").raise_for_status()

    def sign_in(self, name: str) -> str:
        """Sign in with a browser that goes wherever it is shown; the reason why not."""
        with (
            httpx2.Client(trust_env=False, timeout=60) as browser,
            self._http.stream("POST", f"/api/v1/servers/{name}/sign-in") as events,
        ):
            kind = ""
            for line in events.iter_lines():
                word, _, rest = line.partition(": ")
                if word == "event":
                    kind = rest
                elif word == "data" and kind == "page":
                    page = browser.get(json.loads(rest)["url"])
                    threading.Thread(target=httpx2.get, args=(page.headers["location"],)).start()
                elif word == "data":
                    return "" if kind == "done" else rest
        return "the stream ended"

    @property
    def peak_mb(self) -> int:
        """The most memory it ever had."""
        status = Path(f"/proc/{self._server.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def _codes(value: object) -> set[str]:
    """All codes that an answer has anywhere."""
    if isinstance(value, list):
        return set().union(*map(_codes, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    own = {str(value["code"])} if isinstance(value.get("code"), str) else set[str]()
    return own.union(*map(_codes, value.values()))


def _answers(url: str) -> bool:
    """Whether a server answers without Toolweave in between."""
    try:
        httpx2.get(url, timeout=10, trust_env=False)
    except httpx2.TransportError:
        return False
    return True


def provoked(service: Service, found: Found) -> None:
    """Every HTTP server at each of its moments, and a good one after each."""
    with http_server(GOOD_HTTP, env={"HOSTILE_LIFE_S": GOOD_LIFE_S}) as url:
        service.add("good", {"url": url})
        assert service.approve("good") == set()
        service.call("good", "echo", "--arg", "text=hi")
        usual_s = max(service.call("good", "echo", "--arg", "text=hi")[1] for _ in range(2))
        before_mb = service.peak_mb
        for vice in HTTP:
            for when in MOMENTS:
                found.faults += 1
                _provoke(service, found, vice, when, usual_s)
            if codes := service.call_patiently("good", "echo", "--arg", "text=hi"):
                found.lost += 1
                itself = "answers" if _answers(url) else "is gone"
                reason = f"the good server, which {itself}, gave {sorted(codes)}"
                found.wrong.append(f"after {vice.name} {reason}")
            say(f"{vice.name}: {found}")
        more_mb = service.peak_mb - before_mb
    if more_mb > MOST_MB:
        found.wrong.append(f"{more_mb} MB more")
    found.note = f"{more_mb} MB more"


def _provoke(service: Service, found: Found, vice: Vice, when: When, usual_s: float) -> None:
    right = set(vice.codes)
    if right & TIMEOUTS:
        right |= TIMEOUTS | {"SERVER_UNRESPONSIVE"}
    extra = ("http://127.0.0.1:9/mcp",) if vice.name == "redirect_elsewhere" else ()
    with http_server(replace(vice, when=when), *extra) as url:
        service.add("hostile", {"url": url})
        began = time.monotonic()
        codes = service.approve("hostile")
        took_s = time.monotonic() - began
        # The handshake and then the list may each take all their time.
        deadline_s = 2 * DEADLINE_S
        if when == "call":
            if codes:
                found.wrong.append(f"{vice.name}: listing its tools gave {sorted(codes)}")
            codes, took_s = service.call("hostile", TRIGGER)
            deadline_s = DEADLINE_S + usual_s
        if not codes & right:
            found.wrong.append(f"{vice.name} at {when} gave {sorted(codes)}")
        if took_s > deadline_s + GRACE_S:
            found.wrong.append(f"{vice.name} at {when} took {took_s:.1f} s")
        service.remove("hostile")


@contextmanager
def a_peer(answer: Answer) -> Generator[tuple[str, list[bytes]]]:
    """A server on an event loop of its own; its address, and all requests."""
    with ExitStack() as stack:
        portal = stack.enter_context(anyio.from_thread.start_blocking_portal())
        known = stack.enter_context(portal.wrap_async_context_manager(peer(answer)))
        yield known.url, known.heads


def misled(service: Service, found: Found) -> None:
    """Every fault of an authorization server; the honest one signs a person in."""
    for name, answer, reason in (("honest", honest(), ""), *FAULTS):
        with a_peer(answer) as (url, heads):
            service.add("signing", {"url": url, "oauth": True})
            service.approve("signing")
            heads.clear()
            said = service.sign_in("signing")
            if name == "honest":
                # It has tokens and no tools: signing in ended before that.
                if not any(head.startswith(b"POST /token") for head in heads):
                    found.wrong.append(f"the honest authorization server gave {said}")
            else:
                found.faults += 1
                if reason not in said or "SERVER_SIGN_IN_FAILED" not in said:
                    found.wrong.append(f"{name}: {said or 'signed in'}")
                if any(head.startswith(b"POST /token") for head in heads):
                    found.wrong.append(f"{name}: it was asked for a token")
            service.remove("signing")


def hostile_servers() -> Part:
    """All of them; the control is the SDK's own client, which waits for ever."""

    def attacked() -> Found:
        found = Found()
        with (
            tempfile.TemporaryDirectory(prefix="toolweave-hostile-") as name,
            served(Path(name, "home"), DEADLINES) as server,
            Probe(server.url) as probe,
        ):
            service = Service(server)
            provoked(service, found)
            memory = found.note
            misled(service, found)
        found.note = (
            f"ok: {len(HTTP)} servers at 3 moments, {len(FAULTS)} faults of OAuth metadata; "
            f"{memory}; /health at most {probe.longest * 1000:.0f} ms, p99 {probe.p99 * 1000:.0f}"
        )
        return found

    def waits() -> Found:
        command = [sys.executable, "-m", "faults.bare", "never_responds"]
        try:
            subprocess.run(
                command, cwd=ROOT / "tests", timeout=WAITS_S, check=False, capture_output=True
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            if b"called" in (error.stdout or b""):
                return Found(wrong=["the SDK's own client still waits"])
        return Found()

    async def work(_dice: Random) -> Found:
        return await anyio.to_thread.run_sync(attacked)

    async def control(_dice: Random) -> Found:
        return await anyio.to_thread.run_sync(waits)

    least = len(HTTP) * len(MOMENTS) + len(FAULTS)
    return Part("hostile HTTP servers and OAuth metadata", work, control, least)
