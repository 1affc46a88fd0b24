"""The address of a Temporal service: `temporal://HOST:PORT/NAMESPACE?queue=…&tls=…`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from toolweave.errors import Invalid
from toolweave.settings import DEFAULT_QUEUE

PORT = 7233
_OPTIONS = ("queue", "tls", "ca", "cert", "key", "lease", "runs")
_FORM = "temporal://HOST:PORT/NAMESPACE?queue=PREFIX&tls=true&lease=SECONDS&runs=NUMBER"


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Files with certificates in PEM format; without, the ones of the system count."""

    ca: Path | None = None
    # The certificate of this client, and its private key.
    cert: Path | None = None
    key: Path | None = None


@dataclass(frozen=True, slots=True)
class TemporalAddress:
    """Where Temporal is, and how runs are placed on it."""

    target: str
    namespace: str = "default"
    queue_prefix: str = "toolweave"
    uses_tls: bool = False
    # How long a worker may be silent: of its lease and of its heartbeats to Temporal.
    lease_s: float = 10.0
    # How many runs one worker executes at once.
    max_runs: int = 100
    tls_files: TlsFiles = TlsFiles()

    def task_queue(self, queue: str = DEFAULT_QUEUE) -> str:
        """The task queue in Temporal of a queue of ours; every run begins on the default one."""
        return f"{self.queue_prefix}-{queue}"


def parse_address(text: str) -> TemporalAddress:
    """Read an address. Raises `SETTING_INVALID`."""
    parts = urlsplit(text)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(options) - set(_OPTIONS))
    namespace = unquote(parts.path.strip("/")) or "default"
    try:
        port = parts.port or PORT
    except ValueError:
        raise invalid_address("its port is not a number from 1 to 65535") from None
    if not parts.hostname or parts.username or parts.fragment or "/" in namespace:
        raise invalid_address("it does not name a host and a namespace")
    if unknown:
        raise invalid_address(f"unknown option {unknown[0]!r}; there are {', '.join(_OPTIONS)}")
    if ("cert" in options) != ("key" in options):
        raise invalid_address("the options 'cert' and 'key' go together")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return TemporalAddress(
        f"{host}:{port}",
        namespace,
        options.get("queue") or "toolweave",
        uses_tls=_flag(options, "tls") or not {"ca", "cert"}.isdisjoint(options),
        lease_s=_whole(options, "lease", 10, 3_600),
        max_runs=_whole(options, "runs", 100, 10_000),
        tls_files=TlsFiles(*(_file(options, name) for name in ("ca", "cert", "key"))),
    )


def _file(options: Mapping[str, str], name: str) -> Path | None:
    return Path(options[name]) if options.get(name) else None


def _flag(options: Mapping[str, str], name: str) -> bool:
    found = options.get(name, "false").lower()
    if found not in {"true", "false"}:
        raise invalid_address(f"option {name!r} is {found!r}; expected true or false")
    return found == "true"


def _whole(options: Mapping[str, str], name: str, default: int, most: int) -> int:
    found = options.get(name, str(default))
    if not found.isdecimal() or not 1 <= int(found) <= most:
        raise invalid_address(
            f"option {name!r} is {found!r}; expected a whole number from 1 to {most:,}"
        )
    return int(found)


def invalid_address(reason: str) -> Invalid:
    """The error for an address that cannot be used."""
    return Invalid("SETTING_INVALID", f"the backend's address is invalid: {reason}", hint=_FORM)
