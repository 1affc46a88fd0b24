"""The registered servers as checks and the catalog see them: names, addresses, approval.

What is stored is compared with what was approved, and no definition is parsed: that would load more
code than a command which checks a file needs.
"""

import hashlib
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from toolweave.errors import Invalid
from toolweave.json_text import canonical, read
from toolweave.storage.database import Database


@dataclass(frozen=True, slots=True)
class KnownServer:
    """One registered server."""

    name: str
    is_approved: bool
    enabled: bool
    # Of a remote server.
    url: str | None


async def known_servers(database: Database) -> list[KnownServer]:
    """Return all registered servers, sorted by name."""
    rows = await database.rows(
        "SELECT name, definition, approved_hash, enabled FROM servers ORDER BY name"
    )
    return [_known(*row) for row in rows]


def facts_hash(facts: dict[str, Any]) -> str:  # Any: a definition as JSON
    """Return the hash an approval is bound to: everything that decides what runs, no secret values.

    Environment and header values may contain secrets, so only names count; `${…}` text in
    arguments, directory and address counts as written.
    """
    public = {
        name: sorted(value) if name in ("env", "headers") else value
        for name, value in facts.items()
    }
    return hashlib.sha256(canonical(public)).hexdigest()


def _known(name: str, stored: str, approved_hash: str | None, enabled: int) -> KnownServer:
    unreadable = KnownServer(name, is_approved=False, enabled=bool(enabled), url=None)
    try:
        facts = read(stored)
    except (Invalid, TypeError):
        return unreadable
    if not isinstance(facts, dict):
        return unreadable
    is_approved = approved_hash is not None and facts_hash(facts) == approved_hash
    if not is_approved and approved_hash is not None:
        # A field may be missing that an earlier release did not write.
        try:
            definition = import_module("toolweave.servers.registry").read_definition(stored)
        except Invalid:  # of another version: unapproved here
            return unreadable
        is_approved = facts_hash(definition.model_dump(mode="json")) == approved_hash
    url = facts.get("url")
    return KnownServer(name, is_approved, bool(enabled), url if isinstance(url, str) else None)
