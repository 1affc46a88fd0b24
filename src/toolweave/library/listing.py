"""Lists the contents of a repository at a commit: flows, templates and problems."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import PurePosixPath

from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.library.files import attached_paths
from toolweave.library.flows import FlowEntry, entries_in, one_of, parse
from toolweave.library.repository import File, Repository
from toolweave.library.resource_index import INDEX, read_index, read_resource
from toolweave.library.templates import read_templates

FLOWS, TEMPLATES, RESOURCES = "flows", "templates", "resources"


async def list_flows(repository: Repository, commit: str) -> Json:
    """Return every flow by its metadata, without contents."""
    await repository.bring_folder(commit, FLOWS)
    listing = await repository.files(commit, FLOWS)
    contents, refused = await repository.read(listing.files)
    skipped = [*listing.skipped, *refused.items()]
    found: dict[str, FlowEntry] = {}
    for file in listing.files:
        if file.path not in contents:
            continue
        try:
            document = parse(contents[file.path], file.path)
            for entry in entries_in(document, file.path, file.blob):
                known = found.get(entry.name)
                if known is not None and (known.is_own_name or not entry.is_own_name):
                    entry, known = known, entry
                found[entry.name] = entry
                if known is not None:
                    why = f"{entry.path} has a flow {entry.name!r} already"
                    skipped.append((known.path, why))
        except Invalid as error:
            skipped.append((file.path, error.message))
    flows: list[Json] = [asdict(found[name]) for name in sorted(found)]
    return {"flows": flows, "skipped": _shown(skipped)}


async def list_templates(repository: Repository, commit: str) -> Json:
    """Return every template, fetched in one request."""
    await repository.bring_folder(commit, TEMPLATES)
    listing = await repository.files(commit, TEMPLATES)
    contents, refused = await repository.read(listing.files)
    skipped = [*listing.skipped, *refused.items()]
    known = frozenset(file.path for file in (*listing.files, *listing.others))
    found: dict[str, JsonObject] = {}
    for path, data in contents.items():
        try:
            for one in read_templates(parse(data, path), PurePosixPath(path).stem):
                if one.name in found:
                    skipped.append((path, f"there is a template {one.name!r} already"))
                    continue
                try:
                    paths = attached_paths(path, one.attachments, known)
                except Invalid as error:
                    skipped.append((path, f"template {one.name!r}: {error.message}"))
                    continue
                found[one.name] = replace(one, attachments=paths).as_json()
        except Invalid as error:
            skipped.append((path, error.message))
    return {"templates": [found[name] for name in sorted(found)], "skipped": _shown(skipped)}


async def list_resources(repository: Repository, commit: str) -> Json:
    """Return the resources that `resources/index.json` names, fetched in one request."""
    await repository.bring_folder(commit, RESOURCES)
    listing = await repository.files(commit, RESOURCES)
    files = {file.path: file.blob for file in (*listing.files, *listing.others)}
    if INDEX not in files:
        return {"resources": [], "skipped": []}
    contents, refused = await repository.read([File(INDEX, files[INDEX])])
    skipped = [*refused.items()]
    found: dict[str, JsonObject] = {}
    try:
        for one in read_index(parse(contents[INDEX], INDEX)) if INDEX in contents else ():
            try:
                entry = read_resource(one, files)
            except Invalid as error:
                skipped.append((INDEX, error.message))
                continue
            key = entry.address or entry.path
            if key in found:
                skipped.append((INDEX, f"there is a resource {key!r} already"))
            found.setdefault(key, asdict(entry))
    except Invalid as error:
        skipped.append((INDEX, error.message))
    return {"resources": list(found.values()), "skipped": _shown(skipped)}


async def read_flow(repository: Repository, entry: FlowEntry) -> Json:
    """Return one flow of a file. Raises `PARSE_ERROR`, `FLOW_NOT_FOUND`."""
    contents, refused = await repository.read([File(entry.path, entry.blob)])
    if entry.path not in contents:
        raise NotFound("FLOW_NOT_FOUND", f"Flow not found: {entry.name}: {refused[entry.path]}")
    return one_of(parse(contents[entry.path], entry.path), entry)


def _shown(skipped: Iterable[tuple[str, str]]) -> list[Json]:
    return [[path, why] for path, why in skipped]
