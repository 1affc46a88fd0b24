"""`toolweave demo`: something that runs, from an empty home."""

from tests.cli.driving import Commands


def test_the_sample_runs_from_an_empty_home_and_is_there_afterwards(tw: Commands) -> None:
    ran = tw.ok("demo", "--city", "Oslo")
    assert ran.out == "A shirt will do in Oslo.\n"
    assert "toolweave serve" in ran.err
    (stored,) = tw.ok("workflows", "list", "--json").json
    (server,) = tw.ok("servers", "list", "--json").json
    assert (stored["name"], server["name"], server["approved"]) == ("what-to-wear", "demo", True)
    again = tw.ok("servers", "add", "demo", "--", "toolweave", "demo-server")
    assert "already registered" in again.out
    assert "Nothing to do." in tw.ok("servers", "approve", "demo", "--yes").out
    result = tw.ok("demo", "--json").out.splitlines()[-1]
    assert '"Take a coat to London."' in result
