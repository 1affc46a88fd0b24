"""Measures the migrator on seeded drifts: how many are adapted and replay, how many are wrong.

`python -m tests.recording.drifts.measure 20` measures more of them than the tests do.
"""

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import anyio
from tests.cli.test_run import mcp
from tests.engine.building import workflow
from tests.recording.drifts.generate import SeededDrift, drifts

from toolweave.json_text import Json, JsonObject
from toolweave.recording.comparison import accepted
from toolweave.recording.entries import (
    FORMAT,
    CallLine,
    Header,
    RecordedRun,
    RecordedServer,
    RecordingSource,
    StepLine,
    ToolLine,
    WorkflowLine,
)
from toolweave.recording.migration.changed_tool import ChangedTool
from toolweave.recording.migration.proof import MigrationEvidence, MigrationProof, prove
from toolweave.recording.migration.proposal import MigrationProposal, propose
from toolweave.recording.migration.tool_difference import changed_tools
from toolweave.recording.migration.value_migration import migrate_arguments
from toolweave.recording.recording import Recording
from toolweave.recording.replay import Replayer, open_replayer
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import tool_hash
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, read

AT = datetime(2026, 1, 1, tzinfo=UTC).isoformat()


@dataclass
class Figures:
    """Counts, and the names of what went wrong."""

    total: int = 0
    answerable: int = 0
    green: int = 0
    certain: int = 0
    wrong_certain: list[str] = field(default_factory=list[str])
    wrong_verdicts: list[str] = field(default_factory=list[str])
    left: Counter[str] = field(default_factory=Counter[str])

    def __str__(self) -> str:
        """The figures in one line."""
        return (
            f"{self.total} drifts, {self.answerable} with one right answer; {self.green} migrated "
            f"and green ({100 * self.green // self.total} % of all, "
            f"{100 * self.green // self.answerable} % of those with an answer), {self.certain} "
            f"offered as certain, {len(self.wrong_certain)} of them wrong; "
            f"{len(self.wrong_verdicts)} wrong verdicts"
        )


def flow(drift: SeededDrift) -> LoadedWorkflow:
    """A workflow that makes the call and reads the fields of the result that are looked at."""
    nodes: dict[str, object] = {
        "s": "start",
        "t": mcp(str(drift.old["name"]), drift.server, **drift.call),
    }
    edges = ["s > t"]
    last = "t"
    for number, name in enumerate(drift.moved):
        reader = f"r{number}"
        nodes[reader] = ("prompt", {"prompt": f"It is {{{{ t['{name}'] }}}}."})
        edges.append(f"{last} > {reader}")
        last = reader
    nodes["e"] = "end"
    return read(convert(workflow(nodes, [*edges, f"{last} > e"]), "toolweave"))


async def recorded(drift: SeededDrift, loaded: LoadedWorkflow, replayer: Replayer) -> Recording:
    """A recording of the call before the tool changed."""
    tool = read_tool(drift.server, drift.old)
    result: JsonObject = {"content": [{"type": "text", "text": "done"}]}
    if drift.result is not None:
        result["structuredContent"] = drift.result
    recording = Recording(
        Header(
            format=FORMAT,
            name="before",
            recorded_at=AT,
            source=RecordingSource(kind="run"),
            servers={drift.server: RecordedServer()},
            run=RecordedRun(id="run", started_at=AT, inputs={}),
        ),
        WorkflowLine(document=convert(loaded.workflow, "toolweave")),  # type: ignore[arg-type]
        (ToolLine(server=drift.server, hash=tool_hash(tool), definition=drift.old),),
        (
            CallLine(
                seq=1,
                step="t",
                server=drift.server,
                tool=tool.name,
                arguments=drift.call,
                key="",
                result=result,
            ),
        ),
        steps=(StepLine(key="t", node="t", kind="mcp", replay="boundary", status="success"),),
    )
    replayed = await replayer.replay(recording)
    assert not replayed.playback.refusals, drift.name
    return replace(accepted(recording, replayed), workflow=recording.workflow)


