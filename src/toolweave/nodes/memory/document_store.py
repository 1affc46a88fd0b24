"""MEMORY.DOCUMENT_STORE: keep documents and find them by words."""

import time
from functools import partial
from typing import cast

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import read_each, refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.clock import timestamp
from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject, write
from toolweave.nodes.file_path import check_path
from toolweave.nodes.memory._document_text import (
    FORMATS,
    format_of,
    plain_text,
    summary_of,
    title_of,
)
from toolweave.nodes.memory._documents import Documents, StoredDocument
from toolweave.nodes.memory._ranking import Scoring, ranked

MAX_FILE_BYTES = 5 * 1024 * 1024
SEARCHED = ("title", "content", "tags")


def check_operation(given: NodeInput) -> None:
    """Whether the operation has what it needs. Raises `NODE_INPUT_INVALID`."""
    match given.text("operation"):
        case "store" if not (given.text("content") or given.text("file_path")):
            message = "store needs 'content' or 'file_path'"
            raise refused_at(("content",), "NODE_INPUT_INVALID", message)
        case "store":
            _format(given)
        case "update":
            read_each((partial(_id, given), partial(_format, given)))
        case "delete":
            _id(given)
        case _:
            pass


class DocumentStore:
    """Keeps documents of a collection, between steps and between runs."""

    spec = NodeSpec(
        type="MEMORY",
        subtype="DOCUMENT_STORE",
        summary="Keep documents with title and tags, and find them again by their words.",
        effect="keyed",
        configurations=(
            Field("collection_name", "string", "Name of the collection: reports.", required=True),
            Field(
                "auto_capture_from_ai",
                "boolean",
                "Keep every answer of the AI_AGENT it is attached to.",
                True,
            ),
            Field("title_auto", "boolean", "Take the first line as title where none is.", True),
            Field("title_max_length", "integer", "Longest title.", 80, minimum=10, maximum=500),
            Field("full_text_search", "boolean", "Look into texts; else at titles only.", True),
            Field(
                "search_fields",
                "array",
                "What is searched: title, content, tags.",
                list(SEARCHED),
                options=SEARCHED,
                items="string",
            ),
            Field("max_results", "integer", "Most documents found.", 10, minimum=1, maximum=1000),
            Field(
                "indexing_strategy",
                "string",
                "automatic finds every document; manual those with metadata index: true; hybrid "
                "titles and tags of all.",
                "automatic",
                options=("automatic", "manual", "hybrid"),
            ),
            Field(
                "content_extraction",
                "boolean",
                "Keep the words of HTML and JSON rather than their source.",
                True,
            ),
            Field(
                "supported_formats",
                "array",
                "Formats that are taken: text, markdown, html, json.",
                list(FORMATS),
                options=FORMATS,
                items="string",
            ),
            Field(
                "relevance_scoring",
                "string",
                "How finds are ordered; hybrid forgives endings and slips.",
                "bm25",
                options=("tf_idf", "bm25", "hybrid"),
            ),
            Field("metadata_indexing", "boolean", "Search metadata as well.", False),
        ),
        inputs=(
            Field(
                "operation",
                "string",
                "store, update and delete change a document; search finds some.",
                "search",
                options=("store", "search", "update", "delete"),
            ),
            Field("document_id", "string", "Id of the document; store makes one up."),
            Field("title", "string", "Its title."),
            Field("content", "string", "Its text.", multiline=True),
            Field("tags", "array", "Words to find it by.", items="string"),
            Field("metadata", "object", "Kept with it."),
            Field("query", "string", "Words to look for; empty gives all."),
            Field("filters", "object", 'What must hold: {"tags": "report", "author": "Ada"}.'),
            Field("file_path", "string", "File to store, in a folder nodes may read."),
            Field("file_type", "string", "Its format if the name does not show it: html."),
            Field("source_node", "string", "Node it comes from."),
            Field("created_at", "string", "When it was made: 2026-03-01T09:00:00Z."),
        ),
        outputs=(
            Field("documents", "array", "Documents stored, changed or found.", items="object"),
            Field("total_count", "integer", "How many."),
            Field("relevance_scores", "array", "How well each fits, 0 to 1.", items="float"),
            Field("search_metadata", "object", "How it was searched."),
            Field("document_summaries", "array", "First sentence of each.", items="string"),
            Field("filtered_results", "array", "Ids that filters left out.", items="string"),
            Field("execution_time_ms", "float", "Milliseconds it took.", minimum=0),
        ),
        tags=("memory", "documents", "search"),
        keywords=(
            *("document", "documents", "archive", "full text search", "store", "collection"),
            *("reports", "notes", "remember", "find by words", "bm25"),
        ),
        guidance="Attach it to an AI_AGENT node, or use it as a step of its own.",
        checks=(check_operation,),
        examples=(
            Example(
                "Keep a report",
                "Stores a text; its first line is the title.",
                {"collection_name": "reports"},
                {
                    "operation": "store",
                    "document_id": "r-1",
                    "content": "Lamps in March\nSales went up.",
                    "tags": ["sales"],
                    "created_at": "2026-04-01T00:00:00Z",
                },
                {
                    "documents": [
                        {
                            "id": "r-1",
                            "title": "Lamps in March",
                            "content": "Lamps in March\nSales went up.",
                            "tags": ["sales"],
                            "metadata": {},
                            "source_node": "",
                            "created_at": "2026-04-01T00:00:00Z",
                        }
                    ],
                    "total_count": 1,
                    "document_summaries": ["Lamps in March Sales went up."],
                },
            ),
            Example(
                "Nothing there yet",
                "Searches an empty collection.",
                {"collection_name": "minutes", "relevance_scoring": "hybrid"},
                {"operation": "search", "query": "budget"},
                {"documents": [], "total_count": 0, "relevance_scores": []},
            ),
            Example(
                "Forget",
                "Deletes what is not there, which is no failure.",
                {"collection_name": "reports"},
                {"operation": "delete", "document_id": "r-0"},
                {"documents": [], "total_count": 0},
            ),
            Example(
                "Only some",
                "Searches with a filter.",
                {"collection_name": "reports", "max_results": 3},
                {"operation": "search", "query": "lamps", "filters": {"tags": "sales"}},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """Do one operation."""
        began, given = time.perf_counter(), context.given
        name = f"documents/{given.text('collection_name')}"
        documents = Documents(context.resources.stores.database, name)
        answer: JsonObject = {"relevance_scores": [], "filtered_results": []}
        answer["search_metadata"] = {}
        match given.text("operation") or "search":
            case "store":
                found = [await _store(context, documents)]
            case "update":
                found = [await _update(context, documents)]
            case "delete":
                await documents.delete(_id(given))
                found = list[StoredDocument]()
            case "search":
                found, more = _search(given, await documents.all())
                answer |= more
            case other:
                raise Invalid("NODE_INPUT_INVALID", f"there is no operation {other!r}")
        answer |= {
            "documents": [one.as_json() for one in found],
            "total_count": len(found),
            "document_summaries": [summary_of(one.content) for one in found],
            "execution_time_ms": (time.perf_counter() - began) * 1000,
        }
        return Outcome({field.name: answer[field.name] for field in self.spec.outputs})


async def _store(context: NodeContext, documents: Documents) -> StoredDocument:
    given = context.given
    content = await _content(context)
    if not content:
        message = "store needs 'content' or 'file_path'"
        raise refused_at(("content",), "NODE_INPUT_INVALID", message)
    title = given.text("title")
    if not title and given.flag("title_auto"):
        title = title_of(content, given.whole("title_max_length"))
    facts: JsonObject = {
        "tags": given.listing("tags"),
        "metadata": given.record("metadata"),
        "source_node": given.text("source_node"),
        "created_at": given.text("created_at") or timestamp(context.now()),
    }
    # The same for every try of a step, so that it is stored once.
    identity = given.text("document_id") or context.key
    document = StoredDocument(identity, title[: given.whole("title_max_length")], content, facts)
    await documents.put(document)
    return document


async def _update(context: NodeContext, documents: Documents) -> StoredDocument:
    given = context.given
    known = await documents.get(_id(given))
    if known is None:
        raise NotFound("DOCUMENT_UNKNOWN", f"there is no document {_id(given)!r} to update")
    facts = dict(known.facts)
    for name in ("tags", "metadata", "source_node", "created_at"):
        if given.inputs.get(name) is not None:
            facts[name] = given.inputs[name]
    content = await _content(context) or known.content
    title = (given.text("title") or known.title)[: given.whole("title_max_length")]
    changed = StoredDocument(known.id, title, content, facts)
    await documents.put(changed)
    return changed


def _format(given: NodeInput) -> str:
    if path := given.text("file_path"):
        check_path(path, "file_path")
    kind = format_of(given, "file_type")
    if kind not in given.listing("supported_formats"):
        message = f"{kind!r} is none of this store's supported_formats"
        raise refused_at(("supported_formats",), "DOCUMENT_FORMAT_UNSUPPORTED", message)
    return kind


async def _content(context: NodeContext) -> str:
    given = context.given
    text, path = given.text("content"), given.text("file_path")
    kind = _format(given)
    if path and not text:
        files = context.resources.files
        data, _ = await files.read(path, max_bytes=MAX_FILE_BYTES)
        text = data.decode("utf-8", errors="replace")
    return plain_text(text, kind) if text and given.flag("content_extraction") else text


def _search(
    given: NodeInput, known: list[StoredDocument]
) -> tuple[list[StoredDocument], JsonObject]:
    filters, query = given.record("filters"), given.text("query")
    fitting = [one for one in known if _holds(one, filters)]
    left_out: list[Json] = [one.id for one in known if one not in fitting]
    most, scoring = given.whole("max_results"), given.text("relevance_scoring")
    if query:
        texts = [_searched(given, one) for one in fitting]
        hits = ranked(query, texts, cast("Scoring", scoring))[:most]
    else:
        hits = [(place, 1.0) for place in range(len(fitting))][:most]
    return [fitting[place] for place, _ in hits], {
        "relevance_scores": [round(score, 6) for _, score in hits],
        "filtered_results": left_out,
        "search_metadata": {"query": query, "scoring": scoring, "searched": len(fitting)},
    }


def _searched(given: NodeInput, one: StoredDocument) -> str:
    """What of a document can be found by words."""
    fields = given.listing("search_fields") or list[Json](SEARCHED)
    metadata = one.facts.get("metadata")
    is_indexed = isinstance(metadata, dict) and metadata.get("index") is True
    strategy = given.text("indexing_strategy")
    if strategy == "manual" and not is_indexed:
        return ""
    parts = [one.title] if "title" in fields else []
    if "tags" in fields and given.flag("full_text_search"):
        parts.append(write(one.facts.get("tags")))
    has_content = "content" in fields and given.flag("full_text_search")
    if has_content and (strategy != "hybrid" or is_indexed):
        parts.append(one.content)
    if given.flag("metadata_indexing"):
        parts.append(write(metadata))
    return "\n".join(parts)


def _holds(one: StoredDocument, filters: JsonObject) -> bool:
    metadata = one.facts.get("metadata")
    known = {**(metadata if isinstance(metadata, dict) else {}), **one.facts, "title": one.title}
    for name, wanted in filters.items():
        value = known.get(name.removeprefix("metadata."))
        options = wanted if isinstance(wanted, list) else [wanted]
        values = value if isinstance(value, list) else [value]
        if not any(option in values for option in options):
            return False
    return True


def _id(given: NodeInput) -> str:
    identity = given.text("document_id")
    if not identity:
        message = f"{given.text('operation')} needs a document_id"
        raise refused_at(("document_id",), "NODE_INPUT_INVALID", message)
    return identity


node = DocumentStore()
