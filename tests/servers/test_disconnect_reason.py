"""Why a connection ended: the first reason counts, and what it says does no harm."""

from toolweave.access.mask import Masker
from toolweave.errors import Denied, Invalid, Unavailable
from toolweave.problems import Problem
from toolweave.servers.disconnect_reason import (
    STDERR_LINES,
    DisconnectReason,
    mask_error,
    printable,
)

SECRET = "sk-1234567890"


def test_the_first_fault_is_the_reason() -> None:
    faults = DisconnectReason("server")
    faults.protocol("it sang")
    faults.note(Unavailable("SERVER_UNREACHABLE", "later"))
    error = faults.closed()
    assert error.code == "SERVER_PROTOCOL"
    assert error.message == "server 'server' violated the protocol: it sang"
    assert faults.ended.is_set()


def test_without_a_fault_the_reason_is_the_servers_last_words() -> None:
    faults = DisconnectReason("server")
    for number in range(100):
        faults.hear(f"line {number}\r\n".encode())
    faults.hear(b"\n")
    error = faults.closed()
    assert error.code == "MCP_SERVER_DISCONNECTED"
    assert error.message.endswith("its last output: line 97 | line 98 | line 99")
    assert len(faults.stderr) == STDERR_LINES


def test_last_words_are_short_and_act_on_no_terminal() -> None:
    faults = DisconnectReason("server")
    faults.hear(b"\x1b[2J\xff\x00 tab\there " + b"x" * 1000)
    assert faults.stderr[0].startswith("\ufffd[2J\ufffd\ufffd tab here xxx")
    assert len(faults.stderr[0]) == 300


def test_harmless_text_stays_as_it_is() -> None:
    assert printable("Größe: 5 um, 日本", 500) == "Größe: 5 um, 日本"
    assert printable("cut", 2) == "cu"


def test_a_masked_error_is_another_with_every_text_masked() -> None:
    masker = Masker([SECRET])
    error = Unavailable(
        "SERVER_REFUSED",
        f"said {SECRET}",
        hint=f"look at {SECRET}",
        facts={"said": [SECRET], "rpc_code": -32000},
    )
    shown = mask_error(error, masker)
    assert shown is not error
    assert type(shown) is Unavailable
    assert shown.as_json() == {
        "code": "SERVER_REFUSED",
        "message": "said ***",
        "hint": "look at ***",
        "facts": {"said": ["***"], "rpc_code": -32000},
    }
    assert mask_error(Denied("SERVER_DISABLED", "off"), masker).hint is None


def test_the_problems_of_a_masked_error_are_masked_too() -> None:
    problems = [
        Problem("MCP_PARAMETER_INVALID_TYPE", "/a", f"{SECRET} is wrong", hint=f"not {SECRET}"),
        Problem("MCP_PARAMETER_REQUIRED", "/b", "missing"),
    ]
    shown = mask_error(
        Invalid("MCP_ARGUMENTS_INVALID", "wrong", problems=problems), Masker([SECRET])
    )
    assert isinstance(shown, Invalid)
    assert [(problem.message, problem.hint) for problem in shown.problems] == [
        ("*** is wrong", "not ***"),
        ("missing", None),
    ]
