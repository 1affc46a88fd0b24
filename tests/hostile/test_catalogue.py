"""Positive controls: every vice of the catalogue is really there when spoken to raw."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from hostile.catalogue import ALL, GOOD_STDIO, HERE, STDIO, Vice, named
from hostile.talk import HELLO, Pipe, pipe

pytestmark = pytest.mark.timeout(60)

CONTROLS_OF = ("faults/test_hostile_stdio.py", "faults/test_within_the_limits.py")
SPEAKING = [vice for vice in STDIO if vice.when != "start"]


def test_the_catalogue_lists_every_program_once() -> None:
    scripts = {path for kind in ("stdio", "http") for path in (HERE / kind).glob("*.py")}
    others = {path for path in scripts if path.stem in {"wellbehaved", "good"}}
    assert len(others) == 4
    assert sorted(vice.script for vice in ALL) == sorted(scripts - others)
    assert len([vice for vice in ALL if vice.transport == "stdio"]) >= 16
    assert len([vice for vice in ALL if vice.transport == "http"]) >= 12


def test_every_vice_says_what_is_right() -> None:
    assert [vice.name for vice in ALL if not vice.codes and not vice.may_go_on] == []


def test_every_vice_has_a_control() -> None:
    controls = "\n".join(
        (HERE / name).read_text(encoding="utf-8")
        for name in ("test_catalogue.py", "test_catalogue_http.py")
    )
    missing = [vice.name for vice in ALL if f"def test_{vice.name}_" not in controls]
    assert missing == []


def test_a_good_server_speaks_the_old_protocol() -> None:
    with pipe(GOOD_STDIO) as good:
        good.say("server/discover")
        assert good.hear()["error"]["code"] == -32601
        assert good.ask("initialize", **HELLO)["protocolVersion"] == "2025-06-18"
        assert [tool["name"] for tool in good.ask("tools/list")["tools"]] == ["echo", "misbehave"]
        assert said(good.ask("tools/call", name="echo", arguments={"text": "hi"})) == "hi"
        assert said(good.ask("tools/call", name="misbehave", arguments={})) == "as you wish"


@pytest.mark.parametrize("vice", SPEAKING, ids=str)
def test_a_vice_is_well_behaved_until_its_moment(vice: Vice) -> None:
    with pipe(vice) as program:
        assert program.ask("initialize", **HELLO)["protocolVersion"] == "2025-06-18"
        assert said(program.ask("tools/call", name="echo", arguments={"text": "hi"})) == "hi"


@pytest.mark.parametrize("vice", [vice for vice in STDIO if vice.when != "stop"], ids=str)
def test_a_program_ends_when_stdin_closes(vice: Vice) -> None:
    with pipe(vice) as program:
        program.close_stdin()
        assert program.process.wait(30) == (3 if vice.name == "exits_at_once" else 0)


def said(result: Any) -> str:
    (block,) = result["content"]
    assert block["type"] == "text"
    return block["text"]


def died_with(program: Pipe) -> tuple[int, bytes]:
    _, stderr = program.process.communicate(timeout=30)
    return program.process.returncode, stderr


def test_exits_at_once_says_why_and_goes() -> None:
    with pipe(named("exits_at_once")) as program:
        assert program.hear_line() == b""
        assert died_with(program) == (3, b"cannot start: no licence found\n")


def test_exits_in_call_goes_without_an_answer() -> None:
    with pipe(named("exits_in_call")) as program:
        program.misbehave()
        assert program.hear_line() == b""
        assert died_with(program) == (3, b"fatal: out of ideas\n")


def test_hangs_at_start_says_nothing() -> None:
    with pipe(named("hangs_at_start")) as program:
        program.say("initialize", **HELLO)
        assert program.is_silent()


def test_hangs_in_list_says_nothing_more_and_leaves_when_stdin_closes() -> None:
    with pipe(named("hangs_in_list")) as program:
        program.ask("initialize", **HELLO)
        program.say("tools/list")
        program.say("ping")
        assert program.is_silent()
        program.close_stdin()
        assert program.process.wait(30) == 0


def test_hangs_in_call_says_nothing_more_and_leaves_when_stdin_closes() -> None:
    with pipe(named("hangs_in_call")) as program:
        program.misbehave()
        program.say("ping")
        assert program.is_silent()
        program.close_stdin()
        assert program.process.wait(30) == 0


def test_writes_garbage_before_each_message() -> None:
    with pipe(named("writes_garbage")) as program:
        for method, params in (("initialize", HELLO), ("tools/list", {})):
            program.say(method, **params)
            lines = [program.hear_line() for _ in range(8)]
            assert b"[info] ready" in lines
            assert json.loads(lines[-1])["id"] == program.last_id
            assert [line for line in lines[:-1] if line.startswith(b"{")] == []


def test_broken_json_starts_like_a_message_and_breaks_off() -> None:
    with pipe(named("broken_json")) as program:
        program.misbehave()
        line = program.hear_line()
        assert line.startswith(b'{"jsonrpc":"2.0","id":2,"result"')
        with pytest.raises(json.JSONDecodeError):
            json.loads(line)


def test_bad_utf8_cannot_be_decoded() -> None:
    with pipe(named("bad_utf8")) as program:
        program.misbehave()
        line = program.hear_line()
        with pytest.raises(UnicodeDecodeError):
            line.decode()
        assert json.loads(line.decode(errors="replace"))["id"] == 2


def test_huge_line_is_one_line_of_the_size_asked_for() -> None:
    with pipe(named("huge_line"), hostile_size=3_000_001) as program:
        program.misbehave()
        assert len(said(program.hear()["result"])) == 3_000_001


def test_deep_json_is_valid_and_too_deep_for_a_recursive_reader() -> None:
    with pipe(named("deep_json")) as program:
        program.misbehave()
        line = program.hear_line()
        assert b"[" * 100_000 + b"]" * 100_000 in line
        with pytest.raises(RecursionError):
            json.loads(line)
    with pipe(named("deep_json"), hostile_size=50) as shallow:
        shallow.misbehave()
        assert "deep" in shallow.hear()["result"]["structuredContent"]


def test_floods_notifications_sends_them_all_and_then_answers() -> None:
    with pipe(named("floods_notifications"), hostile_size=5000) as program:
        program.ask("initialize", **HELLO)
        program.say("tools/call", name="misbehave", _meta={"progressToken": "p1"})
        methods = [program.hear()["method"] for _ in range(5000)]
        assert methods == ["notifications/message", "notifications/progress"] * 2500
        assert said(program.hear()["result"]) == "done at last"


def test_wrong_ids_are_all_that_comes() -> None:
    with pipe(named("wrong_ids")) as program:
        program.misbehave()
        ids = [program.hear()["id"] for _ in range(6)]
        assert ids == [1002, -1, None, "no such id", 1.5, True]
        assert program.is_silent()


def test_string_ids_are_the_id_as_text() -> None:
    with pipe(named("string_ids")) as program:
        program.misbehave()
        assert program.hear()["id"] == "2"
        assert program.is_silent()


def test_endless_cursor_always_has_another_page() -> None:
    with pipe(named("endless_cursor")) as program:
        page = program.ask("tools/list")
        cursors = [page["nextCursor"]]
        names = [page["tools"][0]["name"]]
        for _ in range(200):
            page = program.ask("tools/list", cursor=cursors[-1])
            cursors.append(page["nextCursor"])
            names.append(page["tools"][0]["name"])
        assert len(set(cursors)) == len(set(names)) == 201


def test_exponential_ref_expands_to_two_to_the_thirty() -> None:
    with pipe(named("exponential_ref")) as program:
        good, bomb = program.tools()
    assert good["name"] == "echo"
    definitions = bomb["inputSchema"]["$defs"]
    leaves = {f"#/$defs/level{len(definitions) - 1}": 1}
    for level in reversed(range(len(definitions) - 1)):
        below = definitions[f"level{level}"]["properties"].values()
        leaves[f"#/$defs/level{level}"] = sum(leaves[part["$ref"]] for part in below)
    assert leaves[bomb["inputSchema"]["properties"]["tree"]["$ref"]] == 2**30
    assert len(json.dumps(bomb)) < 10_000


def test_catastrophic_regex_meets_41_characters_that_do_not_match() -> None:
    with pipe(named("catastrophic_regex")) as program:
        tool = program.tools()[1]
        assert tool["outputSchema"]["properties"]["answer"]["pattern"] == "(a+)+$"
        result = program.ask("tools/call", name="misbehave")
    answer = result["structuredContent"]["answer"]
    assert len(answer) == 41
    # No run of a's ends where the text does, so a matcher tries every way to split 40 of them.
    assert answer.startswith("a" * 40)
    assert not answer.endswith("a")


def test_remote_ref_points_at_the_port_given_and_at_a_file() -> None:
    with pipe(named("remote_ref"), "8123") as program:
        tools = program.tools()
    references = [tool["inputSchema"]["properties"].get("value", {}).get("$ref") for tool in tools]
    assert references == [None, "http://127.0.0.1:8123/schema.json", "file:///etc/passwd"]


def test_slow_drip_sends_a_byte_at_a_time_and_leaves_when_stdin_closes() -> None:
    with pipe(named("slow_drip")) as program:
        program.misbehave()
        assert program.process.stdout is not None
        chunks = [os.read(program.process.stdout.fileno(), 4096) for _ in range(5)]
        # Not one each, should this test be held up; but far from the 960 of the whole reply.
        assert 5 <= len(b"".join(chunks)) < 200
        assert b'{"jsonrpc": "2.0", "id"'.startswith(b"".join(chunks)[:20])
        program.close_stdin()
        assert program.process.wait(30) == 0


def test_ignores_sigterm_and_closes_stdin_late_with_its_child() -> None:
    with pipe(named("ignores_sigterm_and_closes_stdin_late")) as program:
        program.ask("initialize", **HELLO)
        pids = json.loads(said(program.ask("tools/call", name="misbehave")))
        assert pids["server"] == program.process.pid
        assert os.getpgid(pids["child"]) == program.process.pid
        program.close_stdin()
        os.killpg(program.process.pid, signal.SIGTERM)
        assert program.is_silent(1.0)
        os.kill(pids["child"], 0)


def test_stderr_flood_needs_somebody_to_read_it() -> None:
    with pipe(named("stderr_flood"), hostile_size=1_000_000) as program:
        program.misbehave()
        assert program.is_silent()
        assert program.process.stderr is not None
        read = 0
        while read < 1_000_000:
            read += len(os.read(program.process.stderr.fileno(), 1 << 16))
        assert said(program.hear()["result"]) == "logged"


def test_duplicate_tool_names_stand_for_different_tools() -> None:
    with pipe(named("duplicate_tool_names")) as program:
        _, first, second = program.tools()
    assert first["name"] == second["name"] == "misbehave"
    assert first != second


def test_one_bad_tool_stands_among_good_ones() -> None:
    with pipe(named("one_bad_tool")) as program:
        tools = program.tools()
    good = [tool["name"] for tool in (tools[0], tools[-1])]
    assert good == ["echo", "misbehave"]
    bad = tools[1:-1]
    assert bad[:2] == ["not an object", None]
    assert [tool.get("name") for tool in bad[2:5]] == [None, "", 7]
    assert tuple(tool["name"] for tool in bad[5:]) == named("one_bad_tool").spoils


def test_changes_tools_swaps_after_the_lists_given() -> None:
    with pipe(named("changes_tools"), "2") as program:
        lists = [program.ask("tools/list")["tools"] for _ in range(4)]
    assert lists[0] == lists[1] != lists[2] == lists[3]
    assert lists[0][0] == lists[2][0]
    assert lists[2][1]["inputSchema"]["required"] == ["key"]


def test_changes_tools_swaps_once_the_file_is_there(tmp_path: Path) -> None:
    signal_file = tmp_path / "now"
    with pipe(named("changes_tools"), str(signal_file)) as program:
        before = [program.ask("tools/list")["tools"] for _ in range(3)]
        signal_file.touch()
        after = program.ask("tools/list")["tools"]
    assert before[0] == before[1] == before[2] != after


def test_request_flood_asks_and_then_answers() -> None:
    with pipe(named("request_flood"), hostile_size=2500) as program:
        program.misbehave()
        requests = [program.hear() for _ in range(2500)]
        assert {request["method"] for request in requests} == {"ping"}
        assert len({request["id"] for request in requests}) == 2500
        assert said(program.hear()["result"]) == "asked enough"


def test_nonconforming_result_has_every_wrong_shape() -> None:
    with pipe(named("nonconforming_result")) as program:
        program.misbehave()
        assert program.hear()["result"] == {"content": "just text"}
        for shape, wrong in {
            "content_is_missing": {"answer": 42},
            "blocks_are_wrong": {"content": [7, {"type": "text"}, {"type": "image", "data": 1}]},
            "block_is_unknown": {"content": [{"type": "hologram", "light": 1}]},
            "result_is_a_list": [1, 2, 3],
            "result_is_null": None,
        }.items():
            assert program.ask("tools/call", name="misbehave", arguments={"shape": shape}) == wrong


def test_ignores_cancel_works_on_and_still_serves_others() -> None:
    with pipe(named("ignores_cancel")) as program:
        program.misbehave()
        cancelled = program.last_id
        assert program.process.stdin is not None
        note = {"method": "notifications/cancelled", "params": {"requestId": cancelled}}
        program.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | note).encode() + b"\n")
        program.say("ping")
        heard = [program.hear()]
        while heard[-1].get("id") != program.last_id:
            heard.append(program.hear())
        more = [program.hear() for _ in range(3)]
        assert {message["method"] for message in more} == {"notifications/progress"}
        assert more[-1]["params"]["progress"] > more[0]["params"]["progress"]
