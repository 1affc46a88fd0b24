"""Fixes by general rules, tried on nodes that no set of faults was written for.

Each case changes one part of an example of the catalog; the fix must give the example again.
"""

import json
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from tests.workflow.faults.measure import canonical, examined, known_environment
from tests.workflow.mutations.documents import example_documents

from toolweave.json_text import Json
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.load import convert

# Any: documents are JSON that cases put faults into.
Document = dict[str, Any]
C, INPUTS = "configurations", "inputParams"


@cache
def _examples() -> dict[str, tuple[Document, int]]:
    found: dict[str, tuple[Document, int]] = {}
    for name, document, at, _ in example_documents():
        found.setdefault(name, (document, at))  # a trigger comes before the action of its name
    return found


@pytest.fixture(scope="module")
def known() -> KnownEnvironment:
    return known_environment()


def _fixed(document: Json, known: KnownEnvironment) -> str:
    report = examined(json.dumps(document), known)
    assert any(one.patch for one in report.problems), [one.as_json() for one in report.problems]
    return canonical(convert(report.fixed.workflow, report.loaded.format))


@pytest.mark.parametrize(
    ("name", "part", "key", "wrong"),
    [
        # A switch with another word for doing something, a type after a name, a word left out.
        ("file-watch-3", C, "recursive", "is_recursive"),
        ("file-watch-3", C, "recursive", "enable_recursive"),
        ("document-store-2", C, "relevance_scoring", "relevance"),
        ("gmail-interaction-1", C, "recipient_emails", "recipient_emails_list"),
        # The only key with a word of a required name.
        ("slack-1", C, "workspace_id", "slack_workspace"),
        ("notion-1", INPUTS, "instruction", "user_instruction"),
        # Words of another language, joined to one.
        ("sort-1", C, "sort_field", "sortierfeld"),
    ],
)
def test_a_key_by_its_words(
    name: str, part: str, key: str, wrong: str, known: KnownEnvironment
) -> None:
    right, at = _examples()[name]
    document = deepcopy(right)
    values = document["nodes"][at]["data"][part]
    values[wrong] = values.pop(key)
    assert _fixed(document, known) == canonical(right)


@pytest.mark.parametrize(
    ("name", "part", "steps", "wrong"),
    [
        # Options: a word of the value, a method of an interface, a class, a form of a word.
        ("firecrawl-1", C, ("action_type",), "page.scrape"),
        ("firecrawl-1", C, ("action_type",), "scrape_action"),
        ("file-watch-1", C, ("events", 0), "creation"),
        ("file-watch-2", C, ("events", 0), "modification"),
        ("telegram-action-1", C, ("keyboard_config", "type"), "inline_keyboard"),
        # Members of objects, which only the texts of the catalog show.
        ("email-1", C, ("server_config", "use_ssl"), "true"),
        ("email-1", C, ("server_config", "port"), "993"),
        ("email-3", C, ("server_config", "path"), "mail/newsletter"),
        # Values in other notations.
        ("timeout-2", C, ("max_age_seconds",), "60 * 60"),
        ("timeout-2", C, ("max_age_seconds",), "one hour"),
        ("web-search-1", C, ("max_results",), "five"),
        (
            "gmail-interaction-2",
            C,
            ("recipient_emails",),
            "grace@example.com katherine@example.com",
        ),
        ("gmail-interaction-1", C, ("recipient_emails", 0), "ada[at]example.com"),
        ("gmail-interaction-1", C, ("recipient_emails", 0), "ada@example,com"),
        ("file-watch-1", C, ("pattern",), "%.csv"),
        ("sort-2", C, ("sort_field",), "{{ item.exam.score }}"),
        ("sort-2", C, ("sort_field",), "item.exam.score"),
        ("firecrawl-2", INPUTS, ("url",), "https:\\\\docs.example.com"),
        ("firecrawl-2", INPUTS, ("url",), "https%3A%2F%2Fdocs.example.com"),
        ("split-1", C, ("size",), "2.0"),
    ],
)
def test_a_value_in_another_writing(
    name: str, part: str, steps: tuple[str | int, ...], wrong: Json, known: KnownEnvironment
) -> None:
    right, at = _examples()[name]
    document = deepcopy(right)
    owner = document["nodes"][at]["data"][part]
    for step in steps[:-1]:
        owner = owner[step]
    owner[steps[-1]] = wrong
    assert _fixed(document, known) == canonical(right)


@pytest.mark.parametrize(
    ("name", "steps", "wrong"),
    [
        ("email-1", ("server_config", "host"), "hostname"),
        ("email-1", ("server_config", "use_ssl"), "useSsl"),
        ("email-2", ("credentials", "refresh_token"), "refreshToken"),
        ("telegram-action-3", ("poll_config", "is_anonymous"), "anonymous"),
        ("telegram-action-5", ("edit_config", "message_id"), "messageId"),
        ("outlook-interaction-1", ("outlook_credentials", "tenant_id"), "tennant_id"),
    ],
)
def test_a_member_of_an_object_by_another_name(
    name: str, steps: tuple[str, str], wrong: str, known: KnownEnvironment
) -> None:
    right, at = _examples()[name]
    document = deepcopy(right)
    owner = document["nodes"][at]["data"][C][steps[0]]
    owner[wrong] = owner.pop(steps[1])
    assert _fixed(document, known) == canonical(right)


@pytest.mark.parametrize(
    ("name", "part", "key", "value"),
    [
        ("firecrawl-1", C, "action_type", "clean"),  # none of the options
        ("timeout-2", C, "max_age_seconds", "5:00"),  # minutes or hours
        ("gmail-interaction-1", C, "recipient_emails", "ada and grace"),  # no addresses
        ("sort-1", C, "order", "reverse"),  # of what
    ],
)
def test_a_value_with_several_meanings_is_left_as_it_is(
    name: str, part: str, key: str, value: Json, known: KnownEnvironment
) -> None:
    right, at = _examples()[name]
    document = deepcopy(right)
    document["nodes"][at]["data"][part][key] = value
    report = examined(json.dumps(document), known)
    assert [one for one in report.problems if one.severity == "error"] != []
    assert [one.patch for one in report.problems if one.patch] == []


def test_examples_of_the_catalog_have_no_member_that_is_reported(known: KnownEnvironment) -> None:
    for name, (document, _) in _examples().items():
        found = examined(json.dumps(document), known).problems
        assert [one.as_json() for one in found if one.patch] == [], name
