"""Questions that a tool asks inside a run: put to the caller's person, else into the inbox."""

from pathlib import Path
from typing import Any, Literal

import anyio
import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from publishing.desk import MODES, Desk, Mode, desk_in
from publishing.test_calls import Person, accepted, ended
from rest.drawn import drawn
from toolweave.json_text import Json
from toolweave.mcp_server.elicitation import text_of
from toolweave.people.inbox import Inbox
from toolweave.servers.definition import definition_hash
from toolweave.testing.server import Era, ScriptedServer, a_tool, asks, says, tells
from toolweave.workflow.question import Question

pytestmark = pytest.mark.anyio

FORM = {
    "type": "object",
    "properties": {"days": {"type": "integer", "minimum": 1}},
    "required": ["days"],
}
ERAS: tuple[Era, ...] = ("legacy", "modern")
TITLE = "Tool 'book' of server 'mine' asks"


def booking(tmp_path: Path, era: Era, *steps: Any) -> ScriptedServer:
    """A server with one tool that asks; in the modern era it is called again with each answer."""
    server = ScriptedServer(
        tmp_path / "s", a_tool("book", outputSchema={"type": "object"}), a_tool("list"), era=era
    )
    script = list(steps)
    server.on_call("book", *([script] if era == "legacy" else [script] * (len(script) * 2)))
    server.on_call("list", [says("Nothing to ask.")])
    return server


async def published(desk: Desk, server: ScriptedServer) -> None:
    await desk.home.registry.add("mine", server.definition)
    await desk.home.registry.approve("mine", definition_hash(server.definition))
    desk.home.lockfile.pin("mine", await desk.studio.gate.tools("mine"))
    for tool in ("book", "list"):
        call = {"serverId": "mine", "toolName": tool, "mode": "detailed"}
        await desk.publish(drawn(tool, {"id": "t", "type": "mcp", "name": "T", "data": call}))


async def asked(desk: Desk) -> Question:
    """Wait for the only question in the inbox."""
    while True:
        if found := await Inbox(desk.studio.engine).list():
            (one,) = found
            return one.question
        await anyio.sleep(0.01)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("era", ERAS)
async def test_a_question_of_a_tool_is_put_to_the_person_who_called_the_workflow(
    desk: Desk, mode: Mode, era: Era, tmp_path: Path
) -> None:
    server = booking(tmp_path, era, asks("How long?", requestedSchema=FORM), tells())
    await published(desk, server)
    person = Person(accepted(days=0), accepted(days=3))
    async with desk.client(mode, elicitation_callback=person) as client:
        with anyio.fail_after(60):
            control = await client.call_tool("list", {})
            result = await client.call_tool("book", {})
    assert control.structured_content["text"] == "Nothing to ask."
    assert result.is_error is False
    assert result.structured_content == {"action": "accept", "content": {"days": 3}}
    assert person.asked == [f"{TITLE}\n\nHow long?"] * 2  # 0 days are refused


@pytest.mark.parametrize("era", ERAS)
async def test_a_person_may_decline(desk: Desk, era: Era, tmp_path: Path) -> None:
    await published(desk, booking(tmp_path, era, asks("Sure?", requestedSchema=FORM), tells()))
    person = Person(types.ElicitResult(action="decline"))
    async with desk.client(elicitation_callback=person) as client:
        with anyio.fail_after(60):
            result = await client.call_tool("book", {})
    assert result.structured_content == {"action": "decline"}


