"""The ports of a node: from its specification, or from its branches and options."""

from collections.abc import Sequence

from toolweave.catalog.spec import NodeSpec, Port
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.tools.meaning import meant
from toolweave.tools.other_names import names_of
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import DECISIONS, DRAWN, is_loop, spec_of, type_of
from toolweave.workflow.checks.spelling import closest
from toolweave.workflow.model import INPUT_PORT, OUTPUT_PORT, SAME_AS_OUTPUT, Edge, Node
from toolweave.workflow.modes import object_at

ERROR = "error"
NEXT = "next"
# Nodes with a port for each item of a list among their settings.
NUMBERED = {"FLOW.SWITCH": ("cases", "case-"), "AI_AGENT.CLASSIFY": ("labels", "label-")}
LOOP_PORTS = frozenset({"loop", "iteration"})
# Common names of the only output port; any other name may mean something else.
_ONLY_OUTPUT = frozenset(
    {
        *SAME_AS_OUTPUT,
        *(
            "out",
            "out0",
            "out1",
            "output0",
            "output1",
            "default",
            "success",
            "ok",
            "next",
            "response",
            "data",
            "done",
            "source",
        ),
        *("complete", "completed", "finished", "value", "0"),
    }
)
_FAILURES = frozenset(
    {"fail", "fails", "failed", "failure", "failures", "catch", "exception", "fault"}
    | {"err", "errors", "crash", "unsuccessful"}
)
_PASSING = frozenset({"passed", "pass", "confirmed", "approved", "success", "ok"})
# An edge of such a kind attaches a tool or a memory to an agent.
_ATTACHING = "ai_"

_NUMBER = pattern(r"([A-Za-z]+)[-_ ]?(\d{1,2})")
_IS_TRUE = pattern(r"\s*={2,3}\s*true\s*$")
_PREFIX = pattern(r"^(?:on|if|is|when|case)(?:[-_ ]|(?=[A-Z]))")
_SYNONYMS = {
    "true": ("yes", "then", "success", "branch-0", "wahr", "vrai", "ja", "match", "matched"),
    "false": ("no", "else", "otherwise", "branch-1", "falsch", "faux", "nein", "unmatched"),
    "default": ("else", "otherwise", "fallback", "other", "others", "rest", "none"),
    "confirmed": (
        *("approved", "approve", "accepted", "accept", "yes", "true", "ok", "agreed", "agree"),
        *("confirm", "submitted", "submit", "passed", "pass", "answered", "granted", "filled"),
        *("completed", "complete", "success", "positive", "valid", "signed"),
    ),
    "rejected": (
        *("denied", "declined", "decline", "refused", "no", "false", "deny", "refuse", "reject"),
        *("cancelled", "canceled", "cancel", "dismissed", "negative", "disapproved", "abort"),
        *("aborted", "not_approved", "invalid"),
    ),
    "unsure": ("default", "other", "others", "else", "otherwise", "fallback", "unknown", "none"),
    "timeout": (
        *("expired", "noanswer", "no_answer", "noreply", "no_reply", "noresponse", "late"),
        *("timed_out", "timedout", "no_response", "elapsed", "deadline", "overdue"),
    ),
    "unrelated": ("other", "others", "unclear", "else", "otherwise", "unknown", "irrelevant"),
    "excluded": ("rejected", "dropped", "discarded", "filtered", "nonmatching", "false"),
    "loop": ("body", "each", "item"),
    "done": ("end", "finished", "after", "completed", "complete"),
}


def is_attachment(edge: Edge) -> bool:
    """Whether an edge attaches a tool or a memory to an agent."""
    if edge.source_port[:3].casefold() == _ATTACHING:
        return True
    return edge.kind is not None and edge.kind[:3].casefold() == _ATTACHING


def out_ports(case: CheckContext, node: Node) -> tuple[str, ...] | None:
    """Return the output ports of a node without `error`; None if unknown."""
    if (spec := spec_of(case, node)) is not None:
        return _of_spec(node, spec)
    kind = type_of(node)
    if kind not in DRAWN or kind == "end":
        return None
    choices = _choices(node)
    if kind not in DECISIONS:
        return (OUTPUT_PORT, *_numbered(choices)) if choices > 1 else (OUTPUT_PORT,)
    if kind == "askUserQuestion" and _is_one_way(node):
        return (OUTPUT_PORT, *_numbered(choices))
    return _numbered(choices) if choices else None


