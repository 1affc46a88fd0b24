"""The rule about addresses, as tables."""

from ipaddress import ip_address

import pytest

from toolweave.errors import Denied
from toolweave.network.addresses import (
    AllowedHosts,
    Kind,
    canonical_host,
    check_url,
    kind_of,
    may_connect,
    naming_of,
    origin_of,
)

KINDS: dict[str, Kind] = {
    "1.1.1.1": "public",
    "8.8.8.8": "public",
    "93.184.216.34": "public",
    "100.63.255.255": "public",
    "100.128.0.0": "public",
    "172.15.255.255": "public",
    "172.32.0.0": "public",
    "192.0.1.1": "public",
    "198.17.255.255": "public",
    "198.20.0.0": "public",
    "223.255.255.255": "public",
    "2606:4700:4700::1111": "public",
    "2a00:1450:4001:80e::200e": "public",
    "::ffff:8.8.8.8": "public",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "::1": "loopback",
    "::ffff:127.0.0.1": "loopback",
    "10.0.0.1": "private",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.168.1.1": "private",
    "100.64.0.1": "private",
    "100.127.255.255": "private",
    "fc00::1": "private",
    "fd12:3456::1": "private",
    "::ffff:10.0.0.1": "private",
    "0.0.0.0": "forbidden",
    "0.1.2.3": "forbidden",
    "169.254.169.254": "forbidden",
    "169.254.0.1": "forbidden",
    "100.100.100.200": "forbidden",
    "168.63.129.16": "forbidden",
    "192.0.0.8": "forbidden",
    "192.0.0.192": "forbidden",
    "192.0.2.1": "forbidden",
    "192.88.99.1": "forbidden",
    "198.18.0.1": "forbidden",
    "198.19.255.255": "forbidden",
    "198.51.100.1": "forbidden",
    "203.0.113.1": "forbidden",
    "224.0.0.1": "forbidden",
    "239.255.255.250": "forbidden",
    "240.0.0.1": "forbidden",
    "255.255.255.255": "forbidden",
    "::": "forbidden",
    "::2": "forbidden",
    "::127.0.0.1": "forbidden",
    "::8.8.8.8": "forbidden",
    "::ffff:0:127.0.0.1": "forbidden",
    "::ffff:169.254.169.254": "forbidden",
    "64:ff9b::7f00:1": "forbidden",
    "64:ff9b::808:808": "forbidden",
    "64:ff9b:1::1": "forbidden",
    "100::1": "forbidden",
    "2001::1": "forbidden",
    "2001:db8::1": "forbidden",
    "2002:7f00:1::": "forbidden",
    "2002:a00:1::1": "forbidden",
    "3fff::1": "forbidden",
    "5f00::1": "forbidden",
    "fd00:ec2::254": "forbidden",
    "fd20:ce::254": "forbidden",
    "fe80::1": "forbidden",
    "febf::1": "forbidden",
    "fec0::1": "forbidden",
    "ff02::1": "forbidden",
}


@pytest.mark.parametrize(("address", "kind"), KINDS.items())
def test_each_address_is_of_the_kind_the_table_says(address: str, kind: Kind) -> None:
    assert kind_of(ip_address(address)) == kind


@pytest.mark.parametrize(
    ("host", "naming"),
    [
        ("localhost", "loopback"),
        ("app.localhost", "loopback"),
        ("127.0.0.1", "loopback"),
        ("::1", "loopback"),
        ("192.168.1.4", "private"),
        ("fd00::4", "private"),
        ("nas", "local"),
        ("nas.local", "local"),
        ("tools.corp.internal", "local"),
        ("example.com", "public"),
        ("localhost.example.com", "public"),
        ("internal.example", "public"),
        ("notlocalhost", "local"),
        ("8.8.8.8", "public"),
        ("169.254.169.254", "forbidden"),
        ("metadata.google.internal", "local"),
    ],
)
def test_a_host_promises_by_its_spelling_what_the_table_says(host: str, naming: str) -> None:
    assert naming_of(host) == naming


