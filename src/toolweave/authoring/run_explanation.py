"""Why a run failed: the step, what came in, what its texts read, and a patch where one is certain.

A patch changes a path that leads nowhere to the one key of the data that it can mean.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from toolweave.catalog.spec import NodeSpec
from toolweave.codes.remedies import remedy
from toolweave.codes.table import CODES
from toolweave.engine.engine import Engine
from toolweave.engine.events import Finished
from toolweave.engine.execution_report import records
from toolweave.engine.journal_report import report_of
from toolweave.engine.run_table import RunRecord
from toolweave.engine.step_snapshot import StepSnapshot
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.problems import pointer
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert
from toolweave.workflow.json_patch import apply_patch, difference
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.scope.references import NameUse, references_of

MAX_CHARS = 300
MAX_MEMBERS = 10
MAX_DEPTH = 4
MAX_READS = 10


@dataclass(frozen=True, slots=True)
class _Read:
    """A path that a text of the failed node reads, and how far it leads."""

    use: NameUse
    missing: str | None
    keys: tuple[str, ...] = ()
    value: Json = None

    @property
    def meant(self) -> str | None:
        """The one key that the missing one can mean."""
        if self.missing is None:
            return None
        by_folded = {key.casefold().replace("_", ""): key for key in self.keys}
        wanted = self.missing.casefold().replace("_", "")
        close = get_close_matches(wanted, by_folded, n=2, cutoff=0.7)
        return by_folded[close[0]] if len(close) == 1 else None


async def explain_run(engine: Engine, run: RunRecord, dialect: FormatName) -> JsonObject:
    """Explain a run; pointers and the patch refer to its workflow in `dialect`."""
    shown: JsonObject = {"run_id": run.id, "workflow": run.workflow, "status": run.status}
    entries = (await report_of(engine.journal, run.id)).entries
    plan = await engine.plan(run.id)
    failed = [one for one in records(entries) if one.status in {"failed", "uncertain"}]
    last = entries[-1].event
    error: JsonObject | None = failed[-1].error if failed else None
    if error is None and isinstance(last, Finished):
        error = last.error
    if error is None:
        text = "the run has not failed" if run.status != "cancelled" else "it was cancelled"
        return {**shown, "why": text, "next": "run_status shows what it waits for"}
    code = str(error.get("code"))
    shown |= {
        "why": str(error.get("message")),
        "code": code,
        "meaning": CODES.get(code, "a code of the tool or service itself"),
        "next": str(error.get("hint") or remedy(code) or "change the node at its pointer"),
    }
    if not failed:
        return shown
    key = failed[-1].key
    node = plan.workflow.node(key.rpartition("/")[2])
    if node is None:
        return shown
    shown["failedAt"] = {"nodeId": key, "name": node.title, "type": node.ref or node.type}
    try:
        moment = await engine.moment(run.id, key)
    except ToolweaveError:
        return shown
    return shown | _data_of(moment, plan.workflow, node, dialect)


def _data_of(
    moment: StepSnapshot, workflow: Workflow, node: Node, dialect: FormatName
) -> JsonObject:
    shown: JsonObject = {"input": brief(moment.binder.incoming(moment.place))}
    kind = NodeRegistry().of(node)
    reads = list(_reads(moment, node, kind.spec if kind else None))
    if reads:
        shown["reads"] = [_shown(one) for one in reads[:MAX_READS]]
    changed = node
    for one in reads:
        if one.meant is not None:
            changed = _renamed(changed, one)
    if changed is not node:
        nodes = tuple(changed if other is node else other for other in workflow.nodes)
        after = convert(replace(workflow, nodes=nodes), dialect)
        patch = difference(convert(workflow, dialect), after)
        shown["patch"] = [dict(operation) for operation in patch]
        shown["next"] = "apply the patch with patch_workflow and run again"
    return shown


def _reads(moment: StepSnapshot, node: Node, spec: NodeSpec | None) -> Iterator[_Read]:
    names = moment.names(of_settings=True)
    for use in references_of(node, spec):
        first, *path = use.reference.path
        try:
            value: Json = names[str(first)]
        except (KeyError, ToolweaveError):
            yield _Read(use, str(first), tuple(names))
            continue
        yield _walked(use, value, path)


def _walked(use: NameUse, value: Json, path: Sequence[object]) -> _Read:
    for step in path:
        if isinstance(step, str) and isinstance(value, dict):
            if step not in value:
                optional = use.reference.is_optional
                return _Read(use, None if optional else step, tuple(value))
            value = value[step]
        elif isinstance(step, int) and isinstance(value, list) and step < len(value):
            value = value[step]
        else:
            break
    return _Read(use, None, (), value)


def _shown(one: _Read) -> JsonObject:
    shown: JsonObject = {"path": one.use.reference.text, "at": one.use.pointer}
    if one.missing is None:
        return {**shown, "value": brief(one.value)}
    shown["missing"] = one.missing
    return {**shown, "available": list[Json](one.keys[:20])}


def _renamed(node: Node, one: _Read) -> Node:
    """Return the node with the unknown key replaced by the intended one."""
    asked = one.use.asked
    placeholder, text = asked.placeholder, asked.text
    inside = text[placeholder.start : placeholder.end]
    assert one.missing is not None
    assert one.meant is not None
    for old, new in (
        (f".{one.missing}", f".{one.meant}"),
        (f'["{one.missing}"]', f'["{one.meant}"]'),
        (f"['{one.missing}']", f"['{one.meant}']"),
        (one.missing, one.meant),
    ):
        if inside.count(old) == 1:
            whole = text[: placeholder.start] + inside.replace(old, new) + text[placeholder.end :]
            operation = {"op": "replace", "path": pointer(*asked.steps[1:]), "value": whole}
            data = apply_patch(node.data, [operation])
            return replace(node, data=data) if isinstance(data, dict) else node
    return node


def brief(value: Json, depth: int = 0) -> Json:
    """The beginning of a value, for a model to look at."""
    if isinstance(value, str):
        return value if len(value) <= MAX_CHARS else f"{value[:MAX_CHARS]}… ({len(value)} chars)"
    if depth >= MAX_DEPTH and isinstance(value, dict | list):
        return f"… ({len(value)} members)"
    if isinstance(value, list):
        few = [brief(one, depth + 1) for one in value[:MAX_MEMBERS]]
        return [*few, f"… ({len(value)} items)"] if len(value) > MAX_MEMBERS else few
    if isinstance(value, dict):
        items = list(value.items())
        shown: JsonObject = {name: brief(one, depth + 1) for name, one in items[: 2 * MAX_MEMBERS]}
        if len(items) > 2 * MAX_MEMBERS:
            shown["…"] = f"{len(items)} fields"
        return shown
    return value