def _of_spec(node: Node, spec: NodeSpec) -> tuple[str, ...]:
    """The ports of a catalog node; of numbered ones only those that its settings give rise to."""
    names = tuple(port.name for port in spec.output_ports)
    if spec.ref not in NUMBERED:
        return names
    field, prefix = NUMBERED[spec.ref]
    listed = object_at(node.data, "configurations").get(field)
    if not isinstance(listed, list) or not listed:
        return names
    used = {f"{prefix}{at}" for at in range(len(listed))}
    return tuple(name for name in names if name in used or not name.startswith(prefix))


def names_out(case: CheckContext, node: Node, known: tuple[str, ...]) -> frozenset[str]:
    """Return every name of the node's known output ports."""
    spec = spec_of(case, node)
    aliases = (port.aliases for port in spec.output_ports) if spec else ()
    return frozenset({*known, ERROR, *(name for names in aliases for name in names)})


def enters_by(case: CheckContext, node: Node, port: str) -> bool:
    """Whether a node has this input port; nodes without a specification accept any."""
    if port == INPUT_PORT or (is_loop(node) and port == NEXT):
        return True
    if (spec := spec_of(case, node)) is None:
        return type_of(node) not in DRAWN
    if not spec.input_ports:
        return True  # no input at all; reported for the edge
    names = {known.name for known in spec.input_ports} | {given.name for given in spec.inputs}
    return port in names or _is_alias(spec.input_ports, port)


def meant_out(node: Node, edge: Edge, known: tuple[str, ...], used: frozenset[str]) -> str | None:
    """Return the port that an unknown name means; ports in `used` already have an edge."""
    wrong = edge.source_port
    if wrong == OUTPUT_PORT and (named := _by_other_key(edge, known)):
        return named
    owner, point, port = wrong.rpartition(".")
    if point and owner in {node.id, node.name, "output", "outputs"} and port in (*known, ERROR):
        return port
    if _means_error(wrong, known):
        return ERROR
    if len(known) == 1:
        said = _letters(wrong)
        return known[0] if said in _ONLY_OUTPUT else closest(wrong, (*known, ERROR))
    if named := _said(node, wrong, known):
        return None if _is_of_another(wrong, named, known, used) else named
    # Beside an edge for what passes, a failure is the answer no.
    if _letters(wrong) in _FAILURES and "rejected" in known and used & _PASSING:
        return "rejected"
    at = edge.extras.get("index")
    # Older catalog files number the outputs of `main`.
    if isinstance(at, int) and not isinstance(at, bool) and 0 < at < len(known):
        return known[at]
    left = [port for port in known if port not in used and not edge.extras]
    return left[0] if len(left) == 1 and wrong in {OUTPUT_PORT, *SAME_AS_OUTPUT} else None


def _is_of_another(wrong: str, named: str, known: Sequence[str], used: frozenset[str]) -> bool:
    """Whether a number may be counted from 1: its port is in use, and another one is not."""
    match = _NUMBER.fullmatch(named)
    if match is None or named not in used or not wrong.rstrip().endswith(match[2]):
        return False
    others = [one for one in known if (found := _NUMBER.fullmatch(one)) and found[1] == match[1]]
    return any(one not in used for one in others)


def _said(node: Node, text: str, known: tuple[str, ...]) -> str | None:
    """Return the port that a name means by its letters or by its meaning."""
    wrong = _IS_TRUE.sub("", text)
    if wrong in known:
        return wrong
    named = _by_label(node, wrong) or _by_number(node, wrong)
    if named is not None and named in known:
        return named
    called = [one for one in names_of(node.ref or "").ports.meant(wrong) if one in known]
    if len(called) == 1:
        return called[0]
    if found := closest(wrong, (*known, ERROR)) or _by_synonym(known, wrong):
        return found
    return several[0] if len(several := meant(wrong, known)) == 1 else None


def _by_other_key(edge: Edge, known: Sequence[str]) -> str | None:
    """Return the port that an unknown key of the edge names, such as `sourceHandle`."""
    named = {port for value in said_by(edge).values() if (port := port_said(value, known))}
    return named.pop() if len(named) == 1 else None


def said_by(edge: Edge) -> dict[str, Json]:
    """The keys of an edge that may name its port, with their values."""
    return {**edge.extras, **({"condition": edge.condition} if edge.condition else {})}


def port_said(value: Json, known: Sequence[str]) -> str | None:
    """Return the port that a value is, in any case, or by a word for it."""
    text = str(value) if isinstance(value, str | bool) else ""
    text = _IS_TRUE.sub("", text)
    found = [port for port in (*known, ERROR) if port.casefold() == text.strip().casefold()]
    return found[0] if found else _by_synonym(known, text.strip()) if text else None


