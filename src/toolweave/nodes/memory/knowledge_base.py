"""MEMORY.KNOWLEDGE_BASE: passages of texts, found by what a question is about."""

import hashlib
import time

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.file_path import check_path
from toolweave.nodes.memory._document_text import FORMATS, format_of, passages, plain_text, title_of
from toolweave.nodes.memory._documents import Documents, StoredDocument
from toolweave.nodes.memory._ranking import ranked

MAX_FILE_BYTES = 5 * 1024 * 1024
MAX_TITLE = 120


def check_operation(given: NodeInput) -> None:
    """Whether the operation has what it needs. Raises `NODE_INPUT_INVALID`."""
    match given.text("operation") or "search":
        case "add" if not (given.text("content") or given.text("file_path")):
            message = "add needs 'content' or 'file_path' with words in it"
            raise refused_at(("content",), "NODE_INPUT_INVALID", message)
        case "add":
            if path := given.text("file_path"):
                check_path(path, "file_path")
            format_of(given, "format")
        case "search":
            _query(given)
        case "remove":
            _source(given)
        case _:
            pass


class KnowledgeBase:
    """Splits texts into passages, keeps them, and finds the ones a question is about."""

    spec = NodeSpec(
        type="MEMORY",
        subtype="KNOWLEDGE_BASE",
        summary="Keep handbooks and other texts in passages, and find those a question is about.",
        effect="keyed",
        configurations=(
            Field("base_name", "string", "Name of the knowledge base: handbook.", required=True),
            Field(
                "passage_size",
                "integer",
                "Characters in a passage, about.",
                1200,
                minimum=200,
                maximum=20_000,
            ),
            Field(
                "passage_overlap",
                "integer",
                "Characters that a passage repeats of the one before it.",
                0,
                minimum=0,
                maximum=1000,
            ),
            Field("max_results", "integer", "Most passages found.", 5, minimum=1, maximum=100),
            Field(
                "min_score",
                "float",
                "Least fit of a passage, compared with the best one.",
                0.2,
                minimum=0,
                maximum=1,
            ),
        ),
        inputs=(
            Field(
                "operation",
                "string",
                "add takes a text in, search finds passages, remove forgets a text, list names "
                "them.",
                "search",
                options=("add", "search", "remove", "list"),
            ),
            Field("query", "string", "The question."),
            Field("source", "string", "Name of the text: travel-policy.md; add replaces it."),
            Field("content", "string", "The text to add.", multiline=True),
            Field("format", "string", "Its format.", options=FORMATS),
            Field("file_path", "string", "File to add, in a folder nodes may read."),
            Field("metadata", "object", "Kept with every passage."),
        ),
        outputs=(
            Field(
                "results",
                "array",
                "Passages, the best first: source, title, content.",
                items="object",
            ),
            Field("scores", "array", "How well each fits, 0 to 1.", items="float"),
            Field("total_results", "integer", "How many were found, added or removed."),
            Field("sources", "array", "Names of the texts, for list.", items="string"),
            Field("search_time", "float", "Seconds it took.", minimum=0),
        ),
        tags=("memory", "knowledge", "search", "rag"),
        keywords=(
            *("knowledge base", "handbook", "faq", "policies", "passages", "manual", "wiki"),
            *("retrieval", "answer from documents", "ingest", "look up", "chunks"),
        ),
        guidance=(
            "Fill it once with add, then attach it to an AI_AGENT node, which is shown the "
            "passages that its prompt is about."
        ),
        checks=(check_operation,),
        examples=(
            Example(
                "Add a policy",
                "Takes Markdown in; each heading begins a passage.",
                {"base_name": "policies"},
                {
                    "operation": "add",
                    "source": "travel.md",
                    "format": "markdown",
                    "content": "# Trains\nSecond class.\n\n# Hotels\nUp to 120 euro a night.",
                },
                {"results": [], "scores": [], "total_results": 2, "sources": ["travel.md"]},
            ),
            Example(
                "Ask it",
                "An empty base knows nothing.",
                {"base_name": "policies", "max_results": 3},
                {"operation": "search", "query": "How much may a hotel cost?"},
                {"results": [], "scores": [], "total_results": 0},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """Do one operation."""
        began, given = time.perf_counter(), context.given
        name = f"knowledge/{given.text('base_name')}"
        base = Documents(context.resources.stores.database, name)
        answer: JsonObject = {"results": [], "scores": [], "sources": []}
        match given.text("operation") or "search":
            case "add":
                answer |= await _add(context, base)
            case "remove":
                answer["total_results"] = await _remove(base, _source(given))
            case "list":
                known = sorted({_source_of(one) for one in await base.all()})
                answer |= {"sources": list[Json](known), "total_results": len(known)}
            case "search":
                answer |= _search(given, await base.all())
            case other:
                raise Invalid("NODE_INPUT_INVALID", f"there is no operation {other!r}")
        answer["search_time"] = time.perf_counter() - began
        return Outcome({field.name: answer[field.name] for field in self.spec.outputs})


async def _add(context: NodeContext, base: Documents) -> JsonObject:
    given = context.given
    text, path = given.text("content"), given.text("file_path")
    kind = format_of(given, "format")
    if path and not text:
        files = context.resources.files
        data, _ = await files.read(path, max_bytes=MAX_FILE_BYTES)
        text = data.decode("utf-8", errors="replace")
    words = plain_text(text, kind) if text else ""
    source = given.text("source") or path or _name_of(words)
    size, overlap = given.whole("passage_size"), given.whole("passage_overlap")
    facts: JsonObject = {"source": source, "metadata": given.record("metadata")}
    found = [
        StoredDocument(f"{source}#{index:05d}", heading or title_of(words, MAX_TITLE), piece, facts)
        for index, (heading, piece) in enumerate(passages(words, size, min(overlap, size // 2)))
    ]
    if not found:
        message = "add needs 'content' or 'file_path' with words in it"
        raise refused_at(("content",), "NODE_INPUT_INVALID", message)
    await _remove(base, source)
    await base.put(*found)
    return {"total_results": len(found), "sources": [source]}


async def _remove(base: Documents, source: str) -> int:
    gone = [one.id for one in await base.all() if _source_of(one) == source]
    return await base.delete(*gone)


def _search(given: NodeInput, known: list[StoredDocument]) -> JsonObject:
    query = _query(given)
    hits = ranked(query, [f"{one.title}\n{one.content}" for one in known], "hybrid")
    least = given.number("min_score")
    kept = [(place, score) for place, score in hits if score >= least][: given.whole("max_results")]
    results: list[Json] = [known[place].as_json() for place, _ in kept]
    scores: list[Json] = [round(score, 6) for _, score in kept]
    return {"results": results, "scores": scores, "total_results": len(results)}


def _query(given: NodeInput) -> str:
    query = given.text("query")
    if not query:
        raise refused_at(("query",), "NODE_INPUT_INVALID", "search needs a query")
    return query


def _source(given: NodeInput) -> str:
    source = given.text("source")
    if not source:
        raise refused_at(("source",), "NODE_INPUT_INVALID", "remove needs a source")
    return source


def _source_of(one: StoredDocument) -> str:
    return str(one.facts.get("source"))


def _name_of(text: str) -> str:
    return f"text-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"


node = KnowledgeBase()
