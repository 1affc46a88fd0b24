"""MEMORY.VECTOR_DATABASE: find texts by meaning."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from anyio import to_thread

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import read_each, refused_at
from toolweave.catalog.resources.stores import EMBEDDED, Stores
from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.errors import Invalid, NotFound, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory._embedding import LOCAL, Vector, embed
from toolweave.nodes.memory._indexes import Indexes
from toolweave.nodes.memory._pgvector import PgVectors, has_pgvector, quoted
from toolweave.nodes.memory._storable_text import escaped, text_of
from toolweave.nodes.memory._vectors import (
    Hits,
    OwnVectors,
    Search,
    VectorEntry,
    Vectors,
    has_entries,
)
from toolweave.problems import Problem

BUILT_IN = "supabase_pgvector"
MAX_ITEMS = 1000
_OF_ITEM = frozenset({"id", "content", "metadata"})


class VectorDatabase:
    """Stores texts with their embeddings and finds those nearest in meaning."""

    spec = NodeSpec(
        type="MEMORY",
        subtype="VECTOR_DATABASE",
        summary="Store texts in a vector database and find those nearest in meaning.",
        effect="keyed",
        configurations=(
            Field(
                "database_provider",
                "string",
                "Kind of database at database_url; the others are reached by their MCP servers.",
                "supabase_pgvector",
                required=True,
                options=(BUILT_IN, "pinecone", "weaviate", "chromadb", "qdrant"),
                not_built_in=("pinecone", "weaviate", "chromadb", "qdrant"),
            ),
            Field(
                "database_url",
                "string",
                "embedded for our own database, or the address of a Postgres with pgvector, as a "
                "vault reference.",
                EMBEDDED,
                required=True,
                sensitive=True,
            ),
            Field(
                "table_name",
                "string",
                "Table, index or collection: handbook.",
                "embeddings",
                required=True,
            ),
            Field(
                "embedding_model",
                "string",
                "Model the table was filled with; embedded tables use "
                + LOCAL
                + ", by shared words.",
                "text-embedding-3-small",
                required=True,
                options=terms(
                    "text-embedding-ada-002, text-embedding-3-small, text-embedding-3-large, "
                    "sentence-transformers/all-MiniLM-L6-v2"
                ),
                is_open=True,
            ),
            Field(
                "vector_dimension",
                "integer",
                "Length of the model's vectors: 1536 for text-embedding-3-small, 384 for MiniLM.",
                1536,
                required=True,
                minimum=1,
                maximum=65_536,
            ),
            Field(
                "similarity_threshold",
                "float",
                "Least similarity of a hit, from 0 to 1; without a model 0.2 is much.",
                0.7,
                minimum=0,
                maximum=1,
            ),
            Field("max_results", "integer", "Most hits given.", 5, minimum=1, maximum=50),
        ),
        inputs=(
            Field(
                "operation",
                "string",
                "search needs query, store and update need items, delete needs ids.",
                "search",
                options=("search", "store", "update", "delete"),
            ),
            Field("query", "string", "Text to find similar ones for.", multiline=True),
            Field("context", "object", "Who asks and why; added to what is stored as metadata."),
            Field(
                "filters",
                "object",
                'Metadata a hit must have: {"language": "en", "team": ["a", "b"]}.',
            ),
            Field(
                "items",
                "array",
                'What to store: [{"id": "faq-1", "content": "...", "metadata": {"team": "a"}}].',
                items="object",
                members="[{id, content, metadata: object}]",
            ),
            Field("ids", "array", "Ids to delete: [faq-1, faq-2].", items="string"),
        ),
        outputs=(
            Field(
                "results",
                "array",
                "Hits, best first: id, content and metadata of each.",
                items="object",
            ),
            Field("scores", "array", "Similarity of each hit, from 0 to 1.", items="float"),
            Field("total_results", "integer", "Hits given, or items stored or deleted."),
            Field("search_time", "float", "Seconds it took."),
            Field("cached", "boolean", "Whether the answer was at hand from before."),
        ),
        tags=("memory", "vector", "embeddings", "search"),
        keywords=(
            *("vector", "embedding", "semantic", "similarity", "search", "rag"),
            *("retrieval", "knowledge", "pinecone", "qdrant", "pgvector", "nearest"),
        ),
        guidance="Attach it to an AI_AGENT node, or use it as a step of its own.",
        examples=(
            Example(
                "Ask the handbook",
                "The three passages that fit a question best.",
                {
                    "database_provider": "supabase_pgvector",
                    "database_url": "${vault:handbook-database}",
                    "table_name": "handbook",
                    "embedding_model": "text-embedding-3-small",
                    "vector_dimension": 1536,
                    "similarity_threshold": 0.75,
                    "max_results": 3,
                },
                {
                    "operation": "search",
                    "query": "How many days of leave do I have?",
                    "filters": {"language": "en"},
                },
            ),
            Example(
                "Remember a conversation",
                "Stores a summary under its id, with the customer as metadata.",
                {
                    "database_provider": "supabase_pgvector",
                    "database_url": "${vault:memory-database}",
                    "table_name": "conversations",
                    "embedding_model": LOCAL,
                    "vector_dimension": 384,
                },
                {
                    "operation": "store",
                    "items": [
                        {
                            "id": "conv-81",
                            "content": "Order A-100 came late; a refund was agreed.",
                            "metadata": {"customer": "c-7"},
                        }
                    ],
                },
            ),
            Example(
                "Forget outdated entries",
                "Deletes two entries by id.",
                {
                    "database_provider": "supabase_pgvector",
                    "database_url": "${vault:memory-database}",
                    "table_name": "faq",
                    "embedding_model": LOCAL,
                    "vector_dimension": 384,
                },
                {"operation": "delete", "ids": ["faq-1", "faq-2"]},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """Do one operation."""
        began = time.perf_counter()
        given = context.given
        check_operation(given)
        vectors = await _opened(given, context.resources.stores)
        done = await _do(vectors, given, context.key)
        return Outcome(
            {
                "results": list(done.hits.entries),
                "scores": list(done.hits.scores),
                "total_results": done.count,
                "search_time": time.perf_counter() - began,
                "cached": done.hits.was_at_hand,
            }
        )


def check_operation(given: NodeInput) -> None:
    """Whether the operation has what it needs. Raises `NODE_INPUT_INVALID` and other codes."""
    problem = provider_problem(given.config)
    if problem is not None:
        raise Invalid(problem.code, problem.message, hint=problem.hint, problems=[problem])
    quoted(given.text("table_name"))
    match given.text("operation") or "search":
        case "search":
            _query(given)
        case "store":
            _items(given, "check")
        case "update":
            _items(given, None)
        case "delete":
            _ids(given.listing("ids"))
        case _:
            pass


def provider_problem(config: Mapping[str, Json]) -> Problem | None:
    """What is wrong with the provider of a node's configurations, before it runs."""
    provider = config.get("database_provider", BUILT_IN)
    if provider == BUILT_IN or not isinstance(provider, str) or "{{" in provider:
        return None
    return Problem(
        "PROVIDER_NOT_BUILT_IN",
        "/database_provider",
        f"{provider!r} is not built in; built in is {BUILT_IN!r}, which is our own database or a "
        "Postgres with pgvector",
        hint=f"connect the MCP server of {provider} and use its tools",
    )


