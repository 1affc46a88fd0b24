"""`toolweave export --mcp-json`: the servers that a workflow calls, in the project's file."""

import json

from tests.cli.driving import Commands

from rest.drawn import asking_mcp


def test_the_servers_it_calls_are_added_to_mcp_json(tw: Commands) -> None:
    file = tw.project / "ask.json"
    file.write_text(json.dumps(asking_mcp("box", "echo")), encoding="utf-8")
    refused = tw("export", str(file), "--to", "claude-workflow", "--mcp-json")
    assert refused.code != 0
    assert "box" in refused.err + refused.out
    assert not (tw.project / ".claude").exists()
    tw(
        "servers",
        "add",
        "box",
        "--env",
        "TOKEN=s3cret",
        "--",
        "box-server",
        "--fast",
        "--api-key",
        "k3y",
    )
    mine = {"mcpServers": {"other": {"command": "x"}}, "kept": 1}
    config = tw.project / ".mcp.json"
    config.write_text(json.dumps(mine), encoding="utf-8")
    made = tw("export", str(file), "--to", "claude-workflow", "--mcp-json")
    assert made.code == 0, made.err
    entry = {
        "command": "box-server",
        "args": ["--fast", "--api-key", "***"],
        "env": {"TOKEN": "${TOKEN}"},
    }
    assert json.loads(config.read_text(encoding="utf-8")) == {
        "mcpServers": {"other": {"command": "x"}, "box": entry},
        "kept": 1,
    }
    again = tw("export", str(file), "--to", "claude-workflow", "--mcp-json")
    assert "unchanged .mcp.json" in again.out
    config.write_text("[1]", encoding="utf-8")
    broken = tw("export", str(file), "--to", "claude-workflow", "--mcp-json", "--json")
    assert "CLIENT_FILE_INVALID" in broken.out
    assert config.read_text(encoding="utf-8") == "[1]"


def test_check_reports_servers_that_mcp_json_lacks(tw: Commands) -> None:
    file = tw.project / "ask.json"
    file.write_text(json.dumps(asking_mcp("box", "echo")), encoding="utf-8")
    check = ("export", str(file), "--to", "claude-skill", "--mcp-json", "--check")
    unknown = tw(*check)
    assert unknown.code == 1
    assert "[MCP_SERVER_NOT_FOUND]" in unknown.err
    tw.ok("servers", "add", "box", "--", "box-server")
    assert tw(*check).code == 0  # nothing is exported yet
    tw.ok("export", str(file), "--to", "claude-skill")
    config = tw.project / ".mcp.json"
    for text in (None, '{"mcpServers": {"other": {"command": "x"}}}'):
        if text is not None:
            config.write_text(text, encoding="utf-8")
        stale = tw(*check)
        assert stale.code == 1
        assert "! '.mcp.json' lacks servers that the workflow calls  [EXPORT_STALE]" in stale.err
    config.write_text("[1]", encoding="utf-8")
    broken = tw(*check)
    assert broken.code == 1
    assert "! '.mcp.json' is no configuration of MCP servers  [CLIENT_FILE_INVALID]" in broken.err
    config.unlink()
    tw.ok("export", str(file), "--to", "claude-skill", "--mcp-json")
    assert tw(*check).code == 0
    [skill] = (tw.project / ".claude").rglob("SKILL.md")
    skill.write_text(skill.read_text(encoding="utf-8").replace("Follow", "Walk"), encoding="utf-8")
    edited = tw(*check)
    assert "/: " not in edited.err
    assert "[EXPORT_EDITED]" in edited.err
