"""Runs the git program: argv lists, our settings only, a deadline, size limits.

All configuration comes from our arguments and environment: no configuration of the system or
the user, no hooks, no submodules, no prompts, no protocol but that of the address.
"""

import base64
import os
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import ByteReceiveStream, Process

from toolweave.errors import TimedOut, Unavailable
from toolweave.library.remote import Remote
from toolweave.settings import MIB

MAX_OUTPUT_BYTES = 96 * MIB
MAX_STORED_BYTES = 256 * MIB
MAX_ERROR_BYTES = 16 * 1024
LOOK_EVERY_S = 0.1
# What a program may need of our environment to be found and to reach an ssh agent.
# The variables with a file of certificates that a company's own hosts are checked with.
CERTIFICATES = ("GIT_SSL_CAINFO", "SSL_CERT_FILE")
# Gives the token for a host, if there is one.
TokenFor = Callable[[str], Awaitable[str | None]]
PASSED_ON = ("PATH", "HOME", "USER", "SSH_AUTH_SOCK", "LANG", "SYSTEMROOT", "TMPDIR", "TEMP")
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.symlinks": "false",
    "core.attributesFile": os.devnull,
    "transfer.fsckObjects": "true",
    "fetch.fsckObjects": "true",
    "fetch.recurseSubmodules": "false",
    "fetch.negotiationAlgorithm": "noop",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "30",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "credential.helper": "",
    "protocol.allow": "never",
    "protocol.version": "2",
}
# A folder of this machine answers like a host: partial clones, any commit.
_LOCAL_SERVER = (
    "git -c uploadpack.allowFilter=true -c uploadpack.allowAnySHA1InWant=true"
    " -c safe.directory=* upload-pack"
)
_PROMISED = {"promisor": "true", "partialclonefilter": "blob:none"}


@dataclass(frozen=True, slots=True)
class GitResult:
    """The result of a command."""

    code: int
    out: bytes
    error: str


class Git:
    """Runs git commands on bare repositories."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        deadline_s: float,
        token_for: TokenFor | None = None,
    ) -> None:
        self._environ = {name: environ[name] for name in PASSED_ON if name in environ}
        self._certificates = next((environ[one] for one in CERTIFICATES if environ.get(one)), None)
        self._token_for = token_for
        self._deadline_s = deadline_s
        # The number of requests to remotes, which the cache keeps low.
        self.asked = 0

    async def here(self, folder: Path, *arguments: str, given: bytes = b"") -> GitResult:
        """Run a command that needs only the repository in `folder`."""
        return await self._run(folder, arguments, given, {})

    async def there(
        self, folder: Path, remote: Remote, *arguments: str, given: bytes = b""
    ) -> GitResult:
        """Run a command on the remote, named `origin`."""
        self.asked += 1
        settings = {f"remote.origin.{name}": value for name, value in _PROMISED.items()}
        settings["remote.origin.url"] = remote.url
        settings[f"protocol.{remote.protocol}.allow"] = "always"
        if remote.protocol == "file":
            settings["remote.origin.uploadpack"] = _LOCAL_SERVER
        if remote.protocol == "https":
            settings |= await self._secured(remote)
        return await self._run(folder, arguments, given, settings)

    async def _secured(self, remote: Remote) -> dict[str, str]:
        """The settings for a host: its certificates, and a token, which no argument shows."""
        settings: dict[str, str] = {}
        if self._certificates:
            settings["http.sslCAInfo"] = self._certificates
        token = await self._token_for(remote.host) if self._token_for else None
        if token:
            pair = token if ":" in token else f"x-access-token:{token}"
            coded = base64.b64encode(pair.encode()).decode()
            settings[f"http.https://{remote.host}/.extraHeader"] = f"Authorization: Basic {coded}"
        return settings

    async def _run(
        self, folder: Path, arguments: Sequence[str], given: bytes, settings: Mapping[str, str]
    ) -> GitResult:
        command = ["git", f"--git-dir={folder}", "--no-pager", *arguments]
        with anyio.move_on_after(self._deadline_s):
            async with _started(command, self._environment(settings)) as process:
                return await _finished(process, given, folder)
        raise TimedOut(
            "GITHUB_ERROR",
            f"git {arguments[0]} did not end within {self._deadline_s:g} s",
            hint="try again, or set TOOLWEAVE_LIBRARY_DEADLINE_S higher",
        )

    def _environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        pairs = list({**_SETTINGS, **settings}.items())
        numbered = {"GIT_CONFIG_COUNT": str(len(pairs))}
        for at, (key, value) in enumerate(pairs):
            numbered[f"GIT_CONFIG_KEY_{at}"] = key
            numbered[f"GIT_CONFIG_VALUE_{at}"] = value
        return {**self._environ, **_ENVIRONMENT, **numbered}


@asynccontextmanager
async def _started(command: Sequence[str], environ: Mapping[str, str]) -> AsyncGenerator[Process]:
    try:
        process = await anyio.open_process(command, env=environ, start_new_session=True)
    except OSError as error:
        raise Unavailable(
            "GITHUB_ERROR",
            f"git cannot be started: {error.strerror}",
            hint="install git; libraries are read with it",
        ) from None
    try:
        yield process
    finally:
        with anyio.CancelScope(shield=True):
            _kill(process)
            await process.wait()
            await process.aclose()


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


async def _finished(process: Process, given: bytes, folder: Path) -> GitResult:
    out, error = bytearray(), bytearray()
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    stdin = process.stdin

    async def feed() -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await stdin.send(given)
        await stdin.aclose()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(feed)
        tasks.start_soon(_collect, process.stdout, out, MAX_OUTPUT_BYTES)
        tasks.start_soon(_collect, process.stderr, error, MAX_ERROR_BYTES)
        while process.returncode is None:
            with anyio.move_on_after(LOOK_EVERY_S):
                await process.wait()
            if _is_flood(folder, out):
                _kill(process)
                break
    code = await process.wait()
    if _is_flood(folder, out):
        raise Unavailable(
            "GITHUB_ERROR",
            "the repository's flows and templates are larger than a library may be",
            hint=f"at most {MAX_STORED_BYTES // MIB} MiB are kept of a repository",
        )
    return GitResult(code, bytes(out), error.decode("utf-8", "replace").strip())


def _is_flood(folder: Path, out: bytearray) -> bool:
    """The size is unknown before: it is measured while data arrives."""
    stored = 0
    with suppress(OSError):
        for entry in os.scandir(folder / "objects" / "pack"):
            stored += entry.stat(follow_symlinks=False).st_size
    return stored > MAX_STORED_BYTES or len(out) > MAX_OUTPUT_BYTES


async def _collect(stream: ByteReceiveStream, into: bytearray, most: int) -> None:
    async for chunk in stream:
        if len(into) <= most:  # read and drop the rest, so that the writer can end
            into += chunk
