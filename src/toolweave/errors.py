"""What stops a call. One small tree, grouped by what the caller can do next.

ToolweaveError
├── Invalid       the input is wrong; `problems` lists everything that is       (422)
├── NotFound      the named thing does not exist                                (404)
├── Denied        not approved, not permitted                                   (403)
├── Conflict      another process changed or holds it; reload, then retry       (409)
├── Limited       a limit was reached; wait, raise it, or start a new session   (429)
├── Unavailable   the other side is down, broken or misbehaving                 (503)
├── TimedOut      the deadline passed                                           (504)
└── Cancelled     cancelled on request                                          (499)

Codes are strings listed in `codes`; there is no class per code. Problems with a document
are data, not errors: see `problems.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class ToolweaveError(Exception):
    """The root: a code, a message that says what was expected, and a hint what to do next."""

    status: ClassVar[int] = 500

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        # Any: facts are shown and serialised, never computed with.
        self.facts: dict[str, Any] = dict(facts or {})

    def as_json(self) -> dict[str, Any]:
        """The shape every door shows."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.hint:
            body["hint"] = self.hint
        if self.facts:
            body["facts"] = self.facts
        return body


class Invalid(ToolweaveError):
    """The input is wrong; `problems` lists everything that is."""

    status = 422

    def __init__(
        self,
        code: str,
        message: str,
        *,
        # Any: `Problem` lives one line above this leaf; only its `as_json` is used here.
        problems: Sequence[Any] = (),
        hint: str | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code, message, hint=hint, facts=facts)
        self.problems = tuple(problems)

    def as_json(self) -> dict[str, Any]:
        """The error with all its problems."""
        return super().as_json() | {"problems": [problem.as_json() for problem in self.problems]}


class NotFound(ToolweaveError):
    """The named thing does not exist."""

    status = 404


class Denied(ToolweaveError):
    """Not approved or not permitted."""

    status = 403


class Conflict(ToolweaveError):
    """Another process changed or holds it."""

    status = 409


class Limited(ToolweaveError):
    """A limit was reached."""

    status = 429


class Unavailable(ToolweaveError):
    """The other side is down, broken or misbehaving."""

    status = 503


class TimedOut(ToolweaveError):
    """The deadline passed."""

    status = 504


class Cancelled(ToolweaveError):
    """Cancelled on request."""

    status = 499
