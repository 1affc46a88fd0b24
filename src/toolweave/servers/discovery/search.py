"""Search the configuration of all clients, with precedence between entries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from toolweave.servers.definition import Scope
from toolweave.servers.discovery import discover
from toolweave.servers.discovery.client import Client, DiscoveredServer, FileProblem
from toolweave.servers.discovery.locations import ClientLocations

_NEARNESS: dict[Scope, int] = {"enterprise": 0, "local": 1, "project": 2, "user": 3}


@dataclass(frozen=True, slots=True)
class Discovery:
    """Every server of every client, and every file that could not be read."""

    found: tuple[DiscoveredServer, ...]
    file_problems: tuple[FileProblem, ...]


def discover_all(places: ClientLocations, clients: Sequence[Client] | None = None) -> Discovery:
    """Return the servers of all clients, by client, then by precedence."""
    found: list[DiscoveredServer] = []
    problems: list[FileProblem] = []
    for client in discover() if clients is None else clients:
        own: list[DiscoveredServer] = []
        for item in client.find(places):
            if isinstance(item, DiscoveredServer):
                own.append(item)
            else:
                problems.append(item)
        found += _in_precedence(own)
    return Discovery(tuple(found), tuple(problems))


def _in_precedence(found: Iterable[DiscoveredServer]) -> list[DiscoveredServer]:
    """One client's servers, each hidden by the nearest usable one of the same name.

    An invalid or disabled entry hides nothing: a project's rejected server must not
    take the place of the user's own.
    """
    nearest: dict[str, DiscoveredServer] = {}
    ordered: list[DiscoveredServer] = []
    for item in sorted(found, key=lambda item: _NEARNESS[item.scope]):
        winner = nearest.get(item.name)
        if item.shadowed_by is None and winner is not None:
            item = replace(item, shadowed_by=winner.origin)
        elif item.shadowed_by is None and item.definition is not None and not item.disabled:
            nearest[item.name] = item
        ordered.append(item)
    return ordered
