"""What a request says about a tool's parameters, found without a model."""

from pathlib import Path
from typing import Any

import pytest

from toolweave.assistant.extraction.amounts import amounts_in
from toolweave.assistant.extraction.tokens import tokens_of
from toolweave.assistant.extraction.tool_choice import likely_tools
from toolweave.assistant.model_caller import SMALL_FILE_BYTES, is_small_file, is_small_model
from toolweave.assistant.narrowed_schema import narrowed_schema
from toolweave.catalog.resources.model import ModelTool
from toolweave.demo.server import TOOLS
from toolweave.nodes.mcp._language import filled

DEMO = {
    tool.name: ModelTool(
        name=tool.name,
        description=tool.definition.description or "",
        parameters=tool.definition.input_schema,
    )
    for tool in TOOLS
}
BOOKING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "guest": {"type": "string", "description": "Who comes."},
        "email": {"type": "string", "format": "email"},
        "arrival": {"type": "string", "format": "date"},
        "nights": {"type": "integer", "minimum": 1},
        "rooms": {"type": "array", "items": {"enum": ["single", "double", "suite"]}},
        "breakfast": {"type": "boolean"},
        "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "For the hotel."},
    },
    "required": ["guest", "arrival"],
}


def choices(schema: Any, request: str, about: str = "") -> dict[str, Any]:
    """Return the values to choose from; the schema of a parameter that is open."""
    properties: Any = narrowed_schema(schema, request, about)["properties"]
    return {name: one.get("enum", one) for name, one in properties.items()}


def demo(tool: str, request: str) -> dict[str, Any]:
    return choices(DEMO[tool].parameters, request, f"{tool} {DEMO[tool].description}")


@pytest.mark.parametrize(
    ("request_text", "values"),
    [
        ("add 17 and 2.5", [17, 2.5]),
        ("minus four, twenty-six and -3", [-4, 26, -3]),
        ("two hundred and fifty or 1,200", [250, 1200]),
        ("640x480", [640, 480]),
        ("19,95 or 1.200,50", [19.95, 1200.5]),
        ("one and a half, then two point five", [1.5, 2.5]),
        ("'12 monkeys' by #112233 on 2026-01-02", []),
    ],
)
def test_numbers_are_read_in_digits_and_in_words(request_text: str, values: list[float]) -> None:
    assert [one.value for one in amounts_in(tokens_of(request_text))] == values


@pytest.mark.parametrize(
    ("request_text", "seconds"),
    [
        ("Wait half a minute.", 30),
        ("A minute and a half", 90),
        ("Wait 1.5 s", 1.5),
        ("A quarter of an hour", 900),
        ("1h", 3600),
    ],
)
def test_times_are_converted_to_the_unit_of_the_parameter(
    request_text: str, seconds: float
) -> None:
    assert demo("slow", request_text) == {"seconds": [seconds]}


def test_numbers_go_to_the_parameter_their_words_speak_of() -> None:
    assert demo("draw", "50 pixels high and 90 wide") == {"width": [90], "height": [50]}
    assert demo("draw", "An ellipse, 300 by 150") == {
        "width": [300],
        "height": [150],
        "shape": ["ellipse"],
    }
    countdown = demo("countdown", "From 20 with half a second between two numbers")
    assert countdown == {"start": [20], "step_delay_s": [0.5]}


def test_an_optional_parameter_that_is_not_mentioned_is_left_out() -> None:
    assert demo("weather", "Will it rain in New York?") == {"city": ["New York"]}
    assert demo("weather", "One week forecast for Nairobi")["days"] == [7]
    assert demo("fail", "Simulate a failure.") == {}
    assert demo("fail", "Fail with the message 'no paper'.") == {"message": ["no paper"]}


def test_texts_go_to_the_parameter_that_introduces_them() -> None:
    expected = {"key": ["office"], "value": ["Bolt Street 5"]}
    assert demo("remember", 'Store "Bolt Street 5" under the name "office".') == expected
    assert demo("remember", 'Under "office", keep "Bolt Street 5".') == expected
    assert demo("remember", "Note that the gate code is 5521.") == {
        "key": ["gate code"],
        "value": ["5521"],
    }


@pytest.mark.parametrize(
    ("parameters", "request_text", "values"),
    [
        # The form that a description shows.
        (
            "site=team/page title",
            "in docs/start a page titled 'First steps'",
            "docs/start|First steps",
        ),
        # Another instruction ends a value; an introduced one ends at the next mark.
        ("subject", "mail with the subject Lunch menu and send it", "Lunch menu"),
        ("name", "a dish named Green salad, please", "Green salad"),
        # An instruction after its place.
        (
            "cluster query",
            "On the east cluster run UPDATE notes SET done",
            "east|UPDATE notes SET done",
        ),
        # A parameter's own word inside a name.
        ("city street", "map of 7 Abbey Street, Perth", "Perth|7 Abbey Street"),
        # Short and joined names.
        ("loginname dir", "for kim in src/app", "kim|src/app"),
        # Words after a colon are the longer text's.
        ("person message", "tell Ada: Bob is here", "Ada|Bob is here"),
    ],
)
def test_texts_are_told_apart(parameters: str, request_text: str, values: str) -> None:
    named = [one.partition("=") for one in parameters.split()]
    schema = {
        "type": "object",
        "properties": {one: {"type": "string", "description": more} for one, _, more in named},
        "required": [one for one, *_ in named],
    }
    found = choices(schema, request_text)
    assert [found[one][0] for one, *_ in named] == values.split("|")


