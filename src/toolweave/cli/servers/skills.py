"""`toolweave servers skills`: list a server's skills, read one, approve it by its digests."""

from pathlib import Path

import click

from toolweave.app.studio import Studio, open_studio
from toolweave.cli.completion_values import server_names
from toolweave.cli.prompts import confirm
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.problems import quantity
from toolweave.servers.skills import (
    SkillRecord,
    approve_skill,
    find_skill,
    forget_skill,
    list_skills,
    read_skill,
)

DIGEST_CHARACTERS = 19  # `sha256:` and twelve more


@click.command()
@click.argument("name", shell_complete=server_names)
@click.option("--read", metavar="SKILL", help="Print the skill; another file of it with --file.")
@click.option("--file", metavar="PATH", help="A file of the skill that --read names.")
@click.option("--approve", metavar="SKILL", help="Show its files and digests, and approve it.")
@click.option("--forget", metavar="SKILL", help="Remove the approval of a skill.")
@click.option("--yes", is_flag=True, help="Approve without asking; for scripts.")
@json_option
def skills(
    name: str,
    read: str | None,
    file: str | None,
    approve: str | None,
    forget: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """List a server's skills, read one, or approve it.

    A skill is instructions for a model. Chat and agents use only approved skills, and each file
    only while its size and digest are those that you approved.
    """
    if len([one for one in (read, approve, forget) if one is not None]) > 1:
        raise click.UsageError("give one of --read, --approve and --forget")
    if file is not None and read is None:
        raise click.UsageError("--file needs --read")

    async def work() -> int:
        async with current_home() as home, open_studio(home) as studio:
            if read is not None:
                return await _read(studio, name, read, file, as_json)
            if approve is not None:
                return await _approve(studio, name, approve, yes=yes, as_json=as_json)
            if forget is not None:
                forget_skill(studio.gate, name, forget)
            return await _list(studio, name, as_json)

    return run(work)


async def _list(studio: Studio, server: str, as_json: bool) -> int:
    found = (await list_skills(studio.gate, server)).skills
    if as_json:
        print_json([one.as_json() for one in found])
        return 0
    for one in found:
        _print(one)
    if not found:
        say("The server has no skills.")
    return 0


async def _read(studio: Studio, server: str, named: str, file: str | None, as_json: bool) -> int:
    block = await read_skill(studio.gate, server, named, file)
    if as_json:
        print_json({"uri": block.uri, "text": block.text, "mimeType": block.mime_type})
    elif block.text is not None:
        say(block.text)
    else:
        data = block.data or b""
        saved = Path(str(block.uri).rpartition("/")[2] or "file")
        say(f"{quantity(len(data), 'byte')} that are no text: {saved.name}")
    return 0


async def _approve(studio: Studio, server: str, named: str, *, yes: bool, as_json: bool) -> int:
    studio.home.lockfile.require_approved()
    skill = await find_skill(studio.gate, server, named)
    shown = [one for one in (await list_skills(studio.gate, server)).skills if one.uri == skill.uri]
    if not as_json:
        for one in shown:
            _print(one, with_files=True)
        say(f"Read it first with `toolweave servers skills {server} --read {skill.name}`.")
    is_agreed = yes or (not as_json and await confirm("Approve this skill for models?"))
    if is_agreed:
        await approve_skill(studio.gate, server, skill.uri, skill.hash)
    if as_json:
        print_json({"approved": is_agreed, **skill.as_json(), "hash": skill.hash})
    else:
        say(f"Approved skill {skill.name!r}." if is_agreed else "Not approved.")
    return 0 if is_agreed else 1


def _print(skill: SkillRecord, *, with_files: bool = False) -> None:
    say((skill.name or skill.uri, "bold"), (f"  {skill.state}", "cyan"))
    for line in (skill.description, skill.uri, skill.problem):
        if line:
            say((line, "dim"), indent=2)
    if skill.allowed_tools:
        say(f"wants the tools {skill.allowed_tools} (no effect here)", indent=2)
    if not with_files:
        say(quantity(len(skill.files), "file"), indent=2)
        return
    for one in skill.files:
        say(f"{one.digest[:DIGEST_CHARACTERS]}…  {one.size} bytes  {one.uri}", indent=2)
