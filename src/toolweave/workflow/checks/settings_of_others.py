"""Settings that other systems have as one, and a node here as several or inside an object.

`auth: {type: bearer, token}` of a request is a header, `form` is the body and how it is sent, and
`types: [opened]` of a GitHub trigger is a condition on the payload.
"""

from collections.abc import Callable, Iterator, Mapping

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import NodeFacts, node_table
from toolweave.workflow.modes import object_at

CODE = "FIELD_FORM_UNUSUAL"
_METHODS = "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS"
_WITH_METHOD = pattern(rf"({_METHODS})\s+((?:https?://|/)\S.*)")
_TWICE = pattern(r"(Bearer|Basic|Token)\s+\1\s+(?=\S)")
_BEARER_KEYS = frozenset({"bearer_token", "bearer", "auth_bearer", "bearerToken"})
_AUTH_KEYS = frozenset({"auth", "authentication", "authorization"})
_TOKEN_KEYS = frozenset({"token", "bearer", "bearer_token", "access_token", "value"})
_FORM_KEYS = frozenset({"form", "form_data", "formData", "form_body", "urlencoded"})
_ACTIONS = frozenset(
    {"opened", "closed", "reopened", "edited", "labeled", "unlabeled", "assigned", "unassigned"}
    | {"synchronize", "ready_for_review", "created", "deleted", "published", "submitted"}
    | {"completed", "requested", "converted_to_draft", "review_requested", "milestoned"}
)
_ACTION_KEYS = frozenset({"types", "actions", "activity_types", "action", "event_actions"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield settings of other systems whose parts have places of their own here."""
    for facts, spec, rules in node_table(case).having(_rules):
        for rule in rules:
            yield from rule(facts, spec)


def _rules(spec: NodeSpec) -> "tuple[_Rule, ...]":
    return _RULES.get(spec.ref, ())


def _problem(
    place: str, message: str, hint: str | None, patch: list[dict[str, Json]] | None
) -> Problem:
    return Problem(CODE, place, message, hint, "warning", tuple(patch) if patch else None)


def _unknown(facts: NodeFacts, spec: NodeSpec, names: frozenset[str]) -> list[str]:
    """The settings among these names that the node does not have."""
    if names.isdisjoint(facts.settings):
        return []
    known = {name for one in spec.all_configurations for name in (one.name, *one.aliases)}
    return [name for name in facts.settings if name in names and name not in known]


def _bearer(facts: NodeFacts, spec: NodeSpec) -> Iterator[Problem]:
    """Yield a token for a request that is no header."""
    found = _unknown(facts, spec, _BEARER_KEYS | _AUTH_KEYS)
    headers = [object_at(facts.settings, "headers"), object_at(facts.inputs, "dynamic_headers")]
    is_given = any(name.lower() == "authorization" for one in headers for name in one)
    if len(found) != 1 or is_given:
        return
    (name,) = found
    token = _token(name, facts.settings[name])
    if token is None:
        return
    place = f"{facts.place}/configurations"
    made: list[dict[str, Json]] = [{"op": "remove", "path": place + pointer(name)}]
    if not isinstance(facts.settings.get("headers"), dict):
        made.append({"op": "add", "path": f"{place}/headers", "value": {}})
    value = token if token.startswith("Bearer ") else f"Bearer {token}"
    made.append({"op": "add", "path": f"{place}/headers/Authorization", "value": value})
    message = f"{name!r} is not sent; a token is given as a header"
    hint = "write it as the header 'Authorization'"
    yield _problem(place + pointer(name), message, hint, made)


def _token(name: str, given: Json) -> str | None:
    """The token of `bearer_token: …` or `auth: {type: bearer, token: …}`."""
    if isinstance(given, str):
        is_bearer = name in _BEARER_KEYS or given.startswith("Bearer ")
        return given if is_bearer and given else None
    if not isinstance(given, dict):
        return None
    kind = given.get("type", given.get("scheme"))
    rest = {key: one for key, one in given.items() if key not in {"type", "scheme"}}
    if len(rest) != 1 or not rest.keys() <= _TOKEN_KEYS:
        return None
    ((key, token),) = rest.items()
    is_bearer = str(kind).lower() in {"bearer", "bearer_token", "bearertoken"}
    is_bearer = is_bearer or (kind is None and key in {"bearer", "bearer_token"})
    return token if is_bearer and isinstance(token, str) and token else None


def _form(facts: NodeFacts, spec: NodeSpec) -> Iterator[Problem]:
    """Yield fields of a form that are called so, unless something else is said of the body."""
    if "body" in facts.inputs or facts.settings.get("body_type", "form") != "form":
        return
    for part, values in (("configurations", facts.settings), ("inputParams", facts.inputs)):
        found = [name for name in values if name in _FORM_KEYS and isinstance(values[name], dict)]
        if len(found) == 1 and values[found[0]]:
            name, place = found[0], facts.place
            at = f"{place}/{part}{pointer(name)}"
            patch: list[dict[str, Json]] = [{"op": "remove", "path": at}]
            if not isinstance(facts.node.data.get("inputParams"), dict):
                patch.append({"op": "add", "path": f"{place}/inputParams", "value": {}})
            path = f"{place}/configurations/body_type"
            patch.append({"op": "add", "path": f"{place}/inputParams/body", "value": values[name]})
            if "body_type" not in facts.settings:
                patch.append({"op": "add", "path": path, "value": "form"})
            message = f"{name!r} is the body of a request, sent as a form"
            yield _problem(at, message, "write it as 'body', and 'body_type' as 'form'", patch)


def _method(facts: NodeFacts, spec: NodeSpec) -> Iterator[Problem]:
    """Yield an address or a path with the method before it."""
    field, methods = ("url", "method") if spec.ref == _REQUEST else _HOOK
    text = facts.settings.get(field)
    found = _WITH_METHOD.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return
    place = f"{facts.place}/configurations"
    method, plain = found.groups()
    given = facts.settings.get(methods)
    wanted: Json = method if spec.ref == _REQUEST else [method]
    message = f"{field!r} is {shown(text)}; the method has a setting of its own"
    chosen = given if isinstance(given, list) else [given]
    if given is not None and method not in chosen:
        hint = f"{methods!r} is {shown(given)}; say which method is meant"
        yield _problem(place + pointer(field), message, hint, None)
        return
    patch: list[dict[str, Json]] = [
        {"op": "replace", "path": place + pointer(field), "value": plain}
    ]
    if given is None:
        patch.append({"op": "add", "path": place + pointer(methods), "value": wanted})
    yield _problem(place + pointer(field), message, f"write {field!r} as {plain!r}", patch)


def _twice(facts: NodeFacts, spec: NodeSpec) -> Iterator[Problem]:
    """Yield a header in which the word before its token is twice."""
    for part, group in (("configurations", "headers"), ("inputParams", "dynamic_headers")):
        owner = facts.settings if part == "configurations" else facts.inputs
        for name, value in object_at(owner, group).items() if group in owner else ():
            if isinstance(value, str) and (found := _TWICE.match(value)) is not None:
                plain = f"{found[1]} {value[found.end() :]}"
                place = f"{facts.place}/{part}{pointer(group, name)}"
                patch: list[dict[str, Json]] = [{"op": "replace", "path": place, "value": plain}]
                message = f"{name!r} begins with {found[1]!r} twice"
                yield _problem(place, message, f"write {plain!r}", patch)


def _actions(facts: NodeFacts, spec: NodeSpec) -> Iterator[Problem]:
    """Yield the actions of events, which the payload says."""
    found = _unknown(facts, spec, _ACTION_KEYS)
    conditions = facts.settings.get("filter_conditions", {})
    if len(found) != 1 or "events" not in facts.settings or not isinstance(conditions, dict):
        return
    (name,) = found
    given = facts.settings[name]
    listed: list[Json] = given if isinstance(given, list) else [given]
    if not listed or "action" in conditions:
        return
    if all(isinstance(one, str) and one in _ACTIONS for one in listed):
        place = f"{facts.place}/configurations"
        patch: list[dict[str, Json]] = [{"op": "remove", "path": place + pointer(name)}]
        if "filter_conditions" not in facts.settings:
            patch.append({"op": "add", "path": f"{place}/filter_conditions", "value": {}})
        path = f"{place}/filter_conditions/action"
        patch.append({"op": "add", "path": path, "value": listed})
        message = f"{name!r} is no setting; the action of an event is in its payload"
        yield _problem(place + pointer(name), message, "write it in filter_conditions", patch)


def _keyed_order(facts: NodeFacts, spec: NodeSpec) -> Iterator[Problem]:
    """Yield `sort: {price: -1}`, as a database of documents has it."""
    found = _unknown(facts, spec, frozenset({"sort", "sort_by", "order_by"}))
    given = facts.settings[found[0]] if len(found) == 1 else None
    if not isinstance(given, dict) or len(given) != 1 or _SORT & facts.settings.keys():
        return
    ((field, order),) = given.items()
    word = _WORDS.get(str(order).lower()) if not isinstance(order, bool) else None
    if word is None or field in {"field", "by", "key"}:
        return
    place = f"{facts.place}/configurations"
    yield _problem(
        place + pointer(found[0]),
        f"{found[0]!r} is no setting; a field and its order are two",
        f"write 'sort_field' as {field!r} and 'order' as {word!r}",
        [
            {"op": "remove", "path": place + pointer(found[0])},
            {"op": "add", "path": f"{place}/sort_field", "value": field},
            {"op": "add", "path": f"{place}/order", "value": word},
        ],
    )


def _between(facts: NodeFacts, spec: NodeSpec) -> Iterator[Problem]:
    """Yield `between: [0, 500]` of a condition on a range."""
    listed = facts.settings.get("conditions")
    for at, one in enumerate(listed if isinstance(listed, list) else ()):
        if facts.settings.get("filter_type") != "range_filter" or not isinstance(one, dict):
            continue
        names = [name for name in one if name in {"between", "range"}]
        ends: Json = one[names[0]] if len(names) == 1 else None
        if not isinstance(ends, list) or len(ends) != 2 or _ENDS & one.keys():
            continue
        low, high = ends
        if _is_number(low) and _is_number(high):
            place = f"{facts.place}/configurations/conditions/{at}"
            yield _problem(
                place + pointer(names[0]),
                f"{names[0]!r} is unknown; a range has two ends",
                f"write 'min_value' as {low} and 'max_value' as {high}",
                [
                    {"op": "remove", "path": place + pointer(names[0])},
                    {"op": "add", "path": f"{place}/min_value", "value": low},
                    {"op": "add", "path": f"{place}/max_value", "value": high},
                ],
            )


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_Rule = Callable[[NodeFacts, NodeSpec], Iterator[Problem]]
_REQUEST = "ACTION.HTTP_REQUEST"
_HOOK = ("webhook_path", "allowed_methods")
_SORT = {"sort_field", "order"}
_ENDS = {"min_value", "max_value"}
_WORDS = {
    **dict.fromkeys(("1", "asc", "ascending"), "asc"),
    **dict.fromkeys(("-1", "desc", "descending"), "desc"),
}
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    _REQUEST: (_bearer, _form, _method, _twice),
    "TRIGGER.WEBHOOK": (_method,),
    "TRIGGER.GITHUB": (_actions,),
    "FLOW.SORT": (_keyed_order,),
    "FLOW.FILTER": (_between,),
}
