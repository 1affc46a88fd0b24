"""The vault's key in the system's keyring.

Loaded on demand and in a thread of its own: the library is slow to import, and a backend may ask
the user, or a desktop that is not there.
"""

import keyring

_SERVICE = "toolweave"
_ACCOUNT = "vault"
# Below 1 are the backends that fail, forget, or write plain text.
_LEAST_PRIORITY = 1


def read() -> str | None:
    """The key as it was written, if a real keyring has it."""
    return keyring.get_password(_SERVICE, _ACCOUNT) if _is_real() else None


def write(text: str) -> bool:
    """Whether a real keyring now has `text`, as reading it back shows."""
    if not _is_real():
        return False
    keyring.set_password(_SERVICE, _ACCOUNT, text)
    return keyring.get_password(_SERVICE, _ACCOUNT) == text


def _is_real() -> bool:
    return keyring.get_keyring().priority >= _LEAST_PRIORITY
