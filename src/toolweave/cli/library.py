"""`toolweave library`: flows and prompt templates of git repositories."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import click

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.cli.inputs import read_inputs
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import current_home, in_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell, visible
from toolweave.errors import NotFound
from toolweave.json_text import JsonObject
from toolweave.library.flow_runner import FlowRequest
from toolweave.library.home_libraries import flow_runner, library_store
from toolweave.library.library_json import LibraryContent, LibraryRecord
from toolweave.library.models import Library, LibraryRevision, Skipped
from toolweave.library.store import LibraryStore
from toolweave.problems import quantity

ref_option = click.option("--ref", metavar="REF", help="Branch, tag or commit.")
SHOWN_SKIPPED = 20


@click.group(cls=HelpfulGroup)
def library() -> None:
    """Use flows and prompt templates from git repositories."""


@library.command("add")
@click.argument("name")
@click.argument("address", metavar="GIT_URL|PATH")
@ref_option
@json_option
def add(name: str, address: str, ref: str | None, as_json: bool) -> None:
    """Add a repository with `flows/` and `templates/` under a name."""

    async def work() -> tuple[Library, int, int, tuple[Skipped, ...]]:
        async with current_home() as home:
            libraries = library_store(home)
            added = await libraries.add(name, address, ref=ref, folder=Path.cwd())
            flows, templates = await libraries.flows(name), await libraries.templates(name)
            skipped = (*flows.skipped, *templates.skipped)
            return added, len(flows.flows), len(templates.templates), skipped

    added, flows, templates, skipped = run(work)
    if as_json:
        counts = {"flows": flows, "templates": templates}
        left_out = [one.as_json() for one in skipped]
        print_json({**LibraryRecord.of(added).as_json(), **counts, "skipped": left_out})
        return
    found = f"{quantity(flows, 'flow')}, {quantity(templates, 'template')}"
    say(f"Added {name!r} at {added.ref}: {found}.")
    _tell_skipped(skipped)


@library.command("list")
@json_option
def list_libraries(as_json: bool) -> None:
    """List the libraries."""
    found = in_home(lambda home: library_store(home).list())
    if as_json:
        print_json([LibraryRecord.of(one) for one in found])
    elif found:
        rows = [(one.name, one.ref, one.remote.url) for one in found]
        print_table(("name", "ref", "from"), rows)
    else:
        say("No libraries yet. `toolweave library add NAME GIT_URL` adds one.")


@library.command("show")
@click.argument("name")
@click.argument("flow", required=False, metavar="[FLOW|TEMPLATE]")
@ref_option
@json_option
def show(name: str, flow: str | None, ref: str | None, as_json: bool) -> None:
    """Show a library's flows and templates, or one of them."""

    async def work() -> None:
        async with current_home() as home:
            libraries = library_store(home)
            if flow is None:
                await _show_all(libraries, name, ref, as_json=as_json)
            else:
                await _show_one(libraries, name, flow, ref, as_json=as_json)

    run(work)


@library.command("run")
@click.argument("name")
@click.argument("flow")
@ref_option
@click.option("--input", "pairs", multiple=True, metavar="NAME=VALUE", help="One variable.")
@click.option("--inputs", metavar="JSON", help="All variables as a JSON object.")
@json_option
def run_flow(
    name: str,
    flow: str,
    ref: str | None,
    pairs: tuple[str, ...],
    inputs: str | None,
    as_json: bool,
) -> int:
    """Run a flow of a library and print its result."""
    asked = FlowRequest(name, flow, ref, read_inputs(pairs, inputs))

    async def work() -> JsonObject:
        async with (
            current_home() as home,
            open_studio(home) as studio,
            open_engine(studio) as engine,
        ):
            return await flow_runner(home, engine).execute(asked)

    told = run(work)
    if as_json:
        print_json(told)
    else:
        _tell_execution(told)
    return 0 if told["status"] == "success" else 1


@library.command("refresh")
@click.argument("name", required=False)
@json_option
def refresh(name: str | None, as_json: bool) -> None:
    """Fetch updates from the repositories now."""

    async def work() -> dict[str, LibraryRevision]:
        async with current_home() as home:
            libraries = library_store(home)
            names = [name] if name else [one.name for one in await libraries.list()]
            return {one: await libraries.refresh(one) for one in names}

    found = run(work)
    if as_json:
        print_json({one: at.as_json() for one, at in found.items()})
        return
    for one, at in found.items():
        say(f"{one} is at {at.commit[:12]} of {at.ref}.")


@library.command("remove")
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a library and its local copy."""
    in_home(lambda home: library_store(home).remove(name))
    tell(as_json, {"removed": name}, f"Removed {name!r}.")


async def _show_all(libraries: LibraryStore, name: str, ref: str | None, *, as_json: bool) -> None:
    flows, templates = await libraries.flows(name, ref), await libraries.templates(name, ref)
    skipped = (*flows.skipped, *templates.skipped)
    if as_json:
        print_json(LibraryContent.read(name, flows, templates))
        return
    _tell_at(name, flows.at)
    rows = [("flow", one.name, one.description) for one in flows.flows]
    rows += [
        ("template", one.name, one.description or " ".join(v.name for v in one.variables))
        for one in templates.templates
    ]
    if rows:
        print_table(("kind", "name", "about"), rows)
    for one in flows.flows:
        _tell_warnings(one.warnings, one.name)
    _tell_skipped(skipped)


async def _show_one(
    libraries: LibraryStore, name: str, wanted: str, ref: str | None, *, as_json: bool
) -> None:
    try:
        found = await libraries.flow(name, wanted, ref)
    except NotFound as missing:
        if missing.code != "FLOW_NOT_FOUND":
            raise
        try:
            template = await libraries.template(name, wanted, ref)
        except NotFound:
            raise missing from None
        print_json(template)
        return
    if not as_json:
        _tell_at(name, found.at)
    _tell_warnings(found.entry.warnings, found.entry.name)
    print_json(found.document)


def _tell_at(name: str, at: LibraryRevision) -> None:
    say(f"{name} at {at.ref} ({at.commit[:12]})", stderr=True)
    if at.stale:
        say(f"! last updated {at.checked_at}: {at.stale}", stderr=True)


def _tell_warnings(warnings: Sequence[str], flow: str) -> None:
    for warning in warnings:
        say(f"! {flow}: {warning}", stderr=True)


def _tell_skipped(skipped: Sequence[Skipped]) -> None:
    for one in skipped[:SHOWN_SKIPPED]:
        say(f"! {one.path} was skipped: {one.reason}", stderr=True)
    if len(skipped) > SHOWN_SKIPPED:
        say(f"! … and {len(skipped) - SHOWN_SKIPPED} more", stderr=True)


def _tell_execution(told: JsonObject) -> None:
    if stale := told.get("stale"):
        say(f"! the library was last updated {told['checkedAt']}: {stale}", stderr=True)
    _tell_warnings(cast("list[str]", told.get("warnings", [])), str(told["flowName"]))
    results = cast("list[JsonObject]", told["intermediateResults"])
    for one in results:
        say(f"{one['nodeId']}: {one['templateName']} ({one['executionTimeMs']} ms)", stderr=True)
    if told["status"] == "success":
        click.echo(visible(str(told["finalResult"])))
        return
    error = cast("JsonObject", told.get("error") or {})
    place = cast("JsonObject", error.get("failedAt") or {})
    at = f" at {place['nodeId']}" if place else ""
    say(f"Error: {error.get('message', told['status'])}{at}  [{error.get('code')}]", stderr=True)
    if hint := error.get("hint"):
        say(f"Hint: {hint}", stderr=True)