@dataclass(frozen=True, slots=True)
class _Done:
    count: int
    hits: Hits


async def _opened(given: NodeInput, stores: Stores) -> Vectors:
    table, dimension = given.text("table_name"), given.whole("vector_dimension")
    quoted(table)
    database = await stores.postgres(given.text("database_url") or EMBEDDED)
    if database is not stores.database:
        model = given.text("embedding_model")
        if model != LOCAL:
            raise Unavailable(
                "MODEL_NEEDED",
                f"the vectors of {table!r} are made by {model!r}, and no such model is configured",
                hint=f"for a table of your own, set embedding_model to {LOCAL!r}",
            )
        return await PgVectors.opened(database, table, dimension)
    # Vectors made in another way are never compared: they are in a space of their own.
    space = f"{table}/{LOCAL}/{dimension}"
    if await has_pgvector(database) and not await has_entries(database, space):
        own = f"vectors_{hashlib.sha256(space.encode()).hexdigest()[:24]}"
        return await PgVectors.opened(database, own, dimension)
    return OwnVectors(database, space, dimension, Indexes(stores.indexes))


async def _do(vectors: Vectors, given: NodeInput, step: str) -> _Done:
    operation = given.text("operation") or "search"
    match operation:
        case "search":
            return await _search(vectors, given)
        case "store":
            return await _put(vectors, _items(given, step), given)
        case "update":
            return await _update(vectors, given)
        case "delete":
            return _Done(await vectors.delete(_ids(given.listing("ids"))), Hits([], []))
        case _:
            raise Invalid("NODE_INPUT_INVALID", f"there is no operation {operation!r}")


