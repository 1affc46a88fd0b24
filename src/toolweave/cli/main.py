"""`toolweave`: finds the command, runs it, turns errors into words and exit codes.

Exit codes: 0 it worked, 1 the thing failed, 2 wrong use, 130 interrupted.
"""

import os
import sys

import click

import toolweave
from toolweave.cli.lazy import CommandsTable, LazyGroup
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import write

COMMANDS: CommandsTable = {
    "catalog": ("toolweave.cli.catalog", "catalog", "Look up workflow nodes."),
    "keys": ("toolweave.cli.keys", "keys", "Create, list and revoke API keys."),
    "mcp": ("toolweave.serve.mcp_command", "mcp", "Run the MCP server over stdio."),
    "serve": ("toolweave.serve.command", "serve", "Serve REST and MCP over HTTP."),
    "call": ("toolweave.cli.call", "call", "Call one tool of a server."),
    "demo-server": ("toolweave.cli.demo", "demo_server", "Run the built-in sample MCP server."),
    "doctor": ("toolweave.cli.doctor", "doctor", "Check this machine and this home directory."),
    "secrets": ("toolweave.cli.secrets", "secrets", "Keep secrets in the vault."),
    "servers": (
        "toolweave.cli.servers.group",
        "servers",
        "Find, add, approve and check MCP servers.",
    ),
}


@click.group(
    cls=LazyGroup,
    commands_table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(toolweave.__version__, "-V", "--version", message="toolweave %(version)s")
def cli() -> None:
    """Weave MCP tools into workflows you can see, trust and run."""


def main() -> None:
    """The entry point of the `toolweave` script."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except ToolweaveError as error:
        show_error(error, as_json="--json" in sys.argv)
        sys.exit(1)
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe went away (`| head`); nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def show_error(error: ToolweaveError, *, as_json: bool) -> None:
    """An error for people on stderr, or for programs on stdout."""
    if as_json:
        click.echo(write({"error": error.as_json()}, pretty=True))
        return
    click.echo(f"Error: {error.message}  [{error.code}]", err=True)
    if isinstance(error, Invalid):
        for problem in error.problems:
            click.echo(f"  {problem.pointer or '/'}: {problem.message}  [{problem.code}]", err=True)
            if problem.hint:
                click.echo(f"      hint: {problem.hint}", err=True)
    for change in error.facts.get("changes", []):
        click.echo(f"  - {change}", err=True)
    if error.hint:
        click.echo(f"Hint: {error.hint}", err=True)


if __name__ == "__main__":
    main()
