"""`toolweave doctor`: what is there, what is missing, what is broken."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.driving import DEADLINE_S, Commands

from toolweave.doctor.machine import LEAST_FREE_BYTES, disk_finding


def _finding(tw: Commands, what: str, *args: str, **environ: str) -> dict[str, Any]:
    [finding] = [
        one for one in tw("doctor", "--json", *args, **environ).json if one["what"] == what
    ]
    return finding


def test_a_sound_home_passes(tw: Commands) -> None:
    ran = tw.ok("doctor")
    table = ran.lines[1 : ran.lines.index("")]
    states = {line.split()[1]: line.split()[0] for line in table}
    assert states["toolweave"] == states["python"] == states["home"] == "ok"
    assert states["database"] == states["lockfile"] == states["vault"] == "ok"
    told = tw.ok("doctor", "--json").json
    assert {"state": "ok", "what": "home", "details": str(tw.state)} in told


def test_the_client_configuration_starts_this_program_on_this_home(tw: Commands) -> None:
    [client] = [report for report in tw.run("doctor", "--json").json if "configuration" in report]
    server = client["configuration"]["mcpServers"]["toolweave"]
    assert Path(server["command"]).is_absolute()
    assert server["args"][-3:] == ["mcp", "--home", str(tw.state)]
    printed = tw.run("doctor").out.partition("paste this into its configuration:\n")[2]
    assert json.loads(printed) == client["configuration"]
    help_text = subprocess.run(
        [server["command"], *server["args"], "--help"],
        capture_output=True,
        env={"PATH": "", "HOME": str(tw.home)},
        check=True,
        timeout=DEADLINE_S,
    ).stdout
    assert b"--home DIR" in help_text


def test_the_default_home_is_not_named_in_the_client_configuration(tw: Commands) -> None:
    client = tw.ok("doctor", "--json", TOOLWEAVE_HOME="").json[-1]
    assert client["configuration"]["mcpServers"]["toolweave"]["args"][-1] == "mcp"


def test_an_invalid_setting_is_a_fault_and_leaves_out_the_client_configuration(
    tw: Commands,
) -> None:
    ran = tw("doctor", "--json", TOOLWEAVE_BURST="many")
    assert ran.code == 1
    assert ran.json[-1]["state"] == "fault"


def test_programs_that_are_missing_are_noted_with_what_they_are_for(tw: Commands) -> None:
    ran = tw.ok("doctor", PATH=str(tw.home))
    assert any(line.startswith("--  npx") and "Node.js" in line for line in ran.lines)


def test_a_broken_home_is_a_fault_and_fails(tw: Commands) -> None:
    tw.state.mkdir()
    (tw.state / "toolweave.lock.json").write_text("{", encoding="utf-8")
    ran = tw("doctor")
    assert ran.code == 1
    [line] = [line for line in ran.lines if line.startswith("!!  home")]
    assert "toolweave.lock.json cannot be" in line


def test_other_clients_servers_and_unreadable_files_are_counted(tw: Commands) -> None:
    (tw.home / ".claude.json").write_text('{"mcpServers": {"a": {"command": "x"}}}', "utf-8")
    (tw.project / ".mcp.json").write_text("{", "utf-8")
    [line] = [line for line in tw.ok("doctor").lines if "other clients" in line]
    assert line.startswith("--")
    assert "1 server of Claude Code; 1 unreadable file" in line


def test_the_remedy_follows_each_finding_that_needs_one(tw: Commands) -> None:
    lines = tw.ok("doctor", PATH=str(tw.home)).lines
    [at] = [number for number, line in enumerate(lines) if line.startswith("--  npx")]
    assert lines[at + 1].strip() == "→ install Node.js, if you use such servers"
    [fine] = [number for number, line in enumerate(lines) if line.startswith("ok  python")]
    assert "→" not in lines[fine + 1]


def test_a_command_that_is_not_on_the_path_is_noted(tw: Commands) -> None:
    program = tw.home / "bin" / "toolweave"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    missing = _finding(tw, "path", PATH=str(tw.home))
    assert missing["state"] == "note"
    assert "uv tool install" in missing["remedy"]
    another = _finding(tw, "path", PATH=str(program.parent))
    assert another["state"] == "note"
    assert str(program) in another["details"]
    own = str(Path(sys.executable).parent)
    assert _finding(tw, "path", PATH=own)["state"] == "ok"


def test_a_port_that_another_program_uses_is_noted_with_the_option_that_helps(
    tw: Commands,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        taken = _finding(tw, "port", "--port", port)
    assert (taken["state"], taken["remedy"]) == ("note", "use `toolweave serve --port N`")
    assert _finding(tw, "port", "--port", port)["state"] == "ok"


def test_a_missing_browser_is_noted(tw: Commands) -> None:
    program = tw.home / "lynx"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    # A process each: Python looks for browsers once.
    [found] = [
        one
        for one in tw.run("doctor", "--json", BROWSER=str(program)).json
        if one["what"] == "browser"
    ]
    assert found["state"] == "ok"
    [missing] = [
        one
        for one in tw.run("doctor", "--json", PATH=str(tw.project)).json
        if one["what"] == "browser"
    ]
    assert missing["state"] == "note"
    assert "address" in missing["remedy"]


def test_a_disk_that_fills_up_is_noted_and_a_full_one_is_a_fault() -> None:
    states = [disk_finding(Path("x"), free).state for free in (1 << 40, LEAST_FREE_BYTES - 1, 4096)]
    assert states == ["ok", "note", "fault"]


def test_the_key_of_the_vault_is_located(tw: Commands) -> None:
    assert _finding(tw, "vault key")["details"].startswith("none yet")
    tw.ok("secrets", "set", "token", input="s3cret")
    stored = _finding(tw, "vault key", PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")
    assert "vault.key" in stored["details"]


def test_the_version_of_the_database_is_shown(tw: Commands) -> None:
    assert _finding(tw, "database")["details"] == f"sqlite {sqlite3.sqlite_version}"


def test_a_clock_behind_the_newest_run_is_noted(tw: Commands) -> None:
    assert _finding(tw, "clock")["state"] == "ok"
    tw.ok("demo")
    with sqlite3.connect(tw.state / "toolweave.db") as database:
        database.execute("UPDATE runs SET started_at = '2099-01-01T00:00:00.000Z'")
    behind = _finding(tw, "clock")
    assert behind["state"] == "note"
    assert "2099-01-01" in behind["details"]


def test_a_server_that_lost_its_owner_is_listed_with_the_way_to_stop_it(tw: Commands) -> None:
    program = (sys.executable, "-c", "import time; time.sleep(600)", tw.home.name)
    tw.ok("servers", "add", "lost", "--", *program)
    with subprocess.Popen(program) as owned:  # the control: its parent is this test
        assert _finding(tw, "left processes")["state"] == "ok"
        owned.kill()
    starter = (
        "import subprocess, sys; "
        "print(subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL).pid)"
    )
    pid = int(
        subprocess.run(
            [sys.executable, "-c", starter, *program],
            stdout=subprocess.PIPE,
            check=True,
            timeout=DEADLINE_S,
        ).stdout
    )
    try:
        found = _finding(tw, "left processes")
        assert (found["state"], found["remedy"]) == ("note", f"stop it: kill {pid}")
        assert "lost" in found["details"]
    finally:
        os.kill(pid, 9)
