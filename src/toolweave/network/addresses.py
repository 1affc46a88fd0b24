"""Which addresses are allowed: one pure rule over names and addresses, no I/O.

Our own ranges and not `is_global`, which is wrong in Python 3.11 for 64:ff9b::/96, 2002::/16,
::/96, 192.0.0.8 and multicast.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal

import httpx2

from toolweave.errors import Denied
from toolweave.patterns import pattern

Address = IPv4Address | IPv6Address
Kind = Literal["public", "private", "loopback", "forbidden"]
Naming = Literal["public", "local", "private", "loopback", "forbidden"]

LOOPBACK = tuple(map(ip_network, ("127.0.0.0/8", "::1/128")))
PRIVATE = tuple(
    map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"))
)
# Cloud metadata services outside link-local: AWS, GCP, Alibaba, Azure.
METADATA = tuple(
    map(
        ip_network,
        ("fd00:ec2::254/128", "fd20:ce::254/128", "100.100.100.200/32", "168.63.129.16/32"),
    )
)
NEVER_IPV4 = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this network
            "169.254.0.0/16",  # link-local, metadata
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
        ),
    )
)
# Only 2000::/3 is assigned; that excludes ::/96, 64:ff9b::/96, fe80::/10, fec0::/10, ff00::/8.
GLOBAL_IPV6 = ip_network("2000::/3")
NEVER_IPV6 = tuple(
    map(
        ip_network,
        (
            "2001::/23",  # protocol assignments, Teredo
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: an embedded IPv4 address
            "3fff::/20",  # documentation
        ),
    )
)
REACHABLE: dict[Naming, frozenset[Kind]] = {
    "loopback": frozenset({"loopback"}),
    "private": frozenset({"private"}),
    # A machine's own name is often 127.0.1.1 on Debian.
    "local": frozenset({"private", "loopback"}),
    "public": frozenset(),
    "forbidden": frozenset(),
}
LOCAL_SUFFIXES = (".local", ".internal")
NAME = pattern(r"(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
NUMERIC_LABEL = pattern(r"\d+|0x[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """The approved addresses; all other addresses must be public."""

    origins: frozenset[tuple[str, str, int]] = frozenset()

    @classmethod
    def of(cls, *urls: str) -> "AllowedHosts":
        """Approve the origins of `urls`. Raises `SERVER_ADDRESS_DENIED` unless they are http(s)."""
        return cls(frozenset(origin_of(url) for url in urls))

    def approves(self, host: str, port: int) -> bool:
        """Whether a person approved this host and port."""
        return any((host, port) == (theirs, at) for _, theirs, at in self.origins)

    @property
    def are_loopback(self) -> bool:
        """Whether all approved addresses are on this machine."""
        return bool(self.origins) and all(
            naming_of(host) == "loopback" for _, host, _ in self.origins
        )


def origin_of(url: str | httpx2.URL) -> tuple[str, str, int]:
    """Return scheme, host and port of `url` in canonical form."""
    try:
        # The same parser checks and connects: two could differ on unusual spellings.
        parts = httpx2.URL(url)
    except httpx2.InvalidURL:
        raise address_denied(
            "the URL cannot be parsed"
        ) from None  # its text may contain a password
    if parts.scheme not in {"http", "https"}:
        raise address_denied(f"only http and https are supported, not {parts.scheme!r}")
    port = parts.port if parts.port is not None else {"http": 80, "https": 443}[parts.scheme]
    if not 0 < port < 65536:
        raise address_denied(f"{port} is not a valid port")
    return parts.scheme, canonical_host(parts.raw_host.decode("ascii")), port


def canonical_host(host: str) -> str:
    """Return `host` in lower case, without brackets, zone or trailing dot."""
    text = host.lower().removesuffix(".")
    if ":" in text:
        address = read_address(text)
        if address is not None:
            return str(address)
    if not NAME.fullmatch(text) or len(text) > 253:
        raise address_denied(f"{host[:80]!r} is not a host name")
    if NUMERIC_LABEL.fullmatch(text.rpartition(".")[2]) and read_address(text) is None:
        raise address_denied(
            f"{host[:80]!r} is an unusual spelling of an address; write it as 1.2.3.4"
        )
    return text


def read_address(text: str) -> Address | None:
    """Return the address in `text` without its zone; `None` for a name."""
    try:
        return ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None


def kind_of(address: Address) -> Kind:
    """Return the kind of an address."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return kind_of(address.ipv4_mapped)
        is_public = address in GLOBAL_IPV6
        never = NEVER_IPV6
    else:
        is_public = True
        never = NEVER_IPV4
    if any(address in network for network in (*METADATA, *never)):
        return "forbidden"
    if any(address in network for network in LOOPBACK):
        return "loopback"
    if any(address in network for network in PRIVATE):
        return "private"
    return "public" if is_public else "forbidden"


def naming_of(host: str) -> Naming:
    """Return the kind of address that a canonical host name implies."""
    address = read_address(host)
    if address is not None:
        return kind_of(address)
    if host == "localhost" or host.endswith(".localhost"):
        return "loopback"
    if "." not in host or host.endswith(LOCAL_SUFFIXES):
        return "local"
    return "public"


def may_connect(allow: AllowedHosts, host: str, port: int, address: Address) -> bool:
    """Return whether a connection to `host`, resolved to `address`, is allowed.

    Public addresses are allowed. Link-local, metadata and similar ones never are. A private one
    is allowed only if the approved address is visibly private, so a public name
    that turns private (DNS rebinding) is rejected. An approved server on this machine
    may refer to other addresses on this machine.
    """
    kind = kind_of(address)
    if kind in {"public", "forbidden"}:
        return kind == "public"
    if allow.approves(host, port):
        return kind in REACHABLE[naming_of(host)]
    return allow.are_loopback and kind == "loopback" and naming_of(host) == "loopback"


def check_url(allow: AllowedHosts, url: str | httpx2.URL) -> tuple[str, str, int]:
    """Return the origin of `url` if it is allowed, judged by its text only."""
    scheme, host, port = origin_of(url)
    if (scheme, host, port) in allow.origins:
        return scheme, host, port
    naming = naming_of(host)
    if allow.are_loopback and naming == "loopback":
        return scheme, host, port
    if naming != "public":
        raise address_denied(f"{host!r} is not a public address and is not approved")
    if scheme != "https":
        raise address_denied(f"{host!r} requires https; plain http is not allowed")
    return scheme, host, port


def address_denied(what: str, **facts: object) -> Denied:
    """Return the error for an address that is not allowed."""
    return Denied(
        "SERVER_ADDRESS_DENIED",
        f"connection not allowed: {what}",
        hint="a server's own address may be private after approval; "
        "all other addresses must be public",
        facts=facts,
    )
