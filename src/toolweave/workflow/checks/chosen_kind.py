"""A renamed setting that counts with one value of another setting only, which is not given.

Not a check.
`condition: x` of a loop is `loop_condition: x`, and says that the loop is a `while`.
"""

from dataclasses import replace

from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.inner_keys import is_meant
from toolweave.tools.misspelling import misspelt
from toolweave.workflow.json_patch import steps_of
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

_PART = "configurations"


def with_kind(problem: Problem, node: Node, spec: NodeSpec) -> Problem:
    """The problem with a patch that also sets what the renamed setting needs, if that is clear."""
    fields = {one.name: one for one in spec.configurations}
    given = object_at(node.data, _PART)
    field = _renamed_to(problem, fields)
    if field is None or len(field.used_when) != 2:
        return problem
    name, wanted = field.used_when
    decides = fields.get(name)
    if decides is None or name in given or wanted not in decides.options:
        return problem
    strange = [one for one in given if one not in fields]
    if decides.default == wanted or _says_other(given, fields, field):
        return problem
    if any(misspelt(one, [name]) or is_meant(one, name) for one in strange):
        return problem  # it is given under another name
    operation = {"op": "add", "path": f"/{_PART}{pointer(name)}", "value": wanted}
    hint = f"{(problem.hint or '').rstrip('?')}, and set {name!r} to {wanted!r}"
    hint = hint.replace("did you mean ", "use ", 1)
    return replace(problem, hint=hint, patch=(*(problem.patch or ()), operation))


def _renamed_to(problem: Problem, fields: dict[str, Field]) -> Field | None:
    """The setting that the patch gives another's value."""
    if problem.code != "FIELD_UNKNOWN":
        return None
    added = [one for one in problem.patch or () if one["op"] in ("add", "move")]
    steps = steps_of(str(added[0]["path"])) if len(added) == 1 else []
    return fields.get(steps[1]) if len(steps) == 2 and steps[0] == _PART else None


def _says_other(given: JsonObject, fields: dict[str, Field], field: Field) -> bool:
    """Whether a setting that is given counts with another value only."""
    used = (fields[name].used_when for name in given if name in fields)
    return any(one and one[0] == field.used_when[0] and one != field.used_when for one in used)
