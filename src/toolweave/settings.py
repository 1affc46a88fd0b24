"""Settings: one frozen value, read once in `app.py` and handed down in pieces."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from toolweave.errors import Invalid

MIB = 1024 * 1024
PREFIX = "TOOLWEAVE_"

# What each variable is for, in the order of the page; a number's default and least are read off.
WORDS: Mapping[str, str] = {
    "HOME": "Where everything is kept. Default: your platform's data directory for `toolweave`.",
    "DATABASE": "`postgresql://…` or a file's path. Default: `toolweave.db` in the home.",
    "LOCKFILE": "Where approved tools are pinned. Default: `toolweave.lock.json` in the current "
    "directory if there is one, else in the home.",
    "VAULT_KEY": "The key of the secret vault, base64 of 32 bytes. Default: your system's "
    "keyring, else a file in the home that only you can read.",
    "CALL_DEADLINE_S": "Seconds a tool call may take.",
    "CONNECT_DEADLINE_S": "Seconds a server may take to start and answer.",
    "CONCURRENT_CALLS": "Tool calls that may run at the same time.",
    "CALLS_PER_SESSION": "Tool calls one session may make; -1 for as many as it likes.",
    "OUTPUT_BYTES": "Bytes of one answer that are read.",
    "RATE_PER_S": "Requests a second one API key may make.",
    "BURST": "Requests one API key may make at once, before that rate counts.",
    "KEEP_DAYS": "Days a finished run is kept; 0 for ever.",
    "KEEP_RUNS": "Finished runs that are kept; 0 for all.",
    "MCP_SOON_S": "Seconds before a run is given as a task to clients that know tasks.",
    "MCP_WAIT_S": "Seconds that a call of a published workflow waits for its run.",
    "LIBRARY_DEADLINE_S": "How long one question to a git host may take.",
    "ALLOW_PRIVATE_HTTP": "1 lets nodes connect to this machine and its private network.",
    "FILE_ROOTS": "Folders that nodes may read and write, beside `files` in the home; separated "
    "as in PATH.",
    "MODEL_URL": "Base address of a model that speaks as OpenAI does, such as Ollama's.",
    "MODEL": "Name of the model at TOOLWEAVE_MODEL_URL.",
    "MODEL_KEY": "Key for TOOLWEAVE_MODEL_URL, where it wants one.",
    "DEBUG": "Any value: commands show where an error happened, and what is logged.",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may happen: seed 002's tracker and the caps that keep hostile servers harmless."""

    concurrent_calls: int = 25
    calls_per_session: int = 25  # -1 = unlimited
    call_deadline_s: float = 30.0
    connect_deadline_s: float = 20.0
    output_bytes: int = 16 * MIB
    tools_pages: int = 100
    tools_per_server: int = 2_000


@dataclass(frozen=True, slots=True)
class Retry:
    """Waits between tries; there is one more try than there are waits."""

    waits_s: tuple[float, ...] = (1.0, 5.0, 15.0)  # 002: back-off, then auto-disable


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, with its default."""

    home: Path
    database: str | None = None  # None = SQLite under home
    lockfile: Path | None = None
    health_every_s: float = 30.0
    # What one API key may ask for over HTTP.
    rate_per_s: float = 50.0
    burst: int = 200
    # How long and how many finished runs are kept; 0 = for ever.
    keep_days: float = 30.0
    keep_runs: int = 10_000
    # How long one question to a git host may take.
    library_deadline_s: float = 60.0
    # Whether nodes may connect to this machine and its private network.
    allow_private_http: bool = False
    # Folders that nodes may read and write, beside the home's own.
    file_roots: tuple[Path, ...] = ()
    # How long a call of a published tool waits for its run, and before it is a task.
    mcp_wait_s: float = 45.0
    mcp_soon_s: float = 2.0
    limits: Limits = field(default_factory=Limits)
    retry: Retry = field(default_factory=Retry)


def from_environment(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from `TOOLWEAVE_*` variables and defaults.

    Raises:
        Invalid: `SETTING_INVALID` for a value that cannot be read.
    """
    env = os.environ if environ is None else environ
    home = Path(
        env.get("TOOLWEAVE_HOME") or platformdirs.user_data_dir("toolweave", appauthor=False)
    )
    lockfile = env.get("TOOLWEAVE_LOCKFILE")
    default = Limits()
    return Settings(
        home=home.expanduser().absolute(),
        database=env.get("TOOLWEAVE_DATABASE") or None,
        lockfile=Path(lockfile).expanduser().absolute() if lockfile else None,
        rate_per_s=_number(env, "RATE_PER_S", 50.0, 0.1),
        burst=int(_number(env, "BURST", 200, 1)),
        keep_days=_number(env, "KEEP_DAYS", 30.0, 0),
        keep_runs=int(_number(env, "KEEP_RUNS", 10_000, 0)),
        library_deadline_s=_number(env, "LIBRARY_DEADLINE_S", 60.0, 0.1),
        allow_private_http=_number(env, "ALLOW_PRIVATE_HTTP", 0, 0) > 0,
        mcp_wait_s=_number(env, "MCP_WAIT_S", 45.0, 0.1),
        mcp_soon_s=_number(env, "MCP_SOON_S", 2.0, 0.1),
        file_roots=tuple(
            Path(folder).expanduser().absolute()
            for folder in env.get("TOOLWEAVE_FILE_ROOTS", "").split(os.pathsep)
            if folder
        ),
        limits=Limits(
            concurrent_calls=int(_number(env, "CONCURRENT_CALLS", default.concurrent_calls, 1)),
            calls_per_session=int(_number(env, "CALLS_PER_SESSION", default.calls_per_session, -1)),
            call_deadline_s=_number(env, "CALL_DEADLINE_S", default.call_deadline_s, 0.001),
            connect_deadline_s=_number(
                env, "CONNECT_DEADLINE_S", default.connect_deadline_s, 0.001
            ),
            output_bytes=int(_number(env, "OUTPUT_BYTES", default.output_bytes, 1024)),
        ),
    )


def _number(env: Mapping[str, str], name: str, default: float, least: float) -> float:
    text = env.get(PREFIX + name)
    if not text:
        return default
    if not re.fullmatch(r"-?\d+(\.\d+)?", text) or float(text) < least:
        raise Invalid(
            "SETTING_INVALID",
            f"TOOLWEAVE_{name} is {text!r}; expected a number of at least {least:g}",
        )
    return float(text)
