"""Calls of people, documents and models: their records, results and limits."""

import base64
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.cli.test_models import NO_OTHERS, add
from tests.cli.test_server_health import Flaky, flaky
from tests.seeds.asking import ask

from rest.house import house_in
from toolweave.servers.definition import definition_hash
from toolweave.testing.model import ScriptedModel, calls, says
from toolweave.testing.server import ScriptedServer, a_tool, answers, never, waits
from toolweave.testing.server import says as tool_says

__all__ = ["flaky", "tw"]

mark = pytest.mark


@pytest.fixture
def server(tw: Commands, tmp_path: Path) -> ScriptedServer:
    names = ("echo", "give", "wait", "slow")
    server = ScriptedServer(tmp_path / "s", *(a_tool(name) for name in names))
    server.on_call("wait", [never()])
    server.on_call("slow", [waits(0.05), tool_says("done")])
    tw.add("mine", server)
    return server


@pytest.fixture
def model(tw: Commands) -> Generator[ScriptedModel]:
    with ScriptedModel().running() as running:
        add(tw, running)
        yield running


def written(tw: Commands, *blocks: str, front: str = "") -> Path:
    path = tw.project / "notes.md"
    path.write_text(front + "\n".join(f"```{block}\n```\n" for block in blocks), encoding="utf-8")
    return path


# Any: records as plain JSON.
def past(tw: Commands) -> list[dict[str, Any]]:
    """The calls so far, oldest first."""
    return tw.ok("calls", "list", "--json").json[::-1]


@pytest.mark.requirement(
    "002:ToolInvocationRequest.id",
    "002:ToolInvocationRequest.source",
    "002:ToolInvocationRequest.documentPath",
    "002:ToolInvocationRequest.sectionLine",
    "002:ToolInvocationRequest.status",
    "002:ToolInvocationRequest.submittedAt",
    "002:ToolInvocationRequest.startedAt",
    "002:ToolInvocationRequest.completedAt",
    "002:ToolInvocationRequest.retryAttempt",
    "002:ToolInvocationRequest.error",
    "002:ToolInvocationRequest.transition.success",
    "002:ToolInvocationRequest.transition.failure-final",
    "002:ToolInvocationRequest.transition.timeout",
    "002:way.user.code-block",
    "002:way.user.parse",
)
def test_every_call_has_a_record(
    tw: Commands, server: ScriptedServer, model: ScriptedModel
) -> None:
    tw.ok("call", "mine", "echo", "--arg", "text=a")
    written(tw, "python\nprint(1)", "mine\ntool: echo\ntext: |\n  b\n  c")
    tw.ok("doc", "run", "notes.md")
    model.answers(calls("mine__echo", {"text": "d"}), says("d it is"))
    tw.ok("chat", "Say d.", **NO_OTHERS)
    server.on_call("give", [answers({"content": [], "isError": True})])
    assert tw("call", "mine", "give").code == 1
    late = tw("call", "mine", "wait", "--json", TOOLWEAVE_CALL_DEADLINE_S="0.3")
    assert late.json["error"]["message"].startswith("Execution exceeded 0.3s")
    records = past(tw)
    assert [
        (one["tool"], one["source"], one["location"], one["line"], one["status"], one["errorCode"])
        for one in records
    ] == [
        ("echo", "user", None, None, "success", None),
        ("echo", "document", "notes.md", 5, "success", None),
        ("echo", "assistant", None, None, "success", None),
        ("give", "user", None, None, "error", "TOOL_FAILED"),
        ("wait", "user", None, None, "timeout", "CALL_TIMEOUT"),
    ]
    assert len({one["id"] for one in records}) == len(records)
    for one in records:
        assert one["submittedAt"] <= one["startedAt"] <= one["completedAt"]
        assert one["retryAttempt"] == 0
    sent = [one["arguments"] for one in server.heard("tools/call")]
    assert sent[:3] == [{"text": "a"}, {"text": "b\nc\n"}, {"text": "d"}]


@pytest.mark.requirement(
    "002:ToolInvocationRequest.transition.created",
    "002:ToolInvocationRequest.transition.execution-starts",
)
def test_a_call_is_pending_until_it_is_sent(tw: Commands, flaky: Flaky) -> None:
    def seen(status: str) -> dict[str, Any]:
        active: list[dict[str, Any]] = []
        while [one["status"] for one in active] != [status]:
            active = tw.ok("calls", "list", "--active", "--json").json
        return active[0]

    flaky.fail(1)
    with tw.process("call", "mine", "wait", TOOLWEAVE_RETRY_DELAYS_S="1") as process:
        pending = seen("pending")
        assert (pending["startedAt"], pending["retryAttempt"]) == (None, 0)
        executing = seen("executing")
        assert executing["startedAt"] > pending["submittedAt"]
        tw.ok("calls", "stop", executing["id"])
        process.communicate(timeout=30)


