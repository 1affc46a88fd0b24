"""The catalog itself: looking up, listing, and live tools beside our nodes."""

import pytest
from tests.catalog.builders import a_live_tool, a_spec, our_catalog

from toolweave.catalog.index import Catalog
from toolweave.catalog.live import specs_of
from toolweave.errors import Conflict


def test_a_specification_is_found_by_its_exact_names_only() -> None:
    spec = our_catalog().get("FLOW", "IF")
    assert spec is not None
    assert spec.ref == "FLOW.IF"
    assert our_catalog().get("FLOW", "if") is None
    assert our_catalog().get("FLOW.IF", "") is None


def test_types_can_be_narrowed_to_one_and_empty_ones_are_not_shown() -> None:
    (subtypes,) = our_catalog().types("ACTION").values()
    assert subtypes[:2] == ["HTTP_REQUEST", "DATA_TRANSFORMATION"]
    assert our_catalog().types("NOBODY") == {}
    assert Catalog([a_spec()]).types() == {"FLOW": ["ECHO"]}


def test_two_nodes_of_one_name_are_refused() -> None:
    with pytest.raises(Conflict) as caught:
        Catalog([a_spec(), a_spec()])
    assert caught.value.code == "SPEC_TWICE"


def test_live_tools_come_after_our_own_and_leave_the_first_catalog_as_it_was() -> None:
    ours = Catalog([a_spec()])
    both = ours.with_specs(specs_of([a_live_tool()]))
    assert both.types() == {"FLOW": ["ECHO"], "TOOL": ["MCP:box/do_it"]}
    assert [spec.ref for spec in both.of_type("TOOL")] == ["TOOL.MCP:box/do_it"]
    assert both.of_type("NOBODY") == []
    assert len(ours) == 1
