"""The plain runner: what a server sees of us, and how a wrong command is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolweave.errors import Invalid, Unavailable
from toolweave.servers.definition import CommandServer, HttpServer
from toolweave.servers.runners.plain import PlainRunner
from toolweave.servers.runners.runner import Launch

OURS = {
    "PATH": os.environ["PATH"],
    "HOME": "/somewhere",
    "LANG": "C.UTF-8",
    "TOOLWEAVE_HOME": "/ours",
    "TOOLWEAVE_KEY": "secret",
    "PYTHONPATH": "/ours",
    "VIRTUAL_ENV": "/ours",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "HTTPS_PROXY": "http://user:secret@proxy",
}


def _launch(command: CommandServer, environ: dict[str, str] | None = None) -> Launch:
    plain = PlainRunner(OURS if environ is None else environ)
    return plain.launch(command, server_name="files", env=command.env)


def test_the_command_is_started_as_written() -> None:
    launch = _launch(CommandServer(command="sh", args=("-c", "echo $HOME")))
    assert launch.argv == ("sh", "-c", "echo $HOME")
    assert (launch.cwd, launch.container) == (None, None)


def test_a_server_sees_its_own_environment_and_none_of_our_secrets() -> None:
    code = "import json, os, sys; json.dump(sorted(os.environ), sys.stdout)"
    launch = _launch(CommandServer(command=sys.executable, args=("-c", code), env={"TOKEN": "t"}))
    seen = subprocess.run(launch.argv, env=launch.env, capture_output=True, text=True, check=True)
    assert seen.stdout == '["HOME", "LANG", "PATH", "TOKEN"]'


def test_the_definition_overrides_what_is_inherited() -> None:
    assert _launch(CommandServer(command="sh", env={"LANG": "de_DE"})).env["LANG"] == "de_DE"


def test_a_shell_function_in_our_environment_is_not_passed_on() -> None:
    environ = OURS | {"TERM": "() { :; }; echo hit"}
    assert "TERM" not in _launch(CommandServer(command="sh"), environ).env


def test_windows_inherits_its_own_names() -> None:
    plain = PlainRunner({"SYSTEMROOT": "C:\\Windows", "HOME": "/x"}, is_windows=True)
    assert plain.environment({}) == {"SYSTEMROOT": "C:\\Windows"}


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("npx", "install Node.js, which includes `npx`"),
        ("uvx", "install uv, which includes `uvx`"),
        ("docker", "install Docker, or use an image instead of a command"),
        ("no-such-program", "install it, or use its full path"),
    ],
)
def test_a_command_that_is_not_on_path_is_refused_with_what_to_do(
    command: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(Unavailable) as refused:
        _launch(CommandServer(command=command), {"PATH": str(tmp_path)})
    assert refused.value.code == "SERVER_COMMAND_NOT_FOUND"
    assert refused.value.hint == hint
    assert refused.value.facts == {"command": command, "path": str(tmp_path)}


def test_a_command_is_looked_for_on_the_path_it_will_have(tmp_path: Path) -> None:
    _program(tmp_path / "mine")
    assert _launch(CommandServer(command="mine", env={"PATH": str(tmp_path)})).argv == ("mine",)
    with pytest.raises(Unavailable):
        _launch(CommandServer(command="mine"))


def test_a_relative_command_is_looked_for_in_its_directory(tmp_path: Path) -> None:
    _program(tmp_path / "mine")
    assert _launch(CommandServer(command="./mine", cwd=str(tmp_path))).cwd == str(tmp_path)
    with pytest.raises(Unavailable) as refused:
        _launch(CommandServer(command="./mine"))
    assert refused.value.code == "SERVER_COMMAND_NOT_FOUND"


def test_a_file_that_cannot_be_run_is_no_command(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("", encoding="ascii")
    with pytest.raises(Unavailable) as refused:
        _launch(CommandServer(command=str(tmp_path / "data")))
    assert refused.value.code == "SERVER_COMMAND_NOT_FOUND"


def test_the_home_directory_may_be_written_short(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    environ = OURS | {"HOME": str(tmp_path)}
    assert (
        _launch(CommandServer(command="sh", cwd="~/project"), environ).cwd == f"{tmp_path}/project"
    )
    assert _launch(CommandServer(command="sh", cwd="~"), environ).cwd == str(tmp_path)


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as refused:
        _launch(CommandServer(command="sh", cwd=str(tmp_path / "gone")))
    assert refused.value.code == "SERVER_DIRECTORY_MISSING"
    assert refused.value.facts == {"cwd": str(tmp_path / "gone")}


def test_variables_no_process_can_have_are_refused_without_their_values() -> None:
    env = {"": "a", "A=B": "b", "C\0": "c", "D": "secret\0", "FINE": "e"}
    with pytest.raises(Invalid) as refused:
        _launch(CommandServer(command="sh", env=env))
    assert refused.value.code == "SERVER_ENVIRONMENT_INVALID"
    assert [p.pointer for p in refused.value.problems] == [
        "/env/",
        "/env/A=B",
        "/env/C\0",
        "/env/D",
    ]
    assert "secret" not in str(refused.value.as_json())


def test_a_server_that_is_no_command_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        PlainRunner(OURS).launch(HttpServer(url="https://example.org"), server_name="web", env={})
    assert refused.value.code == "SERVER_RUNNER_MISMATCH"


def _program(path: Path) -> None:
    path.write_text("#!/bin/sh\n", encoding="ascii")
    path.chmod(0o755)
