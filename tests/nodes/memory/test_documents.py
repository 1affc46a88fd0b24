"""Documents, knowledge bases and entities: kept, found again, and attached to an agent."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.nodes.ai.rooms import an_agency, node, run_alone

from toolweave.engine.engine import Engine
from toolweave.errors import Invalid
from toolweave.json_text import JsonObject
from toolweave.nodes.memory._document_text import passages, plain_text, title_of
from toolweave.nodes.memory._ranking import Scoring, ranked
from toolweave.nodes.memory.entity import names_in
from toolweave.testing.model import ScriptedModel, says

pytestmark = pytest.mark.anyio


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel().running() as running:
        yield running


@pytest.fixture
async def engine(tmp_path: Path, model: ScriptedModel) -> AsyncGenerator[Engine]:
    async with an_agency(tmp_path, model) as (_, opened):
        yield opened


async def done(engine: Engine, ref: str, config: JsonObject, /, **inputs: Any) -> Any:
    status, found = await run_alone(engine, node(ref, config, inputs))
    return found["finalResult"] if status == "success" else found["error"]


STORE = "MEMORY.DOCUMENT_STORE"
REPORTS: JsonObject = {"collection_name": "reports"}


async def test_documents_are_found_by_words_and_filters(engine: Engine) -> None:
    texts = {
        "a": ("Lamps sold well in spring.", ["sales"], {"author": "Ada"}),
        "b": ("Cables were late again.", ["stock"], {"author": "Grace"}),
        "c": ("A lamp and a cable, both cheap lamps.", ["sales"], {"author": "Grace"}),
    }
    for identity, (content, tags, metadata) in texts.items():
        given = {"document_id": identity, "content": content, "tags": tags, "metadata": metadata}
        await done(engine, STORE, REPORTS, operation="store", **given)
    found = await done(engine, STORE, REPORTS, query="lamps")
    assert [one["id"] for one in found["documents"]] == ["c", "a"]
    assert found["relevance_scores"][0] == 1.0
    found = await done(engine, STORE, REPORTS, query="lamp", filters={"author": "Ada"})
    assert [one["id"] for one in found["documents"]] == ["a"]
    assert found["filtered_results"] == ["b", "c"]
    changed = await done(
        engine, STORE, REPORTS, operation="update", document_id="b", content="Sockets came."
    )
    assert changed["documents"][0]["metadata"] == {"author": "Grace"}
    # Its title is still the old one.
    assert (await done(engine, STORE, REPORTS, query="cables"))["total_count"] == 2
    await done(engine, STORE, REPORTS, operation="delete", document_id="c")
    assert (await done(engine, STORE, REPORTS))["total_count"] == 2


@pytest.mark.parametrize(
    ("change", "query", "count"),
    [
        ({"full_text_search": False}, "spring", 0),
        ({"full_text_search": False}, "sales", 1),
        ({"indexing_strategy": "manual"}, "spring", 0),
        ({"indexing_strategy": "hybrid"}, "sales", 1),
        ({"indexing_strategy": "hybrid"}, "spring", 0),
        ({"metadata_indexing": True}, "lovelace", 1),
        ({}, "lovelace", 0),
        ({"search_fields": ["tags"]}, "season", 1),
        ({"search_fields": ["tags"]}, "spring", 0),
        ({"relevance_scoring": "hybrid"}, "sprign spring", 1),
        ({"relevance_scoring": "tf_idf"}, "spring", 1),
    ],
)
async def test_what_is_searched_is_configured(
    engine: Engine, change: JsonObject, query: str, count: int
) -> None:
    await done(
        engine,
        STORE,
        REPORTS,
        operation="store",
        document_id="a",
        title="Sales",
        content="Lamps went well in spring.",
        tags=["season"],
        metadata={"author": "Lovelace"},
    )
    assert (await done(engine, STORE, {**REPORTS, **change}, query=query))["total_count"] == count


@pytest.mark.parametrize(
    ("ref", "config", "inputs", "code"),
    [
        (STORE, REPORTS, {"operation": "store"}, "NODE_INPUT_INVALID"),
        (STORE, REPORTS, {"operation": "delete"}, "NODE_INPUT_INVALID"),
        (STORE, REPORTS, {"operation": "update", "document_id": "x"}, "DOCUMENT_UNKNOWN"),
        (
            STORE,
            REPORTS,
            {"operation": "store", "file_path": "a.pdf"},
            "DOCUMENT_FORMAT_UNSUPPORTED",
        ),
        (
            "MEMORY.KNOWLEDGE_BASE",
            {"base_name": "b"},
            {"operation": "add", "file_path": "handbook.pdf"},
            "DOCUMENT_FORMAT_UNSUPPORTED",
        ),
        ("MEMORY.KNOWLEDGE_BASE", {"base_name": "b"}, {}, "NODE_INPUT_INVALID"),
        ("MEMORY.KNOWLEDGE_BASE", {"base_name": "b"}, {"operation": "add"}, "NODE_INPUT_INVALID"),
        (
            "MEMORY.KNOWLEDGE_BASE",
            {"base_name": "b"},
            {"operation": "add", "content": "{", "format": "json"},
            "JSON_INVALID",
        ),
        ("MEMORY.ENTITY", {"memory_name": "m"}, {"operation": "get"}, "NODE_INPUT_INVALID"),
    ],
)
async def test_what_is_missing_or_wrong_is_told(
    engine: Engine, ref: str, config: JsonObject, inputs: JsonObject, code: str
) -> None:
    try:
        found = str((await done(engine, ref, config, **inputs))["code"])
    except Invalid as refused:  # it stands in the document, so the run does not start
        (found,) = (problem.code for problem in refused.problems)
    assert found == code


BASE = "MEMORY.KNOWLEDGE_BASE"
POLICIES: JsonObject = {"base_name": "policies", "min_score": 0.5}


@pytest.mark.exercises("MEMORY.KNOWLEDGE_BASE.inputs.metadata")
async def test_a_knowledge_base_finds_the_passage_a_question_is_about(engine: Engine) -> None:
    page = (
        "<h1>Hotels</h1><p>Up to 120 euro a night.</p><script>x</script>"
        "<h1>Trains</h1><p>Second class only.</p>"
    )
    added = await done(
        engine, BASE, POLICIES, operation="add", source="travel", content=page, format="html"
    )
    assert (added["total_results"], added["sources"]) == (2, ["travel"])
    leave = {"source": "leave", "content": "Thirty days of leave.", "metadata": {"team": "a"}}
    await done(engine, BASE, POLICIES, operation="add", **leave)
    found = await done(engine, BASE, POLICIES, query="What may a hotel cost a night?")
    assert [(one["title"], one["content"]) for one in found["results"]] == [
        ("Hotels", "Up to 120 euro a night.")
    ]
    (found,) = (await done(engine, BASE, POLICIES, query="days of leave"))["results"]
    assert found["metadata"] == {"team": "a"}
    assert (await done(engine, BASE, POLICIES, operation="list"))["sources"] == ["leave", "travel"]
    gone = await done(engine, BASE, POLICIES, operation="remove", source="travel")
    assert gone["total_results"] == 2


async def test_entities_are_learnt_from_sentences(engine: Engine) -> None:
    config: JsonObject = {"memory_name": "people", "max_facts": 2}
    for text in ("Yesterday Ada Lovelace called.", "She likes tea. I met Ada Lovelace again."):
        await done(engine, "MEMORY.ENTITY", config, operation="note", text=text)
    found = await done(engine, "MEMORY.ENTITY", config, text="what about ada lovelace?")
    (known,) = found["entities"]
    assert known["name"] == "Ada Lovelace"
    assert known["facts"] == ["Yesterday Ada Lovelace called.", "I met Ada Lovelace again."]
    listed = await done(engine, "MEMORY.ENTITY", config, operation="list")
    assert listed["total_entities"] == 1
    await done(engine, "MEMORY.ENTITY", config, operation="forget", entity="ADA  Lovelace")
    assert (await done(engine, "MEMORY.ENTITY", config, operation="list"))["total_entities"] == 0


@pytest.mark.parametrize(
    ("ref", "config", "says_before"),
    [
        (STORE, REPORTS, True),
        ("MEMORY.ENTITY", {"memory_name": "m"}, True),
        (BASE, {"base_name": "b"}, False),
    ],
)
async def test_an_agent_has_what_its_memory_knows(
    engine: Engine, model: ScriptedModel, ref: str, config: JsonObject, says_before: bool
) -> None:
    model.answers(says("Our lamp, the Aurora Lamp, is dimmable."))
    if ref == BASE:
        await done(engine, ref, config, operation="add", content="The Aurora Lamp is dimmable.")
    for prompt in ("Which lamp?", "Tell me about the Aurora Lamp."):
        what = node("AI_AGENT.ANTHROPIC_CLAUDE", {}, {"user_prompt": prompt}, "m")
        status, found = await run_alone(engine, what, {"m": node(ref, config, {})})
        assert status == "success", found
    told = str(model.heard[1].body["messages"])
    assert "What the memory 'm' knows" in told
    assert ("Our lamp" in told) == says_before


@pytest.mark.exercises("MEMORY.DOCUMENT_STORE.auto_capture_from_ai")
@pytest.mark.parametrize(("captures", "count"), [(None, 1), (True, 1), (False, 0)])
async def test_what_an_agent_says_is_kept_only_where_that_is_wanted(
    engine: Engine, model: ScriptedModel, captures: bool | None, count: int
) -> None:
    model.answers(says("The lamp is dimmable."))
    config = REPORTS if captures is None else {**REPORTS, "auto_capture_from_ai": captures}
    what = node("AI_AGENT.ANTHROPIC_CLAUDE", {}, {"user_prompt": "Which?"}, "m")
    status, found = await run_alone(engine, what, {"m": node(STORE, config, {})})
    assert status == "success", found
    assert (await done(engine, STORE, config, operation="search"))["total_count"] == count


@pytest.mark.parametrize("scoring", ["tf_idf", "bm25", "hybrid"])
def test_a_text_that_has_a_rare_word_comes_first(scoring: Scoring) -> None:
    texts = ["the lamp", "the cable and the socket", "nothing of it"]
    assert ranked("the socket", texts, scoring)[0] == (1, 1.0)
    assert ranked("zebra", ["the lamp"], "bm25") == []
    assert ranked("", [], scoring) == []


def test_texts_are_read_by_their_format() -> None:
    assert plain_text('{"a": [1, {"b": "x"}]}', "json") == "a[0]: 1\na[1].b: x"
    assert plain_text("<p>one<br>two</p><style>no</style>", "html") == "one\ntwo"
    assert plain_text("# as it is", "markdown") == "# as it is"
    assert title_of("\n# A title\ntext", 80) == "A title"
    assert title_of("One sentence. Another.", 8) == "One sen…"


def test_passages_keep_under_their_headings_and_size() -> None:
    text = "intro\n\n# One\nfirst\n\nsecond\n\n## Two\n" + "x" * 25
    found = list(passages(text, 10, 0))
    assert found == [
        ("", "intro"),
        *(("One", one) for one in ("first", "second")),
        *(("Two", part) for part in ("x" * 10, "x" * 10, "x" * 5)),
    ]


def test_names_are_told_from_words_that_begin_a_sentence() -> None:
    assert names_in("The lamp of Ada Lovelace came to Berlin.") == ["Ada Lovelace", "Berlin"]
    assert names_in("Lamps are nice.") == []
