"""The item of a loop read by the plural of its name, and outputs with several readings."""

import pytest
from tests.workflow.corpus.bases import Document, edge, node, whole, world

from toolweave import json_text
from toolweave.workflow.modes import object_at
from toolweave.workflow.report import Report, examine


def _loop(name: str, text: str, **more: Document) -> Report:
    nodes = [
        node("go", "TRIGGER.WEBHOOK", configurations={"webhook_path": "/a"}),
        node("each", "FLOW.FOR_EACH", configurations={"iteration_variable": name}),
        node("keep", "ACTION.SET_FIELDS", configurations={"set": {"x": text}}),
        *more.values(),
    ]
    nodes[1]["data"]["inputParams"] = {"data": "{{ go.body.rows }}"}
    nodes[2]["data"]["inputParams"] = {"data": {}}
    edges = [edge("go", "each"), edge("each", "keep", "loop")]
    edges += [edge("go", one) for one in more]
    return examine(json_text.write(whole("w", nodes, edges)), world("alone"))


def _text(report: Report) -> str:
    found = report.fixed.workflow.nodes[2]
    return str(object_at(object_at(found.data, "configurations"), "set")["x"])


@pytest.mark.parametrize(
    ("name", "text", "right"),
    [
        ("order", "{{ orders.sku }}", "{{ order.sku }}"),
        ("city", "{{ citys.name }}", "{{ city.name }}"),
        ("box", "{{ boxes.size }}", "{{ box.size }}"),
        ("row", "{{ rows.total }}", "{{ row.total }}"),
        ("site", "Host {{ sites.host }}", "Host {{ site.host }}"),
    ],
)
def test_the_plural_of_the_item_of_a_loop_is_the_item(name: str, text: str, right: str) -> None:
    assert _text(_loop(name, text)) == right


def test_the_plural_of_an_item_that_is_a_node_is_the_node() -> None:
    other = node("orders", "FLOW.DELAY", configurations={"duration_seconds": 1})
    assert _text(_loop("order", "{{ orders.sku }}", orders=other)) == "{{ orders.sku }}"


def test_the_plural_alone_may_be_the_whole_list() -> None:
    assert _text(_loop("order", "{{ orders }}")) == "{{ orders }}"


@pytest.mark.parametrize("name", ["payload", "body"])
def test_what_a_wait_was_ended_with_may_be_what_it_passes_on(name: str) -> None:
    settings = {"wait_type": "event", "event_config": {"name": "paid"}}
    wait = node("paid", "FLOW.WAIT", configurations=settings, inputParams={"data": {"a": 1}})
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        wait,
        node("keep", "ACTION.SET_FIELDS", configurations={"set": {"x": f"{{{{ paid.{name} }}}}"}}),
    ]
    nodes[2]["data"]["inputParams"] = {"data": {}}
    report = examine(
        json_text.write(whole("w", nodes, [edge("go", "paid"), edge("paid", "keep")])),
        world("alone"),
    )
    assert _text(report) == f"{{{{ paid.{name} }}}}"


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("https://t.me/oncall", "@oncall"),
        ("http://t.me/oncall_team", "@oncall_team"),
        ("t.me/oncall", "@oncall"),
        ("https://telegram.me/oncall", "@oncall"),
        ("https://t.me/oncall/", "@oncall"),
        ("https://t.me/+AbCdEf12345", None),
        ("https://t.me/c/123456/7", None),
    ],
)
def test_the_address_of_a_channel_is_its_name(written: str, right: str | None) -> None:
    settings = {"telegram_bot_token": "${vault:bot}", "action_type": "send_message"}
    act = node(
        "act",
        "EXTERNAL_ACTION.TELEGRAM_ACTION",
        configurations={**settings, "chat_id": written, "message_text": "a"},
    )
    nodes = [node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}), act]
    report = examine(json_text.write(whole("w", nodes, [edge("go", "act")])), world("alone"))

    fixed = object_at(report.fixed.workflow.nodes[1].data, "configurations")["chat_id"]
    assert fixed == (right or written)
