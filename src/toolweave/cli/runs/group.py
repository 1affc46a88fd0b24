"""The command group `toolweave runs`."""

import click

from toolweave.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "answer": (
            "toolweave.cli.runs.control",
            "answer",
            "Answer a waiting step, or resolve an uncertain one.",
        ),
        "cancel": ("toolweave.cli.runs.control", "cancel", "Cancel a run."),
        "event": (
            "toolweave.cli.runs.event",
            "event",
            "Send an event to the runs that wait for it.",
        ),
        "list": ("toolweave.cli.runs.listing", "list_runs", "List the newest runs."),
        "prune": ("toolweave.cli.runs.prune", "prune_runs", "Delete old finished runs."),
        "resume": (
            "toolweave.cli.runs.control",
            "resume",
            "Resume runs that were interrupted or are due.",
        ),
        "show": (
            "toolweave.cli.runs.show",
            "show",
            "Show a run: its timeline and the result of each step.",
        ),
        "watch": ("toolweave.cli.runs.show", "watch", "Follow a run until it ends."),
    },
)
def runs() -> None:
    """List, inspect and control runs.

    A RUN is an id, the beginning of one, or `last`.
    """
