"""Expand `${vault:NAME}` for nodes, and remove those secrets from results."""

from collections.abc import Mapping
from dataclasses import dataclass

from toolweave.access.mask import LEAST_CHARACTERS, MASK, Masker
from toolweave.access.references import SecretSource, expand, references
from toolweave.access.secret_destinations import Destination
from toolweave.errors import NotFound

_VAULT = "${vault:"
# Internal entries: OAuth sign-ins with refresh tokens, and service credentials.
OWN = ("oauth:", "oauth-tokens:", "service:")


@dataclass(frozen=True, slots=True)
class ExpandedText:
    """Expanded texts and the secrets in them."""

    texts: dict[str, str]
    secrets: frozenset[str]

    def hide(self, text: str) -> str:
        """Remove the secrets from `text`."""
        for secret in self._longest_first():
            text = text.replace(secret, MASK)
        return text

    def hide_bytes(self, data: bytes) -> bytes:
        """Remove the secrets from `data`."""
        for secret in self._longest_first():
            data = data.replace(secret.encode(), MASK.encode())
        return data

    def _longest_first(self) -> list[str]:
        # Shorter ones would match by chance inside words.
        telling = (secret for secret in self.secrets if len(secret) >= LEAST_CHARACTERS)
        return sorted(telling, key=len, reverse=True)


class SecretTexts:
    """The vault for nodes: by reference, in fields that allow it."""

    def __init__(self, vault: SecretSource, masker: Masker) -> None:
        self._vault = vault
        self._masker = masker

    async def fill(self, texts: Mapping[str, str], to: Destination) -> ExpandedText:
        """Expand all vault references in `texts`, which are sent `to`, and mask the secrets.

        Raises `SECRET_NOT_FOUND`, `SECRET_NOT_ALLOWED`.
        """
        if not any(_VAULT in text for text in texts.values()):
            return ExpandedText(dict(texts), frozenset())
        wanted = {
            one.name for text in texts.values() for one in references(text) if _is_vault(one.text)
        }
        for name in wanted:
            if name.startswith(OWN):
                message = f"{name!r} is reserved for Toolweave; workflows cannot use it"
                raise NotFound("SECRET_NOT_FOUND", message)
        known = {name: await self._vault.use(name, to) for name in sorted(wanted)}
        self._masker.learn(known.values())
        filled = {
            key: expand(text, lambda one: known.get(one.name) if _is_vault(one.text) else None)
            for key, text in texts.items()
        }
        return ExpandedText(filled, frozenset(value for value in known.values() if value))


def _is_vault(reference: str) -> bool:
    """Return nothing: workflows never read environment variables."""
    return reference.startswith(_VAULT)
