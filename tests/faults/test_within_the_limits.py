"""Servers that stay below every limit and still try to take the loop or the memory for themselves.

Each sends what is allowed by size, in the form that costs its reader most.
"""

import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from faults.provoking import Outcome, beside_a_good_one, call, tools_or_reason
from faults.studios import HOSTILE, echo, python
from hostile.catalogue import BROKEN, HERE, TOO_LARGE
from toolweave.servers.definition import CommandServer

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="measures with /proc"),
]

HEAD = f"import json, sys; sys.path.insert(0, {str(HERE / 'stdio')!r}); from wellbehaved import *\n"


def misbehaving(*lines: str) -> CommandServer:
    """A well-behaved server whose tool `misbehave` runs these lines."""
    body = textwrap.indent("\n".join(lines), " " * 8)
    return python(f"{HEAD}class It(Server):\n    def misbehave(self, request):\n{body}\nIt().run()")


def answering(result: str) -> CommandServer:
    """A well-behaved server whose tool `misbehave` gives this result."""
    return misbehaving(f"self.reply(request, {result})")


@dataclass(frozen=True, slots=True)
class Trick:
    """What a server does in a call, and the code of what comes of it; none if it is put up with."""

    name: str
    definition: CommandServer
    code: str | None = None

    def __str__(self) -> str:
        return self.name


TRICKS = (
    Trick(
        "sixteen_megabytes_of_empty_objects",
        answering("{'content': [], 'structuredContent': {'a': [{}] * 3_500_000}}"),
        TOO_LARGE,
    ),
    Trick(
        "as_many_numbers_as_fit",
        misbehaving(
            "self.reply(request, {'content': [], 'structuredContent': {'a': [1] * 99000}})"
        ),
    ),
    Trick(
        "as_many_objects_as_fit",
        misbehaving(
            "self.reply(request, {'content': [], 'structuredContent': {'a': [{}] * 49000}})"
        ),
    ),
    Trick(
        "as_many_blocks_as_fit",
        answering("{'content': [{}] * 49_000}"),
        "MCP_OUTPUT_INVALID",
    ),
    Trick(
        "endless_blank_lines",
        misbehaving("while True: self.write(b'\\n' * 100_000)"),
        BROKEN,
    ),
    Trick(
        "endless_lines_that_begin_like_a_list",
        misbehaving("while True: self.write(b'[x\\n' * 100_000)"),
        BROKEN,
    ),
    Trick(
        "endless_answers_nobody_asked_for",
        misbehaving(
            "answer = json.dumps({'jsonrpc': '2.0', 'id': 99999, 'result': {}}).encode() + b'\\n'",
            "while True: self.write(answer * 500)",
        ),
        BROKEN,
    ),
    Trick(
        "ten_heavy_notifications",
        misbehaving(
            "note = {'jsonrpc': '2.0', 'method': 'notifications/message',",
            "        'params': {'level': 'info', 'data': [{}] * 40_000}}",
            "for _ in range(10): self.send(note)",
            "self.reply(request, text('done'))",
        ),
    ),
)


@pytest.mark.parametrize("trick", TRICKS, ids=str)
async def test_what_is_allowed_by_size_still_stalls_nothing(trick: Trick, tmp_path: Path) -> None:
    async with beside_a_good_one(tmp_path, trick.definition) as studio:
        assert not isinstance(await tools_or_reason(studio), Outcome)
        assert (await call(studio)).codes == ({trick.code} if trick.code else frozenset())


async def test_a_thousand_large_tools_are_read_in_turns(tmp_path: Path) -> None:
    many = (
        "class It(Server):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        parts = {f'p{n}': {'type': 'string', 'pattern': '^[a-z]+$'} for n in range(20)}\n"
        "        for n in range(1000):\n"
        "            schema = {'type': 'object', 'title': str(n), 'properties': parts}\n"
        "            self.tools.append({'name': f't{n}', 'inputSchema': schema})\n"
        "It().run()"
    )
    async with beside_a_good_one(tmp_path, python(HEAD + many)) as studio:
        tools = await tools_or_reason(studio)
        assert not isinstance(tools, Outcome)
        assert len(tools) == 1002
        assert (await echo(studio, HOSTILE)).text == "hi"


async def test_a_server_whose_tools_always_change_is_not_listed_all_the_time(
    tmp_path: Path,
) -> None:
    restless = (
        "class It(Server):\n"
        "    lists = 0\n"
        "    def list_tools(self, request):\n"
        "        self.lists += 1\n"
        "        super().list_tools(request)\n"
        "        note = {'jsonrpc': '2.0', 'method': 'notifications/tools/list_changed'}\n"
        "        self.send(note)\n"
        "    def misbehave(self, request):\n"
        "        self.reply(request, text(str(self.lists)))\n"
        "It().run()"
    )
    async with beside_a_good_one(tmp_path, python(HEAD + restless)) as studio:
        assert not isinstance(await tools_or_reason(studio), Outcome)
        await anyio.sleep(1.5)
        listed = (await call(studio)).text
    assert listed is not None
    assert 1 <= int(listed) <= 10
