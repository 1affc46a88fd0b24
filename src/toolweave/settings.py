"""Settings: one frozen value, read once at startup and passed down in parts."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from toolweave.errors import Invalid

MIB = 1024 * 1024
PREFIX = "TOOLWEAVE_"
LOCKFILE = "toolweave.lock.json"
# The queue of steps that name none, and the form of names.
DEFAULT_QUEUE = "default"
QUEUE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"
REGISTRY = "https://registry.modelcontextprotocol.io"

# Descriptions in page order; a number's default and minimum come from the model.
WORDS: Mapping[str, str] = {
    "HOME": "The home directory. Default: your platform's data directory for `toolweave`.",
    "DATABASE": "A `postgresql://…` URL or a file path. Default: `toolweave.db` in the home.",
    "BACKEND": "Who drives runs: `local`, or `temporal://HOST:PORT/NAMESPACE` for a fleet of "
    "workers. Default: `local`.",
    "BACKEND_KEY": "API key of the backend. Default: the secret `backend_key` in the vault.",
    "QUEUES": "The queues whose steps this process executes, separated by commas. Default: "
    "`default`.",
    "LOCKFILE": "The lockfile of approved tools. Default: `toolweave.lock.json` in the current "
    "directory if it exists, otherwise in the home.",
    "VAULT_KEY": "The vault key: 32 bytes in base64. Default: a key in your system's "
    "keyring, otherwise in a file in the home that only you can read.",
    "CALL_DEADLINE_S": "Timeout of a tool call in seconds.",
    "CONNECT_DEADLINE_S": "Timeout in seconds for a server to start and respond.",
    "RETRY_DELAYS_S": "Delays in seconds before a failed connection is retried. Default: `1,5,15`.",
    "CONCURRENT_CALLS": "Maximum number of concurrent tool calls.",
    "CALLS_PER_SESSION": "Maximum number of tool calls per session; -1 for unlimited.",
    "OUTPUT_BYTES": "Maximum size of one response in bytes.",
    "RATE_PER_S": "Requests per second for one API key.",
    "BURST": "Burst size: requests one API key may make before the rate limit applies.",
    "KEEP_DAYS": "Days to keep finished runs; 0 keeps them indefinitely.",
    "KEEP_RUNS": "Number of finished runs to keep; 0 keeps all.",
    "KEEP_VERSIONS": "Number of saved versions to keep per workflow, besides those that were named "
    "or published; 0 keeps all.",
    "RECORD_BYTES": "Largest exchange of a run with a tool or model that is kept for recordings, "
    "in bytes; 0 keeps none.",
    "RECORD_MASK": "Names of fields whose texts are masked in every recording, separated by "
    "commas; `*` stands for any characters: `email,*_phone`.",
    "MCP_SOON_S": "Seconds before a run is returned as a task to clients that support tasks.",
    "MCP_WAIT_S": "Seconds a call of a published workflow waits for its run.",
    "DRAIN_S": "Seconds that running steps get to finish when a service or worker stops; a step "
    "that takes longer is handled as after a crash.",
    "LIBRARY_DEADLINE_S": "Timeout in seconds for one request to a git host.",
    "REGISTRY_URL": "Address of the registry that `servers search` and `servers add --registry` "
    "ask. Default: `https://registry.modelcontextprotocol.io`.",
    "ALLOW_PRIVATE_HTTP": "Set to 1 to let nodes connect to this machine and its private network.",
    "FILE_ROOTS": "Folders that nodes may read and write besides `files` in the home; separated "
    "as in PATH.",
    "SEMANTIC_SEARCH": "Set to 1 to rank nodes by meaning too; needs the extra `semantic`.",
    "OAUTH_CLIENT_URL": "The https address under which others reach `/oauth/client.json` of this "
    "studio: sign-ins to servers then need no registration, where their service supports that.",
    "MODEL_URL": "Base URL of a model with an OpenAI-compatible API, such as Ollama.",
    "MODEL": "Model name at TOOLWEAVE_MODEL_URL.",
    "MODEL_KEY": "API key for TOOLWEAVE_MODEL_URL, if required.",
    "DEBUG": "Any value: commands print tracebacks and log messages.",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on tool calls and on what servers may send."""

    concurrent_calls: int = 25
    calls_per_session: int = 25  # -1 = unlimited
    call_deadline_s: float = 30.0
    connect_deadline_s: float = 20.0
    output_bytes: int = 16 * MIB
    tools_pages: int = 100
    tools_per_server: int = 2_000


