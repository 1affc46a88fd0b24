"""Texts that repeat or fill in what another setting of the same node says.

`repo: acme/site` beside `owner: acme`, and an address that marks its variables as other systems do.
"""

from collections.abc import Iterator

from toolweave.json_text import JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import NodeFacts, node_table

CODE = "FIELD_FORM_UNUSUAL"
_REPOSITORY = pattern(r"(?:(?:https?://)?(?:www\.)?github\.com/)?([\w.-]+)/([\w.-]+?)(?:\.git)?/?")
# `{{date}}`, `${date}`, `<date>`, and `:date` as a part of a path.
_VARIABLE = pattern(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}|\$\{([A-Za-z_]\w*)\}|<([A-Za-z_]\w*)>")
_SEGMENT = pattern(r"(?<=/):([A-Za-z_]\w*)(?=/|$)")


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield texts that another setting of the node shows to be in an unusual form."""
    for facts in node_table(case).nested:
        if facts.spec is None or facts.spec.origin is not None:
            continue
        settings = facts.settings
        if isinstance(variables := settings.get("variables"), dict) and "uri" in settings:
            yield from _marked(facts, variables)
        if isinstance(group := settings.get("repository_config"), dict):
            place = f"{facts.place}/configurations/repository_config"
            yield from _with_owner(group, place)


def _marked(facts: NodeFacts, variables: JsonObject) -> Iterator[Problem]:
    """Yield an address whose variables are marked in another way than `{name}`."""
    uri = facts.settings["uri"]
    if not isinstance(uri, str):
        return
    made = uri
    for form in (_VARIABLE, _SEGMENT):
        for found in form.finditer(uri):
            name = next(one for one in found.groups() if one)
            if name in variables:
                made = made.replace(found[0], f"{{{name}}}")
    if made != uri:
        place = f"{facts.place}/configurations/uri"
        message = f"'uri' is {shown(uri)}; a variable is written {{name}}"
        patch = ({"op": "replace", "path": place, "value": made},)
        yield Problem(CODE, place, message, f"use {shown(made)}", "warning", patch)


def _with_owner(group: JsonObject, place: str) -> Iterator[Problem]:
    """Yield a repository that is named with its owner, where the owner is given as well."""
    repo, owner = group.get("repo"), group.get("owner")
    found = _REPOSITORY.fullmatch(repo) if isinstance(repo, str) else None
    if found is None:
        return
    at = place + pointer("repo")
    message = f"'repo' is {shown(repo)}; expected the name without the owner"
    if owner == found[1]:
        patch = ({"op": "replace", "path": at, "value": found[2]},)
        yield Problem(CODE, at, message, f"use {found[2]!r}", "warning", patch)
    elif owner:
        hint = f"'owner' is {shown(owner)}; say which of the two is meant"
        yield Problem(CODE, at, message, hint, "warning")
