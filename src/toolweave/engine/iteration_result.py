"""The result of one iteration of a loop."""

from toolweave.engine.frames import Frame, carried_by
from toolweave.engine.plan import Plan
from toolweave.json_text import Json


def iteration_result(plan: Plan, frame: Frame) -> Json:
    """Return what the body led back to its loop, else the results of its last steps."""
    assert frame.loop is not None
    loop = frame.loop.step.index
    back: list[Json] = []
    last: list[Json] = []
    for index in plan.bodies[loop]:
        outcome = frame.outcomes.get(index)
        if outcome is None:
            continue
        step = plan.steps[index]
        links = [link for link in step.outgoing if link.port in outcome.ports]
        if any(link.target == loop for link in links):
            back.append(carried_by(step, outcome))
        elif not any(link.target in frame.outcomes for link in links):
            last.append(carried_by(step, outcome))
    found = back or last
    return found[0] if len(found) == 1 else found or None
