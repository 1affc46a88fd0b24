"""`toolweave mcp`: apart from `serve`, whose imports its first answer must not wait for."""

import click

from toolweave.mcp_server.stdio import run_stdio


@click.command()
def mcp() -> None:
    """Run the MCP server over stdio, for any MCP client's configuration."""
    run_stdio()
