"""The value of a name in a prompt or template.

Looked up in this order: results of other nodes (`node2_result`, `node-2_result`) and their names
(`node2_template`), the run's input, values of the node, any path that an expression may read.
"""

from collections.abc import Mapping

from toolweave.cel.language import Value, evaluate
from toolweave.json_text import Json
from toolweave.patterns import pattern

_RESULT = pattern(r"(.+)_(result|template)")


def named_value(name: str, names: Mapping[str, Json], own: Json) -> tuple[bool, Json]:
    """Whether a name is known, and its value."""
    nodes = names["nodes"]
    trigger = names["trigger"]
    if isinstance(nodes, dict):
        found = _result(name, nodes)
        if found is not None:
            return True, found
    if isinstance(trigger, dict) and name in trigger:
        return True, trigger[name]
    if isinstance(own, dict) and name in own:
        return True, own[name]
    for node in nodes.values() if isinstance(nodes, dict) else ():
        values = node.get("output") if isinstance(node, dict) else None
        if isinstance(values, dict) and name in values:
            return True, values[name]
    for given in (trigger, own):
        is_known, value = _at_path(name, given)
        if is_known:
            return True, value
    found = evaluate(name, names)
    return (True, found.value) if isinstance(found, Value) else (False, None)


def _at_path(name: str, value: Json) -> tuple[bool, Json]:
    """The value at a path such as `city.name` in what the run or the node was given."""
    for step in name.split("."):
        if not isinstance(value, dict) or step not in value:
            return False, None
        value = value[step]
    return True, value


def _result(name: str, nodes: Mapping[str, Json]) -> Json:
    match = _RESULT.fullmatch(name)
    if match is None:
        return None
    # The exact id wins over one that is written without its hyphens.
    exact = [match[1]] if match[1] in nodes else []
    for identity in (*exact, *(one for one in nodes if one.replace("-", "") == match[1])):
        ports = nodes[identity]
        if isinstance(ports, dict):
            return ports.get("output" if match[2] == "result" else "template")
    return None
