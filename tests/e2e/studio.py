"""The studio for browser tests: built pages, a real service, a real Chromium."""

import os
import random
import runpy
import shutil
import socket
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio
import pytest
from playwright.async_api import Browser, BrowserContext, Page, async_playwright
from tests.rest.process import PROGRAM, environ_of

ROOT = Path(__file__).parents[2]
ARTIFACTS = ROOT / "tests" / "artifacts"
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
Scheme = Literal["light", "dark"]
# Behaviour is the same in both; `test_access.py` looks at the colours of every page.
PICTURED: tuple[Scheme, ...] = ("light", "dark") if "KEEP_PICTURES" in os.environ else ("light",)
PATIENCE_MS = int(os.environ.get("PATIENCE_MS", "30000"))
# Of a node that is in view as a whole, up to rounding.
WHOLE = 0.99
# Below what Linux gives to outgoing connections, so that nobody takes a port between two starts.
PORTS = range(20_000, 30_000)


def find_chromium() -> str | None:
    """Where Chromium is: the build without a window if there is one, a quarter of the work."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


def chromium() -> str:
    """Where Chromium is; without it the tests are skipped."""
    found = find_chromium()
    if found is None:
        pytest.skip("chromium is not installed; scripts/install-test-tools installs it")
    return found


def require_pages() -> None:
    """The pages as their source is now; where they cannot be built the tests are skipped."""
    web = runpy.run_path(str(ROOT / "scripts" / "build_web.py"))
    if web["is_due"]() and web["is_skipped"]():
        pytest.skip("the studio is not built, and TOOLWEAVE_WEB=skip says not to")
    try:
        web["build"]()
    except web["Unbuildable"] as error:
        pytest.skip(f"the studio cannot be built: {error}")


@dataclass
class Studio:
    """A home whose service can be killed and started again at the same address."""

    home: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    # A program that it opens as the user's browser; none, and it opens nothing.
    browser: Path | None = None
    environ: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.home / "studio.key").read_text(encoding="ascii").strip()

    @property
    def headers(self) -> dict[str, str]:
        return {"X-API-Key": self.token}

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    async def start(self) -> None:
        """Start it, and wait until it says where the studio is."""
        log = self.home / "serve.log"
        self.process = process = self._spawn(log)
        with anyio.fail_after(60):
            while b"studio: " not in (said := log.read_bytes()):
                assert process.poll() is None, said
                await anyio.sleep(0.02)

    def _spawn(self, log: Path) -> subprocess.Popen[bytes]:
        opened = {"BROWSER": str(self.browser)} if self.browser else {}
        quiet = [] if self.browser else ["--no-browser"]
        with log.open("wb") as stderr:
            return subprocess.Popen(
                [*PROGRAM, "serve", "--port", str(self.port), *quiet],
                stderr=stderr,
                stdin=subprocess.DEVNULL,
                cwd=self.home,
                env=environ_of(self.home)
                | {"TOOLWEAVE_RATE_PER_S": "1000", **self.environ}
                | opened,
            )

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(30)
            self.process = None

    async def ask(self, page: Page, method: str, path: str, body: object = None) -> object:
        """One request with the studio's key, past the page."""
        answer = await page.request.fetch(
            self.url + path, method=method, headers=self.headers, data=body
        )
        assert answer.ok, await answer.text()
        return await answer.json()


def free_port() -> int:
    """A port that nobody listens on."""
    choices = random.Random(os.getpid()).sample(PORTS, 200)
    for port in choices:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


@asynccontextmanager
async def started(
    home: Path, *, browser: Path | None = None, **environ: str
) -> AsyncGenerator[Studio]:
    """A studio over a fresh home, ended at the end."""
    studio = Studio(home, free_port(), browser=browser, environ=environ)
    try:
        await studio.start()
        yield studio
    finally:
        studio.kill()


@asynccontextmanager
async def open_browser() -> AsyncGenerator[Browser]:
    """One Chromium, closed at the end."""
    program = chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def open_page(
    browser: Browser,
    studio: Studio,
    at: str | None = None,
    *,
    scheme: Scheme = "light",
    motion: Literal["reduce", "no-preference"] = "reduce",
) -> AsyncGenerator[Page]:
    """A page at the studio's start with its key, or at `at`; a fault of its scripts fails.

    Without motion nothing glides away from under the pointer, and far fewer frames are drawn.
    """
    context: BrowserContext = await browser.new_context(
        viewport={"width": 1440, "height": 860},
        color_scheme=scheme,
        reduced_motion=motion,
    )
    context.set_default_timeout(PATIENCE_MS)
    faults: list[str] = []
    try:
        page = await context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        await page.goto(f"{studio.url}/#token={studio.token}" if at is None else at)
        yield page
    finally:
        await context.close()
    assert faults == []


async def shot(page: Page, name: str) -> None:
    """Keep a picture of the page for people to see, if `KEEP_PICTURES` is set: it takes time."""
    if "KEEP_PICTURES" not in os.environ:
        return
    await anyio.Path(ARTIFACTS).mkdir(exist_ok=True)
    await page.screenshot(path=ARTIFACTS / f"{name}.png")
