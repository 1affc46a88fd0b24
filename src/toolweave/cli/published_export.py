"""`toolweave export --thin`: an entry that calls the tool that a workflow is published as."""

from collections.abc import Sequence

from toolweave.cli.session import current_home, run
from toolweave.errors import NotFound
from toolweave.export.exporter import Export
from toolweave.export.published_call import thin_export
from toolweave.publishing.store import Publication, PublishedStore
from toolweave.workflow.ids import slug
from toolweave.workflow.model import Workflow


def export_call(workflow: Workflow, target: str) -> Export:
    """The files for a target. Raises `NotFound`: `NOT_PUBLISHED`; what `thin_export` raises."""

    async def published() -> Sequence[Publication]:
        async with current_home() as home:
            return await PublishedStore(home.database).of_workflow(slug(workflow.name))

    found = run(published)
    if not found:
        raise NotFound(
            "NOT_PUBLISHED",
            f"the workflow {workflow.name!r} is not published",
            hint="run `toolweave publish` first, or export without `--thin`",
        )
    return thin_export(workflow, target, tool=found[0].tool, inputs=found[0].input_schema)
