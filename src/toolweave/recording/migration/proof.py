"""Proves a proposal: replays recordings of the workflow, adapted to the changed tools."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from toolweave.errors import Invalid, ToolweaveError
from toolweave.recording.comparison import compare
from toolweave.recording.migration.adapted_recording import CannotAdapt, adapted
from toolweave.recording.migration.proposal import MigrationProposal
from toolweave.recording.migration.tool_difference import ChangedTool
from toolweave.recording.recording import Recording
from toolweave.recording.replay import Replayer

ProofState = Literal["proved", "differs", "not_proved"]
MAX_SHOWN = 5


@dataclass(frozen=True, slots=True)
class MigrationProof:
    """How the migrated workflow replays: `proved` by these recordings, or what differs."""

    state: ProofState
    recordings: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The proof in one line."""
        match self.state:
            case "proved":
                count = len(self.recordings)
                return f"proved by {count} recording{'s' if count != 1 else ''}"
            case "differs":
                return f"differs: {'; '.join(self.reasons)}"
            case "not_proved":
                return f"not proved: {'; '.join(self.reasons) or 'no recording'}"


async def prove(
    proposal: MigrationProposal,
    tools: Sequence[ChangedTool],
    recordings: Iterable[Recording],
    replayer: Replayer,
) -> MigrationProof:
    """Replay the migrated workflow against every recording of it."""
    proved: list[str] = []
    differs: list[str] = []
    unknown: list[str] = []
    for recording in recordings:
        try:
            reasons = await _differences(proposal, tools, recording, replayer)
        except CannotAdapt as error:
            unknown.append(f"recording {recording.name!r}: {error}")
            continue
        if reasons:
            differs += [f"{recording.name}: {reason}" for reason in reasons[:MAX_SHOWN]]
        else:
            proved.append(recording.name)
    if differs:
        return MigrationProof("differs", tuple(proved), tuple(differs))
    if proved:
        return MigrationProof("proved", tuple(proved), tuple(unknown))
    return MigrationProof("not_proved", (), tuple(unknown) or ("no recording",))


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