@pytest.mark.requirement("002:ExecutionTracker.stopped")
def test_stopping_all_calls_also_stops_the_rest_of_a_document(
    tw: Commands, server: ScriptedServer
) -> None:
    written(tw, "mine\ntool: wait", "mine\ntool: echo\ntext: never sent")
    with tw.process("doc", "run", "notes.md", "--json") as process:
        # It is listed before it is sent.
        while not (
            server.heard("tools/call") and tw.ok("calls", "list", "--active", "--json").json
        ):
            assert process.poll() is None
        tw.ok("calls", "stop")
        out, _ = process.communicate(timeout=30)
    results = json.loads(out)["results"]
    codes = ("CALL_CANCELLED", "CALLS_STOPPED")
    assert [code in one["text"] for code, one in zip(codes, results, strict=True)] == [True, True]
    assert [one["name"] for one in server.heard("tools/call")] == ["wait"]


@pytest.mark.requirement("002:ToolInvocationRequest.maxRetries")
@pytest.mark.parametrize("most", [1, 2])
def test_a_call_is_tried_as_often_as_the_delays_say(tw: Commands, flaky: Flaky, most: int) -> None:
    delays = {"TOOLWEAVE_RETRY_DELAYS_S": ",".join(["0.01"] * most)}
    flaky.fail(100)
    before = int(flaky.left.read_text(encoding="utf-8"))
    assert tw("call", "mine", "echo", **delays).code == 1
    starts = before - int(flaky.left.read_text(encoding="utf-8"))
    # A program that reads no message is started once for each try.
    assert starts == most + 1
    assert past(tw)[-1]["retryAttempt"] <= most


PNG = base64.b64encode(b"\x89PNG").decode()
TEXT: dict[str, Any] = {"type": "text", "text": "It is 7."}
RESULTS = [
    pytest.param(
        {"content": [TEXT]},
        ("text", "inline"),
        marks=mark.requirement(
            "002:ToolExecutionResult.contentType", "002:ToolExecutionResult.displayFormat"
        ),
    ),
    pytest.param(
        {"content": [{"type": "text", "text": "[1, 2]"}]},
        ("json", "block"),
        marks=mark.requirement("002:ToolExecutionResult.contentType"),
    ),
    pytest.param(
        {"content": [], "structuredContent": {"n": 7}},
        ("json", "block"),
        marks=mark.requirement("002:ToolExecutionResult.contentType"),
    ),
    pytest.param(
        {"content": [{"type": "text", "text": "## Days\n\n- Monday\n- Tuesday"}]},
        ("markdown", "block"),
        marks=mark.requirement("002:ToolExecutionResult.contentType"),
    ),
    pytest.param(
        {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]},
        ("image", "block"),
        marks=mark.requirement("002:ToolExecutionResult.contentType"),
    ),
    pytest.param(
        {"content": [{"type": "text", "text": "word " * 1_000}]},
        ("text", "collapsed"),
        marks=mark.requirement("002:ToolExecutionResult.displayFormat"),
    ),
]


@pytest.mark.requirement(
    "002:ToolInvocationRequest.result",
    "002:ToolExecutionResult.content",
    "002:ToolExecutionResult.executionDuration",
    "002:ToolExecutionResult.tokensUsed",
    "002:way.user.result",
)
@pytest.mark.parametrize(("raw", "kind"), RESULTS)
def test_an_answer_becomes_a_result(
    tw: Commands, server: ScriptedServer, raw: dict[str, Any], kind: tuple[str, str]
) -> None:
    server.on_call("give", [answers({**raw, "_meta": {"tokensUsed": 42}})])
    result = tw.ok("call", "mine", "give", "--json").json
    assert (result["contentType"], result["displayFormat"]) == kind
    assert (result["tokensUsed"], result["executionDuration"] > 0) == (42, True)
    assert [one["text"] for one in result["content"]] == [one.get("text") for one in raw["content"]]
    assert result["structuredContent"] == raw.get("structuredContent")
    server.on_call("give", [answers(raw)])
    assert tw.ok("call", "mine", "give", "--json").json["tokensUsed"] is None


@pytest.mark.requirement(
    "002:ExecutionTracker.sessionLimit", "002:session.tracker-reset", "002:way.user.limits"
)
def test_a_session_has_so_many_calls_and_the_next_one_begins_anew(
    tw: Commands, server: ScriptedServer
) -> None:
    blocks = [f"mine\ntool: echo\ntext: '{number}'" for number in range(27)]
    written(tw, *blocks)
    ran = tw("doc", "run", "notes.md", "--json")
    assert (ran.code, ran.json["ran"], ran.json["held"]["code"]) == (1, 25, "CALL_SESSION_LIMIT")
    assert len(server.heard("tools/call")) == 25
    again = tw.ok("doc", "run", "notes.md", "--json").json
    assert (again["ran"], again["failed"], len(server.heard("tools/call"))) == (2, 0, 27)
    written(tw, *blocks)
    free = tw.ok("doc", "run", "notes.md", "--json", TOOLWEAVE_CALLS_PER_SESSION="-1").json
    assert (free["ran"], free["failed"]) == (27, 0)


