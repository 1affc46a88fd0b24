"""Programs that workflows run: registered, approved, without a shell, ended with their step."""

import os
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.engine.building import workflow
from tests.nodes.ai.rooms import node, run_alone

from servers.rooms import a_studio, eventually
from toolweave.app.open_engine import open_engine
from toolweave.engine.engine import Engine
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict, Invalid, ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.servers.commands import Commands, fill_argument
from toolweave.servers.definition import CommandServer, definition_hash

pytestmark = pytest.mark.anyio

SHOW = "import sys, json; json.dump(sys.argv[1:], sys.stdout); sys.stdout.write(sys.stdin.read())"


@pytest.fixture
async def rooms(tmp_path: Path) -> AsyncGenerator[tuple[Commands, Engine]]:
    async with a_studio(tmp_path / "home") as studio, open_engine(studio) as engine:
        yield Commands(studio.home.database, studio.home.clock), engine


def python(source: str, *args: str, **more: Any) -> CommandServer:
    return CommandServer(command=sys.executable, args=("-I", "-c", source, *args), **more)


async def approved(commands: Commands, definition: CommandServer, name: str = "show") -> None:
    await commands.add(name, definition)
    await commands.approve(name, definition_hash(definition))


def asking(config: JsonObject | None = None, /, **inputs: Any) -> tuple[str, Any]:
    return node("ACTION.RUN_COMMAND", {"command": "show", **(config or {})}, inputs)


@pytest.mark.exercises(
    "ACTION.RUN_COMMAND.command",
    "ACTION.RUN_COMMAND.parse_json",
    "ACTION.RUN_COMMAND.inputs.arguments",
)
async def test_values_are_single_arguments_whatever_is_in_them(
    rooms: tuple[Commands, Engine],
) -> None:
    commands, engine = rooms
    await approved(commands, python(SHOW, "{path}", "--n={count:integer}"))
    hostile = "a b; rm -rf * $(id) ${vault:x} {count}"
    what = asking({"parse_json": True}, arguments={"path": hostile, "count": 3})
    status, found = await run_alone(engine, what)
    value: Any = found["finalResult"]
    assert status == "success"
    assert value["json"] == [hostile, "--n=3"]
    assert (value["exit_code"], value["success"], value["truncated"]) == (0, True, False)


async def test_a_command_runs_only_as_it_was_approved(rooms: tuple[Commands, Engine]) -> None:
    commands, engine = rooms
    definition = python(SHOW)
    await commands.add("show", definition)
    status, found = await run_alone(engine, asking())
    error: Any = found["error"]
    assert (status, error["code"]) == ("failed", "COMMAND_NOT_APPROVED")
    with pytest.raises(Conflict, match="changed after it was shown"):
        await commands.approve("show", definition_hash(python("other")))
    with pytest.raises(Conflict, match="already exists"):
        await commands.add("show", definition)
    with pytest.raises(Invalid, match="not a valid command name"):
        await commands.add("-x", definition)


@pytest.mark.exercises("ACTION.RUN_COMMAND.fails_on_error", "ACTION.RUN_COMMAND.inputs.stdin")
async def test_standard_input_and_failures_are_told(rooms: tuple[Commands, Engine]) -> None:
    commands, engine = rooms
    source = "import sys; sys.stderr.write('bad ' + sys.stdin.read()); sys.exit(3)"
    await approved(commands, python(source))
    status, found = await run_alone(engine, asking(stdin="input"))
    error: Any = found["error"]
    assert (status, error["code"]) == ("failed", "COMMAND_FAILED")
    assert "ended with 3: bad input" in error["message"]
    status, found = await run_alone(engine, asking({"fails_on_error": False}, stdin="x"))
    value: Any = found["finalResult"]
    assert (value["exit_code"], value["success"], value["stderr"]) == (3, False, "bad x")


