"""`toolweave`: finds the command, runs it, turns errors into words and exit codes.

Exit codes: 0 it worked, 1 the thing failed, 2 wrong use, 130 interrupted.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

import toolweave
from toolweave.cli.errors import as_told, show_error, show_usage
from toolweave.cli.lazy import CommandsTable, LazyGroup

COMMANDS: CommandsTable = {
    "backup": ("toolweave.cli.backup", "backup", "Write this home to one file, while in use."),
    "call": ("toolweave.cli.call", "call", "Call one tool of a server."),
    "catalog": ("toolweave.cli.catalog", "catalog", "Look up workflow nodes."),
    "commands": (
        "toolweave.cli.commands",
        "commands",
        "Register programs that workflows may run.",
    ),
    "chat": ("toolweave.cli.chat", "chat", "Talk with a model that uses your servers' tools."),
    "convert": ("toolweave.cli.convert", "convert_command", "Write a workflow in another dialect."),
    "demo": ("toolweave.cli.demo", "demo", "Run the sample workflow, with nothing to set up."),
    "demo-server": (
        "toolweave.cli.demo_server",
        "demo_server",
        "Run the built-in sample MCP server.",
    ),
    "doc": ("toolweave.cli.doc", "doc", "Check and run tool blocks of Markdown documents."),
    "doctor": ("toolweave.cli.doctor", "doctor", "Check this machine and this home directory."),
    "export": ("toolweave.cli.export", "export", "Write a workflow as files of a coding agent."),
    "import": ("toolweave.cli.import_", "import_", "Make a workflow again from an export."),
    "inbox": ("toolweave.cli.inbox", "inbox", "Answer what runs ask people."),
    "keys": ("toolweave.cli.keys", "keys", "Create, list and revoke API keys."),
    "library": (
        "toolweave.cli.library",
        "library",
        "Use flows and prompts of git repositories.",
    ),
    "mcp": ("toolweave.serve.mcp_command", "mcp", "Run the MCP server over stdio."),
    "models": ("toolweave.cli.models", "models", "Configure the models that may be asked."),
    "node": ("toolweave.cli.node", "node", "Change one node of a workflow."),
    "publish": ("toolweave.cli.publish", "publish_workflow", "Make a workflow a tool."),
    "published": ("toolweave.cli.publish", "list_published", "List workflows that are tools."),
    "run": ("toolweave.cli.run", "run_workflow", "Run a workflow and watch it."),
    "runs": ("toolweave.cli.runs.group", "runs", "Look at runs and steer them."),
    "schedules": ("toolweave.cli.triggers", "schedules", "Switch triggers of workflows on."),
    "secrets": ("toolweave.cli.secrets", "secrets", "Keep secrets in the vault."),
    "serve": ("toolweave.serve.command", "serve", "Serve REST and MCP over HTTP."),
    "servers": (
        "toolweave.cli.servers.group",
        "servers",
        "Find, add, approve and check MCP servers.",
    ),
    "services": (
        "toolweave.cli.services",
        "services",
        "Keep credentials of services outside.",
    ),
    "unpublish": ("toolweave.cli.publish", "unpublish_workflow", "Take a tool back."),
    "validate": ("toolweave.cli.validate", "validate", "Check workflow files, and mend them."),
    "workflows": ("toolweave.cli.workflows", "workflows", "Keep workflows by name."),
    "worker": ("toolweave.cli.worker", "worker", "Bring runs forward, beside others."),
}


class Toolweave(LazyGroup):
    """The whole command line; always ends the process with the right exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *_: Any,
        **extra: Any,
    ) -> Any:
        """Run one command line."""
        argv = sys.argv[1:] if args is None else list(args)
        # What stands after `--` belongs to another program.
        own = argv[: argv.index("--")] if "--" in argv else argv
        try:
            sys.exit(self._run(argv, as_json="--json" in own, **extra))
        except BrokenPipeError:
            # The reader of a pipe went away (`| head`); nothing is left to say to it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)

    def _run(self, argv: list[str], *, as_json: bool, **extra: Any) -> int:
        try:
            extra["standalone_mode"] = False
            code = super().main(argv, "toolweave", **extra)
            sys.stdout.flush()
        except (click.exceptions.Abort, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            return 130
        except click.ClickException as error:
            show_usage(error, as_json=as_json)
            return error.exit_code
        except BrokenPipeError:
            raise
        except Exception as error:
            if os.environ.get("TOOLWEAVE_DEBUG"):
                traceback.print_exc()
            show_error(as_told(error), as_json=as_json)
            return 1
        return code if isinstance(code, int) else 0


@click.group(
    cls=Toolweave,
    commands_table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(toolweave.__version__, "-V", "--version", message="toolweave %(version)s")
def cli() -> None:
    """Weave MCP tools into workflows you can see, trust and run."""


def main() -> None:
    """The entry point of the `toolweave` script."""
    cli.main()


if __name__ == "__main__":
    main()
