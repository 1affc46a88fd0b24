"""`toolweave node freeze`: turn what a model chose in a run into detailed nodes."""

import click

from toolweave.authoring.locked_choices import LockedWorkflow, freeze_node
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.cli.workflow_files import read_file
from toolweave.engine.run_table import RunTable
from toolweave.json_text import write
from toolweave.workflow.formats.load import load


@click.command()
@click.argument("run_id", metavar="RUN")
@click.argument("node_id", metavar="NODE")
@click.argument("file", metavar="[FILE]", required=False)
@json_option
def freeze(run_id: str, node_id: str, file: str | None, as_json: bool) -> None:
    """Turn what a model chose for NODE in RUN into a detailed node, or a chain of them.

    Without FILE the run's stored workflow is changed. The values are those of that run.
    """
    given = read_file(file) if file is not None else None

    async def work() -> tuple[LockedWorkflow, str]:
        async with current_home() as home:
            found = await RunTable(home.database).match(run_id)
            if given is not None:
                loaded = load(given.data, name_hint=given.name)
                frozen = await freeze_node(home, found.id, node_id, loaded)
                given.replace(given.dumped(frozen.workflow, loaded.format))
                return frozen, given.name
            stored = await home.workflows.load(found.workflow)
            frozen = await freeze_node(home, found.id, node_id, stored.loaded)
            await home.workflows.save(frozen.workflow, over=stored.revision, at=stored.name)
            return frozen, stored.name

    frozen, where = run(work)
    calls = [{"tool": one.tool, "arguments": one.arguments} for one in frozen.chosen]
    if as_json:
        problems = [problem.as_json() for problem in frozen.problems]
        print_json({"frozen": node_id, "in": where, "calls": calls, "problems": problems})
    elif file != "-":
        say(f"Froze {node_id!r} in {where}:")
        for one in frozen.chosen:
            say(f"{one.tool} {write(one.arguments)}", indent=2)