# approved address, host and port asked for, address found, verdict
CONNECTIONS = [
    # what is public may be reached
    ("https://mcp.example.com/mcp", "mcp.example.com", 443, "93.184.216.34", True),
    ("https://mcp.example.com/mcp", "auth.example.com", 443, "93.184.216.34", True),
    ("http://127.0.0.1:8000/mcp", "auth.example.com", 443, "93.184.216.34", True),
    # DNS rebinding: a public name that turned private
    ("https://mcp.example.com/mcp", "mcp.example.com", 443, "127.0.0.1", False),
    ("https://mcp.example.com/mcp", "mcp.example.com", 443, "192.168.1.1", False),
    ("https://mcp.example.com/mcp", "mcp.example.com", 443, "::1", False),
    ("https://8.8.8.8/mcp", "8.8.8.8", 443, "127.0.0.1", False),
    # an approved address that says it is private
    ("http://127.0.0.1:8000/mcp", "127.0.0.1", 8000, "127.0.0.1", True),
    ("http://[::1]:8000/mcp", "::1", 8000, "::1", True),
    ("http://localhost:8000/mcp", "localhost", 8000, "127.0.0.1", True),
    ("http://localhost:8000/mcp", "localhost", 8000, "::1", True),
    ("http://a.localhost:8000/mcp", "a.localhost", 8000, "127.0.0.1", True),
    ("http://192.168.1.4/mcp", "192.168.1.4", 80, "192.168.1.4", True),
    ("http://100.64.3.4/mcp", "100.64.3.4", 80, "100.64.3.4", True),
    ("http://nas:8000/mcp", "nas", 8000, "192.168.1.4", True),
    ("http://nas:8000/mcp", "nas", 8000, "127.0.1.1", True),
    ("http://nas.local/mcp", "nas.local", 80, "fd00::4", True),
    ("https://t.corp.internal/mcp", "t.corp.internal", 443, "10.1.2.3", True),
    # but not another private place under that name
    ("http://localhost:8000/mcp", "localhost", 8000, "192.168.1.4", False),
    ("http://192.168.1.4/mcp", "192.168.1.4", 80, "127.0.0.1", False),
    # what an approved server names besides must be public
    ("https://mcp.example.com/mcp", "127.0.0.1", 443, "127.0.0.1", False),
    ("https://mcp.example.com/mcp", "localhost", 443, "127.0.0.1", False),
    ("https://mcp.example.com/mcp", "nas", 443, "192.168.1.4", False),
    ("http://192.168.1.4/mcp", "192.168.1.5", 80, "192.168.1.5", False),
    ("http://192.168.1.4/mcp", "192.168.1.4", 8080, "192.168.1.4", False),
    ("http://192.168.1.4/mcp", "localhost", 80, "127.0.0.1", False),
    ("http://nas:8000/mcp", "nas", 9000, "192.168.1.4", False),
    # except on this machine, if the server is on this machine
    ("http://127.0.0.1:8000/mcp", "127.0.0.1", 9000, "127.0.0.1", True),
    ("http://localhost:8000/mcp", "127.0.0.1", 9000, "127.0.0.1", True),
    ("http://127.0.0.1:8000/mcp", "evil.example.com", 443, "127.0.0.1", False),
    ("http://127.0.0.1:8000/mcp", "nas", 80, "127.0.0.1", False),
    ("http://127.0.0.1:8000/mcp", "192.168.1.4", 80, "192.168.1.4", False),
    # never, even if approved
    ("http://169.254.169.254/mcp", "169.254.169.254", 80, "169.254.169.254", False),
    ("http://127.0.0.1:8000/mcp", "169.254.169.254", 80, "169.254.169.254", False),
    ("http://nas.local/mcp", "nas.local", 80, "fe80::1", False),
    ("http://metadata.google.internal/", "metadata.google.internal", 80, "169.254.169.254", False),
    ("http://[fd00:ec2::254]/mcp", "fd00:ec2::254", 80, "fd00:ec2::254", False),
    ("http://0.0.0.0:8000/mcp", "0.0.0.0", 8000, "0.0.0.0", False),
]


