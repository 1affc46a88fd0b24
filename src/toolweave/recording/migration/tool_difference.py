"""The typed difference of two definitions of a tool, parameter by parameter."""

from collections.abc import Mapping

from toolweave.json_text import JsonObject, canonical
from toolweave.recording.migration.changed_tool import ChangedTool
from toolweave.recording.migration.schema_view import (
    Certainty,
    description_of,
)
from toolweave.tools.meaning import plain_word


def changed_tools(
    server: str, pinned: Mapping[str, JsonObject], live: Mapping[str, JsonObject]
) -> list[ChangedTool]:
    """Return every tool of a server that differs from its approved definition."""
    found = [
        ChangedTool(server, name, old, live[name])
        for name, old in pinned.items()
        if name in live and not _is_same(old, live[name])
    ]
    gone = [name for name in pinned if name not in live]
    came = [name for name in live if name not in pinned]
    renamed = {name: _successor(pinned[name], [live[one] for one in came]) for name in gone}
    taken = [one[0] for one in renamed.values() if one is not None]
    for name in gone:
        successor = renamed[name]
        if successor is None or taken.count(successor[0]) > 1:
            found.append(ChangedTool(server, name, pinned[name], None))
        else:
            new, certainty, reason = successor
            tool = ChangedTool(server, name, pinned[name], live[new], certainty, reason)
            found.append(tool)
    found += [ChangedTool(server, name, None, live[name]) for name in came if name not in taken]
    return sorted(found, key=lambda tool: tool.name)


def _is_same(old: JsonObject, new: JsonObject) -> bool:
    keys = ("description", "inputSchema", "outputSchema", "annotations")
    return all(canonical(old.get(key)) == canonical(new.get(key)) for key in keys)


def _successor(old: JsonObject, candidates: list[JsonObject]) -> tuple[str, Certainty, str] | None:
    """Return the new tool that an old one has become, if only one fits."""
    keys = ("inputSchema", "outputSchema")
    same = [
        one
        for one in candidates
        if all(canonical(old.get(key)) == canonical(one.get(key)) for key in keys)
        and (description_of(old) == description_of(one) or _is_same_name(old, one))
    ]
    if len(same) != 1:
        return None
    is_sure = _is_same_name(old, same[0]) or len(description_of(old)) > 30
    reason = "the parameters and the description are those of the tool that is gone"
    return str(same[0].get("name")), "certain" if is_sure else "likely", reason


def _is_same_name(old: JsonObject, new: JsonObject) -> bool:
    return plain_word(str(old.get("name"))) == plain_word(str(new.get("name")))
