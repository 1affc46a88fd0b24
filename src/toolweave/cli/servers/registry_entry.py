"""A server of the registry, for `toolweave servers add NAME --registry`."""

from toolweave.cli.servers.add import ServerArguments
from toolweave.home import Home
from toolweave.problems import Problem
from toolweave.servers.mcp_registry import McpRegistry, definition_of


async def find_entry(home: Home, name: str) -> ServerArguments:
    """Return what the registry's latest version of the server proposes to register."""
    entry = await McpRegistry(home.settings.registry_url).find(name)
    found_in = f"{home.settings.registry_url} {entry.name} {entry.version}"
    warnings: tuple[Problem, ...] = ()
    if entry.status == "deprecated":
        message = f"{entry.name!r} is deprecated in the registry"
        warnings = (Problem("REGISTRY_ENTRY_DEPRECATED", "", message, severity="warning"),)
    local = entry.name.rpartition("/")[2]
    return ServerArguments([(local, definition_of(entry))], found_in, warnings)
