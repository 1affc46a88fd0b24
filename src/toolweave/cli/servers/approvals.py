"""`toolweave servers approvals`, and the approval of a project's lockfile."""

from getpass import getuser

import click

from toolweave.cli.prompts import confirm
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.clock import timestamp
from toolweave.errors import NotFound
from toolweave.servers.approvals import (
    ApprovalsRecord,
    LockfileApprovalRecord,
    ServerApprovalRecord,
    list_approvals,
    lockfile_record,
)


@click.command()
@json_option
def approvals(as_json: bool) -> None:
    """Show what is approved, by whom, when and from which file."""

    async def work() -> ApprovalsRecord:
        async with current_home() as home:
            return await list_approvals(home.registry, home.lockfile)

    found = run(work)
    if as_json:
        print_json(found.as_json())
        return
    lines = [("server", one.name, *_facts(one), one.found_in) for one in found.servers]
    if (lockfile := found.lockfile) is not None:
        lines.append(("lockfile", "", *_facts(lockfile), lockfile.path))
    if not lines:
        say("Nothing is approved yet.")
        return
    print_table(("what", "name", "state", "approved at", "by", "from"), lines)


def _facts(one: ServerApprovalRecord | LockfileApprovalRecord) -> tuple[str | None, ...]:
    return one.state, one.approved_at, one.approved_by


def approve_lockfile(*, yes: bool, as_json: bool) -> int:
    """Show what the project's lockfile pins, and approve it; return the exit code."""

    async def work() -> tuple[LockfileApprovalRecord, bool]:
        async with current_home() as home:
            review = home.lockfile.review()
            if review is None:
                message = "there is no lockfile here; the home's own needs no approval"
                raise NotFound("LOCKFILE_MISSING", message)
            shown = lockfile_record(review)
            if not as_json:
                _show(shown)
            if review.is_approved:
                return shown, True
            if not (yes or (not as_json and await confirm("Approve this lockfile?"))):
                return shown, False
            now = timestamp(home.clock.now())
            home.lockfile.approve(shown.hash, by=getuser(), at=now)
            return shown, True

    shown, is_approved = run(work)
    if as_json:
        print_json({"approved": is_approved, **shown.as_json()})
    else:
        say("Approved." if is_approved else "Not approved; its tools stay blocked.")
    return 0 if is_approved else 1


def _show(lockfile: LockfileApprovalRecord) -> None:
    say(f"lockfile  {lockfile.path}")
    say(f"    hash  {lockfile.hash}")
    for server, tools in lockfile.tools.items():
        say(f"    pins  {server}: {', '.join(tools) or 'no tools'}")
