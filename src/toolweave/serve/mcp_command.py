"""`toolweave mcp`; separate from `serve`, whose imports would delay its first answer."""

from pathlib import Path

import click

from toolweave.mcp_server.stdio import run_stdio


@click.command()
@click.option("--home", metavar="DIR", help="Home directory to use; overrides TOOLWEAVE_HOME.")
def mcp(home: str | None) -> None:
    """Run the MCP server over stdio, for any MCP client's configuration."""
    run_stdio(Path(home).expanduser().absolute() if home else None)
