"""Which failed calls are retried, the delay, and the time that does not count."""

import anyio

from toolweave.errors import ToolweaveError
from toolweave.settings import Retry
from toolweave.tools.elicitation import Asker, ElicitationAnswer, ElicitationQuestion

# Failures of a server that may recover soon; permanent failures are not listed.
PASSING = frozenset(
    {
        "MCP_SERVER_DISCONNECTED",
        "SERVER_CONNECT_TIMEOUT",
        "SERVER_RATE_LIMITED",
        "SERVER_TIMED_OUT",
        "SERVER_UNREACHABLE",
        "SERVER_UNRESPONSIVE",
    }
)
# JSON-RPC: not a request, no such method, wrong parameters.
CALLERS_FAULT = range(-32602, -32599)


def is_temporary(error: ToolweaveError) -> bool:
    """Whether a retry of the same call may succeed."""
    match error.code:
        case "SERVER_HTTP_ERROR":
            return error.facts.get("status", 0) >= 500
        case "SERVER_REFUSED":
            return error.facts.get("rpc_code") not in CALLERS_FAULT
        case code:
            return code in PASSING


def retry_delay_s(error: ToolweaveError, retry: Retry, attempt: int) -> float:
    """Return the delay after this attempt (from 0), longer if the server asked for it."""
    asked = error.facts.get("retry_after_s")
    planned = retry.waits_s[attempt]
    return max(planned, float(asked)) if isinstance(asked, int | float) else planned


def pause_deadline(total: anyio.CancelScope, asker: Asker) -> Asker:
    """Pause the deadline while a person answers a question."""
    open_questions = 0
    left_s = 0.0

    async def ask(question: ElicitationQuestion) -> ElicitationAnswer:
        nonlocal open_questions, left_s
        if open_questions == 0:
            left_s = total.deadline - anyio.current_time()
            total.deadline = float("inf")
        open_questions += 1
        try:
            return await asker(question)
        finally:
            open_questions -= 1
            if open_questions == 0:
                total.deadline = anyio.current_time() + left_s

    return ask
