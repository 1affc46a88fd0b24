"""Skills of a server as people see them: list them, approve one by what was shown, read a file."""

from dataclasses import dataclass
from typing import Literal

from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.json_record import JsonRecord
from toolweave.json_text import Json, JsonObject
from toolweave.problems import did_you_mean
from toolweave.servers.disconnect_reason import printable
from toolweave.servers.gate import Gate
from toolweave.servers.skill_entry import ServerSkill, read_entry
from toolweave.tools.tool import Content, content_call

# A skill that is approved no more, because it changed or is not listed, is refused when read.
SkillState = Literal["approved", "not approved", "changed", "not listed", "invalid"]
TEXT_CHARACTERS = 4_000


class SkillFileRecord(JsonRecord):
    """A file of a skill."""

    uri: str
    digest: str
    size: int


class SkillRecord(JsonRecord):
    """A skill of a server; `hash` is what an approval names."""

    uri: str
    name: str
    description: str
    state: SkillState
    hash: str | None
    # What it would like to use; it has no effect.
    allowed_tools: str | None
    files: list[SkillFileRecord]
    problem: str | None


class ServerSkills(JsonRecord):
    """The skills of a server."""

    skills: list[SkillRecord]


@dataclass(frozen=True, slots=True)
class _Listed:
    skills: dict[str, ServerSkill]
    # Why an entry cannot be used, by its address.
    invalid: dict[str, str]


async def list_skills(gate: Gate, server: str) -> ServerSkills:
    """List the skills of a server and whether they are approved; reads no file."""
    listed = await _listed(gate, server)
    approved = gate.lockfile.skills(server)
    records = [_record(one, _state(one, approved.get(one.uri))) for one in listed.skills.values()]
    records += [
        _record(read_entry(entry), "not listed")
        for uri, entry in approved.items()
        if uri not in listed.skills and uri not in listed.invalid
    ]
    records += [_unusable(uri, why) for uri, why in listed.invalid.items()]
    return ServerSkills(skills=records)


async def approve_skill(gate: Gate, server: str, named: str, shown: str | None = None) -> None:
    """Approve a skill as the server lists it now: its files with their digests.

    Raises `Conflict`: `SKILL_CHANGED`, it is not the one with the hash that was shown.
    """
    skill = await find_skill(gate, server, named)
    if shown is not None and shown != skill.hash:
        raise Conflict(
            "SKILL_CHANGED",
            f"skill {skill.name!r} changed after it was shown",
            hint="list the skills again and review what changed",
        )
    approved = gate.lockfile.skills(server)
    gate.lockfile.pin_skills(server, {**approved, skill.uri: skill.as_json()})


def forget_skill(gate: Gate, server: str, named: str) -> None:
    """Remove the approval of a skill. Raises `NotFound`: `SKILL_NOT_FOUND`."""
    approved = gate.lockfile.skills(server)
    skills = {uri: read_entry(entry) for uri, entry in approved.items()}
    found = _named(skills, named)
    if found is None:
        raise _unknown(server, named, skills)
    kept = {uri: entry for uri, entry in approved.items() if uri != found.uri}
    gate.lockfile.pin_skills(server, kept)


async def find_skill(gate: Gate, server: str, named: str) -> ServerSkill:
    """Return a skill by its name or address. Raises `Invalid`, `NotFound`."""
    listed = await _listed(gate, server)
    found = _named(listed.skills, named)
    if found is not None:
        return found
    if named in listed.invalid:
        raise Invalid("SKILL_INVALID", listed.invalid[named])
    if "://" not in named:
        raise _unknown(server, named, listed.skills)
    # A server may have skills that it does not list.
    result = await gate.call(content_call(server, "skills/get", {"uri": named}))
    return read_entry(_field(result.structured, "skill"))


async def read_skill(gate: Gate, server: str, named: str, file: str | None = None) -> Content:
    """Read a file of a skill for a person who reviews it; it is compared with the list."""
    skill = await find_skill(gate, server, named)
    wanted = skill.file(file)
    result = await gate.call(content_call(server, "resources/read", {"uri": wanted.uri}))
    return skill.verified(wanted, result.content)


async def _listed(gate: Gate, server: str) -> _Listed:
    result = await gate.call(content_call(server, "skills/list"))
    entries = _field(result.structured, "skills")
    listed = _Listed({}, {})
    for entry in entries if isinstance(entries, list) else []:
        try:
            skill = read_entry(entry)
        except Invalid as error:
            uri = _field(entry, "uri")
            shown = printable(uri, 200) if isinstance(uri, str) else "?"
            listed.invalid[shown] = error.message
        else:
            listed.skills[skill.uri] = skill
    return listed


def _named(skills: dict[str, ServerSkill], named: str) -> ServerSkill | None:
    found = [one for one in skills.values() if named in (one.uri, one.name)]
    return found[0] if len(found) == 1 else None


def _unknown(server: str, named: str, skills: dict[str, ServerSkill]) -> NotFound:
    names = [one.name for one in skills.values()]
    hint = did_you_mean(named, names) or f"`toolweave servers skills {server}` lists them"
    what = f"server {server!r} has no skill {printable(named, 200)!r}"
    if names.count(named) > 1:
        what, hint = f"several skills are called {named!r}", "give the address of one"
    return NotFound("SKILL_NOT_FOUND", what, hint=hint)


def _state(skill: ServerSkill, approved: JsonObject | None) -> SkillState:
    if approved is None:
        return "not approved"
    return "approved" if read_entry(approved).hash == skill.hash else "changed"


def _record(skill: ServerSkill, state: SkillState) -> SkillRecord:
    tools = skill.frontmatter.get("allowed-tools")
    shown = None if tools is None else printable(str(tools), TEXT_CHARACTERS)
    return SkillRecord(
        uri=skill.uri,
        name=skill.name,
        description=printable(" ".join(skill.description.split()), TEXT_CHARACTERS),
        state=state,
        hash=skill.hash,
        allowed_tools=shown,
        files=[SkillFileRecord.of(one) for one in skill.files],
        problem=None,
    )


def _unusable(uri: str, why: str) -> SkillRecord:
    return SkillRecord(
        uri=uri,
        name="",
        description="",
        state="invalid",
        hash=None,
        allowed_tools=None,
        files=[],
        problem=why,
    )


def _field(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None
