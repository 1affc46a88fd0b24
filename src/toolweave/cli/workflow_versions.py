"""`toolweave workflows versions`, `label` and `restore`: every save of a stored workflow."""

from collections.abc import Sequence
from contextlib import suppress

import click

from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, tell
from toolweave.errors import NotFound
from toolweave.publishing.versions import VersionHistory, VersionRecord
from toolweave.workflow.store import Stored
from toolweave.workflow.workflow_json import WorkflowRecord

_NUMBER = click.argument("number", metavar="VERSION", type=click.IntRange(min=1))


@click.command()
@click.argument("name")
@json_option
def versions(name: str, as_json: bool) -> None:
    """List the saved versions of a workflow, newest first.

    `toolweave workflows show NAME --version VERSION` prints one.
    """

    async def work() -> Sequence[VersionRecord]:
        async with current_home() as home:
            return await VersionHistory(home).list(name)

    found = run(work)
    if as_json:
        print_json([one.as_json() for one in found])
        return
    rows = [
        (str(one.number), one.saved_at, one.author or "another program", one.label, _state(one))
        for one in found
    ]
    print_table(("version", "saved", "by", "name", "state"), rows)


@click.command()
@click.argument("name")
@_NUMBER
@click.argument("label")
@json_option
def label(name: str, number: int, label: str, as_json: bool) -> None:
    """Name a version, so that it is not deleted; an empty LABEL removes its name."""

    async def work() -> VersionRecord:
        async with current_home() as home:
            return await VersionHistory(home).set_label(name, number, label)

    named = run(work)
    done = f"named {named.label!r}" if named.label else "without a name"
    tell(as_json, named.as_json(), f"Version {number} of {name!r} is {done}.")


@click.command()
@click.argument("name")
@_NUMBER
@json_option
def restore(name: str, number: int, as_json: bool) -> None:
    """Save a version of a workflow again; this is a new version.

    A deleted workflow can be restored, too.
    """

    async def work() -> Stored:
        async with current_home() as home:
            over = None
            with suppress(NotFound):  # it was deleted
                over = (await home.workflows.load(name)).revision
            return await VersionHistory(home).restore(name, number, over=over)

    stored = run(work)
    text = f"Restored version {number} of {stored.name!r}."
    tell(as_json, WorkflowRecord.of(stored).as_json(), text)


def _state(version: VersionRecord) -> str:
    states = {"current": version.is_current, "published": version.is_published}
    return ", ".join(state for state, is_true in states.items() if is_true)