@pytest.mark.parametrize(("approved", "host", "port", "address", "verdict"), CONNECTIONS)
def test_a_connection_may_be_made_exactly_when_the_table_says(
    approved: str, host: str, port: int, address: str, verdict: bool
) -> None:
    assert may_connect(AllowedHosts.of(approved), host, port, ip_address(address)) is verdict


def test_without_anything_approved_only_public_addresses_may_be_reached() -> None:
    nothing = AllowedHosts()
    assert may_connect(nothing, "example.com", 443, ip_address("93.184.216.34"))
    assert not may_connect(nothing, "localhost", 443, ip_address("127.0.0.1"))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Example.COM", "example.com"),
        ("localhost.", "localhost"),
        ("127.0.0.1.", "127.0.0.1"),
        ("::FFFF:7F00:1", "::ffff:7f00:1"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("my_service", "my_service"),
    ],
)
def test_a_host_has_one_spelling(written: str, read: str) -> None:
    assert canonical_host(written) == read


@pytest.mark.parametrize(
    "host",
    [
        *("", ".", "a..b", "-a", "a b", "a%2eb", "a/b", "a\\b", "ä.example", ":::"),
        *("2130706433", "0x7f.1", "127.1", "0177.0.0.1", "1.2.3", "127.0.0.0x1"),
        *("x" * 64, f"{'x.' * 130}com"),
    ],
)
def test_a_host_no_honest_address_has_is_refused(host: str) -> None:
    with pytest.raises(Denied) as caught:
        canonical_host(host)
    assert caught.value.code == "SERVER_ADDRESS_DENIED"


@pytest.mark.parametrize(
    ("approved", "url", "verdict"),
    [
        ("https://mcp.example.com/mcp", "https://auth.example.com/x", True),
        ("https://mcp.example.com/mcp", "http://auth.example.com/x", False),
        ("http://mcp.example.com/mcp", "http://mcp.example.com/other", True),
        ("https://mcp.example.com/mcp", "https://192.168.0.1/reboot", False),
        ("https://mcp.example.com/mcp", "https://router.local/reboot", False),
        ("http://127.0.0.1:8000/mcp", "http://localhost:9000/authorize", True),
        ("http://127.0.0.1:8000/mcp", "http://nas/authorize", False),
        ("https://mcp.example.com/mcp", "file:///etc/passwd", False),
        ("https://mcp.example.com/mcp", "javascript:alert(1)", False),
        ("https://mcp.example.com/mcp", "data:text/html,x", False),
        ("https://mcp.example.com/mcp", "ftp://mcp.example.com/", False),
        ("https://mcp.example.com/mcp", "https:///x", False),
        ("https://mcp.example.com/mcp", "https://auth.example.com:0/", False),
        ("https://mcp.example.com/mcp", "https://auth.example.com:70000/", False),
        ("https://mcp.example.com/mcp", "https://auth.example.com:x/", False),
    ],
)
def test_a_url_may_be_opened_exactly_when_the_table_says(
    approved: str, url: str, verdict: bool
) -> None:
    allow = AllowedHosts.of(approved)
    if verdict:
        assert check_url(allow, url) == origin_of(url)
    else:
        with pytest.raises(Denied):
            check_url(allow, url)


def test_a_refusal_does_not_repeat_the_password_in_an_unreadable_address() -> None:
    with pytest.raises(Denied) as caught:
        origin_of("https://user:hunter2hunter2@exa mple.com:hunter2hunter2/")
    assert "hunter2" not in str(caught.value.as_json())
