"""Expansion of `${…}` in a server's command, arguments, environment, address and headers.

`${VAR}` and `${VAR:-default}` (also as `${env:VAR}`) come from the environment, `${vault:NAME}` and
`${input:id}` from the vault. One pass: inserted values are never expanded again. An unknown one
stays unchanged, with a problem; a bare `$VAR` is plain text.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from toolweave.access.mask import is_sensitive
from toolweave.access.secret_destinations import Destination
from toolweave.errors import NotFound
from toolweave.patterns import pattern
from toolweave.problems import Problem, did_you_mean, pointer

_REFERENCE = pattern(r"\$\{([^}]+)\}")
_SCHEME = pattern(r"(?i:basic|bearer|token)\s+(\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SecretReference:
    """One `${…}`: its name and the default for an unset variable."""

    text: str
    kind: Literal["env", "vault"]
    name: str
    default: str | None = None


class SecretSource(Protocol):
    """The part of the vault used here."""

    async def use(self, name: str, to: Destination) -> str: ...


@dataclass(frozen=True, slots=True)
class ResolvedText:
    """Expanded values, problems, and secrets to mask."""

    values: dict[str, str]
    problems: tuple[Problem, ...]
    secrets: frozenset[str]


def references(template: str) -> list[SecretReference]:
    """Return all references in `template`, in order."""
    return [_reference(found) for found in _REFERENCE.finditer(template)]


def expand(template: str, resolve: Callable[[SecretReference], str | None]) -> str:
    """Replace each reference in `template` with its `resolve` value; `None` keeps it."""

    def value(found: re.Match[str]) -> str:
        given = resolve(_reference(found))
        return found[0] if given is None else given

    return _REFERENCE.sub(value, template)


async def resolve_all(
    templates: Mapping[str, str],
    environ: Mapping[str, str],
    vault: SecretSource,
    *,
    to: Destination,
    at: tuple[str | int, ...] = (),
) -> ResolvedText:
    """Expand each of `templates`, to be sent `to`; problems point at its name below `at`."""
    secrets, missing = await _from_vault(templates, vault, to)
    values: dict[str, str] = {}
    problems: list[Problem] = []
    used = set(secrets.values())
    for key, template in templates.items():
        found = {item: _lookup(item, environ, secrets) for item in references(template)}
        values[key] = expand(template, found.__getitem__)
        for item, value in found.items():
            if value is None:
                problems.append(_problem(item, pointer(*at, key), environ, missing))
            elif item.kind == "env" and is_sensitive(item.name):
                used.add(value)
        if is_sensitive(key):
            used |= _credentials(values[key])
    return ResolvedText(values, tuple(problems), frozenset(value for value in used if value))


async def _from_vault(
    templates: Mapping[str, str], vault: SecretSource, to: Destination
) -> tuple[dict[str, str], dict[str, str | None]]:
    """Return the secrets referred to, with a hint for each that is missing."""
    wanted = {item.name for text in templates.values() for item in references(text)
              if item.kind == "vault"}  # fmt: skip
    secrets: dict[str, str] = {}
    missing: dict[str, str | None] = {}
    for name in sorted(wanted):
        try:
            secrets[name] = await vault.use(name, to)
        except NotFound as error:
            missing[name] = error.hint
    return secrets, missing


def _reference(found: re.Match[str]) -> SecretReference:
    inside = found[1]
    if inside.startswith("vault:"):
        return SecretReference(found[0], "vault", inside.removeprefix("vault:"))
    if inside.startswith("input:"):
        # VS Code asks for these once; here they are stored in the vault under the same name.
        return SecretReference(found[0], "vault", inside)
    name, has_default, default = inside.removeprefix("env:").partition(":-")
    return SecretReference(found[0], "env", name, default if has_default else None)


def _lookup(
    item: SecretReference, environ: Mapping[str, str], secrets: Mapping[str, str]
) -> str | None:
    if item.kind == "vault":
        return secrets.get(item.name)
    # As in Claude Code, a variable with an empty value is set.
    return environ.get(item.name, item.default)


def _problem(
    item: SecretReference, place: str, environ: Mapping[str, str], missing: Mapping[str, str | None]
) -> Problem:
    if item.kind == "env":
        return Problem(
            "VARIABLE_UNSET",
            place,
            f"the variable {item.name!r} is not set; {item.text!r} is left unchanged",
            hint=did_you_mean(item.name, environ)
            or f"set {item.name}, or add a default: ${{{item.name}:-value}}",
            severity="warning",
        )
    return Problem(
        "SECRET_NOT_FOUND",
        place,
        f"the vault has no secret {item.name!r}; {item.text!r} is left unchanged",
        hint=missing.get(item.name) or f"store it in the vault under the name {item.name}",
        severity="warning" if item.name.startswith("input:") else "error",
    )


def _credentials(value: str) -> set[str]:
    """Return a sensitive value and the part of it after `Bearer` or similar."""
    scheme = _SCHEME.fullmatch(value)
    return {value, scheme[1]} if scheme else {value}


def vault_name_in(token: str) -> str | None:
    """Return the secret's name if the text is exactly one vault reference."""
    found = references(token)
    is_one = len(found) == 1 and found[0].text == token.strip() and token.startswith("${vault:")
    return found[0].name if is_one else None
