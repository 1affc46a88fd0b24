"""The three catalog queries, for MCP and REST.

Callers check the arguments against `tool_definitions`; answers are plain JSON within the caller's
token budget. Answers are shared between callers and must not be modified.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache

from toolweave.catalog import budget
from toolweave.catalog.corrections import UnknownName, correct, correct_type, shown
from toolweave.catalog.index import Catalog
from toolweave.catalog.search import Meaning, SearchIndex
from toolweave.catalog.serialise import REPEATED, serialise, serialise_once
from toolweave.catalog.spec import NODE_TYPES, NodeSpec
from toolweave.catalog.successors import followers
from toolweave.catalog.tool_definitions import DETAILS_TOKENS, TYPES_TOKENS
from toolweave.catalog.truncation import SHORT_TEXT, Truncatable
from toolweave.errors import Invalid, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem

MAX_KEPT = 1_024
MAX_KEPT_LISTS = 32
# How deep a search looks for nodes that can follow another.
MAX_CANDIDATES = 500
# What a result of a search can do without.
DETAILS = ("required", "outputs", "because")


class Knowledge:
    """Answers from one catalog; what is asked often is serialised once.

    `on_asked` is called with the requested nodes; `usage` counts earlier requests.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        usage: Mapping[str, int] | None = None,
        on_asked: Callable[[Sequence[str]], None] | None = None,
        meaning: Meaning | None = None,
    ) -> None:
        self.catalog = catalog
        self._meaning = meaning
        self._usage = usage or {}
        self._on_asked = on_asked
        self._serialised = lru_cache(MAX_KEPT)(self._serialise)
        self._listed = lru_cache(MAX_KEPT_LISTS)(self._list)

    def prepare(self) -> None:
        """Build what the first search and the first correction would wait for; fit for a thread."""
        _ = self.catalog.names, self._index
        if self._meaning is not None:
            with suppress(Unavailable):  # a search reports it
                self._index.search("prepare")

    def types(self, type_filter: str | None = None) -> dict[str, list[str]]:
        """Return all types and subtypes; a misspelt filter is corrected, an unknown one refused."""
        return self.catalog.types(_type(type_filter, "/type_filter"))

    def node_types(
        self, type_filter: str | None = None, *, max_tokens: int | None = None
    ) -> JsonObject:
        """Return the types within a budget; thousands of live tools would be too many."""
        return self.types_and_notes(type_filter, max_tokens=max_tokens)[0]

    def types_and_notes(
        self, type_filter: str | None = None, *, max_tokens: int | None = None
    ) -> tuple[JsonObject, JsonObject]:
        """Return the types within a budget, and notes on what was corrected or left out."""
        only = _type(type_filter, "/type_filter")
        shown, notes = self._listed(only, max_tokens or TYPES_TOKENS)
        return shown, {**_corrected(type_filter, only), **notes}

    def node_details(
        self,
        nodes: Sequence[tuple[str, str]],
        *,
        include_examples: bool = True,
        include_schemas: bool = True,
        max_tokens: int | None = None,
        once: bool = False,
    ) -> JsonObject:
        """Return full specifications; an unknown name gives an error entry, not a failed call.

        With `once`, without the fields that only repeat others; the answer names them.
        """
        asked: list[str] = []
        entries: list[Truncatable] = []
        for node_type, subtype in nodes:
            found = correct(self.catalog, node_type, subtype)
            if isinstance(found, UnknownName):
                entries.append(_unknown(node_type, subtype, found))
                continue
            spec = found.spec
            asked.append(spec.ref)
            how = (include_examples, include_schemas, once)
            entry = self._serialised(spec.type, spec.subtype, *how)
            if found.warning:
                entry = Truncatable({**entry.body, "warning": found.warning})
            entries.append(entry)
        if self._on_asked is not None and asked:
            self._on_asked(asked)
        limit = max_tokens or DETAILS_TOKENS
        if not once:
            return budget.fit_nodes(entries, limit, again="get_node_details")
        repeated: JsonObject = {"repeated": list[Json](REPEATED)}
        limit -= budget.tokens(repeated)
        return {**budget.fit_nodes(entries, limit, again="get_node_details"), **repeated}

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
        """Find nodes by what they should do, or by what can follow the node `after`."""
        only = _type(type_filter, "/type_filter")
        before, frame = self._before(after)
        frame = {**_corrected(type_filter, only), **frame}
        found = self._found(query, only, tag, before, limit)
        return budget.fit_list(
            [_brief(spec, because) for spec, because in found],
            max_tokens or DETAILS_TOKENS,
            key="results",
            again="search_nodes with a narrower query or more max_tokens; get_node_details",
            details=DETAILS,
            frame=frame,
        )

    def _found(
        self, query: str, only: str | None, tag: str | None, before: NodeSpec | None, limit: int
    ) -> list[tuple[NodeSpec, str | None]]:
        """Nodes in order, each with the reason why it can follow `before`."""
        if before is None:
            hits = self._index.search(query, node_type=only, tag=tag, limit=limit)
            return [(hit.spec, None) for hit in hits]
        if not query.strip():
            specs = self._index.listed(node_type=only, tag=tag)
            return [
                (one.spec, one.because(before)) for one in followers(specs, before, limit=limit)
            ]
        hits = self._index.search(query, node_type=only, tag=tag, limit=MAX_CANDIDATES)
        fitting = followers([hit.spec for hit in hits], before, limit=MAX_CANDIDATES)
        reasons = {one.spec.ref: one.because(before) for one in fitting}
        by_words = [(hit.spec, reasons[hit.spec.ref]) for hit in hits if hit.spec.ref in reasons]
        return [(spec, because) for spec, because in by_words[:limit]]

    @cached_property
    def _index(self) -> SearchIndex:
        return SearchIndex(self.catalog, self._usage, self._meaning)

    def _before(self, after: tuple[str, str] | None) -> tuple[NodeSpec | None, JsonObject]:
        if after is None:
            return None, {}
        found = correct(self.catalog, *after)
        if isinstance(found, UnknownName):
            problem = Problem("NODE_UNKNOWN", "/after", found.error, found.hint)
            raise Invalid("NODE_UNKNOWN", found.error, hint=found.hint, problems=[problem])
        frame: JsonObject = {"after": found.spec.ref}
        return found.spec, frame | ({"warning": found.warning} if found.warning else {})

    def _list(self, only: str | None, max_tokens: int) -> tuple[JsonObject, JsonObject]:
        return budget.fit_lists(
            self.catalog.types(only),
            max_tokens,
            again="search_nodes, or get_node_types with type_filter or more max_tokens",
        )

    def _serialise(
        self,
        node_type: str,
        subtype: str,
        include_examples: bool,
        include_schemas: bool,
        once: bool,
    ) -> Truncatable:
        spec = self.catalog.get(node_type, subtype)
        assert spec is not None
        made = serialise_once if once else serialise
        return Truncatable(
            made(spec, include_examples=include_examples, include_schemas=include_schemas)
        )


