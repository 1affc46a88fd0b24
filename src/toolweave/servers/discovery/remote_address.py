"""The transport of an address for which the client's file names none."""

from toolweave.problems import Problem
from toolweave.servers.config_entry import config_pointer


def with_transport(
    entry: dict[str, object], at: str, client: str
) -> tuple[dict[str, object], list[Problem]]:
    """Return `entry` with a type for its address, and a warning that this was assumed."""
    url = entry.get("url")
    if not isinstance(url, str) or entry.get("type") or entry.get("command"):
        return entry, []
    transport = "sse" if url.rstrip("/").endswith("/sse") else "http"
    warning = Problem(
        "SERVER_TRANSPORT_ASSUMED",
        at + config_pointer("url"),
        f"{client} tries HTTP and then SSE; it is imported as {transport!r}",
        hint='set `"type": "http"` or `"type": "sse"`',
        severity="warning",
    )
    return {**entry, "type": transport}, [warning]
