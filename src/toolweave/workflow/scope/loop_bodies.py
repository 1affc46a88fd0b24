"""Which loop each step is in, for checks and for runs. Steps are numbers, loops are steps."""

from collections import deque
from collections.abc import Sequence

# The steps after a step, and whether the way there begins at a loop's port `loop`.
Following = Sequence[Sequence[tuple[int, bool]]]


def innermost_loops(loops: Sequence[int], following: Following) -> list[int | None]:
    """Return the innermost loop of each step.

    The body of a loop is what its port `loop` leads to and no other port of it does.
    """
    if not loops:
        return [None] * len(following)
    bits = {loop: 1 << place for place, loop in enumerate(loops)}
    inside, outside = _led_to(bits, following)
    bodies: dict[int, list[int]] = {loop: [] for loop in loops}
    for step in range(len(following)):
        around = inside[step] & ~outside[step] & ~bits.get(step, 0)
        while around:
            place = around.bit_length() - 1
            bodies[loops[place]].append(step)
            around ^= 1 << place
    innermost: list[int | None] = [None] * len(following)
    for loop in sorted(loops, key=lambda loop: -len(bodies[loop])):
        for step in bodies[loop]:
            innermost[step] = loop
    return innermost


def _led_to(bits: dict[int, int], following: Following) -> tuple[list[int], list[int]]:
    """For each step, the loops whose port `loop` leads to it, and those of other ports."""
    inside, outside = [0] * len(following), [0] * len(following)
    waiting = deque(bits)
    queued = set(bits)
    while waiting:
        step = waiting.popleft()
        queued.discard(step)
        own = bits.get(step, 0)
        for target, is_body in following[step]:
            within = inside[target] | inside[step] & ~own | (own if is_body else 0)
            beyond = outside[target] | outside[step] & ~own | (0 if is_body else own)
            if (within, beyond) != (inside[target], outside[target]):
                inside[target], outside[target] = within, beyond
                if target not in queued:
                    queued.add(target)
                    waiting.append(target)
    return inside, outside
