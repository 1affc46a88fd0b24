"""The words of a request, shared among all parameters of a tool."""

from typing import Any

import pytest

from toolweave.assistant.narrowed_schema import narrowed_schema

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
CODE: dict[str, Any] = {"type": "string", "pattern": "^[A-Z]{3}$"}
EMAILS: dict[str, Any] = {"type": "array", "items": {"type": "string", "format": "email"}}


def first_choices(request: str, *required: str, **fields: dict[str, Any]) -> dict[str, Any]:
    """Return the first choice of each parameter that the request mentions."""
    schema: Any = {"type": "object", "properties": fields, "required": [*required]}
    properties: Any = narrowed_schema(schema, request, "")["properties"]
    return {name: one["enum"][0] for name, one in properties.items()}


def described(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def test_codes_of_one_form_go_by_the_preposition_before() -> None:
    fields = {
        "origin": described(CODE, "Airport of departure."),
        "destination": described(CODE, "Airport of arrival."),
    }
    for request in ("Flights to CDG from HAM", "Flights from HAM to CDG", "Fly HAM to CDG"):
        found = first_choices(request, "origin", "destination", **fields)
        assert found == {"origin": "HAM", "destination": "CDG"}


def test_a_preposition_that_ends_a_description_introduces_the_value() -> None:
    fields = {"name": TEXT, "base": described(TEXT, "Branch to start from.")}
    found = first_choices("Create name fix-1 from develop", "name", **fields)
    assert found == {"name": "fix-1", "base": "develop"}


def test_a_quoted_text_does_not_take_the_place_of_a_required_name() -> None:
    fields = {"service": TEXT, "contains": TEXT, "limit": NUMBER}
    request = 'Get 50 lines from the billing service containing "refused"'
    found = first_choices(request, "service", **fields)
    assert found == {"service": "billing", "contains": "refused", "limit": 50}


@pytest.mark.parametrize(
    ("request_text", "values"),
    [
        ("Find mugs under 20 euros", {"max_price": 20}),
        ("Find mugs, at least 5 euros", {"min_price": 5}),
        ("Find mugs between 5 and 20 euros", {"min_price": 5, "max_price": 20}),
    ],
)
def test_bounds_go_to_the_highest_and_the_lowest_value(
    request_text: str, values: dict[str, float]
) -> None:
    fields = {"query": TEXT, "min_price": NUMBER, "max_price": NUMBER}
    found = first_choices(request_text, "query", **fields)
    assert found == {"query": "mugs", **values}


def test_a_path_goes_where_a_path_is_taken_and_a_size_is_two_numbers() -> None:
    fields = {"path": TEXT, "width": NUMBER, "height": NUMBER, "output_path": TEXT}
    found = first_choices("Scale logo.png to 64x48", "path", **fields)
    assert found == {"path": "logo.png", "width": 64, "height": 48}


def test_a_list_takes_all_values_of_its_form() -> None:
    fields = {"document": TEXT, "emails": EMAILS}
    found = first_choices("Share document D-1 with a@x.io and b@x.io", "document", **fields)
    assert found == {"document": "D-1", "emails": ["a@x.io", "b@x.io"]}


def test_a_name_is_divided_and_a_phone_number_is_not() -> None:
    fields = {"first_name": TEXT, "last_name": TEXT, "phone": TEXT}
    found = first_choices("Add Maria Lopez, +34 600 111 222", "first_name", "last_name", **fields)
    assert found == {"first_name": "Maria", "last_name": "Lopez", "phone": "+34 600 111 222"}


def test_numbers_of_accounts_are_texts() -> None:
    fields = {
        "from_account": described(TEXT, "Number of the account."),
        "to_account": described(TEXT, "Number of the account."),
        "amount": NUMBER,
    }
    request = "Send 1,200 to account 55210 from account 77034"
    found = first_choices(request, "from_account", "to_account", "amount", **fields)
    assert found == {"from_account": "77034", "to_account": "55210", "amount": 1200}


def test_a_message_goes_on_to_the_next_instruction() -> None:
    fields = {"channel": TEXT, "text": TEXT, "mentions": {"type": "array", "items": TEXT}}
    request = "Tell #ops that the disk is full and mention alice and bob"
    found = first_choices(request, "channel", "text", **fields)
    assert found == {"channel": "#ops", "text": "the disk is full", "mentions": ["alice", "bob"]}


@pytest.mark.parametrize(
    ("request_text", "flags"),
    [
        ("Cut a.mov without sound", {"mute": True}),
        ("Cut a.mov, no backup", {"make_backup": False}),
        ("Cut a.mov", {}),
    ],
)
def test_yes_and_no_are_read_from_names_and_descriptions(
    request_text: str, flags: dict[str, bool]
) -> None:
    boolean: dict[str, Any] = {"type": "boolean"}
    fields = {
        "file": TEXT,
        "mute": described(boolean, "Remove the sound."),
        "make_backup": described(boolean, "Keep a copy."),
    }
    assert first_choices(request_text, "file", **fields) == {"file": "a.mov", **flags}


def test_words_that_say_nothing_are_no_values() -> None:
    fields = {
        "number": TEXT,
        "language": described({**TEXT, "maxLength": 2}, "Language, ISO 639-1."),
        "place": TEXT,
    }
    found = first_choices("Where is my number 7781-22 at least?", "number", **fields)
    assert found == {"number": "7781-22"}


def test_a_number_of_an_address_and_a_unit_are_no_other_values() -> None:
    fields = {"pickup": TEXT, "passengers": NUMBER, "output_file": TEXT}
    found = first_choices("Get me a taxi from 12 Elm Street", "pickup", **fields)
    assert found == {"pickup": "12 Elm Street"}
    rates = {"input_file": TEXT, "speed": NUMBER, "output_file": TEXT}
    found = first_choices("Play a.wav at 40 km/h", "input_file", **rates)
    assert found == {"input_file": "a.wav", "speed": 40}
