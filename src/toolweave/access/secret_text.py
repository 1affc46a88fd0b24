"""Fills `${vault:NAME}` for nodes, and takes what was filled in out of what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass

from toolweave.access.mask import LEAST_CHARACTERS, MASK, Masker
from toolweave.access.references import SecretSource, expand, references
from toolweave.errors import NotFound

_VAULT = "${vault:"
# Entries that hold more than a token: sign-ins with what renews them, facts about credentials.
OWN = ("oauth:", "oauth-tokens:", "service:")


@dataclass(frozen=True, slots=True)
class FilledText:
    """Texts ready for use, and the secrets in them."""

    texts: dict[str, str]
    secrets: frozenset[str]

    def hide(self, text: str) -> str:
        """`text` without the secrets."""
        for secret in self._longest_first():
            text = text.replace(secret, MASK)
        return text

    def hide_bytes(self, data: bytes) -> bytes:
        """`data` without the secrets."""
        for secret in self._longest_first():
            data = data.replace(secret.encode(), MASK.encode())
        return data

    def _longest_first(self) -> list[str]:
        # Shorter ones would be found by chance in the middle of words.
        telling = (secret for secret in self.secrets if len(secret) >= LEAST_CHARACTERS)
        return sorted(telling, key=len, reverse=True)


class SecretTexts:
    """The vault as nodes may use it: by reference, in fields made for it."""

    def __init__(self, vault: SecretSource, masker: Masker) -> None:
        self._vault = vault
        self._masker = masker

    async def fill(self, texts: Mapping[str, str]) -> FilledText:
        """`texts` with every reference to the vault replaced; from then on the masker knows them.

        Raises:
            NotFound: `SECRET_NOT_FOUND`.
        """
        if not any(_VAULT in text for text in texts.values()):
            return FilledText(dict(texts), frozenset())
        wanted = {
            one.name for text in texts.values() for one in references(text) if _is_vault(one.text)
        }
        for name in wanted:
            if name.startswith(OWN):
                message = f"{name!r} is kept for Toolweave itself; no workflow may use it"
                raise NotFound("SECRET_NOT_FOUND", message)
        known = {name: await self._vault.get(name) for name in sorted(wanted)}
        self._masker.learn(known.values())
        filled = {
            key: expand(text, lambda one: known.get(one.name) if _is_vault(one.text) else None)
            for key, text in texts.items()
        }
        return FilledText(filled, frozenset(value for value in known.values() if value))


def _is_vault(reference: str) -> bool:
    """Never a variable of our environment: a workflow is not a server's definition."""
    return reference.startswith(_VAULT)