async def test_long_output_is_cut_and_secrets_are_masked(rooms: tuple[Commands, Engine]) -> None:
    commands, engine = rooms
    source = "import os, sys; sys.stdout.write(os.environ['T'] * 2 + 'x' * 2_000_000)"
    await approved(commands, python(source, env={"T": "plain-text"}))
    status, found = await run_alone(engine, asking())
    value: Any = found["finalResult"]
    assert (status, value["truncated"], len(value["stdout"])) == ("success", True, 1024 * 1024)


async def test_a_program_that_takes_too_long_is_ended(rooms: tuple[Commands, Engine]) -> None:
    commands, engine = rooms
    await approved(commands, python("import time; time.sleep(600)"))
    with anyio.fail_after(60):
        status, found = await run_alone(engine, asking({"timeout": 1}))
    error: Any = found["error"]
    assert status == "failed"
    assert error["code"] in {"COMMAND_TIMEOUT", "STEP_TIMEOUT"}


async def test_cancelling_a_run_ends_the_whole_process_group(
    rooms: tuple[Commands, Engine], tmp_path: Path
) -> None:
    commands, engine = rooms
    file = tmp_path / "pids"
    source = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open(sys.argv[1] + '.new', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "os.rename(sys.argv[1] + '.new', sys.argv[1])\n"
        "time.sleep(600)\n"
    )
    await approved(commands, python(source, "{file}"))
    what = asking(arguments={"file": str(file)})
    run = await engine.runs.start(RunRequest(workflow({"s": "start", "n": what}, ["s > n"]), {}))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(engine.advance, run)
            await eventually(file.exists)
            await engine.cancel(run)
    assert (await engine.get(run)).status == "cancelled"
    for pid in map(int, file.read_text(encoding="utf-8").split()):
        await eventually(lambda pid=pid: not is_alive(pid))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A child of a dead leader is put away by its new parent.
    stat = Path(f"/proc/{pid}/stat")
    return (
        not stat.exists() or stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    )


@pytest.mark.parametrize(
    ("template", "values", "words"),
    [
        ("{a}", {}, "must be a string"),
        ("{a}", {"a": "--force"}, "read as an option"),
        ("{a:integer}", {"a": "7"}, "a whole number"),
        ("{a:integer}", {"a": True}, "a whole number"),
        ("{a:number}", {"a": "x"}, "a number"),
        ("{a}", {"a": "x\0y"}, "null byte"),
        ("{a}", {"a": ["x"]}, "must be a string"),
    ],
)
def test_what_fits_no_hole_is_refused(template: str, values: JsonObject, words: str) -> None:
    with pytest.raises(Invalid, match=words) as caught:
        fill_argument(template, template, values)
    assert caught.value.code == "COMMAND_ARGUMENT_INVALID"


def test_holes_are_filled_once() -> None:
    assert fill_argument("x={a}", "x={a}", {"a": "{b}"}) == "x={b}"
    assert fill_argument("{a:number}", "{a:number}", {"a": -2.5}) == "-2.5"
    assert fill_argument("plain", "plain {a}", {}) == "plain {a}"


@pytest.mark.parametrize(
    ("config", "arguments", "code"),
    [
        ({"command": "nobody"}, {}, "COMMAND_NOT_FOUND"),
        ({}, {"other": 1}, "COMMAND_ARGUMENT_INVALID"),
        ({"parse_json": True}, {}, "COMMAND_OUTPUT_INVALID"),
    ],
)
async def test_what_is_wrong_is_told(
    rooms: tuple[Commands, Engine], config: JsonObject, arguments: JsonObject, code: str
) -> None:
    commands, engine = rooms
    await approved(commands, python("print('no json')"))
    status, found = await run_alone(engine, asking(config, arguments=arguments))
    error: Any = found["error"]
    assert (status, error["code"]) == ("failed", code)


async def test_removed_is_gone(rooms: tuple[Commands, Engine]) -> None:
    commands, _ = rooms
    await approved(commands, python("pass"))
    assert [(one.name, one.is_approved) for one in await commands.list()] == [("show", True)]
    await commands.remove("show")
    with pytest.raises(ToolweaveError, match="there is no command"):
        await commands.get("show")
