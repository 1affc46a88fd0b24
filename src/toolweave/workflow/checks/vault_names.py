"""Secrets that a workflow refers to and the vault of this home does not have."""

from collections.abc import Iterator

import orjson

from toolweave.cel.templates import texts_in
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem, did_you_mean, pointer
from toolweave.tools.meaning import plain_word
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext

_NAME = pattern(r"\$\{vault:([A-Za-z0-9][\w.-]*)\}")
_MARK = "${vault:"


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield warnings only: another home may have the secret."""
    home = case.known.home
    if home is None or home.secrets is None:
        return
    for index, node in enumerate(case.workflow.nodes):
        if _may_name(node.data):
            for place, text in texts_in(node.data, pointer("nodes", index, "data")):
                for name in dict.fromkeys(_NAME.findall(text)):
                    if name not in home.secrets:
                        yield _problem(place, text, name, home.secrets)


def _may_name(data: Json) -> bool:
    try:
        return _MARK.encode() in orjson.dumps(data)
    except TypeError:
        return True


def _problem(place: str, text: str, name: str, known: frozenset[str]) -> Problem:
    """A name that differs in case or separators only is corrected; no other secret is guessed."""
    same = [one for one in known if plain_word(one) == plain_word(name)]
    add = f"run `toolweave secrets set {name}` to store it"
    hint = did_you_mean(name, known)
    patch = None
    if len(same) == 1:
        value = text.replace(f"{_MARK}{name}}}", f"{_MARK}{same[0]}}}")
        patch = ({"op": "replace", "path": place, "value": value},)
    return Problem(
        "SECRET_NOT_FOUND",
        place,
        f"the vault has no secret {shown(name)}",
        hint=f"{hint} Or {add}" if hint else add,
        severity="warning",
        patch=patch,
    )
