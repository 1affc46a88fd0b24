"""The command group `toolweave workflows`."""

import click

from toolweave.cli.lazy import LazyGroup

_STORED = "toolweave.cli.workflows"
_VERSIONS = "toolweave.cli.workflow_versions"


@click.group(
    cls=LazyGroup,
    commands_table={
        "label": (_VERSIONS, "label", "Name a version, so that it is not deleted."),
        "list": (_STORED, "list_workflows", "List the workflows of this home."),
        "remove": (_STORED, "remove", "Delete a stored workflow and stop its triggers."),
        "restore": (_VERSIONS, "restore", "Save a version of a workflow again."),
        "save": (_STORED, "save", "Store a workflow file of any dialect."),
        "show": (_STORED, "show", "Print a workflow."),
        "versions": (_VERSIONS, "versions", "List the saved versions of a workflow."),
    },
)
def workflows() -> None:
    """Manage stored workflows; `toolweave run NAME` runs one.

    A NAME is the name of a workflow, or of its file without the extension.
    """
