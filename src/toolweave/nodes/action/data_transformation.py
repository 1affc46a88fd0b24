"""ACTION.DATA_TRANSFORMATION: reshape a list of records."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.json_text import Json
from toolweave.nodes.action._record_text import to_csv, to_xml
from toolweave.nodes.action._transformations import OPERATIONS, check_operation


class DataTransformation:
    """Maps, filters, sorts, groups, joins or reshapes records."""

    may_be_heavy = True
    spec = NodeSpec(
        type="ACTION",
        subtype="DATA_TRANSFORMATION",
        summary="Map, filter, sort, group, join or otherwise reshape a list of records.",
        effect="pure",
        configurations=(
            Field(
                "operation",
                "string",
                "What is done with the records; custom evaluates transformation_script.",
                "map",
                required=True,
                options=terms(
                    "map, filter, aggregate, sort, group_by, join, flatten, pivot, custom"
                ),
            ),
            Field(
                "transformation_script",
                "string",
                "CEL for custom, over data, context and variables: "
                "`data.filter(item, item.total > 100)`.",
                multiline=True,
                used_when=("operation", "custom"),
            ),
            Field(
                "field_mapping",
                "object",
                'For map, new name to old path: {"customer": "user.name", "id": "id"}.',
                {},
                used_when=("operation", "map"),
            ),
            Field(
                "filter_conditions",
                "array",
                'For filter, all must hold: [{"field": "score", "operator": "greater_than", '
                '"value": 80}].',
                [],
                items="object",
                used_when=("operation", "filter"),
                members="[{field, operator, value: any}]",
            ),
            Field(
                "sort_config",
                "object",
                'For sort: {"field": "user.name", "direction": "asc"}, or desc.',
                {},
                used_when=("operation", "sort"),
                members="{field, direction: asc|desc}",
            ),
            Field(
                "group_by_fields",
                "array",
                "Paths that make a group, join two lists, or (pivot) name row and column: [city].",
                [],
                items="string",
                used_when=("operation", "aggregate", "group_by", "join", "pivot"),
            ),
            Field(
                "aggregation_functions",
                "object",
                'New name to count, sum, avg, min, max, first or last: {"people": "count", '
                '"mean": "avg(age)"}.',
                {},
                used_when=("operation", "aggregate", "pivot"),
            ),
            Field(
                "output_format",
                "string",
                "json and array give records, csv and xml give text.",
                "json",
                options=("json", "array", "csv", "xml"),
            ),
            Field(
                "preserve_metadata",
                "boolean",
                "Whether map keeps fields that begin with an underscore, such as _source.",
                True,
                used_when=("operation", "map"),
            ),
        ),
        inputs=(
            Field("data", "array", "Records to work on.", required=True),
            Field("context", "object", "More values for the script; `right` is join's other list."),
            Field("variables", "object", "Variables for the script."),
        ),
        outputs=(
            Field("transformed_data", "any", "The result: records, or text for csv and xml."),
            Field("original_count", "integer", "Records that came in."),
            Field("output_count", "integer", "Records that went out."),
            Field("transformation_stats", "object", 'Counts by operation: {"filtered_out": 2}.'),
            Field("success", "boolean", "Whether it worked."),
            Field("error_message", "string", "Why it failed; empty on success."),
        ),
        tags=("action", "data", "transformation"),
        keywords=(
            *("map", "reshape", "convert", "rename", "fields", "aggregate"),
            *("group", "join", "pivot", "flatten", "csv", "json"),
        ),
        guidance=(
            "filter_conditions take the operators equals, not_equals, greater_than, "
            "greater_or_equal, less_than, less_or_equal, in, not_in, contains, starts_with, "
            "ends_with and exists. aggregate needs aggregation_functions and gives a record a "
            "group, or one in all without group_by_fields; group_by gives the group's fields and "
            "its `items`. flatten turns nested objects into dotted names. join takes its other "
            "list from context.right, and keeps records without a partner where context.join_type "
            "is left. "
            '`"age": "avg"` is short for `"age": "avg(age)"`.'
        ),
        checks=(check_operation,),
        examples=(
            Example(
                "Rename fields",
                "Takes three fields under new names, one from inside an object.",
                {
                    "operation": "map",
                    "field_mapping": {"id": "id", "name": "user.name", "email": "user.mail"},
                },
                {
                    "data": [
                        {"id": 7, "user": {"name": "Ada", "mail": "ada@example.com"}, "age": 36}
                    ]
                },
                {
                    "transformed_data": [{"id": 7, "name": "Ada", "email": "ada@example.com"}],
                    "original_count": 1,
                    "output_count": 1,
                    "transformation_stats": {"missing_values": 0},
                    "success": True,
                    "error_message": "",
                },
            ),
            Example(
                "Keep the good ones",
                "Two conditions, both of which must hold.",
                {
                    "operation": "filter",
                    "filter_conditions": [
                        {"field": "status", "operator": "equals", "value": "active"},
                        {"field": "score", "operator": "greater_than", "value": 80},
                    ],
                },
                {
                    "data": [
                        {"id": 1, "status": "active", "score": 95},
                        {"id": 2, "status": "paused", "score": 99},
                        {"id": 3, "status": "active", "score": 80},
                    ]
                },
                {
                    "transformed_data": [{"id": 1, "status": "active", "score": 95}],
                    "original_count": 3,
                    "output_count": 1,
                    "transformation_stats": {"filtered_out": 2},
                    "success": True,
                    "error_message": "",
                },
            ),
            Example(
                "Pay by department",
                "Head count, mean and highest pay of each department, in order of appearance.",
                {
                    "operation": "aggregate",
                    "group_by_fields": ["department"],
                    "aggregation_functions": {
                        "people": "count",
                        "pay": "avg",
                        "highest": "max(pay)",
                    },
                },
                {
                    "data": [
                        {"department": "Sales", "pay": 80},
                        {"department": "Design", "pay": 70},
                        {"department": "Sales", "pay": 100},
                    ]
                },
                {
                    "transformed_data": [
                        {"department": "Sales", "people": 2, "pay": 90, "highest": 100},
                        {"department": "Design", "people": 1, "pay": 70, "highest": 70},
                    ],
                    "original_count": 3,
                    "output_count": 2,
                    "transformation_stats": {"groups": 2},
                    "success": True,
                    "error_message": "",
                },
            ),
            Example(
                "Latest first",
                "Sorts by a nested date, newest at the top.",
                {
                    "operation": "sort",
                    "sort_config": {"field": "meta.day", "direction": "desc"},
                },
                {
                    "data": [
                        {"id": "a", "meta": {"day": "2026-01-03"}},
                        {"id": "b", "meta": {"day": "2026-02-01"}},
                    ]
                },
                {
                    "transformed_data": [
                        {"id": "b", "meta": {"day": "2026-02-01"}},
                        {"id": "a", "meta": {"day": "2026-01-03"}},
                    ],
                    "original_count": 2,
                    "output_count": 2,
                    "transformation_stats": {"missing_values": 0},
                    "success": True,
                    "error_message": "",
                },
            ),
            Example(
                "Own expression",
                "Ids of orders above a limit that comes with the input.",
                {
                    "operation": "custom",
                    "transformation_script": "data.filter(item, item.total > variables.limit)"
                    ".map(item, item.id)",
                },
                {
                    "data": [
                        {"id": "A-1", "total": 120},
                        {"id": "A-2", "total": 40},
                        {"id": "A-3", "total": 300},
                    ],
                    "variables": {"limit": 100},
                },
                {
                    "transformed_data": ["A-1", "A-3"],
                    "original_count": 3,
                    "output_count": 2,
                    "transformation_stats": {},
                    "success": True,
                    "error_message": "",
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The records, transformed."""
        data = given.listing("data")
        done = OPERATIONS[given.text("operation")](given, data)
        records: list[Json] = done.value if isinstance(done.value, list) else [done.value]
        value: Json = {
            "transformed_data": _written(done.value, records, given.text("output_format")),
            "original_count": len(data),
            "output_count": len(records),
            "transformation_stats": done.stats,
            "success": True,
            "error_message": "",
        }
        return Outcome(value)


def _written(value: Json, records: list[Json], output_format: str) -> Json:
    match output_format:
        case "csv":
            return to_csv(records)
        case "xml":
            return to_xml(records)
        case "array":
            return records
        case _:
            return value


node = DataTransformation()
