"""`toolweave doctor`: what is there, what is missing, what is broken."""

import json
import subprocess
from pathlib import Path

from tests.cli.driving import DEADLINE_S, Commands


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
