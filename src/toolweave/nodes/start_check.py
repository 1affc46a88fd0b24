"""The start of a node as its static check: its own code, up to the first use of the outside world.

Whatever `run` refuses before it reads or sends anything stands in the document, so validation
refuses it with the same code. What it would do after that depends on what it is answered.
"""

from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NoReturn

from toolweave.catalog.node import Effectful, NodeCode, NodeInput, Resumed, RunFacts
from toolweave.catalog.resources.record import Resources
from toolweave.catalog.resources.services import Access, Service
from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Invalid
from toolweave.tools.tool import ToolProgress

_MOMENT = datetime(2000, 1, 1, tzinfo=UTC)
_RUN = RunFacts("check", "check", _MOMENT)


class _OutsideReachedError(Exception):
    """The node is about to use the outside world: nothing in the document stops its start."""


class _Outside:
    """Any resource; using it ends the check."""

    def __getattr__(self, name: str) -> NoReturn:
        raise _OutsideReachedError(name)


class _AnyAccount:
    """Grants access to every service; which credentials exist is no matter of the document."""

    async def access(self, service: Service, token: str, *, prefers_oauth: bool = False) -> Access:
        return Access(service.address, token)

    async def renew(self, service: Service, refresh_token: str) -> NoReturn:
        raise _OutsideReachedError(service.kind)


# Any: the stand-in takes the place of any of the protocols.
_OUTSIDE: Any = _Outside()
_RESOURCES = Resources(
    **{name: _OUTSIDE for name in Resources.__dataclass_fields__ if name != "services"},
    services=_AnyAccount(),
)


@dataclass(frozen=True, slots=True)
class _StartContext:
    """The `NodeContext` of a start that has no effect."""

    given: NodeInput
    run: RunFacts = _RUN
    key: str = "check"
    attempt: int = 1
    resumed: Resumed | None = None
    tools: Any = _OUTSIDE
    resources: Resources = _RESOURCES

    def now(self) -> datetime:
        return _MOMENT

    async def progress(self, progress: ToolProgress) -> None:
        """Nobody is watching."""


@dataclass(frozen=True, slots=True)
class StartCheck:
    """Refuses (`Invalid`) what the start of the node refuses."""

    code: Effectful

    def __call__(self, given: NodeInput) -> None:
        with closing(self.code.run(_StartContext(given))) as start:
            try:
                start.send(None)
            except Invalid:
                raise
            except Exception:
                # The outside is reached, or a value is a template or of a wrong type, which the
                # schema checks report. The property test starts nodes without this guard.
                return


def with_start_check(code: NodeCode) -> NodeSpec:
    """The specification of a node; the start of one with effects is one of its checks."""
    if not isinstance(code, Effectful):
        return code.spec
    return replace(code.spec, checks=(*code.spec.checks, StartCheck(code)))
