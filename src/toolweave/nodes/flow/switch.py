"""FLOW.SWITCH: go one of several ways."""

from functools import partial

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.node_input import read_each, refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec, Port
from toolweave.json_text import Json
from toolweave.workflow.expression_values import condition

MAX_CASES = 16
DEFAULT = "default"


def read_cases(given: NodeInput) -> list[str | bool]:
    """The condition of every case. Raises `SWITCH_CASE_INVALID`."""
    cases = given.listing("cases")
    if not 0 < len(cases) <= MAX_CASES:
        message = f"'cases' has {len(cases)} cases; it takes 1 to {MAX_CASES}"
        raise refused_at(("cases",), "SWITCH_CASE_INVALID", message)
    return read_each(partial(_condition, case, index) for index, case in enumerate(cases))


def _condition(case: Json, index: int) -> str | bool:
    when = case.get("when") if isinstance(case, dict) else None
    # A template may have worked it out already.
    if isinstance(when, bool) or (isinstance(when, str) and when.strip()):
        return when
    raise refused_at(
        ("cases", index, "when") if isinstance(case, dict) else ("cases", index),
        "SWITCH_CASE_INVALID",
        f"case {index} has no condition 'when'",
        hint='write it as {"when": "data.urgent"}',
        fix={"when": case} if isinstance(case, str) and case.strip() else None,
    )


class SwitchNode:
    """Passes its input on by the first case that holds, or by all that do."""

    spec = NodeSpec(
        type="FLOW",
        subtype="SWITCH",
        summary="Go one of several ways, by the first of a list of cases that holds.",
        effect="pure",
        configurations=(
            Field(
                "cases",
                "array",
                'CEL for each way, true or false: [{"when": "data.urgent"}]; the first '
                "leaves by case-0.",
                required=True,
                items="object",
                members="[{when}]",
            ),
            Field(
                "takes_all",
                "boolean",
                "Whether every case that holds is taken; else only the first.",
                False,
            ),
        ),
        inputs=(
            Field(
                "data",
                "any",
                "What the cases read; it is passed on unchanged.",
                required=True,
            ),
            Field("context", "object", "More values for the cases, as `context.name`."),
            Field("variables", "object", "Variables for the cases, as `variables.name`."),
        ),
        outputs=(
            Field("data", "any", "The input, unchanged."),
            Field("matched", "array", "Ports it left by.", items="string"),
        ),
        output_ports=(
            *(Port(f"case-{index}", f"Taken for case {index}.") for index in range(MAX_CASES)),
            Port(DEFAULT, "Taken when no case holds."),
        ),
        checks=(read_cases,),
        tags=("flow", "switch", "routing"),
        keywords=(
            *("switch", "case", "cases", "router", "several ways", "choose"),
            *("match", "default", "dispatch", "many paths", "multiway"),
        ),
        guidance=(
            "Cases are checked in order, from case-0; connect `default` for everything else, or "
            "the run ends there. Do not put it after a HUMAN_IN_THE_LOOP node, which already "
            "leaves by its answer."
        ),
        examples=(
            Example(
                "By priority",
                "The second case holds.",
                {
                    "cases": [
                        {"when": "data.priority == 'high'"},
                        {"when": "data.priority == 'normal'"},
                    ]
                },
                {"data": {"ticket": "T-1", "priority": "normal"}},
                {"data": {"ticket": "T-1", "priority": "normal"}, "matched": ["case-1"]},
                port="case-1",
            ),
            Example(
                "None of them",
                "An unknown language goes by default.",
                {"cases": [{"when": "data.language in ['de', 'fr']"}]},
                {"data": {"language": "ja"}},
                {"data": {"language": "ja"}, "matched": ["default"]},
                port="default",
            ),
            Example(
                "Everyone who asked",
                "Both hold, and both are taken.",
                {
                    "cases": [{"when": "data.by_mail"}, {"when": "data.by_phone"}],
                    "takes_all": True,
                },
                {"data": {"by_mail": True, "by_phone": True}},
                {"data": {"by_mail": True, "by_phone": True}, "matched": ["case-0", "case-1"]},
                port="case-0",
                also=("case-1",),
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """What came in, by the ways whose conditions hold."""
        matched: list[str] = []
        for index, when in enumerate(read_cases(given)):
            if when if isinstance(when, bool) else condition(when, given.names):
                matched.append(f"case-{index}")
                if not given.flag("takes_all"):
                    break
        ports = tuple(matched) or (DEFAULT,)
        return Outcome({"data": given.value("data"), "matched": list[Json](ports)}, ports)


node = SwitchNode()
