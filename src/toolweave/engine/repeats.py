"""An answer of a drawn workflow leads back: the earlier step and what follows it run again.

Each turn has keys of its own (`draft#1/ask`), so that no finished step runs again under its key.
"""

from collections.abc import Set

from toolweave.engine.events import Key, StepFailed
from toolweave.engine.frames import Frame, Repeats, StepFrame
from toolweave.engine.plan import Plan
from toolweave.engine.steps import Link
from toolweave.workflow.revise_loops import MAX_TURNS


def note_end(place: StepFrame) -> bool:
    """Note the turn in which a step ended; return whether that is the current one."""
    repeats, index = place.frame.repeats, place.step.index
    assert repeats is not None
    prefix = repeats.prefixes.get(index, "")
    if place.key != prefix + place.step.id:
        return False
    repeats.ended[index] = prefix
    return True


def refuse_turn(plan: Plan, place: StepFrame, link: Link) -> StepFailed | None:
    """Return the failure of a step that led back too often."""
    repeats = place.frame.repeats
    if repeats is None or repeats.turns.get(link.target, 0) < MAX_TURNS:
        return None
    target = plan.steps[link.target].id
    message = f"{place.step.id!r} led back to {target!r} {MAX_TURNS} times; the run ended there"
    hint = "choose an answer that goes on, or start the workflow again"
    return StepFailed(place.key, "TURNS_EXCEEDED", message, hint=hint)


def repeat(plan: Plan, frame: Frame, link: Link, active: Set[Key]) -> None:
    """Reset the target of a link and all steps after it, as if they had not run yet."""
    repeats = frame.repeats = frame.repeats or Repeats()
    turn = repeats.turns[link.target] = repeats.turns.get(link.target, 0) + 1
    again = plan.repeated(link.target)
    open_steps = {
        index
        for index, left in frame.undecided.items()
        if index not in again and (left or _key(frame, plan, index) in active)
    }
    prefix = f"{plan.steps[link.target].id}#{turn}/"
    for index in again:
        repeats.prefixes[index] = prefix
        repeats.entered.pop(index, None)
    for index in again:
        incoming = plan.steps[index].incoming
        frame.undecided[index] = sum(
            one.source in again or one.source in open_steps for one in incoming
        )
        frame.taken[index] = sum(
            one.source not in again
            and one.source in frame.outcomes
            and one.port in frame.outcomes[one.source].ports
            for one in incoming
        )
    frame.undecided[link.target], frame.taken[link.target] = 0, 1
    repeats.entered[link.target] = link


def _key(frame: Frame, plan: Plan, index: int) -> Key:
    return StepFrame(frame, plan.steps[index]).key
