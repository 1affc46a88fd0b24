"""`ifElse`, `switch` and `branch`: the first branch whose condition holds."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.cel.language import Value, compile_text, evaluate
from toolweave.errors import Invalid, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.legacy.translate import translate_condition


class Branch:
    """Leaves by `branch-N` of the first branch that holds, else of the default one."""

    types = ("ifElse", "switch", "branch")
    effect = "pure"

    def compute(self, given: NodeInput) -> Outcome:
        """What came in, by one branch."""
        for index, branch in enumerate(branches_of(given)):
            if branch.get("isDefault") is not True and self.holds(branch, given):
                return Outcome(given.incoming, (f"branch-{index}",))
        return self.otherwise(given)

    def otherwise(self, given: NodeInput) -> Outcome:
        """What came in, by the default branch. Raises `Invalid`: `BRANCH_NONE`."""
        defaults = [
            index
            for index, branch in enumerate(branches_of(given))
            if branch.get("isDefault") is True
        ]
        if not defaults:
            raise Invalid("BRANCH_NONE", "no branch holds, and there is no default")
        return Outcome(given.incoming, (f"branch-{defaults[-1]}",))

    def holds(self, branch: JsonObject, given: NodeInput) -> bool:
        """Evaluate a branch's expression. Raises `MODEL_NEEDED` for plain language."""
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


def branches_of(given: NodeInput) -> list[JsonObject]:
    """The branches of a decision."""
    listed = given.config.get("branches")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _needs_model(text: str) -> Unavailable:
    return Unavailable(
        "MODEL_NEEDED",
        f"the condition {text[:80]!r} is in plain words, which only a model can judge",
        hint="write it as an expression, such as data.count > 3, or configure a model",
    )


plain = Branch()
