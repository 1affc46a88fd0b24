"""The command group `toolweave servers`."""

import click

from toolweave.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "add": ("toolweave.cli.servers.add", "add", "Register a server; nothing is started."),
        "approvals": (
            "toolweave.cli.servers.approvals",
            "approvals",
            "Show what is approved, by whom, when and from which file.",
        ),
        "approve": (
            "toolweave.cli.servers.approve",
            "approve",
            "Show exactly what would be started, and approve it.",
        ),
        "check": ("toolweave.cli.servers.check", "check", "Ping servers concurrently."),
        "diff": (
            "toolweave.cli.servers.diff",
            "diff",
            "Compare a server's tools with the approved ones.",
        ),
        "disable": ("toolweave.cli.servers.state", "disable", "Disable a server."),
        "discover": (
            "toolweave.cli.servers.discover",
            "discover",
            "List the servers configured for other MCP clients.",
        ),
        "enable": ("toolweave.cli.servers.state", "enable", "Enable a server."),
        "limit": (
            "toolweave.cli.servers.limit",
            "limit",
            "Limit the calls of a server, in all processes together.",
        ),
        "list": ("toolweave.cli.servers.listing", "list_servers", "List registered servers."),
        "prompts": (
            "toolweave.cli.servers.content",
            "prompts",
            "List a server's prompts, or fill in one.",
        ),
        "queue": (
            "toolweave.cli.servers.queue",
            "queue",
            "Bind a server to the workers of a queue.",
        ),
        "remove": ("toolweave.cli.servers.state", "remove", "Remove a server."),
        "resources": (
            "toolweave.cli.servers.content",
            "resources",
            "List a server's resources, or read one.",
        ),
        "search": (
            "toolweave.cli.servers.search",
            "search",
            "Find servers in a registry.",
        ),
        "sign-in": ("toolweave.cli.servers.sign_in", "sign_in", "Sign in to an OAuth server."),
        "sign-out": (
            "toolweave.cli.servers.state",
            "sign_out",
            "Delete the tokens of a sign-in.",
        ),
        "skills": (
            "toolweave.cli.servers.skills",
            "skills",
            "List a server's skills, read one, or approve it.",
        ),
        "tools": ("toolweave.cli.servers.tools", "tools", "List a server's tools."),
    },
)
def servers() -> None:
    """Find, add, approve and check MCP servers."""