def test_the_only_name_that_is_left_is_the_only_text_that_is_left() -> None:
    texts = {name: {"type": "string"} for name in ("name", "company")}
    schema = {"type": "object", "properties": texts, "required": ["name"]}
    assert choices(schema, "Add Ada Byron, from Analytica")["company"] == ["Analytica"]
    assert "company" not in choices(schema, "Add Ada Byron on Monday")


def test_a_phone_number_has_digits_and_a_day_is_no_name() -> None:
    texts = {name: {"type": ["string", "null"]} for name in ("phone", "team")}
    schema = {"type": "object", "properties": texts, "required": ["phone", "team"]}
    assert choices(schema, "Ask Ada Byron on Tuesday")["phone"] == [None]
    assert "Tuesday" not in choices(schema, "Ask Ada Byron on Tuesday")["team"]


def test_a_language_by_its_name_is_its_code() -> None:
    assert demo("greet", "Say hello to Priya in French.") == {"name": ["Priya"], "language": ["fr"]}


def test_values_with_a_shape_are_found_by_it() -> None:
    request = (
        "Book two nights for Ada Byron (ada@example.com) from 4 March 2027, a double and a suite, "
        "without breakfast, in Swiss francs."
    )
    assert choices(BOOKING, request) == {
        "guest": ["Ada Byron"],
        "email": ["ada@example.com"],
        "arrival": ["2027-03-04"],
        "nights": [2],
        "rooms": [["double", "suite"]],
        "breakfast": [False],
        "currency": ["CHF"],
    }


def test_a_color_by_its_name_is_its_code_unless_the_code_is_said() -> None:
    assert demo("draw", "A red ellipse.") == {"color": ["#ff0000"], "shape": ["ellipse"]}
    assert demo("draw", "A green box, colour #00aa00.") == {"color": ["#00aa00"]}


def test_values_of_the_incoming_data_are_found_by_their_names() -> None:
    data = '{"booking": {"visitor": "Ada", "city": "Oslo"}}'
    words = "Greet the visitor in German."
    assert demo("greet", words)["name"] != ["Ada"]
    assert demo("greet", filled("request", words=words, data=data)) == {
        "name": ["Ada"],
        "language": ["de"],
    }
    assert demo("weather", filled("request", words="Forecast for 4 days.", data=data)) == {
        "city": ["Oslo"],
        "days": [4],
    }
    said = filled("request", words="Forecast for Rome.", data=data)
    assert demo("weather", said) == {"city": ["Rome"]}


def test_what_nothing_in_the_request_can_fill_stays_open() -> None:
    found = choices(BOOKING, "Book it for Ada Byron.")
    assert found["arrival"] == {"type": "string", "format": "date"}
    nested = {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]}
    assert choices(nested, "Anything")["a"] == {"type": "object"}
    assert narrowed_schema({"type": "object"}, "Anything", "") == {"type": "object"}


def test_a_long_request_of_strange_words_ends() -> None:
    request = " ".join(f'Wort{n} "{n}" x{n}=={n}, 🙂 “' for n in range(300))
    assert set(demo("remember", request)) == {"key", "value"}


@pytest.mark.parametrize(
    ("request_text", "tool"),
    [
        ("What is the weather like in Oslo?", "weather"),
        ("Draw an ellipse 200 wide", "draw"),
        ("Count down from 12", "countdown"),
        ("Greet Ada in German", "greet"),
        ("Give me the mean of 4, 8, 15 and 16", "summarize_numbers"),
    ],
)
def test_a_tool_is_found_by_its_words_and_its_values(request_text: str, tool: str) -> None:
    assert tool in {one.name for one in likely_tools(request_text, list(DEMO.values()))}


def test_no_tool_is_likely_where_no_word_and_no_value_fits() -> None:
    tools = [DEMO["add"], DEMO["draw"]]
    assert [one.name for one in likely_tools("Add 1 and 2", tools)] == ["add"]
    assert likely_tools("Thanks", [DEMO["add"]]) == ()


@pytest.mark.parametrize(
    ("name", "is_small"),
    [
        ("smollm2:135m", True),
        ("Qwen2.5-0.5B-Instruct", True),
        ("llama3.2:1b", True),
        ("llama3.2", False),
        ("mixtral-8x7b", False),
        ("gemma3:4b", False),
    ],
)
def test_the_name_of_a_model_says_whether_it_is_small(name: str, is_small: bool) -> None:
    assert is_small_model(name) is is_small


def test_a_larger_model_in_a_file_of_ones_own_is_not_restricted(tmp_path: Path) -> None:
    large = tmp_path / "mistral.gguf"
    with large.open("wb") as file:
        file.truncate(SMALL_FILE_BYTES + 1)
    assert not is_small_file(str(large))
    assert not is_small_file("/models/Qwen3-8B-Q4_K_M.gguf")
    (small := tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    assert is_small_file(str(small))
    assert is_small_file("SmolLM2-135M-Instruct")
