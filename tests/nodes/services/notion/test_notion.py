"""EXTERNAL_ACTION.NOTION: with a model that plans, and without one."""

from dataclasses import dataclass, field, replace

import pytest
from tests.nodes.action.trying import code_of
from tests.nodes.services.acting import SECRET, TOKEN, Bench, bench

from toolweave import json_text
from toolweave.catalog.node import Outcome, Resumed, Wait
from toolweave.catalog.resources.model import (
    Called,
    ModelChoiceRequest,
    ModelQuestion,
    ModelReply,
    TextListener,
    ToolAnswer,
)
from toolweave.errors import Denied, Invalid, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services.notion.action import node
from toolweave.nodes.services.notion.operations import OFFERS, offers_for
from toolweave.testing.service import Told

pytestmark = pytest.mark.anyio

DB = "668d797c76fa49349b05ad288df2d136"
PAGE = "598337872cf94fdf8782e53db20768a5"
ROW = "11111111-1111-1111-1111-111111111111"
SCHEMA: JsonObject = {
    "Name": {"type": "title"},
    "Due": {"type": "date"},
    "Priority": {"type": "select", "select": {"options": [{"name": "High"}]}},
    "Tags": {"type": "multi_select"},
    "Done": {"type": "checkbox"},
    "Notes": {"type": "rich_text"},
    "Owner": {"type": "people"},
}
DATABASE: JsonObject = {
    "object": "database",
    "id": DB,
    "title": [{"plain_text": "Tasks"}],
    "properties": SCHEMA,
}
NEW: JsonObject = {
    "object": "page",
    "id": ROW,
    "url": "https://notion.so/row",
    "properties": {**SCHEMA, "Name": {"type": "title", "title": [{"plain_text": "Renew"}]}},
}
SCRIPT = {
    f"GET /databases/{DB}": Told(DATABASE),
    "POST /pages": Told(NEW),
    f"GET /pages/{ROW}": Told(NEW),
    f"GET /pages/{PAGE}": Told({**NEW, "id": PAGE}),
    f"PATCH /pages/{PAGE}": Told({**NEW, "id": PAGE}),
    f"PATCH /pages/{ROW}": Told(NEW),
    "POST /search": Told({"results": [DATABASE]}),
    f"POST /databases/{DB}/query": Told({"results": [NEW]}),
    f"GET /blocks/{PAGE}/children": Told(
        {"results": [{"id": "h1", "type": "heading_2",
                      "heading_2": {"rich_text": [{"plain_text": "Log"}]}}]}
    ),
    f"PATCH /blocks/{PAGE}/children": Told({"results": []}),
    "POST /comments": Told({"object": "comment", "id": "c1"}),
}  # fmt: skip
CONFIG: JsonObject = {"notion_token": TOKEN, "database_id": DB, "page_id": PAGE}


def text(words: str) -> list[Json]:
    return [{"type": "text", "text": {"content": words}}]


def paragraph(words: str) -> JsonObject:
    return {"object": "block", "type": "paragraph", "paragraph": {"rich_text": text(words)}}


# Instructions that need no model: the instruction, the context, the last request, its body.
STRUCTURED: list[tuple[Json, JsonObject, str, Json]] = [
    ({"operation": "search", "query": "Tasks", "kind": "database"}, {}, "POST /search",
     {"query": "Tasks", "filter": {"property": "object", "value": "database"}, "page_size": 20}),
    ("search: Tasks", {}, "POST /search", {"query": "Tasks", "page_size": 20}),
    ({"operation": "get_database"}, {}, f"GET /databases/{DB}", None),
    ("query", {}, f"POST /databases/{DB}/query", {"page_size": 100}),
    ({"operation": "query_database", "filter": {"property": "Done", "checkbox": {"equals": True}},
      "sorts": [{"property": "Due"}], "limit": 5}, {}, f"POST /databases/{DB}/query",
     {"filter": {"property": "Done", "checkbox": {"equals": True}}, "sorts": [{"property": "Due"}],
      "page_size": 5}),
    ("add", {"name": "Renew", "due": "2026-03-06", "priority": "High", "tags": ["a", "b"],
             "done": False, "notes": "N", "owner": ["u1"]}, "POST /pages",
     {"parent": {"database_id": DB}, "properties": {
         "Name": {"title": text("Renew")}, "Due": {"date": {"start": "2026-03-06"}},
         "Priority": {"select": {"name": "High"}},
         "Tags": {"multi_select": [{"name": "a"}, {"name": "b"}]}, "Done": {"checkbox": False},
         "Notes": {"rich_text": text("N")}, "Owner": {"people": [{"id": "u1"}]}}}),
    ({"operation": "create_page", "page_id": PAGE, "title": "T",
      "text": "# Head\n\nwords\n- item\n- [x] done\n1. one"}, {}, "POST /pages",
     {"parent": {"page_id": PAGE}, "properties": {"title": {"title": text("T")}}, "children": [
         {"object": "block", "type": "heading_1", "heading_1": {"rich_text": text("Head")}},
         paragraph("words"),
         {"object": "block", "type": "bulleted_list_item",
          "bulleted_list_item": {"rich_text": text("item")}},
         {"object": "block", "type": "to_do",
          "to_do": {"rich_text": text("done"), "checked": True}},
         {"object": "block", "type": "numbered_list_item",
          "numbered_list_item": {"rich_text": text("one")}}]}),
    ({"operation": "get_page"}, {}, f"GET /pages/{PAGE}", None),
    ("update", {"Priority": "High"}, f"PATCH /pages/{PAGE}",
     {"properties": {"Priority": {"select": {"name": "High"}}}}),
    ("archive", {}, f"PATCH /pages/{PAGE}", {"archived": True}),
    ("read", {}, f"GET /blocks/{PAGE}/children?page_size=100", None),
    ("Append: Backup restored.", {}, f"PATCH /blocks/{PAGE}/children",
     {"children": [paragraph("Backup restored.")]}),
    ({"operation": "append_text", "text": "x", "under_heading": "log"}, {},
     f"PATCH /blocks/{PAGE}/children", {"children": [paragraph("x")], "after": "h1"}),
    ("comment: Looks good", {}, "POST /comments",
     {"parent": {"page_id": PAGE}, "rich_text": text("Looks good")}),
]  # fmt: skip


