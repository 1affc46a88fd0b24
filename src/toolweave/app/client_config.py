"""The configuration snippet that connects an MCP client to this installation and home."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from toolweave.json_text import JsonObject
from toolweave.settings import Settings, from_environment

PROGRAM = "toolweave"


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """How a client starts `toolweave mcp`: absolute paths, as clients may not have your PATH."""

    command: str
    args: tuple[str, ...]

    def as_json(self) -> JsonObject:
        """Return the snippet to paste."""
        return {"mcpServers": {PROGRAM: {"command": self.command, "args": list(self.args)}}}


def client_config(settings: Settings) -> ClientConfig:
    """Return the configuration for this program; it names the home unless it is the default."""
    command, *args = *own_program(), "mcp"
    if settings.home != from_environment({}).home:
        args += ["--home", str(settings.home)]
    return ClientConfig(command, tuple(args))


def own_program() -> tuple[str, ...]:
    """The script that runs now, else the one beside this Python, else a module of this Python."""
    for candidate in (Path(sys.argv[0]), Path(sys.executable).parent / PROGRAM):
        script = shutil.which(candidate) if candidate.stem == PROGRAM else None
        if script:
            return (str(Path(script).absolute()),)
    return (sys.executable, "-m", "toolweave.cli.main")
