"""What the bubblewrap runner lets in, and how it says that it cannot."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.servers.runners.sandboxes import bubblewrap
from tests.servers.runners.talk import call

from toolweave.errors import Invalid, Unavailable
from toolweave.servers.definition import CommandServer, ContainerServer
from toolweave.servers.runners.bubblewrap import NOBODY, BubblewrapRunner
from toolweave.servers.runners.plain import PlainRunner
from toolweave.servers.runners.runner import Launch

IS_ROOT = os.geteuid() == 0


@pytest.fixture
def runner(home: Path) -> BubblewrapRunner:
    """The runner as this user would have it, with a home of its own."""
    made = _runner(home)
    if fault := made.missing():
        pytest.skip(fault)
    return made


def _runner(home: Path, **environ: str) -> BubblewrapRunner:
    ours = {"PATH": os.environ["PATH"], "HOME": str(home)} | environ
    return BubblewrapRunner(PlainRunner(ours), is_root=IS_ROOT)


def _shell(script: str, *args: str, **facts: object) -> CommandServer:
    fields = {"command": "sh", "args": ("-c", script, *args), "runner": "bubblewrap"}
    return CommandServer.model_validate(fields | facts)


def _launch(runner: BubblewrapRunner, definition: CommandServer) -> Launch:
    return runner.launch(definition, server_name="boxed", env=definition.env)


def _run(runner: BubblewrapRunner, definition: CommandServer) -> str:
    launch = _launch(runner, definition)
    done = subprocess.run(
        launch.argv, env=launch.env, cwd=launch.cwd, capture_output=True, text=True, timeout=30
    )
    return (done.stdout + done.stderr).strip()


def _open_to_all(path: Path) -> Path:
    path.mkdir()
    path.chmod(0o777)
    return path


def test_a_writable_path_can_be_written(runner: BubblewrapRunner, home: Path) -> None:
    notes = _open_to_all(home / "notes")
    definition = _shell("echo kept > ~/notes/a && pwd", writable_paths=("~/notes",))
    assert _run(runner, definition) == str(home)
    assert (notes / "a").read_text(encoding="ascii") == "kept\n"


def test_the_working_directory_is_seen_but_not_writable(
    runner: BubblewrapRunner, home: Path
) -> None:
    project = _open_to_all(home / "project")
    (project / "a").write_text("seen", encoding="ascii")
    said = _run(runner, _shell("cat a; echo x > b", cwd=str(project)))
    assert said.startswith("seen")
    assert "Read-only file system" in said


def test_a_working_directory_inside_a_writable_path_is_writable(
    runner: BubblewrapRunner, home: Path
) -> None:
    inside = _open_to_all(_open_to_all(home / "data") / "inside")
    _run(runner, _shell("echo x > a", cwd=str(inside), writable_paths=(str(home / "data"),)))
    assert (inside / "a").exists()


def test_files_the_command_line_names_can_be_read(runner: BubblewrapRunner, home: Path) -> None:
    for name in ("a", "b", "c"):
        (home / name).write_text(name, encoding="ascii")
    definition = _shell(
        'cat "$1" "${2#--config=}"; ls ~', "x", str(home / "a"), f"--config={home}/b"
    )
    assert _run(runner, definition).split() == ["aba", "b"]


def test_the_home_directory_is_not_let_in_by_naming_it(
    runner: BubblewrapRunner, home: Path
) -> None:
    (home / "secret").write_text("OUT", encoding="ascii")
    definition = _shell("ls -A ~ /home /root; echo end", "x", str(home), "/", cwd=str(home))
    assert "secret" not in _run(runner, definition)


def test_sockets_of_the_machines_services_are_not_there(
    runner: BubblewrapRunner, home: Path
) -> None:
    assert _run(runner, _shell("ls -A /run /var/run /sys 2>/dev/null; ls -A /tmp")) == home.name


def test_the_network_is_there_when_asked_for(runner: BubblewrapRunner) -> None:
    count = "grep -c : /proc/net/dev"
    here = subprocess.run(["sh", "-c", count], capture_output=True, text=True, check=True)
    assert _run(runner, _shell(count, network=True)) == here.stdout.strip()
    assert _run(runner, _shell(count, network=False)) == _run(runner, _shell(count)) == "1"


def test_no_process_outside_is_seen(runner: BubblewrapRunner) -> None:
    assert int(_run(runner, _shell("ls -d /proc/[0-9]* | wc -l"))) < 10


def test_the_server_has_no_rights_and_cannot_get_any(runner: BubblewrapRunner) -> None:
    status = _run(runner, _shell("grep -E 'Cap(Prm|Eff|Bnd)|NoNewPrivs' /proc/self/status"))
    assert [line.split()[1].lstrip("0") for line in status.splitlines()] == ["", "", "", "1"]
    assert "unshare failed" in _run(runner, _shell("unshare --user true"))


def test_only_the_expected_environment_is_there_and_no_value_is_in_the_command_line(
    home: Path, runner: BubblewrapRunner
) -> None:
    definition = _shell("env", env={"TOKEN": "very-secret"})
    launch = _launch(_runner(home, TMPDIR="/ours", PYTHONPATH="/ours"), definition)
    assert not any("very-secret" in part for part in launch.argv)
    seen = dict(line.split("=", 1) for line in _run(runner, definition).splitlines())
    assert seen["TOKEN"] == "very-secret"
    assert set(seen) - {"PWD", "OLDPWD", "SHLVL", "_"} == {"TOKEN", "PATH", "HOME"}
    assert set(launch.env) == {"TOKEN", "PATH", "HOME"}


def test_a_variable_the_loader_obeys_reaches_the_server_and_none_of_the_walls(
    runner: BubblewrapRunner,
) -> None:
    definition = _shell("echo $LD_PRELOAD", env={"LD_PRELOAD": "/no/such.so"})
    assert "LD_PRELOAD" not in _launch(runner, definition).env
    said = _run(runner, definition)
    assert said.startswith("/no/such.so\n")
    assert said.count("cannot be preloaded") == 1  # each program that has it complains


@pytest.mark.parametrize(
    "path",
    ["/", "~", "/etc", "/usr/lib", "/tmp", "/home", "/run", "/dev/shm", "/no/such", "relative"],
)
def test_a_writable_path_that_would_open_too_much_is_refused(
    runner: BubblewrapRunner, path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        _launch(runner, _shell("true", writable_paths=("/var/lib", path)))
    assert refused.value.code == "SERVER_WRITABLE_PATH_REFUSED"
    assert "/writable_paths/1" in [problem.pointer for problem in refused.value.problems]


def test_a_link_to_the_whole_disk_is_refused(runner: BubblewrapRunner, home: Path) -> None:
    (home / "all").symlink_to("/")
    with pytest.raises(Invalid):
        _launch(runner, _shell("true", writable_paths=("~/all",)))


@pytest.mark.skipif(not IS_ROOT, reason="only root starts servers as somebody else")
def test_as_root_a_writable_path_must_be_writable_for_nobody(
    runner: BubblewrapRunner, home: Path
) -> None:
    path = home / "data"
    path.mkdir(mode=0o755)
    definition = _shell("id -u > ~/data/a", writable_paths=("~/data",))
    with pytest.raises(Invalid) as refused:
        _launch(runner, definition)
    assert "chown" in refused.value.problems[0].message
    os.chown(path, NOBODY, NOBODY)
    _run(runner, definition)
    assert (path / "a").read_text(encoding="ascii") == f"{NOBODY}\n"


def test_a_home_reached_by_a_link_is_hidden_under_both_names(home: Path) -> None:
    link = Path(f"{home}-link")
    link.symlink_to(home)
    (home / "secret").write_text("OUT", encoding="ascii")
    try:
        sandbox = bubblewrap(link, is_root=IS_ROOT)
        assert sandbox.run(f"cat {link}/secret {home}/secret; touch ~/a && echo fine") == "fine\n"
    finally:
        link.unlink()


def test_without_a_home_directory_the_server_starts_at_the_root(runner: BubblewrapRunner) -> None:
    homeless = BubblewrapRunner(
        PlainRunner({"PATH": os.environ["PATH"], "HOME": "/"}), is_root=IS_ROOT
    )
    assert _run(homeless, _shell("pwd")) == "/"


def test_a_program_of_a_virtual_environment_runs(runner: BubblewrapRunner) -> None:
    code = "import mcp, sys; print(sys.prefix)"
    definition = _shell("").model_copy(update={"command": sys.executable, "args": ("-c", code)})
    assert _run(runner, definition) == sys.prefix


@pytest.mark.anyio
async def test_a_real_server_answers_through_the_walls(runner: BubblewrapRunner) -> None:
    server = Path(sys.executable).with_name("mcp-server-time")
    definition = CommandServer(
        command=str(server), args=("--local-timezone=UTC",), runner="bubblewrap", network=False
    )
    launch = _launch(runner, definition)
    assert "Asia/Tokyo" in await call(launch, "get_current_time", {"timezone": "Asia/Tokyo"})


def test_what_is_not_installed_is_named_with_its_package(tmp_path: Path, home: Path) -> None:
    empty = BubblewrapRunner(PlainRunner({"PATH": str(tmp_path)}), is_root=False)
    assert empty.missing() == "'bwrap' was not found; install the package 'bubblewrap'"
    _tool(tmp_path, "bwrap", "exit 0")
    half = BubblewrapRunner(PlainRunner({"PATH": str(tmp_path)}), is_root=False)
    assert half.missing() == "'prlimit' was not found; install the package 'util-linux'"
    _tool(tmp_path, "server", "exit 0")
    with pytest.raises(Unavailable) as refused:
        _launch(half, CommandServer(command="server", runner="bubblewrap"))
    assert refused.value.code == "RUNNER_MISSING"


def test_a_machine_that_forbids_sandboxes_is_found_out_by_trying_once(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    _tool(tmp_path, "bwrap", f"echo x >> {tries}; echo 'No permissions' >&2; exit 1")
    _tool(tmp_path, "prlimit", "exit 0")
    runner = BubblewrapRunner(PlainRunner({"PATH": f"{tmp_path}"}), is_root=False)
    assert "No permissions" in (runner.missing() or "")
    assert runner.missing() == runner.missing()
    assert tries.read_text(encoding="ascii") == "x\n"


def test_a_bwrap_that_cannot_be_started_is_said_so(tmp_path: Path) -> None:
    _tool(tmp_path, "bwrap", "exit 0").write_bytes(b"\0not a program")
    _tool(tmp_path, "prlimit", "exit 0")
    runner = BubblewrapRunner(PlainRunner({"PATH": str(tmp_path)}), is_root=False)
    assert "cannot be started" in (runner.missing() or "")


def test_other_systems_are_pointed_to_containers(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "container image" in (_runner(home).missing() or "")


def test_an_old_kernel_that_counts_all_processes_of_the_user_gets_no_process_limit(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    def limits() -> list[str]:
        launch = _launch(_runner(home), _shell("true"))
        return [part for part in launch.argv if part.startswith("--nproc")]

    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    monkeypatch.setattr(platform, "release", lambda: "5.10.0-28-amd64")
    assert limits() == []
    monkeypatch.setattr(platform, "release", lambda: "5.14.0-1")
    assert limits() == ["--nproc=256:256"]


def test_an_image_is_not_started_by_it(home: Path) -> None:
    with pytest.raises(Invalid) as refused:
        _runner(home).launch(ContainerServer(image="busybox"), server_name="x", env={})
    assert refused.value.code == "SERVER_RUNNER_MISMATCH"


def _tool(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    path.chmod(0o755)
    return path