@pytest.mark.parametrize(("instruction", "context", "line", "body"), STRUCTURED, ids=str)
async def test_a_structured_instruction_is_exactly_this_request(
    instruction: Json, context: JsonObject, line: str, body: Json
) -> None:
    words = instruction if isinstance(instruction, str) else json_text.write(instruction)
    async with bench(SCRIPT) as here:
        found = await here.result(node, CONFIG, {"instruction": words, "context": context})
        assert here.lines[-1] == line
        assert here.last == body
    headers = here.service.heard[0].headers
    assert headers["authorization"] == f"Bearer {SECRET}"
    assert headers["notion-version"] == "2022-06-28"
    assert found["success"] is True
    assert isinstance(found["ai_execution"], dict)
    assert found["ai_execution"]["rounds"] == 0


def test_every_operation_has_a_case() -> None:
    named = {str(one[0]["operation"]) for one in STRUCTURED if isinstance(one[0], dict)}
    assert named | {"update_page", "read_page", "add_comment"} == {one.name for one in OFFERS}


async def test_what_was_made_is_named_in_the_outputs() -> None:
    async with bench(SCRIPT) as here:
        found = await here.result(node, CONFIG, {"instruction": "add", "context": {"name": "R"}})
    assert found["resource_id"] == ROW
    assert found["resource_url"] == "https://notion.so/row"
    assert found["discovered_resources"] == {"Tasks": DB, "Renew": ROW}


@pytest.mark.parametrize(
    "sentence",
    [
        *(str(example.input_params["instruction"]) for example in node.spec.examples),
        *("Query the tasks", "query: the tasks", "archive: all", "read: it", "", "update"),
    ],
)
async def test_plain_words_need_a_model(sentence: str) -> None:
    async with bench(SCRIPT) as here:
        with pytest.raises(Unavailable) as caught:
            await here.act(node, CONFIG, {"instruction": sentence})
        assert here.lines == []
    assert code_of(caught) == "MODEL_NEEDED"


@pytest.mark.parametrize(
    ("instruction", "code"),
    [
        ('{"operation": "drop_table"}', "SERVICE_OPERATION_UNKNOWN"),
        ('{"query": "x"}', "SERVICE_FIELD_MISSING"),
        ('{"operation": ', "JSON_INVALID"),
        ('{"operation": "append_text"}', "SERVICE_FIELD_MISSING"),
        ('{"operation": "get_page", "page_id": "99999999999999999999999999999999"}',
         "SERVICE_FIELD_INVALID"),
        ('{"operation": "create_page", "page_id": "598337872cf94fdf8782e53db20768a5"}',
         "SERVICE_FIELD_MISSING"),
    ],
)  # fmt: skip
async def test_what_cannot_be_done_is_refused_before_anything_is(
    instruction: str, code: str
) -> None:
    async with bench(SCRIPT) as here:
        with pytest.raises(Invalid) as caught:
            await here.act(node, CONFIG, {"instruction": instruction})
        assert here.lines == []
    assert code_of(caught) == code


async def test_a_value_without_a_property_names_those_there_are() -> None:
    async with bench(SCRIPT) as here:
        with pytest.raises(Invalid) as caught:
            await here.act(node, CONFIG, {"instruction": "add", "context": {"color": "red"}})
    assert "Priority" in caught.value.message


