"""Proves a proposal: replays recordings of the workflow, adapted to the changed tools."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from toolweave.errors import Invalid, ToolweaveError
from toolweave.recording.comparison import compare
from toolweave.recording.migration.adapted_recording import CannotAdapt, adapted
from toolweave.recording.migration.changed_tool import ChangedTool
from toolweave.recording.migration.proposal import MigrationProposal
from toolweave.recording.recording import Recording
from toolweave.recording.replay import Replayer
from toolweave.workflow.formats.format import LoadedWorkflow

ProofState = Literal["proved", "differs", "not_proved"]
MAX_SHOWN = 5


@dataclass(frozen=True, slots=True)
class MigrationProof:
    """How the migrated workflow replays: `proved` by recordings and past runs, or what differs."""

    state: ProofState
    recordings: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The proof in one line."""
        match self.state:
            case "proved":
                counts = ((self.recordings, "recording"), (self.runs, "run"))
                words = [
                    f"{len(many)} {noun}{'s' if len(many) != 1 else ''}"
                    for many, noun in counts
                    if many
                ]
                return f"proved by {' and '.join(words)}"
            case "differs":
                return f"differs: {'; '.join(self.reasons)}"
            case "not_proved":
                return f"not proved: {'; '.join(self.reasons) or 'no recording'}"


@dataclass(frozen=True, slots=True)
class MigrationEvidence:
    """What a migration is replayed against: recordings of the workflow, and its past runs.

    A past run counts only where it replays the workflow as it is now: it may be of an older version
    of the workflow or of a tool, and what was exchanged may not be kept.
    """

    recordings: Sequence[Recording] = ()
    runs: Sequence[Recording] = ()


async def prove(
    proposal: MigrationProposal,
    tools: Sequence[ChangedTool],
    evidence: MigrationEvidence,
    replayer: Replayer,
) -> MigrationProof:
    """Replay the migrated workflow against every recording and usable past run of it."""
    found = _Findings()
    for recording in evidence.recordings:
        if await found.judge(proposal, tools, recording, replayer):
            found.recordings.append(recording.name)
    for run in evidence.runs:
        if not await _replays(proposal.loaded, run, replayer):
            continue
        if await found.judge(proposal, tools, run, replayer):
            found.runs.append(run.name)
    proved, runs = tuple(found.recordings), tuple(found.runs)
    if found.differs:
        return MigrationProof("differs", proved, tuple(found.differs), runs)
    if proved or runs:
        return MigrationProof("proved", proved, tuple(found.unknown), runs)
    return MigrationProof("not_proved", (), tuple(found.unknown) or ("no recording",))


@dataclass(slots=True)
class _Findings:
    recordings: list[str] = field(default_factory=list[str])
    runs: list[str] = field(default_factory=list[str])
    differs: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])

    async def judge(
        self,
        proposal: MigrationProposal,
        tools: Sequence[ChangedTool],
        recording: Recording,
        replayer: Replayer,
    ) -> bool:
        """Whether one recording proves the proposal; why not is noted."""
        try:
            reasons = await _differences(proposal, tools, recording, replayer)
        except CannotAdapt as error:
            self.unknown.append(f"recording {recording.name!r}: {error}")
            return False
        self.differs += [f"{recording.name}: {reason}" for reason in reasons[:MAX_SHOWN]]
        return not reasons


async def _replays(loaded: LoadedWorkflow, run: Recording, replayer: Replayer) -> bool:
    """Whether a past run is one of the workflow and the tools as they were until now."""
    if run.header.source.fidelity != "wire":
        return False
    try:
        comparison = compare(run, await replayer.replay(run, loaded))
    except ToolweaveError:
        return False
    return comparison.is_same and not comparison.unused


async def _differences(
    proposal: MigrationProposal,
    tools: Sequence[ChangedTool],
    recording: Recording,
    replayer: Replayer,
) -> list[str]:
    new = adapted(recording, tools)
    loaded = proposal.loaded
    migrated = type(loaded)(proposal.workflow, (), loaded.format, loaded.places)
    try:
        replayed = await replayer.replay(new, migrated)
    except ToolweaveError as error:
        problems = error.problems if isinstance(error, Invalid) else ()
        return [error.message, *(f"{one.pointer}: {one.message}" for one in problems)]
    comparison = compare(new, replayed)
    return [
        f"{one.key}: {one.message or ', '.join(value.pointer or '/' for value in one.values)}"
        for one in comparison.differences
    ]
