"""The names that a shell offers for an argument: registered servers and stored workflows.

Commands import this module, so it loads the code that reads a home only when a shell asks.
"""

from importlib import import_module

import click
from click.shell_completion import CompletionItem


def server_names(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Registered servers."""
    return _starting_with(incomplete, "server_names")


def workflow_names(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Stored workflows, else files: bash offers either names or files."""
    names = _starting_with(incomplete, "workflow_names")
    return names or [CompletionItem(incomplete, type="file")]


def _starting_with(incomplete: str, source: str) -> list[CompletionItem]:
    names: list[str] = getattr(import_module("toolweave.cli.completion_names"), source)()
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