@dataclass
class Model:
    """Says what a test wrote down, and notes what it was asked."""

    replies: list[ToolAnswer]
    asked: list[ModelQuestion] = field(default_factory=list[ModelQuestion])

    async def ask(
        self, question: ModelQuestion, *, on_text: TextListener | None = None
    ) -> ModelReply:
        assert on_text is None
        self.asked.append(question)
        said = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return ModelReply(message=said, model="scripted", provider="test", stopped="end")

    async def configured(self, provider: str | None = None) -> bool:
        return provider is None


def wants(identity: str, name: str, **arguments: Json) -> ToolAnswer:
    return ToolAnswer(wanted=(ModelChoiceRequest(id=identity, name=name, arguments=arguments),))


DONE = ToolAnswer(text="Added the task.")
ASK: JsonObject = {"instruction": "Add the task to 'Tasks'.", "context": {"name": "Renew"}}
FREE: JsonObject = {"notion_token": TOKEN, "operation_type": "both"}


def plan() -> list[ToolAnswer]:
    return [
        wants("1", "search", query="Tasks"),
        wants("2", "create_page", database_id=DB, values={"name": "Renew"}),
        DONE,
    ]


async def act(
    here: Bench, model: Model, config: JsonObject, resumed: Resumed | None = None
) -> Outcome | Wait:
    here.resources = replace(here.resources, model=model)
    return await here.act(node, config, ASK, resumed)


async def test_a_model_finds_the_database_and_adds_to_it() -> None:
    model = Model(plan())
    async with bench(SCRIPT) as here:
        found = await act(here, model, FREE)
        assert here.lines == ["POST /search", f"GET /databases/{DB}", "POST /pages"]
    assert isinstance(found, Outcome)
    assert isinstance(found.value, dict)
    assert found.value["resource_id"] == ROW
    told = found.value["ai_execution"]
    assert isinstance(told, dict)
    assert told["rounds"] == 3
    assert told["completed"] == ["search", "create_page"]
    assert told["summary"] == "Added the task."
    assert "Renew" in model.asked[0].messages[0].text
    answer = model.asked[1].messages[-1]
    assert isinstance(answer, Called)
    assert DB in answer.text


async def test_a_model_cannot_name_what_it_was_not_told_of() -> None:
    model = Model([wants("1", "get_page", page_id=PAGE), wants("2", "search", query="x"), DONE])
    async with bench(SCRIPT) as here:
        await act(here, model, FREE)
        assert here.lines == ["POST /search"]
    answer = model.asked[1].messages[-1]
    assert isinstance(answer, Called)
    assert answer.is_error


async def test_only_operations_of_the_configured_kind_are_offered_and_done() -> None:
    model = Model([wants("1", "append_text", page_id=PAGE, text="x"), *plan()])
    async with bench(SCRIPT) as here:
        await act(here, model, {**FREE, "operation_type": "database"})
        assert f"PATCH /blocks/{PAGE}/children" not in here.lines
    names = {offer.name for offer in model.asked[0].tools}
    assert names == {offer.name for offer in offers_for("database")}
    assert "append_text" not in names


@pytest.mark.parametrize(
    "replies",
    [[wants("1", "search", query="x")], [ToolAnswer(text="I cannot.")]],
    ids=["no end", ""],
)
async def test_a_model_that_comes_to_no_end_fails_the_step(replies: list[ToolAnswer]) -> None:
    model = Model(replies)
    async with bench(SCRIPT) as here:
        with pytest.raises(Unavailable) as caught:
            await act(here, model, FREE)
        assert len(model.asked) <= 8
    assert code_of(caught) == "SERVICE_PLAN_UNFINISHED"


async def test_a_limit_cuts_the_conversation_and_it_goes_on_after_the_wait() -> None:
    limited = Told({"code": "rate_limited", "message": "slow"}, 429, {"retry-after": "6"})
    model = Model(plan())
    async with bench({**SCRIPT, "POST /pages": [limited, Told(NEW)]}) as here:
        wait = await act(here, model, FREE)
        assert isinstance(wait, Wait)
        assert wait.until is not None
        assert (wait.until - here.clock.now()).total_seconds() == 6
        found = await act(here, model, FREE, Resumed("timer", memory=wait.memory))
        assert isinstance(found, Outcome)
        assert here.lines.count("POST /search") == 1
    assert isinstance(found.value, dict)
    assert isinstance(found.value["ai_execution"], dict)
    assert found.value["ai_execution"]["completed"] == ["search", "create_page"]


async def test_a_refused_token_is_not_argued_about_with_a_model() -> None:
    model = Model(plan())
    refused = Told({"code": "unauthorized", "message": "API token is invalid."}, 401)
    async with bench(usual=refused) as here:
        with pytest.raises(Denied) as caught:
            await act(here, model, FREE)
    assert code_of(caught) == "SERVICE_CREDENTIAL_REFUSED"
    assert len(model.asked) == 1
