"""What comes of trying to connect."""

import anyio
import pytest
from mcp import Client

from toolweave.errors import ToolweaveError
from toolweave.servers.transports.failures import typed_error_in


async def refusal(client: Client) -> Exception:
    """What entering `client` raises."""
    try:
        with anyio.fail_after(60):
            async with client:
                pytest.fail("it connected")
    except Exception as error:
        return error


async def reason(client: Client) -> ToolweaveError:
    """Why `client` cannot connect."""
    error = await refusal(client)
    failure = typed_error_in(error)
    assert failure is not None, error
    return failure
