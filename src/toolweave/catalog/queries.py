"""The catalog queries by the name of their tool."""

from typing import Any, cast

from toolweave.catalog.knowledge import Knowledge
from toolweave.json_text import JsonObject


def ask(
    knowledge: Knowledge, name: str, arguments: JsonObject, *, once: bool = False
) -> JsonObject:
    """Answer a query whose arguments were checked. Raises `Invalid` for an unknown name."""
    given = cast("dict[str, Any]", arguments)  # Any: checked against the schema above
    match name:
        case "get_node_types":
            return knowledge.node_types(
                given.get("type_filter"), max_tokens=given.get("max_tokens")
            )
        case "get_node_details":
            return knowledge.node_details(
                [(node["node_type"], node["subtype"]) for node in given["nodes"]],
                include_examples=given.get("include_examples", True),
                include_schemas=given.get("include_schemas", True),
                max_tokens=given.get("max_tokens"),
                once=once,
            )
        case "search_nodes":
            after = given.get("after")
            return knowledge.search(
                given["query"],
                type_filter=given.get("type_filter"),
                tag=given.get("tag"),
                after=(after["node_type"], after["subtype"]) if after else None,
                limit=given.get("limit", 10),
                max_tokens=given.get("max_tokens"),
            )
        case _:
            raise AssertionError(f"there is no query {name!r}")
