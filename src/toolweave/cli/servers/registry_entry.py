"""A server of the registry, for `toolweave servers add NAME --registry`."""

from toolweave.cli.servers.add import ServerArguments
from toolweave.home import Home
from toolweave.problems import Problem
from toolweave.servers.mcp_registry import McpRegistry
from toolweave.servers.registry_definition import proposed_definition


async def find_entry(home: Home, name: str) -> ServerArguments:
    """Return what the registry's latest version of the server proposes to register."""
    entry = await McpRegistry(home.settings.registry_url).find(name)
    found_in = f"{home.settings.registry_url} {entry.name} {entry.version}"
    proposal = proposed_definition(entry)
    warnings = proposal.notes
    if entry.status == "deprecated":
        message = f"{entry.name!r} is deprecated in the registry"
        old = Problem("REGISTRY_ENTRY_DEPRECATED", "", message, severity="warning")
        warnings = (old, *warnings)
    local = entry.name.rpartition("/")[2]
    return ServerArguments([(local, proposal.definition)], found_in, warnings)
