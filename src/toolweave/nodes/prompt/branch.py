"""`ifElse`, `switch` and `branch`: the first branch whose condition holds."""

from toolweave.catalog.node import Given, Outcome
from toolweave.errors import Invalid, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.expressions.language import Value, compile_text, evaluate
from toolweave.workflow.expressions.translate import translate_condition


class Branch:
    """Leaves by `branch-N` of the first branch that holds, else of the default one."""

    types = ("ifElse", "switch", "branch")
    effect = "pure"

    def compute(self, given: Given) -> Outcome:
        """What came in, by one branch.

        Raises:
            Unavailable: `MODEL_NEEDED` for a condition in plain words.
        """
        listed = given.config.get("branches")
        branches = (
            [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        )
        default: int | None = None
        for index, branch in enumerate(branches):
            if branch.get("isDefault") is True:
                default = index
            elif self._holds(branch, given):
                return Outcome(given.came_in, (f"branch-{index}",))
        if default is None:
            raise Invalid("BRANCH_NONE", "no branch holds, and there is no default")
        return Outcome(given.came_in, (f"branch-{default}",))

    def _holds(self, branch: JsonObject, given: Given) -> bool:
        text = branch.get("condition")
        if not isinstance(text, str):
            return False
        written = translate_condition(text).text or text
        if not compile_text(written).is_usable:
            raise _needs_model(text)
        found = evaluate(written, given.names)
        value: Json = found.value if isinstance(found, Value) else None
        if not isinstance(value, bool):
            raise _needs_model(text)
        return value


def _needs_model(text: str) -> Unavailable:
    return Unavailable(
        "MODEL_NEEDED",
        f"the condition {text[:80]!r} is in plain words, which only a model can judge",
        hint="write it as an expression, such as data.count > 3, or configure a model",
    )


plain = Branch()
