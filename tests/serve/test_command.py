"""`toolweave serve`: what it says at its start, and to whom."""

import pytest
from click.testing import CliRunner

from toolweave.serve import command


@pytest.mark.parametrize(
    ("arguments", "is_warned"),
    [
        (("--host", "0.0.0.0"), True),
        (("--host", "0.0.0.0", "--insecure"), False),
        (("--host", "127.0.0.1"), False),
    ],
)
def test_plain_http_that_others_can_reach_is_warned_about(
    arguments: tuple[str, ...], is_warned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[object] = []

    def run(*given: object) -> None:
        served.append(given)

    monkeypatch.setattr(command.anyio, "run", run)
    done = CliRunner().invoke(command.serve, [*arguments, "--port", "0", "--no-browser"])
    assert (done.exit_code, len(served)) == (0, 1), done.output
    assert ("plain HTTP" in done.stderr) is is_warned


def test_a_key_is_shown_on_a_terminal_only() -> None:
    address = command.ListenAddress("127.0.0.1", 8765)
    url = command.studio_url(address.browsable, "tw_secret")
    assert "tw_secret" in command.studio_line(address, url, is_terminal=True)
    hidden = command.studio_line(address, url, is_terminal=False)
    assert "tw_secret" not in hidden
    assert "studio.key" in hidden
