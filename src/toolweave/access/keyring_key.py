"""The vault key in the system's keyring.

Loaded on demand in its own thread: the library is slow to import, and a backend may prompt
the user or hang without a desktop.
"""

import keyring

_SERVICE = "toolweave"
_ACCOUNT = "vault"
# Backends below 1 fail, forget, or write plain text.
_LEAST_PRIORITY = 1


def read() -> str | None:
    """Return the stored key if a real keyring has it."""
    return keyring.get_password(_SERVICE, _ACCOUNT) if _is_real() else None


def write(text: str) -> bool:
    """Store `text` and return whether reading it back succeeds."""
    if not _is_real():
        return False
    keyring.set_password(_SERVICE, _ACCOUNT, text)
    return keyring.get_password(_SERVICE, _ACCOUNT) == text


def _is_real() -> bool:
    return keyring.get_keyring().priority >= _LEAST_PRIORITY
