"""Web addresses, hosts and mail addresses as people write them, and what each means. Pure."""

import re
from urllib.parse import unquote, urlsplit

from rapidfuzz.distance import OSA

from toolweave.patterns import pattern

_URL = pattern(r"https?://[^/?#\s]+(?:[/?#]\S*)?", re.IGNORECASE)
_MARKDOWN = pattern(r"\[[^\]]*\]\((\S+)\)|<(\S+)>|\"(\S+)\"|'(\S+)'|`(\S+)`")
# `curl https://…`, `url: https://…`
_LABELLED = pattern(
    r"(?:curl|wget|url|link|endpoint|address)\s*[:=]?\s+(https?://\S+)", re.IGNORECASE
)
_SCHEME = pattern(r"([a-z]{3,7})\s*(:/{1,3}|[;.,]/{2}|:|/{2,3})\s*(?=[a-z0-9\[])", re.IGNORECASE)
_NAME = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
# The last part has a letter: 10.0.0.1 is no name.
_PUBLIC = pattern(rf"{_NAME}(?:\.{_NAME})*\.[a-z][a-z0-9-]+(?::\d+)?(?=[/?#]|$)", re.IGNORECASE)
_HOST = pattern(rf"(?:{_NAME}\.)*{_NAME}\.?|\[[0-9a-f:.]+\]|[0-9a-f:]*:[0-9a-f:.]+", re.I)
_MAILBOX = pattern(r"[^\s@<>,;:\"()\[\]]+@[^\s@<>,;:\"()\[\]]+\.[^\s@<>,;:\"()\[\]]+")
_NAMED = pattern(r"[^<>\n\r]*<([^<>]+)>")
# Signs that no name of a machine has; other letters may be in one.
_NO_HOST = pattern(r"[,;!*'\"()|\\^`<>=&+]|\.\.")
# A space before or after a point of a name.
_POINTS = pattern(r"(?<=\w)\s*\.\s*(?=\w)")
_OTHER_SCHEMES = frozenset({"ftp", "file", "mailto", "data", "sftp", "ssh", "ws", "wss", "s3"})


def is_url(text: str) -> bool:
    """Whether a text is a web address that can be called."""
    if not _URL.fullmatch(text):
        return False
    try:
        parts = urlsplit(text)
        name = parts.hostname or ""
        is_name = bool(name) and _NO_HOST.search(name) is None
        return is_name and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def meant_url(text: str) -> str | None:
    """The web address that a text means; None if there is not exactly one.

    A public name without a scheme means https, as in a browser. A name of this machine or an
    address in numbers may mean either.
    """
    plain = text.strip()
    if marked := _MARKDOWN.fullmatch(plain):
        plain = next(one for one in marked.groups() if one)
    if re.match(r"https?%3a", plain, re.IGNORECASE):
        plain = unquote(plain)
    if "\\" in plain:
        plain = plain.replace("\\/", "/").replace("\\", "/")
    if (labelled := _LABELLED.fullmatch(plain)) is not None:
        plain = labelled[1]
    plain = _with_scheme(plain)
    head, mark, rest = plain.partition("://")
    plain = head + mark + re.sub(r"^([^/?#]*)", lambda found: _POINTS.sub(".", found[0]), rest)
    if re.search(r"\s", plain):
        host, slash, rest = plain.partition("://")[2].partition("/")
        if re.search(r"\s", host) or not slash or re.search(r"[\r\n\t]", rest):
            return None
        plain = plain.replace(" ", "%20")
    scheme, mark, rest = plain.partition("://")
    host, slash, path = rest.partition("/")
    if mark and ("," in host or ".." in host):
        # A comma or a second point is next to the point on the keyboard.
        plain = f"{scheme}://{re.sub(r'[,.]+', '.', host)}{slash}{path}"
    return plain if plain != text and is_url(plain) else None


def _with_scheme(text: str) -> str:
    if _PUBLIC.match(text):
        return f"https://{text}"
    if text.startswith("//"):
        return f"https:{text}" if _PUBLIC.match(text[2:]) else text
    found = _SCHEME.match(text)
    if found is None or found[1].lower() in _OTHER_SCHEMES:
        return text
    far = {name: OSA.distance(found[1].lower(), name) for name in ("http", "https")}
    name = min(far, key=lambda one: far[one])
    is_clear = far[name] <= 1 and list(far.values()).count(far[name]) == 1
    return f"{name}://{text[found.end() :]}" if is_clear else text


def is_host(text: str) -> bool:
    """Whether a text is the name or the address of a machine, and nothing else."""
    return _HOST.fullmatch(text) is not None and len(text) <= 253


def meant_host(text: str, port: int | None) -> str | None:
    """The host in an address such as `smtp://mail.example.com:465`; None if it says more.

    A port is left out only if it is the one that is configured anyway.
    """
    plain = text.strip()
    plain = plain.partition("://")[2] if "://" in plain else plain
    name, colon, number = plain.rstrip("/").partition(":")
    if colon and (not number.isdecimal() or int(number) != port):
        return None
    return name if name != text and is_host(name) else None


def is_mailbox(text: str) -> bool:
    """Whether a text is one mail address, with or without a name before it."""
    named = _NAMED.fullmatch(text.strip())
    return _MAILBOX.fullmatch((named[1] if named else text).strip()) is not None


def several_mailboxes(text: str) -> list[str]:
    """The mail addresses of a text that holds several; empty for any other text."""
    parts = [part.strip() for part in re.split(r"[;,]", text)]
    return parts if len(parts) > 1 and all(map(is_mailbox, parts)) else []