def _unknown(node_type: str, subtype: str, missing: UnknownName) -> Truncatable:
    body: JsonObject = {
        "node_type": shown(node_type),
        "subtype": shown(subtype),
        "error": missing.error,
        "hint": missing.hint,
    }
    if missing.available_subtypes:
        body["available_subtypes"] = list[Json](missing.available_subtypes)
    return Truncatable(body)


def _type(given: str | None, at: str) -> str | None:
    if given is None or not given.strip():
        return None
    known = correct_type(given)
    if known is None:
        message = f"there is no node type {given[:60]!r}"
        hint = f"it is one of {', '.join(NODE_TYPES)}"
        problem = Problem("NODE_TYPE_UNKNOWN", at, message, hint)
        raise Invalid("NODE_TYPE_UNKNOWN", message, hint=hint, problems=[problem])
    return known


def _corrected(given: str | None, known: str | None) -> JsonObject:
    """A warning that a node type was written otherwise."""
    if given is None or known is None or given == known:
        return {}
    return {"warning": f"Auto-corrected: node type '{shown(given)}' → '{known}'."}


def _brief(spec: NodeSpec, because: str | None) -> JsonObject:
    fields = (*spec.configurations, *spec.inputs)
    text = spec.summary
    body: JsonObject = {
        "node_type": spec.type,
        "subtype": spec.subtype,
        "description": text if len(text) <= SHORT_TEXT else text[: SHORT_TEXT - 1] + "…",
        # A setting that may come as an input has one name.
        "required": list(dict.fromkeys(given.name for given in fields if given.required)),
        "outputs": [port.name for port in spec.output_ports],
    }
    return body | {"because": because} if because else body
