"""Names that other systems have for the input of a run. Not a check."""

from toolweave.cel.paths import Step
from toolweave.patterns import pattern

# Words for what a run was started with; `flow_input` and `dagRunConf` are made of them.
_RUN_INPUT = frozenset(
    {"event", "payload", "request", "req", "body", "input", "inputs", "params", "parameters"}
    | {"args", "arguments", "arg", "param", "parameter", "query", "form", "start", "workflow"}
    | {"message", "msg", "webhook", "json", "flow", "run", "dag", "conf", "pipeline", "job"}
    | {"trigger", "triggered", "triggers"}
    | {"execution", "initial", "props", "kwargs", "values", "data", "http"}
    | {"github", "callback", "submission", "fields", "vars"}
)
_NAME_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def is_run_input(name: Step) -> bool:
    """Whether a name is made of words for the input of a run."""
    words = [one.lower() for one in _NAME_WORD.findall(name)] if isinstance(name, str) else []
    return bool(words) and all(one in _RUN_INPUT for one in words)
