"""Seeded changes of real tools, with the call that would be right after each.

Written apart from the migrator, which must not be known here: a change is made to a definition of
the corpus the way a server's author would make it, and the right call is made along with it.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tests.recording.drifts.draft import Draft, a_draft
from tests.recording.drifts.inputs import SINGLE
from tests.recording.drifts.outputs import OUTPUT
from tests.tools.builders import CorpusTool, corpus

from toolweave.json_text import JsonObject
from toolweave.tools.check import check_arguments, check_output
from toolweave.tools.read_tool import read_tool

# How many pairs for each of a kind, and how often one is tried: most do not apply to a tool.
PAIRS = 10
MAX_TRIES = 20_000
# These change the tool as a whole and say nothing together with others.
_ALONE = frozenset({"description_only", "annotations_changed", "tool_renamed"})


@dataclass(frozen=True, slots=True)
class SeededDrift:
    """One changed tool; the fields are those of `Draft`."""

    kinds: tuple[str, ...]
    server: str
    old: JsonObject
    new: JsonObject
    call: JsonObject
    right: JsonObject | None
    result: JsonObject | None
    right_result: JsonObject | None
    moved: dict[str, str | None]
    is_open: bool
    still_fits: bool

    @property
    def name(self) -> str:
        """The change and the tool."""
        return f"{'+'.join(self.kinds)}:{self.server}/{self.old['name']}"


def drifts(per_kind: int, seed: int = 1) -> Iterator[SeededDrift]:
    """Yield `per_kind` changes of each kind, of tools of different servers, and as many pairs."""
    tools = list(corpus())
    for kind in (*SINGLE, *OUTPUT):
        random.Random(f"{seed}/{kind}").shuffle(tools)
        made = (_made(tool, (kind,), seed) for tool in tools)
        yield from islice((one for one in made if one is not None), per_kind)
    rng = random.Random(seed)
    together = sorted(set(SINGLE) - _ALONE)
    pairs = (
        _made(rng.choice(tools), tuple(rng.sample(together, 2)), seed) for _ in range(MAX_TRIES)
    )
    yield from islice((one for one in pairs if one is not None), per_kind * PAIRS)


def _made(tool: CorpusTool, kinds: tuple[str, ...], seed: int) -> SeededDrift | None:
    rng = random.Random(f"{seed}/{tool.name}/{'+'.join(kinds)}")
    draft = a_draft(tool.entry, tool.server, rng)
    if draft is None:
        return None
    fits: list[bool] = []
    for kind in kinds:
        draft.still_fits = False
        if not {**SINGLE, **OUTPUT}[kind](draft):
            return None
        fits.append(draft.still_fits)
    found = _seeded(draft, kinds, tool.server, all(fits))
    return found if _is_sound(found) else None


def _seeded(draft: Draft, kinds: tuple[str, ...], server: str, still_fits: bool) -> SeededDrift:
    schema = draft.new["inputSchema"]
    assert isinstance(schema, dict)
    if not draft.required:
        del schema["required"]
    return SeededDrift(
        kinds,
        server,
        draft.old,
        draft.new,
        draft.call,
        draft.right,
        draft.result,
        draft.right_result,
        draft.moved,
        draft.is_open,
        still_fits,
    )


def _is_sound(drift: SeededDrift) -> bool:
    """Whether the call fits the old definition and the right one the new: else nothing is known."""
    old, new = (read_tool(drift.server, one) for one in (drift.old, drift.new))
    if not new.is_usable or check_arguments(old, drift.call) or drift.old == drift.new:
        return False
    if drift.right is not None and check_arguments(new, drift.right):
        return False
    if drift.result is not None and check_output(old, drift.result):
        return False
    return drift.right_result is None or not check_output(new, drift.right_result)