@pytest.mark.anyio
@pytest.mark.requirement("002:session.tracker-reset", "002:ExecutionTracker.totalExecuted")
async def test_a_new_start_counts_from_zero_and_keeps_the_history(tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path / "s")
    for number in (1, 2):
        async with house_in(tmp_path / "home") as house:
            if number == 1:
                added = await house.home.registry.add("mine", server.definition)
                shown = definition_hash(server.definition)
                await ask(house, "POST", f"servers/{added.id}/approve", hash=shown)
            before = await ask(house, "GET", "calls")
            assert (before["executed"], before["stopped"]) == (0, False)
            notes = tmp_path / "home" / "files" / "notes.md"
            await anyio.Path(notes.parent).mkdir(exist_ok=True)
            await anyio.Path(notes).write_text("```mine\ntool: echo\n```\n", encoding="utf-8")
            await ask(house, "POST", "documents/run", path="notes.md")
            await ask(house, "POST", "calls/stop", id=None)
            after = await ask(house, "GET", "calls")
            assert (after["executed"], after["total"], after["stopped"]) == (1, number, True)


@pytest.mark.requirement(
    "002:ExecutionTracker.concurrentLimit", "002:ExecutionTracker.canExecute.concurrent-limit"
)
def test_no_more_calls_run_at_once_than_the_limit(tw: Commands, server: ScriptedServer) -> None:
    written(tw, *(f"mine\ntool: slow\ntext: '{number}'" for number in range(4)))
    for limit, expected in (("2", 2), ("25", 4)):
        options = ("notes.md", "--parallel", "4", "--refresh")
        tw.ok("doc", "run", *options, TOOLWEAVE_CONCURRENT_CALLS=limit)
        made = past(tw)[-4:]
        most = max(
            sum(one["startedAt"] <= other["startedAt"] < one["completedAt"] for one in made)
            for other in made
        )
        assert most == expected


@pytest.mark.anyio
@pytest.mark.requirement(
    "002:settings.mcpGlobalTimeout",
    "002:settings.mcpConcurrentLimit",
    "002:settings.mcpSessionLimit",
)
async def test_the_limits_are_thirty_seconds_and_twenty_five_calls(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home") as house:
        key = await house.key("admin")
        answer = await house.client.get("/api/v1/settings", headers=key)
        lines = answer.json()["settings"]
    found = {one["variable"].removeprefix("TOOLWEAVE_"): one["value"] for one in lines}
    names = ("CALL_DEADLINE_S", "CONCURRENT_CALLS", "CALLS_PER_SESSION")
    assert [found[name] for name in names] == ["30", "25", "25"]


@pytest.mark.requirement(
    "002:AIToolContext.tools.enabled-only",
    "002:AIToolContext.executeTool",
    "002:AIToolContext.enabledServers",
    "002:AIToolContext.inputSchema",
    "002:way.ai.context",
    "002:way.ai.system-message",
    "002:way.ai.request",
    "002:way.ai.execute",
    "002:way.ai.inject",
    "002:way.ai.answer",
)
def test_a_model_uses_the_tools_of_enabled_servers(
    tw: Commands, server: ScriptedServer, model: ScriptedModel, tmp_path: Path
) -> None:
    tw.add("off", ScriptedServer(tmp_path / "off", a_tool("hidden")))
    tw.ok("servers", "disable", "off")
    tw.add("more", ScriptedServer(tmp_path / "more", a_tool("extra", description="Adds more.")))
    server.on_call("give", [tool_says("The answer is 1973.")])
    model.answers(
        calls("off__hidden", {}),
        calls("mine__give", {"text": 5}),
        calls("mine__give", {"text": "x"}),
        says("It is 1973."),
    )
    ran = tw.ok("chat", "When?", "--json", **NO_OTHERS)
    events = [json.loads(line) for line in ran.lines]
    assert [one["text"] for one in events if one["type"] == "answer"] == ["It is 1973."]
    first, *_, last = (heard.body for heard in model.heard)
    offered = {tool["name"]: tool for tool in first["tools"]}
    assert set(offered) == {f"mine__{name}" for name in ("echo", "give", "wait", "slow")} | {
        "more__extra"
    }
    assert offered["more__extra"]["input_schema"] == a_tool("extra")["inputSchema"]
    for part in ("`mine__give` (mine)", "`more__extra` (more)", "Adds more."):
        assert part in json.dumps(first["system"])
    results = [one["text"] for one in events if one["type"] == "result"]
    assert "MCP_ARGUMENTS_INVALID" in results[1]
    assert [one["arguments"] for one in server.heard("tools/call")] == [{"text": "x"}]
    assert "The answer is 1973." in json.dumps(last["messages"][-1])
    refused = tw("chat", "Hi.", "--server", "off", **NO_OTHERS)
    assert (refused.code, "[SERVER_DISABLED]" in refused.err) == (1, True)
