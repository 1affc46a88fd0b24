"""The approvals of a home: which definition and lockfile, by whom, when, from which file."""

from typing import Literal

from toolweave.clock import timestamp
from toolweave.json_record import JsonRecord
from toolweave.servers.definition import Server, definition_hash
from toolweave.servers.lockfile import Lockfile, LockfileReview
from toolweave.servers.registry import Registry

ApprovalState = Literal["approved", "changed", "not approved"]


class ServerApprovalRecord(JsonRecord):
    """The approval of a server; `hash` is that of the current definition."""

    name: str
    state: ApprovalState
    hash: str
    approved_at: str | None
    approved_by: str | None
    found_in: str | None
    tools: list[str]


class LockfileApprovalRecord(JsonRecord):
    """The approval of the lockfile in use; the home's own needs none."""

    path: str
    state: ApprovalState
    hash: str
    approved_at: str | None
    approved_by: str | None
    tools: dict[str, list[str]]


class ApprovalsRecord(JsonRecord):
    """All approvals."""

    servers: list[ServerApprovalRecord]
    lockfile: LockfileApprovalRecord | None


async def list_approvals(registry: Registry, lockfile: Lockfile) -> ApprovalsRecord:
    """Return every server and the lockfile in use, approved or not."""
    review = lockfile.review()
    pinned = review.tools if review and review.is_approved else {}
    servers = [_server(one, pinned.get(one.name, [])) for one in await registry.list()]
    return ApprovalsRecord(servers=servers, lockfile=lockfile_record(review) if review else None)


def lockfile_record(review: LockfileReview) -> LockfileApprovalRecord:
    """Return a lockfile as shown for approval."""
    approval = review.approval
    return LockfileApprovalRecord(
        path=str(review.path),
        state=_state(review.is_approved, approval),
        hash=review.hash,
        approved_at=approval.approved_at if approval else None,
        approved_by=approval.approved_by if approval else None,
        tools=review.tools,
    )


def _server(server: Server, tools: list[str]) -> ServerApprovalRecord:
    return ServerApprovalRecord(
        name=server.name,
        state=_state(server.is_approved, server.approved_hash),
        hash=definition_hash(server.definition),
        approved_at=timestamp(server.approved_at) if server.approved_at else None,
        approved_by=server.approved_by,
        found_in=server.found_in,
        tools=tools,
    )


def _state(is_approved: bool, earlier: object) -> ApprovalState:
    if is_approved:
        return "approved"
    return "changed" if earlier else "not approved"
