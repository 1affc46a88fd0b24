"""`multi_input` and `input`: named values for the texts of a flow."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.json_text import Json, JsonObject


class MultiInput:
    """Gives its variables; the run's inputs come before the values written in it."""

    types = ("multi_input", "input")
    effect = "pure"

    def compute(self, given: NodeInput) -> Outcome:
        """All variables with a value."""
        inputs = given.names["trigger"]
        started_with = inputs if isinstance(inputs, dict) else {}
        written = {**_own(given.config.get("variables")), **given.record("values")}
        values = {**written, **started_with}
        return Outcome(values)


def _own(variables: Json) -> JsonObject:
    """`["a", "b"]`, `[{"key": "a", "value": 1}]` or `{"a": 1}`."""
    if isinstance(variables, dict):
        return dict(variables)
    found: JsonObject = {}
    for one in variables if isinstance(variables, list) else ():
        if isinstance(one, dict) and isinstance(one.get("key"), str) and "value" in one:
            found[str(one["key"])] = one["value"]
    return found


plain = MultiInput()
