"""Secrets in plain text in a workflow.

Reports values of secret fields and values with the unmistakable format of a key; never shows them.
Templates and references to the vault or environment are fine.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from toolweave.access.mask import LEAST_CHARACTERS, is_sensitive
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.document import Steps
from toolweave.tools.meaning import plain_word
from toolweave.workflow.checks.context import CheckContext, KnownHome
from toolweave.workflow.checks.node_facts import NodeFacts, node_table

_PARTS = ("configurations", "inputParams", "parameterValues")
# Prefixes of API keys of well-known services.
_KEY = pattern(
    r"(?:sk-(?:ant-|proj-)?|xox[abeoprs]-|gh[opsur]_|github_pat_|glpat-|AKIA|ASIA|AIza|ya29\."
    r"|fc-|secret_|ntn_|hf_|npm_)[A-Za-z0-9_-]{16,}"
)
_SHORTEST_KEY = 19
# Common placeholders for secrets.
_STAND_IN = pattern(
    r"[x*._-]+|<.*>|\[.*\]|(?:your|my|the|some|example|sample|test|dummy|fake|insert|change|todo"
    r"|placeholder|replace|enter).*|.*(?:here|example|placeholder|changeme)",
    re.IGNORECASE,
)
_REFERENCE = pattern(r"\$\{vault:[A-Za-z0-9][\w.-]*\}")
# The vault by another spelling: `${VAULT:name}`, `vault:name`, `${vault: name`, `$vault.name`.
# `${{ secrets.NAME }}` and `{{ vault['name'] }}` of other systems.
_FOREIGN = pattern(
    r"(?:\$?\{\{?|\$)?\s*\$?(?:vault|secrets?|credentials?)\s*(?::/{0,2}|[./]|\[\s*['\"]|\(\s*['\"])\s*"
    r"([A-Za-z0-9][\w.-]*?)(?:['\"]\s*[\])])?\s*\}{0,2}",
    re.IGNORECASE,
)
# The same within a longer text, where only braces show that it is one.
_FOREIGN_INSIDE = pattern(
    r"\$?\{\{\s*\$?(?:vault|secrets?)\s*(?:[:.]|\[\s*['\"])\s*([A-Za-z0-9][\w.-]*?)"
    r"(?:['\"]\s*\])?\s*\}\}",
    re.IGNORECASE,
)
# Addresses that let everybody write who knows them.
_SECRET_URL = pattern(
    r"https://(?:(?:\w+\.)?discord(?:app)?\.com/api/webhooks/|hooks\.slack\.com/services/)\S+"
)
_PASSWORD_IN_URL = pattern(r"://[^\s/?#:@]{1,200}:[^\s/?#@]{1,200}@")
_CONTAINERS = frozenset({dict, list})
_NONE: Mapping[str, Json] = {}


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield literal keys, tokens and passwords in node values."""
    table = node_table(case)
    has_telling_names = any(map(is_sensitive, table.names))
    secrets = {facts.index: secret for facts, _, secret in table.having(_secret_fields)}
    for facts in table.nodes:
        # By its length or its signs, a text may be a secret under any name.
        texts = facts.texts
        may_hold = len(texts) >= _SHORTEST_KEY or facts.is_nested or "@" in texts
        if not may_hold and not has_telling_names and facts.index not in secrets:
            continue
        secret = secrets.get(facts.index, _NONE)
        if not may_hold and not _is_named(facts, secret):
            continue
        for part, values in zip(_PARTS, (facts.settings, facts.inputs, facts.values), strict=True):
            for steps, text in _in(values, secret, has_telling_names) if values else ():
                place = f"{facts.place}/{part}{pointer(*steps)}"
                yield _problem(place, text, case.known.home)


def _is_named(facts: NodeFacts, secret: Mapping[str, Json]) -> bool:
    """Whether a value may be a secret by its name."""
    for part in (facts.settings, facts.inputs, facts.values):
        if part and (any(map(is_sensitive, part)) or not secret.keys().isdisjoint(part)):
            return True
    return False


def _secret_fields(spec: NodeSpec) -> Mapping[str, Json]:
    """The secret fields with their default values, which are no secrets."""
    fields = (*spec.configurations, *spec.inputs)
    return {
        name: one.default for one in fields if one.sensitive for name in (one.name, *one.aliases)
    }


