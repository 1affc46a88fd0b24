"""A registry of MCP servers, with the API of the official one: search it, find an entry."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode

from toolweave import json_text
from toolweave.errors import Invalid, NotFound, Unavailable
from toolweave.network.addresses import AllowedHosts
from toolweave.network.client import open_http_client
from toolweave.servers.disconnect_reason import printable

API = "v0.1"
MAX_BYTES = 4 * 1024 * 1024
DEADLINE_S = 20.0
LISTED = 30
PAGE = 100
# A search reads so many pages for each of its first words.
MAX_PAGES = 5
MAX_WORDS = 4

# Any: what a registry sent.
_Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """One server of a registry."""

    name: str
    description: str
    version: str
    status: str
    raw: _Entry


@dataclass(frozen=True, slots=True)
class RegistrySearch:
    """What a search found; `has_more` if the registry may have others."""

    found: tuple[RegistryEntry, ...]
    has_more: bool


class McpRegistry:
    """Reads the registry at one address, which may end with the version of its API."""

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/").removesuffix(f"/{API}")

    async def search(self, words: str) -> RegistrySearch:
        """Return servers with all the words in name or description, the latest version of each.

        The registry itself compares one text with names only, so it is asked word by word.
        """
        wanted = words.casefold().split()
        found: dict[str, RegistryEntry] = {}
        has_more = False
        for word in wanted[:MAX_WORDS]:
            entries, is_cut = await self._named(word)
            has_more = has_more or is_cut
            for entry in entries:
                text = f"{entry.name} {entry.description}".casefold()
                if entry.status != "deleted" and all(each in text for each in wanted):
                    found.setdefault(entry.name, entry)
        return RegistrySearch(tuple(found.values())[:LISTED], has_more or len(found) > LISTED)

    async def _named(self, word: str) -> tuple[list[RegistryEntry], bool]:
        """Return the servers with a word in their names, and whether further pages were left."""
        entries: list[RegistryEntry] = []
        query: dict[str, str | int] = {"search": word, "version": "latest", "limit": PAGE}
        for _ in range(MAX_PAGES):
            page = await self._get(f"/servers?{urlencode(query)}")
            read = (_entry(one) for one in objects_in(page, "servers"))
            entries += [one for one in read if one is not None]
            metadata: object = page.get("metadata")
            listed = cast("_Entry", metadata if isinstance(metadata, dict) else {})
            cursor = listed.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                return entries, False
            query["cursor"] = cursor
        return entries, True

    async def find(self, name: str) -> RegistryEntry:
        """Return the latest version of a server. Raises `NotFound`: `REGISTRY_ENTRY_NOT_FOUND`."""
        raw = await self._get(f"/servers/{quote(name, safe='')}/versions/latest", name)
        entry = _entry(raw)
        if entry is None or entry.name != name or entry.status == "deleted":
            raise _missing(name)
        return entry

    async def _get(self, path: str, name: str = "") -> _Entry:
        address = f"{self._base}/{API}{path}"
        allow = AllowedHosts.of(self._base)
        async with open_http_client(
            allow=allow, timeout=DEADLINE_S, total_s=DEADLINE_S, max_body_bytes=MAX_BYTES
        ) as client:
            try:
                response = await client.get(address)
            except Unavailable as error:
                if error.code != "SERVER_RESPONSE_TOO_LARGE":
                    raise
                message = f"the registry {self._base!r} sent more than {MAX_BYTES // 2**20} MiB"
                raise Unavailable("REGISTRY_UNAVAILABLE", message) from None
        if response.status_code == 404 and name:
            raise _missing(name)
        if response.status_code != 200:
            message = f"the registry {self._base!r} answered {response.status_code}"
            hint = "check TOOLWEAVE_REGISTRY_URL: the address before `/v0.1/servers`"
            raise Unavailable("REGISTRY_UNAVAILABLE", message, hint=hint)
        try:
            found = json_text.read(response.content)
        except Invalid:
            found = None
        if not isinstance(found, dict):
            raise Unavailable("REGISTRY_UNAVAILABLE", f"{self._base!r} is no registry of servers")
        return found


def objects_in(entry: _Entry, name: str) -> list[_Entry]:
    """Return the objects in a list that a registry sent."""
    found = entry.get(name)
    entries = cast("list[Any]", found) if isinstance(found, list) else []
    return [cast("_Entry", one) for one in entries if isinstance(one, dict)]


def _entry(raw: _Entry) -> RegistryEntry | None:
    nested: object = raw.get("server")
    server = cast("_Entry", nested if isinstance(nested, dict) else raw)
    name = server.get("name")
    if not isinstance(name, str) or not name:
        return None
    meta = raw.get("_meta")
    official: object = (
        cast("_Entry", meta).get("io.modelcontextprotocol.registry/official")
        if isinstance(meta, dict)
        else None
    )
    known = cast("_Entry", official if isinstance(official, dict) else server)
    status = known.get("status")
    return RegistryEntry(
        printable(name, 200),
        printable(str(server.get("description") or ""), 500),
        printable(str(server.get("version") or ""), 100),
        str(status or "active"),
        server,
    )


def _missing(name: str) -> NotFound:
    return NotFound(
        "REGISTRY_ENTRY_NOT_FOUND",
        f"the registry has no server {name[:200]!r}",
        hint="`toolweave servers search WORDS` finds names",
    )
