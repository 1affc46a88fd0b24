"""`toolweave servers`: joins its commands."""

import click

from toolweave.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "add": ("toolweave.cli.servers.add", "add", "Register a server; nothing is started."),
        "approve": (
            "toolweave.cli.servers.approve",
            "approve",
            "Look at exactly what would be started, and allow it.",
        ),
        "check": ("toolweave.cli.servers.check", "check", "Ping servers, all at the same time."),
        "disable": ("toolweave.cli.servers.state", "disable", "Switch a server off."),
        "discover": (
            "toolweave.cli.servers.discover",
            "discover",
            "List the servers configured for other MCP clients.",
        ),
        "enable": ("toolweave.cli.servers.state", "enable", "Switch a server on."),
        "list": ("toolweave.cli.servers.listing", "list_servers", "List registered servers."),
        "remove": ("toolweave.cli.servers.state", "remove", "Forget a server."),
        "sign-in": ("toolweave.cli.servers.sign_in", "sign_in", "Sign in to an OAuth server."),
        "tools": ("toolweave.cli.servers.tools", "tools", "List a server's tools."),
    },
)
def servers() -> None:
    """Find, add, approve and check MCP servers."""