def _in(
    values: JsonObject, secret: Mapping[str, Json], has_telling_names: bool
) -> Iterable[tuple[Steps, str]]:
    """Return texts of secret fields; `secret` and the names apply to the top level only."""
    waiting: list[tuple[Json, Steps, bool]] = []
    for name, value in values.items():
        if not isinstance(value, str) and type(value) not in _CONTAINERS:
            continue
        is_secret = name in secret or (has_telling_names and is_sensitive(name))
        if isinstance(value, str) and not is_secret and _is_harmless(value):
            continue
        if value != secret.get(name):
            waiting.append((value, (name,), is_secret))
    return _literals(waiting) if waiting else ()


def _is_harmless(text: str) -> bool:
    """Whether a text has a template, or is too short for a key and has no password, as most."""
    return "{{" in text or (len(text) < _SHORTEST_KEY and "@" not in text)


def _literals(waiting: list[tuple[Json, Steps, bool]]) -> Iterator[tuple[Steps, str]]:
    """Yield what is no reference in values that may be secrets."""
    while waiting:
        value, at, is_secret = waiting.pop()
        if isinstance(value, dict):
            waiting += [(item, (*at, name), is_sensitive(name)) for name, item in value.items()]
        elif isinstance(value, list):
            waiting += [(item, (*at, index), is_secret) for index, item in enumerate(value)]
        elif isinstance(value, str) and (
            _is_literal(value, is_secret=is_secret) or (is_secret and _is_no_reference(value))
        ):
            yield at, value


def _is_literal(text: str, *, is_secret: bool) -> bool:
    if "{{" in text or "${" in text:
        return False
    if not is_secret:
        if _KEY.fullmatch(text) or _SECRET_URL.fullmatch(text):
            return True
        return "@" in text and _PASSWORD_IN_URL.search(text) is not None
    plain = text.removeprefix("Bearer ").removeprefix("Basic ").strip()
    is_long = len(plain) >= LEAST_CHARACTERS and not any(one.isspace() for one in plain)
    return is_long and _STAND_IN.fullmatch(plain) is None


def _is_no_reference(text: str) -> bool:
    """Whether a secret is written as a placeholder, or in the notation of another system."""
    plain = text.strip()
    if _FOREIGN_INSIDE.search(plain):
        return True
    if "{{" in plain or not plain or _REFERENCE.search(plain):
        return False
    return "$" in plain or bool(_FOREIGN.fullmatch(plain)) or _is_placeholder(plain)


def _is_placeholder(text: str) -> bool:
    plain = text.removeprefix("Bearer ").strip()
    return len(plain) >= LEAST_CHARACTERS and _STAND_IN.fullmatch(plain) is not None


def _problem(place: str, text: str, home: KnownHome | None) -> Problem:
    if _is_no_reference(text):
        return _no_reference(place, text.strip(), None if home is None else home.secrets)
    name = text.strip()
    if home is not None and home.secrets is not None and name in home.secrets:
        meant = f"${{vault:{name}}}"
        message = "the value is the name of a secret; it is used as it is"
        patch = ({"op": "replace", "path": place, "value": meant},)
        return Problem(
            "SECRET_REFERENCE_INVALID", place, message, f"write {meant}", "warning", patch
        )
    return Problem(
        "SECRET_IN_WORKFLOW",
        place,
        "the value looks like a secret in plain text",
        hint="store it in the vault and use ${vault:NAME} here",
        severity="warning",
    )


def _no_reference(place: str, text: str, known: frozenset[str] | None) -> Problem:
    whole = _FOREIGN.fullmatch(text)
    names = [whole[1]] if whole else _FOREIGN_INSIDE.findall(text)
    ours = {name: _own_name(name, known, is_ours="vault" in text.lower()) for name in names}
    meant = None
    if names and None not in ours.values():
        written = {name: f"${{vault:{one}}}" for name, one in ours.items()}
        inside = _FOREIGN_INSIDE.sub(lambda found: written[found[1]], text)
        meant = written[whole[1]] if whole else inside
    return Problem(
        "SECRET_REFERENCE_INVALID",
        place,
        "the value is no reference to a secret of the vault",
        hint=f"write {meant}"
        if meant
        else "store it with `toolweave secrets set NAME` and write ${vault:NAME} here",
        severity="warning",
        patch=({"op": "replace", "path": place, "value": meant},) if meant else None,
    )


def _own_name(name: str, known: frozenset[str] | None, *, is_ours: bool) -> str | None:
    """The name in the vault; the store of another system may have secrets that ours has not."""
    if known is None or name in known:
        return name
    same = [one for one in known if plain_word(one) == plain_word(name)]
    return same[0] if len(same) == 1 else name if is_ours else None
