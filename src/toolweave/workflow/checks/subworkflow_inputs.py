"""FLOW.SUBWORKFLOW with the inputs of the other workflow beside `data` instead of in it."""

from collections.abc import Iterator

from toolweave.json_text import JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.misspelling import misspelt
from toolweave.tools.other_names import names_of
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.modes import object_at

CODE = "FIELD_FORM_UNUSUAL"
_REF = "FLOW.SUBWORKFLOW"
_DATA = "data"


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield inputs that another workflow would never get, with `data` made of them."""
    for facts in node_table(case).of_refs({_REF}):
        given = object_at(facts.node.data, "inputParams")
        is_named = any(
            misspelt(one, [_DATA]) or _DATA in names_of(_REF).settings.meant(one) for one in given
        )
        if not given or _DATA in given or is_named:
            continue
        place = f"{facts.place}/inputParams"
        made: JsonObject = {_DATA: given}
        said = ", ".join(map(repr, given))
        yield Problem(
            CODE,
            place + pointer(next(iter(given))),
            f"{said}: the inputs of the other workflow are the members of {_DATA!r}",
            f"write them as members of {_DATA!r}",
            patch=({"op": "replace", "path": place, "value": made},),
        )
