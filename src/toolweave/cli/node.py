"""The command group `toolweave node`."""

import click

from toolweave.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "add": ("toolweave.cli.node_edit", "add", "Add a node that calls an approved tool."),
        "freeze": (
            "toolweave.cli.freeze",
            "freeze",
            "Turn what a model chose in a run into detailed nodes.",
        ),
        "mode": ("toolweave.cli.node_edit", "mode", "Show or switch the mode of an MCP node."),
    },
)
def node() -> None:
    """Change one node of a workflow."""
