"""A home like one of a person at work, opened for the measurement; nothing is started.

It has the demo server with its tools approved, a model, an approved command, the secrets that the
right documents name, and two stored workflows.
"""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from toolweave.assistant.models import Models, NewModel
from toolweave.authoring.environment import known_offline
from toolweave.demo.server import TOOLS
from toolweave.home import Home, open_home
from toolweave.servers.commands import Commands
from toolweave.servers.definition import CommandServer, definition_hash
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.load import load

NOW = datetime(2026, 10, 5, 12, tzinfo=UTC)
SERVER = "demo"
COMMAND = "disk-usage"
STORED = ("notify-team", "nightly-import")
_SECRET = re.compile(r"\$\{vault:([^}]+)\}")
_STORED_WORKFLOW = """{"id": "NAME", "name": "NAME", "version": "1.0.0", "schemaVersion": "1.3.0",
 "nodes": [
  {"id": "start", "type": "start", "name": "start", "position": {"x": 0, "y": 0}, "data": {}},
  {"id": "say", "type": "prompt", "name": "say", "position": {"x": 200, "y": 0},
   "data": {"prompt": "Tell the team: {{text}}"}},
  {"id": "end", "type": "end", "name": "end", "position": {"x": 400, "y": 0}, "data": {}}],
 "connections": [
  {"id": "1", "from": "start", "to": "say", "fromPort": "output", "toPort": "input"},
  {"id": "2", "from": "say", "to": "end", "fromPort": "output", "toPort": "input"}]}"""


async def known_home(directory: Path, texts: list[str]) -> KnownEnvironment:
    """What `toolweave validate` knows in that home; `texts` are the right documents."""
    settings = Settings(home=directory)
    clock = FakeClock(NOW)
    async with open_home(settings, clock=clock, environ={}, directory=directory) as home:
        await _fill(home)
        for name in sorted({name for text in texts for name in _SECRET.findall(text)}):
            await home.vault.put(name, "a-value-of-no-use")
        return await known_offline(home)


async def _fill(home: Home) -> None:
    server = CommandServer(command=sys.executable, args=("-m", "toolweave.cli.main", "demo-server"))
    await home.registry.add(SERVER, server)
    await home.registry.approve(SERVER, definition_hash(server))
    definitions = [
        tool.definition.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in TOOLS
    ]
    home.lockfile.pin(SERVER, [read_tool(SERVER, definition) for definition in definitions])
    commands = Commands(home.database, home.clock)
    command = CommandServer(command=sys.executable, args=("-c", "print({})", "{path}"))
    await commands.add(COMMAND, command)
    await commands.approve(COMMAND, definition_hash(command))
    models = Models(home.database, home.vault, clock=home.clock, environ=home.environ)
    await models.add(NewModel("local", "compatible", "llama3.2", "http://localhost:11434/v1"))
    for provider in ("anthropic", "gemini", "openai"):
        await models.add(NewModel(f"my-{provider}", provider, "some-model", key="no-key"))
    for name in STORED:
        stored = load(_STORED_WORKFLOW.replace("NAME", name)).workflow
        await home.workflows.save(stored, over=None)