def proposed(drift: SeededDrift, loaded: LoadedWorkflow) -> tuple[MigrationProposal, ChangedTool]:
    """What is proposed for the workflow."""
    tools = changed_tools(
        drift.server, {str(drift.old["name"]): drift.old}, {str(drift.new["name"]): drift.new}
    )
    tool = next(one for one in tools if one.old is not None)
    return propose(loaded, tools, lambda _: None), tool


def is_right(drift: SeededDrift, proposal: MigrationProposal) -> bool:
    """Whether the migrated workflow makes the right call and reads the right fields."""
    node = proposal.workflow.node("t")
    assert node is not None
    if node.data["parameterValues"] != drift.right or node.data["toolName"] != drift.new["name"]:
        return False
    for number, target in enumerate(drift.moved.values()):
        reader = proposal.workflow.node(f"r{number}")
        assert reader is not None
        if target is None or not _reads(str(reader.data["prompt"]), target):
            return False
    return True


def _reads(prompt: str, dotted: str) -> bool:
    plain = prompt.replace("']['", ".").replace("['", ".").replace("']", "")
    return f"t.{dotted} " in plain


def _wrong_parts(drift: SeededDrift, tool: ChangedTool) -> bool:
    """Whether a single change that is offered as certain is wrong, whatever the others are."""
    if tool.new is None or drift.result is not None:
        return False
    schemas = drift.old["inputSchema"], drift.new["inputSchema"]
    migrated = migrate_arguments(*schemas, drift.call)
    certain = [one for one in migrated.changes if one.certainty == "certain" and one.new]
    if drift.right is None:
        return bool(certain) and len(drift.kinds) == 1
    return any(_at(drift.right, one.new) != _at(migrated.values, one.new) for one in certain)


def _at(value: Json, place: tuple[str | int, ...] | None) -> Json:
    for step in place or ():
        if isinstance(value, dict):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


async def measure(per_kind: int, seed: int = 1) -> Figures:
    """Measure `per_kind` drifts of each kind."""
    figures = Figures()
    async with open_replayer() as replayer:
        for drift in drifts(per_kind, seed):
            await _count(figures, drift, replayer)
    return figures


async def _count(figures: Figures, drift: SeededDrift, replayer: Replayer) -> None:
    loaded = flow(drift)
    proposal, tool = proposed(drift, loaded)
    figures.total += 1
    has_answer = drift.right is not None and None not in drift.moved.values()
    figures.answerable += has_answer
    if (proposal.verdict == "fits") != drift.still_fits:
        figures.wrong_verdicts.append(f"{drift.name}: {proposal.verdict}")
    right = has_answer and is_right(drift, proposal)
    is_certain = bool(proposal.changes) and proposal.certainty == "certain"
    figures.certain += is_certain
    # Right by luck is wrong as well: a careful reader could not have been sure.
    is_overconfident = is_certain and drift.is_open and len(drift.kinds) == 1
    if (is_certain and not right) or is_overconfident or _wrong_parts(drift, tool):
        figures.wrong_certain.append(drift.name)
    is_offered = proposal.can_apply or proposal.verdict == "fits"
    proof = MigrationProof("not_proved")
    if right and is_offered:
        before = await recorded(drift, loaded, replayer)
        proof = await prove(proposal, [tool], MigrationEvidence([before]), replayer)
    if right and is_offered and proof.state == "proved":
        figures.green += 1
    elif has_answer:
        figures.left[f"{'+'.join(drift.kinds)}: {proof.state} {' '.join(proof.reasons)[:300]}"] += 1


def report(figures: Figures) -> str:
    """The figures with everything that went wrong or could not be migrated."""
    lines = [str(figures)]
    lines += [f"  wrong: {one}" for one in (*figures.wrong_certain, *figures.wrong_verdicts)]
    lines += [f"  {count} not migrated: {what}" for what, count in figures.left.most_common()]
    return "\n".join(lines)


if __name__ == "__main__":
    found = anyio.run(measure, int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    sys.stdout.write(report(found) + "\n")
