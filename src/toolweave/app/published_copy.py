"""The published copies of workflows: all that a key limited to some tools runs."""

from collections.abc import Iterator

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.engine.run_table import RunRecord
from toolweave.errors import Denied
from toolweave.json_text import canonical
from toolweave.publishing.limited_keys import published_of
from toolweave.triggers.active_triggers import only_from
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert
from toolweave.workflow.model import Workflow


async def published_copy(studio: RunningStudio, key: ApiKey, name: str) -> LoadedWorkflow | None:
    """Return the copy that a limited key runs in place of a workflow; `None` without a limit.

    Raises:
        NotFound: `WORKFLOW_NOT_FOUND`.
    """
    if key.tools is None:
        return None
    return (await published_of(studio.published, key, name)).loaded


async def require_copy(studio: RunningStudio, key: ApiKey | None, run: RunRecord) -> None:
    """Require that a run executes the published copy, if the key is limited, to fork it.

    Others may have run a draft or another document of the same name.

    Raises:
        Denied: `TOOL_NOT_ALLOWED`.
    """
    copy = None if key is None else await published_copy(studio, key, run.workflow)
    if copy is None:
        return
    executed = _text((await studio.engine.plan(run.id)).workflow)
    for version in _versions(copy.workflow):
        if executed in (_text(version), _text(await studio.engine.runs.prepared(version))):
            return
    raise Denied(
        "TOOL_NOT_ALLOWED",
        f"run {run.id!r} is of another version of {run.workflow!r} than the published one",
        hint="start a new run of the published workflow",
    )


def _versions(workflow: Workflow) -> Iterator[Workflow]:
    """A workflow, and its parts that each of its triggers starts."""
    yield workflow
    for node in workflow.nodes:
        if node.type == "TRIGGER":
            yield only_from(workflow, node.id)


def _text(workflow: Workflow) -> bytes:
    return canonical(convert(workflow, "toolweave"))