def _query(given: NodeInput) -> str:
    query = given.text("query")
    if not query.strip():
        raise refused_at(("query",), "NODE_INPUT_INVALID", "search needs a query")
    return query


async def _search(vectors: Vectors, given: NodeInput) -> _Done:
    vector = await _embedded(_query(given), given)
    if not any(vector):  # no word in it, so nothing is like it
        return _Done(0, Hits([], []))
    filters = given.record("filters")
    _refuse_nul(filters, "filters")
    threshold, most = given.number("similarity_threshold"), given.whole("max_results")
    hits = await vectors.search(Search(vector, filters, threshold, most))
    return _Done(len(hits.entries), hits)


async def _update(vectors: Vectors, given: NodeInput) -> _Done:
    items = _items(given, None)
    known = await vectors.get([item.id for item in items])
    missing = [item.id for item in items if item.id not in known]
    if missing:
        raise NotFound(
            "VECTOR_ID_UNKNOWN",
            f"there is no entry {missing[0]!r} to update",
            hint="use the operation store for new ones",
            facts={"ids": missing[:20]},
        )
    merged = [
        _Item(item.id, item.content or known[item.id][0], {**known[item.id][1], **item.metadata})
        for item in items
    ]
    return await _put(vectors, merged, given)


async def _put(vectors: Vectors, items: "list[_Item]", given: NodeInput) -> _Done:
    entries = [
        VectorEntry(item.id, item.content, item.metadata, await _embedded(item.content, given))
        for item in items
    ]
    await vectors.put(entries)
    return _Done(len(entries), Hits([entry.as_json() for entry in entries], []))


async def _embedded(text: str, given: NodeInput) -> Vector:
    return await to_thread.run_sync(embed, text, given.whole("vector_dimension"))


@dataclass(frozen=True, slots=True)
class _Item:
    id: str
    content: str
    metadata: JsonObject


def _items(given: NodeInput, step: str | None) -> list[_Item]:
    """The items, checked; with a step one without an id gets one, the same at every try."""
    listed = given.listing("items")
    if not 0 < len(listed) <= MAX_ITEMS:
        message = f"items has {len(listed)}; expected 1 to {MAX_ITEMS}"
        raise refused_at(("items",), "NODE_INPUT_INVALID", message)
    _refuse_nul(listed, "items")
    context = given.record("context")
    _refuse_nul(context, "context")
    items = read_each(partial(_item, one, index, context, step) for index, one in enumerate(listed))
    _ids([item.id for item in items])
    if len({item.id for item in items}) < len(items):
        raise refused_at(("items",), "NODE_INPUT_INVALID", "two items have the same id")
    return items


def _item(given: Json, index: int, context: JsonObject, step: str | None) -> _Item:
    match given:
        case {**fields} if fields.keys() <= _OF_ITEM:
            identity, content = fields.get("id"), fields.get("content", "")
            metadata = fields.get("metadata", {})
        case _:
            raise _bad_item(index, "an object with id, content and metadata")
    if identity is None and step is not None:
        identity = hashlib.sha256(f"{step}/{index}".encode()).hexdigest()[:32]
    if not isinstance(identity, str) or not identity:
        raise _bad_item(index, "one with an id, a text")
    if not isinstance(content, str) or (step is not None and not content.strip()):
        raise _bad_item(index, "one with content, a text")
    if not isinstance(metadata, dict):
        raise _bad_item(index, "one whose metadata is an object")
    return _Item(identity, content, {**context, **metadata})


def _bad_item(index: int, expected: str) -> Invalid:
    message = f"items[{index}] is not {expected}"
    return refused_at(("items", index), "NODE_INPUT_INVALID", message)


def _ids(given: list[Json] | list[str]) -> list[str]:
    found: list[str] = []
    for one in given:
        if not isinstance(one, str) or not one or "\0" in one:
            message = f"{one!r:.80} is no id; expected a text that is not empty"
            raise refused_at(("ids",), "NODE_INPUT_INVALID", message)
        escaped(one, "the id")
        found.append(one)
    if not found:
        raise refused_at(("ids",), "NODE_INPUT_INVALID", "delete needs ids")
    return found


def _refuse_nul(value: Json, field: str) -> None:
    # Postgres has no NUL in text or JSON.
    if "\\u0000" in text_of(value, field).replace("\\\\", ""):
        raise refused_at((field,), "MEMORY_VALUE_INVALID", f"{field} has a NUL character in it")


node = VectorDatabase()
