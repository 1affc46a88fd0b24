"""`toolweave doctor`: what is there, what is missing, what is broken."""

from tests.cli.driving import Commands


def test_a_sound_home_passes(tw: Commands) -> None:
    ran = tw.ok("doctor")
    states = {line.split()[1]: line.split()[0] for line in ran.lines[1:]}
    assert states["toolweave"] == states["python"] == states["home"] == "ok"
    assert states["database"] == states["lockfile"] == states["vault"] == "ok"
    told = tw.ok("doctor", "--json").json
    assert {"state": "ok", "what": "home", "details": str(tw.state)} in told


def test_programs_that_are_missing_are_noted_with_what_they_are_for(tw: Commands) -> None:
    ran = tw.ok("doctor", PATH=str(tw.home))
    assert any(line.startswith("--  npx") and "Node.js" in line for line in ran.lines)


def test_a_broken_home_is_a_fault_and_fails(tw: Commands) -> None:
    tw.state.mkdir()
    (tw.state / "toolweave.lock.json").write_text("{", encoding="utf-8")
    ran = tw("doctor")
    assert ran.code == 1
    assert ran.lines[-1].startswith("!!  home")
    assert "toolweave.lock.json cannot be" in ran.lines[-1]


def test_other_clients_servers_and_unreadable_files_are_counted(tw: Commands) -> None:
    (tw.home / ".claude.json").write_text('{"mcpServers": {"a": {"command": "x"}}}', "utf-8")
    (tw.project / ".mcp.json").write_text("{", "utf-8")
    [line] = [line for line in tw.ok("doctor").lines if "other clients" in line]
    assert line.startswith("--")
    assert "1 servers of Claude Code; 1 unreadable files" in line
