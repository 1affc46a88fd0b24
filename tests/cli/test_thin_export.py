"""`toolweave export --thin`: an entry that calls the published tool instead of the steps."""

import json
from pathlib import Path

from tests.cli.driving import Commands

from toolweave.json_text import JsonObject

GREETING: JsonObject = {
    "name": "greet-people",
    "description": "Greets somebody.",
    "inputSchema": {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "Who."}},
        "required": ["name"],
    },
    "nodes": [
        {"id": "start", "type": "start", "name": "Start", "data": {}},
        {
            "id": "hello",
            "type": "prompt",
            "name": "Hello",
            "data": {"prompt": "Hello {{ trigger.name }}"},
        },
        {"id": "end", "type": "end", "name": "End", "data": {}},
    ],
    "connections": [
        {"id": "e1", "from": "start", "to": "hello"},
        {"id": "e2", "from": "hello", "to": "end"},
    ],
}


def stored(tw: Commands) -> str:
    file = tw.project / "greet.json"
    file.write_text(json.dumps(GREETING), encoding="utf-8")
    return str(file)


def skill(tw: Commands) -> Path:
    return tw.project / ".claude/skills/greet-people/SKILL.md"


def test_the_entry_calls_the_published_tool(tw: Commands) -> None:
    file = stored(tw)
    unpublished = tw("export", file, "--to", "claude-skill", "--thin")
    assert "[NOT_PUBLISHED]" in unpublished.err
    assert not skill(tw).exists()
    tw.ok("publish", file, "--as", "hello_there")
    tw.ok("export", file, "--to", "claude-skill", "--thin", "--mcp-json")
    text = skill(tw).read_text(encoding="utf-8")
    assert 'argument-hint: "<name>"' in text
    assert "allowed-tools: mcp__toolweave__hello_there, mcp__toolweave__run_status," in text
    assert "Call the tool `hello_there` of the MCP server `toolweave`" in text
    assert "- `name` (string, required): Who." in text
    assert "Hello {{" not in text
    config = json.loads((tw.project / ".mcp.json").read_text(encoding="utf-8"))
    assert config == {"mcpServers": {"toolweave": {"command": "toolweave", "args": ["mcp"]}}}
    # The whole form of the same workflow replaces it, and has the steps.
    tw.ok("export", file, "--to", "claude-skill")
    assert "Hello {{" in skill(tw).read_text(encoding="utf-8")


def test_a_target_without_text_cannot_call_a_tool(tw: Commands) -> None:
    file = stored(tw)
    tw.ok("publish", file)
    tw.ok("export", file, "--to", "mermaid")
    refused = tw("export", file, "--to", "mermaid", "--thin")
    assert refused.code == 1
    assert "[EXPORT_REFUSED]" in refused.err