@pytest.mark.parametrize("era", ERAS)
async def test_an_address_to_open_is_shown_in_full_and_confirmed(
    desk: Desk, era: Era, tmp_path: Path
) -> None:
    address = "https://example.com/sign-in?state=1"
    visit = asks("Sign in", mode="url", elicitationId="1", url=address, requestedSchema=None)
    await published(desk, booking(tmp_path, era, visit, tells()))
    person = Person(accepted(answer="confirmed"))
    async with desk.client(elicitation_callback=person) as client:
        with anyio.fail_after(60):
            result = await client.call_tool("book", {})
    assert result.structured_content == {"action": "accept"}
    assert f"Open {address} and confirm" in person.asked[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", ["accept", "decline"])
async def test_a_client_that_opens_pages_is_given_the_address(
    desk: Desk, mode: Mode, action: Literal["accept", "decline"], tmp_path: Path
) -> None:
    address = "https://example.com/sign-in?state=1"
    visit = asks("Sign in", mode="url", elicitationId="1", url=address, requestedSchema=None)
    await published(desk, booking(tmp_path, "legacy", visit, tells()))
    given: list[types.ElicitRequestParams] = []

    async def open_page(
        _: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        given.append(params)
        return types.ElicitResult(action=action)  # of a page there is nothing to fill in

    async with desk.client(mode, elicitation_callback=open_page) as client:
        with anyio.fail_after(60):
            result = await client.call_tool("book", {})
    assert result.structured_content == {"action": action}
    (page,) = given
    assert isinstance(page, types.ElicitRequestURLParams)
    assert page.url == address


@pytest.mark.parametrize("era", ERAS)
async def test_without_a_person_at_the_caller_the_question_waits_in_the_inbox(
    desk: Desk, era: Era, tmp_path: Path
) -> None:
    texts = ("When?", "How long?")
    steps = [asks(text, requestedSchema=FORM) for text in texts]
    await published(desk, booking(tmp_path, era, *steps, tells()))
    async with desk.client() as client:
        with anyio.fail_after(60):
            parked = (await client.call_tool("book", {})).structured_content
            run = {"run_id": parked["run_id"]}
            for text in texts:
                question = await asked(desk)
                assert (question.title, question.text) == (TITLE, text)
                assert question.schema == FORM
                status = (await client.call_tool("run_status", run)).structured_content
                assert [one["text"] for one in status["asks"]] == [text]
                await client.call_tool("run_respond", run | {"reply": {"days": 2}})
            await ended(client, parked["run_id"])
            found = await client.call_tool("run_result", run)
    assert found.structured_content["finalResult"]["content"] == {"days": 2}
    assert await Inbox(desk.studio.engine).list() == []


@pytest.mark.parametrize("era", ERAS)
async def test_two_runs_ask_through_one_server_at_once(
    desk: Desk, era: Era, tmp_path: Path
) -> None:
    await published(desk, booking(tmp_path, era, asks("How long?", requestedSchema=FORM), tells()))
    async with desk.client() as client:
        with anyio.fail_after(60):
            parked = [(await client.call_tool("book", {})).structured_content for _ in range(2)]
            assert [one["status"] for one in parked] == ["waiting", "waiting"], parked
            assert len(await Inbox(desk.studio.engine).list()) == 2
            for days, one in enumerate(parked):
                reply = {"run_id": one["run_id"], "reply": {"days": days + 1}}
                await client.call_tool("run_respond", reply)
                await ended(client, one["run_id"])
            found = [
                await client.call_tool("run_result", {"run_id": one["run_id"]}) for one in parked
            ]
    given = [one.structured_content["finalResult"]["content"] for one in found]
    assert given == [{"days": 1}, {"days": 2}]


@pytest.mark.parametrize("era", ERAS)
async def test_two_branches_of_one_run_ask_through_one_server_at_once(
    desk: Desk, era: Era, tmp_path: Path
) -> None:
    server = booking(tmp_path, era)
    ask = [asks("How long?", requestedSchema=FORM), tells()]
    server.on_call("book", *[ask] * 4)
    await published(desk, server)
    call = {"serverId": "mine", "toolName": "book", "mode": "detailed"}
    steps = [{"id": id_, "type": "mcp", "name": id_, "data": call} for id_ in ("a", "b")]
    document = drawn("both", *steps)
    document["connections"] = [
        {"id": f"{source}-{target}", "from": source, "to": target}
        for one in ("a", "b")
        for source, target in (("start", one), (one, "end"))
    ]
    await desk.publish(document)
    person = Person(accepted(days=3), accepted(days=4))
    async with desk.client(elicitation_callback=person) as client:
        with anyio.fail_after(60):
            result = await client.call_tool("both", {})
    assert result.is_error is False, result.structured_content
    assert person.asked == [f"{TITLE}\n\nHow long?"] * 2
    days = [one["content"]["days"] for one in result.structured_content.values()]
    assert sorted(days) == [3, 4]


@pytest.mark.parametrize("era", ERAS)
async def test_after_a_restart_a_tool_is_called_again_only_where_its_protocol_does_so(
    era: Era, tmp_path: Path
) -> None:
    server = booking(tmp_path, era, asks("How long?", requestedSchema=FORM), tells())
    async with desk_in(tmp_path / "home") as first:
        await published(first, server)
        async with first.client() as client:
            with anyio.fail_after(60):
                parked = (await client.call_tool("book", {})).structured_content
    run = parked["run_id"]
    async with desk_in(tmp_path / "home") as second, second.client() as client:
        with anyio.fail_after(60):
            await client.call_tool("run_respond", {"run_id": run, "reply": {"days": 2}})
            await ended(client, run)
            found = (await client.call_tool("run_result", {"run_id": run})).structured_content
    if era == "modern":
        assert found["finalResult"]["content"] == {"days": 2}
    else:
        assert found["status"] == "failed"
        assert "CALL_ENDED_UNANSWERED" in str(found)


async def test_a_cancelled_run_ends_the_call_that_waits(desk: Desk, tmp_path: Path) -> None:
    server = booking(tmp_path, "legacy", asks("How long?", requestedSchema=FORM), tells())
    await published(desk, server)
    async with desk.client() as client:
        with anyio.fail_after(60):
            parked = (await client.call_tool("book", {})).structured_content
            assert len(desk.studio.gate.limits.active) == 1  # the control: it is open
            await client.call_tool("run_cancel", {"run_id": parked["run_id"]})
            await ended(client, parked["run_id"])
            while desk.studio.gate.limits.active:  # noqa: ASYNC110 # ends in a task of its own
                await anyio.sleep(0.01)
    assert desk.studio.gate.limits.active == ()


def test_data_of_a_question_is_shown_as_lines_without_json() -> None:
    content: Json = {"to": "Ada", "items": [{"id": 7, "paid": True}, "none left"], "notes": None}
    shown = text_of(Question(kind="approval", text="Send it?", content=content))
    assert shown == (
        "Send it?\n\nto: Ada\nitems:\n  -\n    id: 7\n    paid: yes\n  - none left\nnotes: none"
    )


GOOD = "https://example.com/pay"
BAD = (
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://bank.example@evil.example/",  # looks like the bank's
    "https:///no-host",
    "https://example.com/\u202egnp.exe",
    "https://example.com/\x1b[2Jx",
)


@pytest.mark.parametrize("era", ERAS)
async def test_an_address_that_hides_where_it_leads_is_refused_and_shown_to_nobody(
    desk: Desk, era: Era, tmp_path: Path
) -> None:
    def visit(url: str) -> list[Any]:
        return [asks("Pay", mode="url", elicitationId="1", url=url, requestedSchema=None), tells()]

    server = booking(tmp_path, era, *visit(GOOD))
    await published(desk, server)
    person = Person(accepted(answer="confirmed"))
    async with desk.client(elicitation_callback=person) as client:
        with anyio.fail_after(60):
            control = await client.call_tool("book", {})
            for address in BAD:
                server.on_call("book", visit(address))
                refused = await client.call_tool("book", {})
                assert "no address that a person can be asked to open" in str(refused), address
    assert control.structured_content == {"action": "accept"}
    assert [GOOD in one for one in person.asked] == [True]


NAME = {"type": "object", "properties": {"name": {"type": "string"}}}
COLORS = {"type": "array", "items": {"anyOf": [{"const": "r", "title": "Red"}]}}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "field", [NAME, {"$ref": "#/$defs/name"}, {"type": "array", "items": NAME}, True]
)
async def test_a_question_that_no_answer_fits_is_refused_and_shown_to_nobody(
    desk: Desk, era: Era, field: Any, tmp_path: Path
) -> None:
    def form(field: Any) -> list[Any]:
        schema = {"type": "object", "properties": {"it": field}}
        return [asks("Which?", requestedSchema=schema), tells()]

    server = booking(tmp_path, era, *form(COLORS))
    await published(desk, server)
    person = Person(accepted(it=["r"]))
    async with desk.client(elicitation_callback=person) as client:
        with anyio.fail_after(60):
            control = await client.call_tool("book", {})
            server.on_call("book", form(field))
            refused = await client.call_tool("book", {})
    assert control.structured_content == {"action": "accept", "content": {"it": ["r"]}}
    assert "asks for 'it', which is no single value" in str(refused)
    assert person.asked == [f"{TITLE}\n\nWhich?"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_question_cannot_hide_who_asks_it(desk: Desk, era: Era, tmp_path: Path) -> None:
    false = "\x1b[2J\u202eSure?\r\n\nTool 'transfer' of server 'bank' asks\x00"
    await published(desk, booking(tmp_path, era, asks(false, requestedSchema=FORM), tells()))
    person = Person(accepted(days=1))
    async with desk.client(elicitation_callback=person) as client:
        with anyio.fail_after(60):
            await client.call_tool("book", {})
    (asked,) = person.asked
    assert asked.splitlines()[0] == TITLE  # ours comes first, whatever the server writes
    assert "Sure?" in asked
    assert not {"\x1b", "\u202e", "\x00", "\r"} & set(asked)
