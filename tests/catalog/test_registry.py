"""What the registry holds: each node the seed lists, and more as soon as a server is connected."""

import pytest
from tests.catalog.builders import entries, live_catalog, our_catalog, our_knowledge
from tests.nodes.catalog_table import TABLE

# Of the seed's 39; these three the original system describes and never registered.
NEVER_REGISTERED = {"MEMORY.DOCUMENT_STORE", "MEMORY.EPISODIC_MEMORY", "MEMORY.GRAPH_MEMORY"}
LISTED = [tuple(ref.split(".", 1)) for ref in TABLE if ref not in NEVER_REGISTERED]


@pytest.mark.requirement("004:registry.count")
def test_each_of_the_39_nodes_that_the_seed_lists_is_held_and_told_in_full() -> None:
    assert len(set(LISTED)) == 39
    nodes = [(node_type, subtype) for node_type, subtype in LISTED]
    told = entries(our_knowledge().node_details(nodes, max_tokens=1_000_000))
    assert [(node["node_type"], node["subtype"]) for node in told] == nodes
    assert not any("error" in node or "warning" in node or "omitted" in node for node in told)
    types = our_knowledge().types()
    assert all(subtype in types[node_type] for node_type, subtype in nodes)


@pytest.mark.requirement("004:registry.count")
def test_with_the_tools_of_connected_servers_it_holds_50_and_more() -> None:
    assert len(live_catalog()) >= 50
    assert len(live_catalog()) == sum(map(len, live_catalog().types().values()))
    assert {spec.ref for spec in our_catalog()} < {spec.ref for spec in live_catalog()}
