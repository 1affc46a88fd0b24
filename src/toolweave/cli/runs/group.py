"""`toolweave runs`: joins its commands."""

import click

from toolweave.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "answer": (
            "toolweave.cli.runs.control",
            "answer",
            "Answer a step that waits, or decide about an uncertain one.",
        ),
        "cancel": ("toolweave.cli.runs.control", "cancel", "Stop a run."),
        "event": (
            "toolweave.cli.runs.event",
            "event",
            "Tell runs that something happened they wait for.",
        ),
        "list": ("toolweave.cli.runs.listing", "list_runs", "List the newest runs."),
        "prune": ("toolweave.cli.runs.listing", "prune_runs", "Delete old finished runs."),
        "resume": (
            "toolweave.cli.runs.control",
            "resume",
            "Go on with runs that were cut off or are due.",
        ),
        "show": (
            "toolweave.cli.runs.show",
            "show",
            "Show a run: its timeline, and what each step gave.",
        ),
        "watch": ("toolweave.cli.runs.show", "watch", "Follow a run until it is over."),
    },
)
def runs() -> None:
    """Look at runs and steer them.

    A RUN is an id, how an id begins, or `last`.
    """
