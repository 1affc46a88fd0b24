"""Nodes of other systems that a workflow does without, and what is written instead."""

from toolweave.catalog.names import Words, skeleton

_PARALLEL = (
    "no node is needed: connect a node to several others, which then run at the same time; "
    "'FLOW.MERGE' waits for all of them"
)
_START = "a workflow starts with its trigger; 'TRIGGER.MANUAL' starts it by hand or as a tool"
_END = "no node is needed: a branch ends with a node from which no connection leaves"
_CODE = (
    "there is no node for code: use expressions in 'ACTION.SET_FIELDS' or "
    "'ACTION.DATA_TRANSFORMATION', or a registered program in 'ACTION.RUN_COMMAND'"
)
_ERROR = "no node is needed: connect the port 'error' of the node that may fail"
_LOG = "no node is needed: the input and the output of every step are recorded with the run"
_NOTHING = "no node is needed: connect the nodes before and after it"

_INSTEAD = {
    **dict.fromkeys(("PARALLEL", "FORK", "CONCURRENT", "PARALLELIZE", "RUNINPARALLEL"), _PARALLEL),
    **dict.fromkeys(("START", "BEGIN", "ENTRY", "ENTRYPOINT"), _START),
    **dict.fromkeys(("END", "RETURN", "FINISH", "EXIT", "TERMINAL"), _END),
    **dict.fromkeys(("CODE", "SCRIPT", "JAVASCRIPT", "PYTHON", "FUNCTION", "LAMBDA"), _CODE),
    **dict.fromkeys(("TRYCATCH", "TRY", "CATCH", "ERRORHANDLER", "ONERROR", "FALLBACK"), _ERROR),
    **dict.fromkeys(("LOG", "PRINT", "DEBUG", "LOGGER", "CONSOLE"), _LOG),
    **dict.fromkeys(("NOOP", "NOTHING", "PASSTHROUGH", "PASS", "DUMMY"), _NOTHING),
}


def instead_of(words: Words) -> str | None:
    """What to write instead of a node of this name."""
    return _INSTEAD.get(skeleton(words))