@dataclass(frozen=True, slots=True)
class Retry:
    """Delays between attempts; there is one more attempt than there are delays."""

    waits_s: tuple[float, ...] = (1.0, 5.0, 15.0)  # after the last delay the server is disabled


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults."""

    home: Path
    database: str | None = None  # None = SQLite under home
    backend: str | None = None  # None = local
    backend_key: str | None = field(default=None, repr=False)
    # The queues whose steps this process executes.
    queues: tuple[str, ...] = (DEFAULT_QUEUE,)
    lockfile: Path | None = None
    health_every_s: float = 30.0
    # Rate limit of one API key over HTTP.
    rate_per_s: float = 50.0
    burst: int = 200
    # Retention of finished runs in days and in number; 0 = unlimited.
    keep_days: float = 30.0
    keep_runs: int = 10_000
    # Saved versions to keep per workflow; 0 = unlimited.
    keep_versions: int = 100
    # The largest exchange of a run with a tool or model that is kept for recordings; 0 = none.
    record_bytes: int = 4 * MIB
    # Names of fields, with `*`, whose texts are masked in every recording.
    record_mask: tuple[str, ...] = ()
    # How long a service that stops waits for its running steps.
    drain_s: float = 0.0
    # Timeout of one request to a git host.
    library_deadline_s: float = 60.0
    # The registry of MCP servers.
    registry_url: str = REGISTRY
    # Whether nodes may connect to this machine and its private network.
    allow_private_http: bool = False
    # Whether the catalog is searched by meaning too.
    semantic_search: bool = False
    # Folders that nodes may read and write, in addition to the home's own.
    file_roots: tuple[Path, ...] = ()
    # The document that describes this studio as an OAuth client.
    oauth_client_url: str | None = None
    # How long a call of a published tool waits for its run, and when it becomes a task.
    mcp_wait_s: float = 45.0
    mcp_soon_s: float = 2.0
    limits: Limits = field(default_factory=Limits)
    retry: Retry = field(default_factory=Retry)


def from_environment(environ: Mapping[str, str] | None = None) -> Settings:
    """Read settings from `TOOLWEAVE_*` variables and defaults."""
    env = os.environ if environ is None else environ
    home = Path(env.get("TOOLWEAVE_HOME") or _data_folder())
    lockfile = env.get("TOOLWEAVE_LOCKFILE")
    default = Limits()
    return Settings(
        home=home.expanduser().absolute(),
        database=env.get("TOOLWEAVE_DATABASE") or None,
        backend=env.get("TOOLWEAVE_BACKEND") or None,
        backend_key=env.get("TOOLWEAVE_BACKEND_KEY") or None,
        queues=read_queues(env.get("TOOLWEAVE_QUEUES") or DEFAULT_QUEUE),
        lockfile=Path(lockfile).expanduser().absolute() if lockfile else None,
        rate_per_s=_number(env, "RATE_PER_S", 50.0, 0.1),
        burst=int(_number(env, "BURST", 200, 1)),
        keep_days=_number(env, "KEEP_DAYS", 30.0, 0),
        keep_runs=int(_number(env, "KEEP_RUNS", 10_000, 0)),
        keep_versions=int(_number(env, "KEEP_VERSIONS", 100, 0)),
        record_bytes=int(_number(env, "RECORD_BYTES", 4 * MIB, 0)),
        record_mask=tuple(
            name.strip() for name in env.get("TOOLWEAVE_RECORD_MASK", "").split(",") if name.strip()
        ),
        drain_s=_number(env, "DRAIN_S", 8.0, 0),
        library_deadline_s=_number(env, "LIBRARY_DEADLINE_S", 60.0, 0.1),
        registry_url=env.get("TOOLWEAVE_REGISTRY_URL") or REGISTRY,
        allow_private_http=_number(env, "ALLOW_PRIVATE_HTTP", 0, 0) > 0,
        semantic_search=_number(env, "SEMANTIC_SEARCH", 0, 0) > 0,
        mcp_wait_s=_number(env, "MCP_WAIT_S", 45.0, 0.1),
        mcp_soon_s=_number(env, "MCP_SOON_S", 2.0, 0.1),
        oauth_client_url=_document_url(env),
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
        retry=_retry(env),
    )


def read_queues(text: str) -> tuple[str, ...]:
    """Read the names of queues, separated by commas. Raises `SETTING_INVALID`."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if not re.match(QUEUE_PATTERN, name):
            raise Invalid(
                "SETTING_INVALID",
                f"{name!r} is not the name of a queue; expected letters, digits and . _ -",
                hint="separate names by commas: default,gpu",
            )
    return names


def lockfile_path(settings: Settings, directory: Path) -> Path:
    """Return the lockfile path: the setting, else the project's file, else the home's."""
    if settings.lockfile is not None:
        return settings.lockfile
    of_project = directory / LOCKFILE
    return of_project if of_project.exists() else settings.home / LOCKFILE


def _retry(env: Mapping[str, str]) -> Retry:
    text = env.get("TOOLWEAVE_RETRY_DELAYS_S")
    if not text:
        return Retry()
    if not re.fullmatch(r"\d+(\.\d+)?(,\d+(\.\d+)?){0,9}", text):
        raise Invalid(
            "SETTING_INVALID",
            f"TOOLWEAVE_RETRY_DELAYS_S is {text!r}; expected up to 10 numbers such as '1,5,15'",
        )
    return Retry(tuple(float(delay) for delay in text.split(",")))


def _document_url(env: Mapping[str, str]) -> str | None:
    text = env.get("TOOLWEAVE_OAUTH_CLIENT_URL")
    if text and not re.fullmatch(r"https://[^\s/?#@]+/[^\s?#]+", text):
        raise Invalid(
            "SETTING_INVALID",
            f"TOOLWEAVE_OAUTH_CLIENT_URL is {text!r}; expected an https address with a path",
        )
    return text or None


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


def _data_folder() -> str:
    """The platform's folder for data of a program."""
    return import_module("platformdirs").user_data_dir("toolweave", appauthor=False)
