"""One row of the table of faults: what was counted, and whether the count can be believed.

Nothing that goes wrong in a part ends the others: it is a row that failed. And a row has failed
whose positive control, a variant that loses or repeats on purpose, found nothing.
"""

import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import anyio

# Tests import each other from their folder, as pytest has it.
_TESTS = str(Path(__file__).parents[1] / "tests")
if _TESTS not in sys.path:
    sys.path.append(_TESTS)

HEAD = ("what", "runs", "faults", "uncertain", "lost", "twice", "control", "took", "")


@dataclass(slots=True)
class Found:
    """What was counted."""

    runs: int = 0
    faults: int = 0
    # Steps of which a person had to decide: their outcome was not known.
    uncertain: int = 0
    lost: int = 0
    twice: int = 0
    # Whatever else did not hold.
    wrong: list[str] = field(default_factory=list[str])
    # What was raised: then nothing was found.
    raised: str = ""
    note: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether the check found anything."""
        return bool(self.lost or self.twice or self.wrong)

    def add(self, other: "Found") -> None:
        """Count what another one counted, too."""
        self.runs += other.runs
        self.faults += other.faults
        self.uncertain += other.uncertain
        self.lost += other.lost
        self.twice += other.twice
        self.wrong += other.wrong


Work = Callable[[Random], Awaitable[Found]]


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of fault."""

    what: str
    work: Work
    # The same with a variant that loses or repeats on purpose.
    control: Work
    # Fewer faults than this prove nothing.
    faults: int
    # Whether some steps must have become uncertain.
    has_uncertain: bool = False
    # Whether it measures time or CPU, so that no other line may run beside it.
    is_alone: bool = False


def each_fails(**controls: Work) -> Work:
    """Several controls as one: each of them must find something."""

    async def control(dice: Random) -> Found:
        whole, seen = Found(), list[str]()
        for name, work in controls.items():
            one = await work(dice)
            if not one.is_bad:
                say(f"  the control without {name} found nothing: {one}")
                return Found(note=f"without {name}: nothing")
            reason = one.wrong[0] if one.wrong else f"{one.lost} lost, {one.twice} twice"
            say(f"  without {name}: {reason}")
            seen.append(f"no {name}: {reason}".replace("_", " "))
            whole.add(one)
        whole.note = "; ".join(seen)
        return whole

    return control


def until_found(work: Work, rounds: int = 4) -> Work:
    """A control that depends on the moment of its faults: tried until it finds something."""

    async def control(dice: Random) -> Found:
        found = Found()
        for _ in range(rounds):
            found.add(await work(dice))
            if found.is_bad:
                break
        return found

    return control


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a part."""

    what: str
    found: Found
    control: Found
    took_s: float
    reasons: tuple[str, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        """As shown."""
        found = self.found
        counts = (found.runs, found.faults, found.uncertain, found.lost, found.twice)
        control = self.control
        seen = "; ".join(control.wrong[:1]) or control.note or "nothing"
        if control.note.startswith("no "):
            seen = control.note
        elif control.lost or control.twice:
            seen = f"{control.lost} lost, {control.twice} twice"
        verdict = "FAILED: " + "; ".join(self.reasons) if self.reasons else found.note or "ok"
        return (self.what, *map(str, counts), seen, f"{self.took_s:.0f} s", verdict)


def say(text: str) -> None:
    """Show how far it is."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {_line}{text.strip()}\n")
    sys.stderr.flush()


_line = ""


def row(part: Part, seed: int) -> Row:
    """Do a part and its control."""
    global _line  # each line may have a process of its own
    _line = f"{part.what}: "
    say("begins")
    began = time.monotonic()
    found = _safely(part.work, Random(seed))
    say("control")
    control = _safely(part.control, Random(seed))
    reasons = [*found.wrong, *([found.raised] if found.raised else [])]
    if found.lost or found.twice:
        reasons.append(f"{found.lost} lost, {found.twice} twice")
    if found.faults < part.faults:
        reasons.append(f"{found.faults} faults of {part.faults}")
    if part.has_uncertain and not found.uncertain:
        reasons.append("nothing was uncertain")
    if control.raised:
        reasons.append(f"the control raised {control.raised}")
    elif not control.is_bad:
        reasons.append("the control found nothing")
    done = Row(part.what, found, control, time.monotonic() - began, tuple(reasons))
    say("ended  " + "  ".join(done.cells[1:]))
    return done


def _safely(work: Work, dice: Random) -> Found:
    try:
        return anyio.run(work, dice)
    except Exception as error:
        traceback.print_exc()
        return Found(raised=f"{type(error).__name__}: {error}".splitlines()[0])


def table(rows: list[Row]) -> str:
    """All rows, in columns."""
    lines = [HEAD, *(one.cells for one in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
