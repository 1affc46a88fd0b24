"""Texts that repeat or fill in what another setting of the same node says.

`repo: acme/site` beside `owner: acme`, an address that marks its variables as other systems do,
and a field to sort by with its order.
"""

import re
from collections.abc import Iterator

from toolweave.catalog.spec import NodeSpec
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
_ORDERED = pattern(
    r"(?P<sign>[-+])(?P<signed>\w[\w.]*)|(?P<field>\w[\w.]*)[ :,]+(?P<word>asc|desc)(?:ending)?"
    r"|(?P<call>asc|desc)(?:ending)?\((?P<called>\w[\w.]*)\)",
    re.IGNORECASE,
)
# Where a field to sort by is, and its order beside it: the object, if there is one, and both names.
_ORDERS = {
    "FLOW.SORT": (
        ("configurations", "", "sort_field", "order"),
        ("inputParams", "sort_override", "sort_field", "order"),
    ),
    "FLOW.FILTER": (("configurations", "", "sort_field", "sort_order"),),
    "ACTION.DATA_TRANSFORMATION": (("configurations", "sort_config", "field", "direction"),),
}


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield texts that another setting of the node shows to be in an unusual form."""
    for facts, _, places in node_table(case).having(_orders):
        for part, group, field, order in places:
            owner = facts.settings if part == "configurations" else facts.inputs
            given = owner.get(group) if group else owner
            if isinstance(given, dict) and isinstance(text := given.get(field), str):
                at = f"{facts.place}/{part}" + (pointer(group) if group else "")
                yield from _with_order(text, given, (field, order), at)
    for facts in node_table(case).nested:
        if facts.spec is None or facts.spec.origin is not None:
            continue
        settings = facts.settings
        if isinstance(variables := settings.get("variables"), dict) and "uri" in settings:
            yield from _marked(facts, variables)
        if isinstance(group := settings.get("repository_config"), dict):
            place = f"{facts.place}/configurations/repository_config"
            yield from _with_owner(group, place)


def _orders(spec: NodeSpec) -> tuple[tuple[str, str, str, str], ...]:
    return _ORDERS.get(spec.ref, ())


def _with_order(
    text: str, given: JsonObject, names: tuple[str, str], place: str
) -> Iterator[Problem]:
    """Yield a field to sort by that says its order as well: `-price`, `price desc`."""
    found = _ORDERED.fullmatch(text.strip())
    if found is None:
        return
    field, order = names
    plain = found["signed"] or found["field"] or found["called"]
    word = {"-": "desc", "+": "asc"}.get(found["sign"] or "", found["word"] or found["call"])
    word = word.lower()
    at = place + pointer(field)
    message = f"{field!r} is {shown(text)}; expected the name of a field"
    if given.get(order, word) != word:
        hint = f"{order!r} is {shown(given[order])}; say which order is meant"
        yield Problem(CODE, at, message, hint, "warning")
        return
    patch = (
        {"op": "replace", "path": at, "value": plain},
        {"op": "add", "path": place + pointer(order), "value": word},
    )
    hint = f"write {field!r} as {plain!r} and {order!r} as {word!r}"
    yield Problem(CODE, at, message, hint, "warning", patch)


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
