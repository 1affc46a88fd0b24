"""What the vault keeps of a sign-in to a server."""

from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import BaseModel, ConfigDict


class StoredSignIn(BaseModel):
    """All persistent sign-in state, as one vault entry."""

    model_config = ConfigDict(frozen=True)

    url: str  # the tokens' address; a definition with another address starts over
    client: OAuthClientInformationFull
    tokens: OAuthToken
    expires_at: float | None = None
    metadata: OAuthMetadata | None = None
    resource: ProtectedResourceMetadata | None = None
    asked_scope: str | None = None
    missed_scope: str | None = None  # what the server missed since; the next sign-in asks for it
