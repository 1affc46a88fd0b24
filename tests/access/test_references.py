"""`${…}` is expanded once, from the environment or the vault, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolweave.access.references import SecretReference, expand, references, resolve_all
from toolweave.access.secret_destinations import HERE
from toolweave.access.vault import Vault
from toolweave.problems import Problem

pytestmark = pytest.mark.anyio

ENVIRON = {"HOME": "/home/me", "EMPTY": "", "TRICK": "${HOME} $HOME \\1 \\g<0>", "A_B": "x:-y"}


def from_environ(item: SecretReference) -> str | None:
    return ENVIRON.get(item.name, item.default) if item.kind == "env" else None


@pytest.mark.parametrize(
    ("template", "expanded"),
    [
        ("", ""),
        ("plain", "plain"),
        ("${HOME}", "/home/me"),
        ("${HOME}/bin:${HOME}", "/home/me/bin:/home/me"),
        ("${HOME:-/root}", "/home/me"),
        ("${UNSET}", "${UNSET}"),
        ("${UNSET:-/root}", "/root"),
        ("${UNSET:-}", ""),
        ("${UNSET:-a:-b}", "a:-b"),
        ("${UNSET:-$HOME}", "$HOME"),
        ("${EMPTY}", ""),
        ("${EMPTY:-full}", ""),
        ("${A_B}", "x:-y"),
        ("${env:HOME}", "/home/me"),
        ("${env:UNSET}", "${env:UNSET}"),
        ("${env:UNSET:-d}", "d"),
        ("$HOME", "$HOME"),
        ("$${HOME}", "$/home/me"),
        ("%HOME% `HOME` $(HOME)", "%HOME% `HOME` $(HOME)"),
        ("${}", "${}"),
        ("${HOME", "${HOME"),
        ("${home}", "${home}"),
        ("${ HOME }", "${ HOME }"),
        ("${TRICK}", "${HOME} $HOME \\1 \\g<0>"),
        ("${UNSET:-${HOME}}", "${HOME}"),
        ("${workspaceFolder}/x", "${workspaceFolder}/x"),
        ("a\n${HOME}\n", "a\n/home/me\n"),
    ],
)
def test_expansion(template: str, expanded: str) -> None:
    assert expand(template, from_environ) == expanded


@pytest.mark.parametrize(
    ("template", "kind", "name", "default"),
    [
        ("${A}", "env", "A", None),
        ("${env:A}", "env", "A", None),
        ("${A:-b}", "env", "A", "b"),
        ("${vault:a/b:c}", "vault", "a/b:c", None),
        ("${vault:A:-b}", "vault", "A:-b", None),
        ("${input:api-key}", "vault", "input:api-key", None),
        ("${command:x}", "env", "command:x", None),
    ],
)
def test_what_a_reference_names(template: str, kind: str, name: str, default: str | None) -> None:
    (found,) = references(f"before {template} after")
    assert (found.text, found.kind, found.name, found.default) == (template, kind, name, default)


@given(st.text(), st.text())
def test_what_was_put_in_is_never_looked_at_again(value: str, around: str) -> None:
    around = around.replace("$", "").replace("}", "")
    assert expand(f"{around}${{X}}{around}", lambda _: value) == around + value + around


async def test_values_come_from_environment_and_vault(vault: Vault) -> None:
    await vault.put("GITHUB", "ghp_123456")
    await vault.put("input:api-key", "prompted-once")
    resolved = await resolve_all(
        {
            "Authorization": "Bearer ${vault:GITHUB}",
            "X-Key": "${input:api-key}",
            "PATH": "${HOME}/bin",
        },
        ENVIRON,
        vault,
        to=HERE,
    )
    assert resolved.values == {
        "Authorization": "Bearer ghp_123456",
        "X-Key": "prompted-once",
        "PATH": "/home/me/bin",
    }
    assert resolved.problems == ()
    assert resolved.secrets == {"ghp_123456", "Bearer ghp_123456", "prompted-once"}


async def test_what_is_missing_stays_as_written_with_a_problem_that_points_at_it(
    vault: Vault,
) -> None:
    await vault.put("GITHUB", "ghp_123456")
    resolved = await resolve_all(
        {"a/b": "${HOM} ${OTHER:-ok}", "c": "${vault:GITHUP}", "d": "${input:id}"},
        ENVIRON,
        vault,
        to=HERE,
        at=("env",),
    )
    assert resolved.values == {"a/b": "${HOM} ok", "c": "${vault:GITHUP}", "d": "${input:id}"}
    assert [facts(problem) for problem in resolved.problems] == [
        ("VARIABLE_UNSET", "/env/a~1b", "warning", "did you mean 'HOME'?"),
        ("SECRET_NOT_FOUND", "/env/c", "error", "did you mean 'GITHUB'?"),
        ("SECRET_NOT_FOUND", "/env/d", "warning", "store it in the vault under the name input:id"),
    ]


def facts(problem: Problem) -> tuple[str, str, str, str | None]:
    return problem.code, problem.pointer, problem.severity, problem.hint


async def test_a_secret_that_looks_like_a_reference_is_not_expanded(vault: Vault) -> None:
    await vault.put("A", "${vault:B} ${HOME}")
    await vault.put("B", "never-shown")
    resolved = await resolve_all({"x": "${vault:A}"}, ENVIRON, vault, to=HERE)
    assert resolved.values == {"x": "${vault:B} ${HOME}"}
    assert "never-shown" not in resolved.secrets


async def test_values_known_by_their_names_are_secrets_too(vault: Vault) -> None:
    resolved = await resolve_all(
        {"args": "--with ${MY_TOKEN}", "API_KEY": "literal", "MODE": "${HOME}", "PASSWORD": ""},
        {"MY_TOKEN": "from-environ", "HOME": "/home/me"},
        vault,
        to=HERE,
    )
    assert resolved.secrets == {"from-environ", "literal"}


@pytest.mark.parametrize("name", ["a b", "\0", "(check)", "x" * 1000])
async def test_an_impossible_name_is_a_problem_not_an_error(vault: Vault, name: str) -> None:
    resolved = await resolve_all({"x": f"${{vault:{name}}}"}, {}, vault, to=HERE)
    assert [problem.code for problem in resolved.problems] == ["SECRET_NOT_FOUND"]
