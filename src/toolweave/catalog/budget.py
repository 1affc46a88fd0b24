"""Answers within a token budget: the most useful part first, the rest one named call away.

A token is counted as four bytes of the JSON of the answer, which is what clients count by. MCP
sends that JSON twice, as data and as text, for clients of either kind; it is counted once.
"""

from collections.abc import Iterable, Sequence

import orjson

from toolweave.catalog.truncation import Truncatable
from toolweave.json_text import Json, JsonObject

BYTES_A_TOKEN = 4
# What a node needs to be of use; those for which there is less room are left for another call.
USEFUL_BYTES = 600
# Results lose their details when not even so many would fit.
USEFUL_RESULTS = 5


def size(value: Json) -> int:
    """Return the size of `value` as JSON in bytes."""
    return len(orjson.dumps(value))


def tokens(value: Json) -> int:
    """Return the size of `value` as JSON in tokens, rounded up."""
    return -(-size(value) // BYTES_A_TOKEN)


def fit_nodes(nodes: Sequence[Truncatable], budget: int, *, again: str) -> JsonObject:
    """Return the leading `nodes` that fit in `budget`; `again` is the call for the rest."""
    room = budget * BYTES_A_TOKEN
    whole = size({"nodes": []}) + sum(node.size + 1 for node in nodes)
    if whole <= room:
        return {"nodes": [node.body for node in nodes]}
    frame: JsonObject = {
        "nodes": [],
        "left_out": len(nodes),
        "get_the_rest": f"{again} with fewer nodes or max_tokens {-(-whole // BYTES_A_TOKEN)}",
    }
    room -= size(frame) + len(b',"shortened":999')
    bodies = _dealt(nodes[: _useful_count(nodes, room)], room)
    # A shortened node says itself what it lacks.
    shortened = sum("omitted" in body for body in bodies)
    counts: JsonObject = {"left_out": len(nodes) - len(bodies), "shortened": shortened}
    return {**frame, "nodes": list[Json](bodies), **counts}


def fit_list(
    entries: Sequence[JsonObject],
    budget: int,
    *,
    key: str,
    again: str,
    details: Iterable[str] = (),
    frame: JsonObject | None = None,
    frame_share: float = 0.25,
) -> JsonObject:
    """As many leading `entries` as fit under `key`; where few do, without their `details`.

    The `frame` around them is left out where it takes more than its share.
    """
    room = budget * BYTES_A_TOKEN
    whole: JsonObject = {**(frame or {}), key: list[Json](entries)}
    if size(whole) <= room:
        return whole
    around: JsonObject = {key: [], "left_out": len(entries), "get_the_rest": again}
    if frame and size(frame) <= room * frame_share:
        around = frame | around
    room -= size(around)
    count = _leading(entries, room)
    if count < min(USEFUL_RESULTS, len(entries)):
        dropped = frozenset(details)
        entries = [
            {name: entry[name] for name in entry if name not in dropped} for entry in entries
        ]
        count = _leading(entries, room)
    return {**around, key: list[Json](entries[:count]), "left_out": len(entries) - count}


def fit_lists(
    lists: dict[str, list[str]], budget: int, *, again: str
) -> tuple[JsonObject, JsonObject]:
    """Return `lists` with the leading names that fit, and beside it what is left out of which."""
    room = budget * BYTES_A_TOKEN
    whole: JsonObject = {name: list[Json](names) for name, names in lists.items()}
    if size(whole) <= room:
        return whole, {}
    low, high = 0, max(map(len, lists.values()))
    while low < high:
        middle = (low + high + 1) // 2
        if sum(map(size, _capped(lists, middle, again))) <= room:
            low = middle
        else:
            high = middle - 1
    capped = _capped(lists, low, again)
    if sum(map(size, capped)) <= room:
        return capped
    return {}, {"left_out": sum(map(len, lists.values())), "get_the_rest": again}


def _capped(lists: dict[str, list[str]], most: int, again: str) -> tuple[JsonObject, JsonObject]:
    shown: JsonObject = {name: list[Json](names[:most]) for name, names in lists.items()}
    left: JsonObject = {
        name: len(names) - most for name, names in lists.items() if len(names) > most
    }
    return shown, {"left_out": left, "get_the_rest": again}


def _leading(entries: Iterable[JsonObject], room: int) -> int:
    count = 0
    for entry in entries:
        room -= size(entry) + 1
        if room < 0:
            break
        count += 1
    return count


def _useful_count(nodes: Sequence[Truncatable], room: int) -> int:
    """How many leading nodes get a useful share; the first is shown if its name fits."""
    count, left = 0, room
    for node in nodes:
        left -= max(node.smallest, min(node.size, USEFUL_BYTES)) + 1
        if left < 0:
            break
        count += 1
    return count or int(nodes[0].smallest + 1 <= room)


def _dealt(nodes: Sequence[Truncatable], room: int) -> list[JsonObject]:
    """The nodes in even shares of `room`; what one does not need goes to the larger ones."""
    bodies: list[JsonObject] = [{}] * len(nodes)
    extra = room - sum(node.smallest + 1 for node in nodes)
    by_need = sorted(range(len(nodes)), key=lambda index: nodes[index].size - nodes[index].smallest)
    for done, index in enumerate(by_need):
        node = nodes[index]
        bodies[index] = node.within(node.smallest + extra // (len(nodes) - done))
        extra -= size(bodies[index]) - node.smallest
    return bodies
