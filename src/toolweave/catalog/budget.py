"""Answers within a token budget: the most useful part first, the rest one named call away.

A token is counted as four bytes of the JSON that is sent, which is what clients count by.
"""

import orjson

from toolweave.json_text import Json, JsonObject

BYTES_A_TOKEN = 4

# What is dropped from a node's answer when it does not fit, least useful first.
SHEDDING = (
    "default_output_params",
    "default_input_params",
    "parameters",
    "default_configurations",
    "examples",
    "input_ports",
    "output_ports",
    "output_params_schema",
    "tags",
    "configurations",
    "input_params_schema",
    "guidance",
)


def tokens(value: Json) -> int:
    """How many tokens `value` takes as JSON, rounded up."""
    return -(-len(orjson.dumps(value)) // BYTES_A_TOKEN)


def fit_node(body: JsonObject, budget: int) -> JsonObject:
    """`body` within `budget` tokens, with `omitted` naming what was left out."""
    if tokens(body) <= budget:
        return body
    kept = dict(body)
    omitted: list[Json] = []
    for part in SHEDDING:
        if part not in kept:
            continue
        kept.pop(part)
        omitted.append(part)
        shown: JsonObject = {**kept, "omitted": list(omitted)}
        if tokens(shown) <= budget:
            return shown
    return {"node_type": body.get("node_type"), "subtype": body.get("subtype"), "omitted": "all"}


def fit_list(
    entries: list[JsonObject], budget: int, *, key: str, more: str, frame: JsonObject
) -> JsonObject:
    """`frame` with as many leading `entries` under `key` as fit; the rest is counted.

    `more` says which call gets the rest.
    """
    whole: JsonObject = {**frame, key: list[Json](entries)}
    if tokens(whole) <= budget:
        return whole
    low, high = 0, len(entries)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(_cut(entries, middle, key, more, frame)) <= budget:
            low = middle
        else:
            high = middle - 1
    return _cut(entries, low, key, more, frame)


def _cut(
    entries: list[JsonObject], count: int, key: str, more: str, frame: JsonObject
) -> JsonObject:
    return {
        **frame,
        key: list[Json](entries[:count]),
        "left_out": len(entries) - count,
        "get_the_rest": more,
    }
