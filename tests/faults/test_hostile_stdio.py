"""Every misbehaving stdio server of the catalogue, through the real gate, beside a good one."""

import json
import os
import socket
import sys
from pathlib import Path

import anyio
import psutil
import pytest

from faults.provoking import (
    Outcome,
    beside_a_good_one,
    call,
    deadlines_for,
    tools_or_reason,
)
from faults.studios import HOSTILE, command_of, echo
from hostile.catalogue import BAD_OUTPUT, BROKEN, STDIO, TRIGGER, Vice, named

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="measures with /proc"),
]

# Their moment comes by an argument of their own, so they have tests of their own below.
STAGED = {"changes_tools", "remote_ref", "ignores_sigterm_and_closes_stdin_late"}
CALLED = [vice for vice in STDIO if not vice.spoils and vice.name not in STAGED]
SPOILT = [vice for vice in STDIO if vice.spoils and vice.name not in STAGED]


def test_every_vice_is_provoked_here() -> None:
    assert {vice.name for vice in (*CALLED, *SPOILT)} | STAGED == {vice.name for vice in STDIO}
    assert len(STDIO) >= 16


@pytest.mark.parametrize("vice", CALLED, ids=str)
async def test_a_hostile_server_gives_a_typed_error_and_hurts_nobody(
    vice: Vice, tmp_path: Path
) -> None:
    async with beside_a_good_one(tmp_path, command_of(vice), **deadlines_for(vice)) as studio:
        listed = await tools_or_reason(studio)
        if isinstance(listed, Outcome):
            assert vice.when in {"start", "list"}
            listed.assert_right_for(vice)
        (await call(studio)).assert_right_for(vice)


@pytest.mark.parametrize("vice", SPOILT, ids=str)
async def test_bad_tools_are_named_and_the_others_work(vice: Vice, tmp_path: Path) -> None:
    async with beside_a_good_one(tmp_path, command_of(vice), **deadlines_for(vice)) as studio:
        tools = await tools_or_reason(studio)
        assert not isinstance(tools, Outcome)
        for name in vice.spoils:
            assert {problem.code for problem in tools[name].problems} & set(vice.codes)
            (await call(studio, name)).assert_right_for(vice)
        good = [name for name, tool in tools.items() if tool.is_usable]
        assert good == ["echo", *({TRIGGER} - set(vice.spoils))]
        assert (await echo(studio, HOSTILE)).text == "hi"


async def test_nobody_fetches_what_a_schema_refers_to(tmp_path: Path) -> None:
    vice = named("remote_ref")
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.setblocking(False)
        definition = command_of(vice, str(trap.getsockname()[1]))
        async with beside_a_good_one(tmp_path, definition, **deadlines_for(vice)) as studio:
            tools = await tools_or_reason(studio)
            assert not isinstance(tools, Outcome)
            for name in vice.spoils:
                assert {problem.code for problem in tools[name].problems} & set(vice.codes)
                (await call(studio, name, value="x")).assert_right_for(vice)
            assert (await echo(studio, HOSTILE)).text == "hi"
        with pytest.raises(BlockingIOError):
            trap.accept()


async def test_a_tool_that_changes_without_a_word_is_not_called_again(tmp_path: Path) -> None:
    vice = named("changes_tools")
    rug = tmp_path / "pull"
    async with beside_a_good_one(
        tmp_path, command_of(vice, str(rug)), health_every_s=0.05, **deadlines_for(vice)
    ) as studio:
        assert not isinstance(await tools_or_reason(studio), Outcome)
        assert (await call(studio)).text == "as you wish"
        rug.touch()
        with anyio.fail_after(60):
            while not (outcome := await call(studio)).codes:  # noqa: ASYNC110  # without a word
                await anyio.sleep(0.01)
        outcome.assert_right_for(vice)
        assert (await echo(studio, HOSTILE)).text == "hi"  # the tool that did not change


async def test_fifty_rug_pulls_at_the_start_are_fifty_refusals(tmp_path: Path) -> None:
    rug = tmp_path / "pull"
    definition = command_of(named("changes_tools"), str(rug))
    async with beside_a_good_one(tmp_path, definition, connect_deadline_s=15.0) as studio:
        assert not isinstance(await tools_or_reason(studio), Outcome)
        rug.touch()
        for _ in range(50):
            studio.connections.drop(HOSTILE)
            assert (await call(studio)).codes == {"TOOL_CHANGED"}


async def test_a_server_that_will_not_leave_is_ended_with_its_child(tmp_path: Path) -> None:
    vice = named("ignores_sigterm_and_closes_stdin_late")
    async with beside_a_good_one(tmp_path, command_of(vice), **deadlines_for(vice)) as studio:
        assert not isinstance(await tools_or_reason(studio), Outcome)
        outcome = await call(studio)
        assert outcome.text is not None
        pids = json.loads(outcome.text)
        assert os.getpgid(pids["child"]) == pids["server"]
    assert not any(psutil.pid_exists(pid) for pid in pids.values())


@pytest.mark.parametrize(
    "shape",
    [
        "content_is_text",
        "content_is_missing",
        "blocks_are_wrong",
        "block_is_unknown",
        "result_is_a_list",
        "result_is_null",
    ],
)
async def test_every_wrong_shape_of_a_result_is_told(shape: str, tmp_path: Path) -> None:
    vice = named("nonconforming_result")
    async with beside_a_good_one(tmp_path, command_of(vice), **deadlines_for(vice)) as studio:
        assert not isinstance(await tools_or_reason(studio), Outcome)
        outcome = await call(studio, shape=shape)
        assert outcome.codes & {BROKEN, BAD_OUTPUT}


async def test_a_hung_server_is_ended_and_the_next_call_works(tmp_path: Path) -> None:
    definition = command_of(named("hangs_in_call"))
    async with beside_a_good_one(
        tmp_path, definition, call_deadline_s=1.0, connect_deadline_s=3.0
    ) as studio:
        assert not isinstance(await tools_or_reason(studio), Outcome)
        assert (await call(studio)).codes == {"CALL_TIMEOUT"}
        with anyio.fail_after(60):
            while (await call(studio, "echo", text="hi")).text != "hi":  # noqa: ASYNC110  # ditto
                await anyio.sleep(0.05)
