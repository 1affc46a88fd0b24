"""`toolweave servers search WORDS`: find servers in a registry."""

import shlex

import click

from toolweave.cli.session import in_home
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.home import Home
from toolweave.servers.mcp_registry import McpRegistry, RegistrySearch


@click.command()
@click.argument("words", nargs=-1, required=True)
@json_option
def search(words: tuple[str, ...], as_json: bool) -> None:
    """Find servers in the registry of TOOLWEAVE_REGISTRY_URL; nothing is started."""

    async def work(home: Home) -> RegistrySearch:
        return await McpRegistry(home.settings.registry_url).search(" ".join(words))

    result = in_home(work)
    found = result.found
    if as_json:
        keys = ("name", "description", "version", "status")
        print_json([{key: getattr(one, key) for key in keys} for one in found])
        return
    for one in found:
        mark = ("  deprecated", "yellow") if one.status == "deprecated" else ""
        say((one.name, "bold"), f"  {one.version}", mark)
        say((one.description, "dim"), indent=2)
    if result.has_more:
        say("The registry has more; use more words to narrow the search.", stderr=True)
    if found:
        say(f"Add one with `toolweave servers add {shlex.quote(found[0].name)} --registry`.")
    else:
        say("No servers found.")
