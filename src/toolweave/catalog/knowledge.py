"""The three questions the catalog answers, for MCP and REST alike (seed 004's service).

Arguments come from outside and are checked by the doors against `questions.py`; answers are
plain JSON, within the asker's token budget.
"""

from functools import cached_property
from typing import Any, cast

from toolweave.catalog import budget
from toolweave.catalog.corrections import Missing, correct, correct_type
from toolweave.catalog.following import followers
from toolweave.catalog.index import Catalog
from toolweave.catalog.search import SearchIndex
from toolweave.catalog.serialise import serialise
from toolweave.catalog.spec import NODE_TYPES, NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem

DEFAULT_MAX_TOKENS = 8_000


class Knowledge:
    """Answers from one catalog; what is asked often is serialised once."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._serialised: dict[tuple[str, bool, bool], JsonObject] = {}

    @cached_property
    def _index(self) -> SearchIndex:
        return SearchIndex(self.catalog)

    def node_types(self, type_filter: str | None = None) -> JsonObject:
        """Types and their subtypes; a misspelt filter is mended, an unknown one refused.

        Raises:
            Invalid: `NODE_TYPE_UNKNOWN`.
        """
        only = _type(type_filter, "/type_filter")
        return {kind: list[Json](subtypes) for kind, subtypes in self.catalog.types(only).items()}

    def node_details(
        self,
        nodes: list[tuple[str, str]],
        *,
        include_examples: bool = True,
        include_schemas: bool = True,
        max_tokens: int | None = None,
    ) -> JsonObject:
        """Full specifications; a name nobody knows gives an error entry, not a failed call."""
        limit = max_tokens or DEFAULT_MAX_TOKENS
        entries = [self._entry(*names, include_examples, include_schemas) for names in nodes]
        if budget.tokens({"nodes": list[Json](entries)}) > limit:
            share = max(limit // max(len(entries), 1) - 8, 24)
            entries = [budget.fit_node(entry, share) for entry in entries]
        return budget.fit_list(
            entries,
            limit,
            key="nodes",
            more="call get_node_details with fewer nodes or a larger max_tokens",
            frame={},
        )

    def search(
        self,
        query: str,
        *,
        type_filter: str | None = None,
        tag: str | None = None,
        after: tuple[str, str] | None = None,
        limit: int = 10,
        max_tokens: int | None = None,
    ) -> JsonObject:
        """Nodes by what they should do, or by what can follow the node `after`.

        Raises:
            Invalid: `NODE_TYPE_UNKNOWN`, or `NODE_UNKNOWN` for `after`.
        """
        only = _type(type_filter, "/type_filter")
        frame: JsonObject = {}
        if after is not None:
            before = self._known(*after)
            fitting = followers(self.catalog, before, limit=len(self.catalog))
            order = {one.spec.ref: one.because for one in fitting}
            frame["after"] = before.ref
        else:
            order = None
        hits = self._index.search(query, node_type=only, tag=tag, limit=limit if not order else 500)
        found = [hit.spec for hit in hits if order is None or hit.spec.ref in order]
        if order is not None and not query.strip():
            found.sort(key=lambda spec: list(order).index(spec.ref))
        entries = [_brief(spec, order[spec.ref] if order else None) for spec in found[:limit]]
        return budget.fit_list(
            entries,
            max_tokens or DEFAULT_MAX_TOKENS,
            key="results",
            more="call search_nodes with a narrower query, a type_filter or a larger max_tokens",
            frame=frame,
        )

    def _known(self, node_type: str, subtype: str) -> NodeSpec:
        found = correct(self.catalog, node_type, subtype)
        if isinstance(found, Missing):
            problem = Problem("NODE_UNKNOWN", "/after", found.error, found.hint)
            raise Invalid("NODE_UNKNOWN", found.error, hint=found.hint, problems=[problem])
        return found.spec

    def _entry(
        self, node_type: str, subtype: str, include_examples: bool, include_schemas: bool
    ) -> JsonObject:
        found = correct(self.catalog, node_type, subtype)
        if isinstance(found, Missing):
            return {
                "node_type": node_type[:200],
                "subtype": subtype[:200],
                "error": found.error,
                "hint": found.hint,
                "available_subtypes": list[Json](found.available_subtypes),
            }
        key = (found.spec.ref, include_examples, include_schemas)
        if key not in self._serialised:
            self._serialised[key] = serialise(
                found.spec, include_examples=include_examples, include_schemas=include_schemas
            )
        body = self._serialised[key]
        return body | {"warning": found.warning} if found.warning else body


def _type(given: str | None, at: str) -> str | None:
    if given is None or not given.strip():
        return None
    known = correct_type(given)
    if known is None:
        message = f"no node type is called {given[:60]!r}"
        hint = f"it is one of {', '.join(NODE_TYPES)}"
        problem = Problem("NODE_TYPE_UNKNOWN", at, message, hint)
        raise Invalid("NODE_TYPE_UNKNOWN", message, hint=hint, problems=[problem])
    return known


def _brief(spec: NodeSpec, because: str | None) -> JsonObject:
    body: JsonObject = {
        "node_type": spec.type,
        "subtype": spec.subtype,
        "description": spec.summary,
        "required": [
            given.name for given in (*spec.configurations, *spec.inputs) if given.required
        ],
        "outputs": [port.name for port in spec.output_ports],
    }
    return body | {"because": because} if because else body


def ask(knowledge: Knowledge, name: str, arguments: JsonObject) -> JsonObject:
    """Answer a question whose arguments were checked against its schema.

    Raises:
        Invalid: a name nobody knows, where no other answer is possible.
    """
    given = cast("dict[str, Any]", arguments)  # Any: checked against the schema above
    match name:
        case "get_node_types":
            return knowledge.node_types(given.get("type_filter"))
        case "get_node_details":
            return knowledge.node_details(
                [(node["node_type"], node["subtype"]) for node in given["nodes"]],
                include_examples=given.get("include_examples", True),
                include_schemas=given.get("include_schemas", True),
                max_tokens=given.get("max_tokens"),
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
            raise AssertionError(f"no question is called {name!r}")
