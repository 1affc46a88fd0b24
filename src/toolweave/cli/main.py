"""`toolweave`: finds and runs the command; reports errors with a message and an exit code.

Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted.
"""

import atexit
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import click

import toolweave
from toolweave.cli.errors import as_told, show_error, show_usage
from toolweave.cli.lazy import CommandsTable, LazyGroup

COMMANDS: CommandsTable = {
    "backtest": (
        "toolweave.cli.backtest",
        "backtest_command",
        "Compare a changed workflow with its recorded runs.",
    ),
    "backup": ("toolweave.cli.backup", "backup", "Back up this home to one file."),
    "call": ("toolweave.cli.call", "call", "Call a tool of a server."),
    "calls": ("toolweave.cli.calls", "calls", "List and stop tool calls."),
    "catalog": ("toolweave.cli.catalog", "catalog", "Browse and search workflow nodes."),
    "commands": (
        "toolweave.cli.commands",
        "commands",
        "Register programs that workflows may run.",
    ),
    "chat": ("toolweave.cli.chat", "chat", "Chat with a model that uses your tools."),
    "completion": (
        "toolweave.cli.completion",
        "completion",
        "Print the completion script of a shell.",
    ),
    "convert": (
        "toolweave.cli.convert",
        "convert_command",
        "Convert a workflow to another dialect.",
    ),
    "demo": ("toolweave.cli.demo", "demo", "Run the sample workflow; no setup needed."),
    "demo-server": (
        "toolweave.cli.demo_server",
        "demo_server",
        "Run the built-in sample MCP server.",
    ),
    "doc": ("toolweave.cli.doc", "doc", "Check and run tool blocks in Markdown documents."),
    "doctor": ("toolweave.cli.doctor", "doctor", "Check this machine and this home directory."),
    "export": ("toolweave.cli.export", "export", "Export a workflow to a coding agent."),
    "import": ("toolweave.cli.import_", "import_", "Restore a workflow from an export."),
    "inbox": ("toolweave.cli.inbox", "inbox", "List and answer the questions of runs."),
    "keys": ("toolweave.cli.keys", "keys", "Create, list and revoke API keys."),
    "library": (
        "toolweave.cli.library",
        "library",
        "Use flows and prompts from git repositories.",
    ),
    "mcp": ("toolweave.serve.mcp_command", "mcp", "Run the MCP server over stdio."),
    "migrate": ("toolweave.cli.migrate", "migrate", "Adapt workflows to changed tools."),
    "mock": ("toolweave.cli.mock", "mock", "Serve the tools of a recording over MCP."),
    "models": ("toolweave.cli.models", "models", "Configure language models."),
    "node": ("toolweave.cli.node", "node", "Change one node of a workflow."),
    "publish": ("toolweave.cli.publish", "publish_workflow", "Publish a workflow as an MCP tool."),
    "published": ("toolweave.cli.publish", "list_published", "List published workflows."),
    "record": ("toolweave.cli.record", "record", "Record a finished run as a test."),
    "run": ("toolweave.cli.run", "run_workflow", "Run a workflow and show its progress."),
    "runs": ("toolweave.cli.runs.group", "runs", "List, inspect and control runs."),
    "secrets": ("toolweave.cli.secrets", "secrets", "Manage secrets in the vault."),
    "serve": ("toolweave.serve.command", "serve", "Serve the studio, REST and MCP over HTTP."),
    "servers": (
        "toolweave.cli.servers.group",
        "servers",
        "Find, add, approve and check MCP servers.",
    ),
    "service": ("toolweave.cli.service", "service", "Start the studio with the system."),
    "services": (
        "toolweave.cli.services",
        "services",
        "Manage credentials of external services.",
    ),
    "test": ("toolweave.cli.test", "test", "Replay recordings and compare every step."),
    "triggers": (
        "toolweave.cli.triggers",
        "triggers",
        "Enable and disable the triggers of workflows.",
    ),
    "unpublish": ("toolweave.cli.publish", "unpublish_workflow", "Unpublish a workflow."),
    "update-check": (
        "toolweave.cli.update_check",
        "update_check",
        "Ask the package index for a newer release.",
    ),
    "validate": ("toolweave.cli.validate", "validate", "Check workflow files and repair them."),
    "workflows": ("toolweave.cli.workflow_group", "workflows", "Manage stored workflows."),
    "worker": ("toolweave.cli.worker", "worker", "Run a worker that executes queued runs."),
}

# Older names that still work; not listed.
ALIASES = {"schedules": "triggers"}


class Toolweave(LazyGroup):
    """The root command; always exits with the right exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *_: Any,
        **extra: Any,
    ) -> Any:
        """Run one command line."""
        argv = sys.argv[1:] if args is None else list(args)
        # Arguments after `--` belong to another program.
        own = argv[: argv.index("--")] if "--" in argv else argv
        try:
            sys.exit(self._run(argv, as_json="--json" in own, **extra))
        except BrokenPipeError:
            # The reader of the pipe is gone (`| head`).
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
    aliases=ALIASES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(toolweave.__version__, "-V", "--version", message="toolweave %(version)s")
def cli() -> None:
    """Weave MCP tools into workflows you can see, trust and run."""


def main() -> NoReturn:
    """The entry point of the `toolweave` script."""
    try:
        cli.main()
    except SystemExit as ended:
        leave(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
    leave(0)


def leave(code: int) -> NoReturn:
    """End the process with everything written, and without taking the interpreter apart.

    That would free every object of every module, a fifth of the time of a command. Threads that
    still work are waited for, as usual.
    """
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage] # what the interpreter calls
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        code = code or 1  # the reader is gone, or the stream is closed
    os._exit(code)


if __name__ == "__main__":
    main()