def _means_error(wrong: str, known: Sequence[str]) -> bool:
    """Whether a name means the error port; a decision may call another port a failure."""
    said = _letters(wrong)
    return "error" in said or (len(known) == 1 and said.removeprefix("on") in _FAILURES)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _by_synonym(known: Sequence[str], wrong: str) -> str | None:
    said = wrong.casefold()
    # `onTrue` and `if_true` are the way that is taken then.
    said = _PREFIX.sub("", wrong).casefold() or said
    if said in known:
        return said
    for port in known:
        if said in _SYNONYMS.get(port, ()):
            return port
    for port, synonyms in _SYNONYMS.items():
        # The editor's two branches have no other names.
        if said in {port, *synonyms} and len(known) == 2:
            found = {"true": "branch-0", "false": "branch-1"}.get(port)
            return found if found in known else None
    return None


def _by_label(node: Node, wrong: str) -> str | None:
    """Return `branch-1` if the edge names the branch or option by its label or id."""
    if type_of(node) not in DECISIONS:
        return None
    said = wrong.casefold()
    found = [
        index
        for index, choice in enumerate(choices_of(node))
        if isinstance(choice, dict)
        and said in {str(choice.get(key)).casefold() for key in ("id", "label")}
    ]
    return f"branch-{found[0]}" if len(found) == 1 else None


def _by_number(node: Node, wrong: str) -> str | None:
    """Return `case-0` for `0` or `case_0`, and `label-1` for the second label itself."""
    field, prefix = NUMBERED.get(node.ref or "", ("", ""))
    if not field:
        return None
    listed = object_at(node.data, "configurations").get(field)
    items = listed if isinstance(listed, list) else []
    for named in (wrong, wrong.removeprefix(prefix)):
        same = [at for at, one in enumerate(items) if _is_text(one, named)]
        if len(same) == 1:
            return f"{prefix}{same[0]}"
    if isinstance(listed, list) and (at := _comparing(listed, wrong)) is not None:
        return f"{prefix}{at}"
    number = _letters(wrong).removeprefix(_letters(prefix))
    return f"{prefix}{number}" if number.isdecimal() else None


def _is_text(value: Json, text: str) -> bool:
    return isinstance(value, str) and value.strip().casefold() == text.strip().casefold()


def _comparing(cases: list[Json], value: str) -> int | None:
    """The only case whose condition compares with this text, or that has it as a name."""
    written = (f"'{value}'", f'"{value}"')
    named = [at for at, one in enumerate(cases) if isinstance(one, dict) and value in one.values()]
    found = named or [
        at
        for at, one in enumerate(cases)
        if isinstance(one, dict) and any(text in str(one.get("when")) for text in written)
    ]
    return found[0] if len(found) == 1 else None


def by_branch_number(wrong: str, known: Sequence[str], used: frozenset[str]) -> str | None:
    """Return `branch-1` for `option-1`, where the first of them is counted from 0."""
    match = _NUMBER.fullmatch(wrong)
    if match is None or not all(one.startswith("branch-") for one in known):
        return None
    others = [found for one in used if (found := _NUMBER.fullmatch(one)) and found[1] == match[1]]
    meant = f"branch-{match[2]}"
    is_from_zero = any(one[2] == "0" for one in others) and len(others) <= len(known)
    # Where an edge uses the port that it would be if counted from 1, it is counted from 0.
    is_from_zero |= meant not in used and f"branch-{int(match[2]) - 1}" in used and not others[1:]
    return meant if is_from_zero and meant in known else None


def choices_of(node: Node) -> list[Json]:
    """Return the branches or options of a decision."""
    key = "options" if type_of(node) == "askUserQuestion" else "branches"
    listed = node.data.get(key)
    return listed if isinstance(listed, list) else []


def _choices(node: Node) -> int:
    if type_of(node) in DECISIONS and (listed := choices_of(node)):
        return len(listed)
    count = node.data.get("outputPorts")
    return count if isinstance(count, int) and 0 < count <= 100 else 0


def _is_one_way(node: Node) -> bool:
    """Whether all answers of a question use one port."""
    return node.data.get("multiSelect") is True or node.data.get("useAiSuggestions") is True


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"branch-{at}" for at in range(count))


def _is_alias(ports: Sequence[Port], name: str) -> bool:
    return any(name in port.aliases for port in ports)
