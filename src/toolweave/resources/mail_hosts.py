"""The address rule of mailboxes, as for every connection that a workflow names."""

from toolweave.errors import Denied, ToolweaveError, Unavailable
from toolweave.network.allowed_address import allowed_address
from toolweave.resources.http import PRIVATE_SETTING, any_host


async def mail_address(host: str, port: int, *, allow_private: bool) -> str:
    """Return an allowed address of the host; it is not resolved again."""
    try:
        address = await allowed_address(host, port, any_host(allow_private=allow_private))
    except (OSError, UnicodeError):
        message = f"there is no address for the name {host!r}"
        raise Unavailable("EMAIL_UNREACHABLE", message) from None
    except ToolweaveError as error:
        raise Denied("EMAIL_DENIED", error.message) from None
    if address is not None:
        return address
    raise Denied(
        "EMAIL_DENIED",
        f"the mail server {host!r} is not at a public address",
        hint=f"set {PRIVATE_SETTING}=1 to let workflows reach private and local addresses",
    )
