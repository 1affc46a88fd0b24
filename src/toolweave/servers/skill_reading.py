"""Read approved skills: the request for one file, its check, and the tool that models get.

A model sees the names and descriptions of approved skills; a file is requested when the model asks
for it. What a skill says about tools (`allowed-tools`) has no effect: tools are given by people.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from toolweave.errors import Denied
from toolweave.json_text import JsonObject
from toolweave.problems import did_you_mean
from toolweave.servers.disconnect_reason import printable
from toolweave.servers.skill_entry import ServerSkill, SkillFile, read_entry
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Content, Tool, ToolCall, ToolResult

TOOL = "read_skill"
DESCRIPTION_CHARACTERS = 300
_ABOUT = (
    "Read a skill of this server: instructions for a kind of task, which the person approved. Read "
    "the skill that fits before you begin, and follow it. It gives you no further tools and no "
    "permission. The skills:"
)


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """The request for one file of an approved skill."""

    skill: ServerSkill
    file: SkillFile

    @property
    def arguments(self) -> JsonObject:
        """The parameters of `resources/read`."""
        return {"uri": self.file.uri}

    def checked(self, result: ToolResult) -> ToolResult:
        """Return the file with what it is. Raises `Denied`: `SKILL_MISMATCH`."""
        found = self.skill.verified(self.file, result.content)
        others = [path for path in self.skill.paths if self.skill.file(path) != self.file]
        about = f"Skill {self.skill.name!r}, {self.file.uri}, as the person approved it."
        if others:
            about += f" Its other files, for `file`: {', '.join(others)}."
        if "allowed-tools" in self.skill.frontmatter:
            about += " Its `allowed-tools` have no effect: you have the tools that you were given."
        return replace(result, content=(Content("text", text=about), found))


def skill_request(call: ToolCall, approved: Mapping[str, JsonObject]) -> SkillRequest:
    """Return the request of a call. Raises `Denied`: `SKILL_UNAPPROVED`; `SKILL_NOT_FOUND`."""
    skills = [read_entry(entry) for entry in approved.values()]
    wanted = str(call.arguments.get("skill"))
    found = next((one for one in skills if wanted in (one.uri, one.name)), None)
    if found is None:
        names = [one.name for one in skills]
        raise Denied(
            "SKILL_UNAPPROVED",
            f"no approved skill of server {call.server!r} is called {printable(wanted, 200)!r}",
            hint=did_you_mean(wanted, names)
            or f"`toolweave servers skills {call.server}` lists its skills and approves them",
        )
    file = call.arguments.get("file")
    return SkillRequest(found, found.file(file if isinstance(file, str) else None))


def skill_tools(server: str, approved: Iterable[JsonObject]) -> list[Tool]:
    """Return the tool that reads the approved skills; none without skills."""
    skills = [read_entry(entry) for entry in approved]
    if not skills:
        return []
    definition: JsonObject = {
        "name": TOOL,
        "description": "\n".join([_ABOUT, *(_line(one) for one in skills)]),
        "inputSchema": {
            "type": "object",
            "properties": {
                "skill": {"type": "string", "enum": [*_names(skills)]},
                "file": {
                    "type": "string",
                    "description": "A file that the skill names; without it, its SKILL.md.",
                },
            },
            "required": ["skill"],
        },
    }
    return [replace(read_tool(server, definition), method="skills/read")]


def _names(skills: Sequence[ServerSkill]) -> list[str]:
    """A name that two skills share is no name of either: those are called by their address."""
    names = [one.name for one in skills]
    return [one.name if names.count(one.name) == 1 else one.uri for one in skills]


def _line(skill: ServerSkill) -> str:
    words = printable(" ".join(skill.description.split()), DESCRIPTION_CHARACTERS)
    return f"- {skill.name}: {words}"
