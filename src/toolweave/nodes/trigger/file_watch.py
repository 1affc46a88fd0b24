"""TRIGGER.FILE_WATCH: start when a file appears, changes or goes."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.trigger._outputs import started

EVENTS = ("created", "modified", "deleted")


class FileWatch:
    """Starts a run for each change of a file in a folder."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="FILE_WATCH",
        summary="Start the workflow when a file in a folder appears, changes or is deleted.",
        effect="keyed",
        configurations=(
            Field(
                "path",
                "string",
                "Folder or file that is watched, within the folders this studio may read: inbox.",
                required=True,
            ),
            Field(
                "pattern",
                "string",
                "Names of files that count: `*.csv`, `report-*.pdf`.",
                "*",
            ),
            Field(
                "events",
                "array",
                "Changes that start a run.",
                ["created", "modified"],
                options=EVENTS,
                items="string",
            ),
            Field("recursive", "boolean", "Whether folders within it count as well.", False),
            Field(
                "poll_interval",
                "integer",
                "Seconds between looks; a file counts once it is the same in two looks.",
                5,
                minimum=1,
                maximum=3600,
            ),
        ),
        outputs=(
            Field("trigger_time", "string", "When it was seen: 2026-03-02T09:30:00Z."),
            Field("execution_id", "string", "Id of this run."),
            Field("event_type", "string", "What happened to the file.", options=EVENTS),
            Field("path", "string", "The file, from the watched folder on: 2026/orders.csv."),
            Field("name", "string", "Its name: orders.csv."),
            Field("full_path", "string", "Where it is on this machine."),
            Field("size", "integer", "Its bytes; 0 once it is deleted."),
            Field("modified_at", "string", "When it was written last; empty once it is deleted."),
            Field("trigger_message", "string", "One line that says what started the run."),
        ),
        input_ports=(),
        tags=("trigger", "file", "folder"),
        keywords=(
            *("file", "folder", "directory", "watch", "inbox", "drop"),
            *("upload", "appears", "changed", "deleted", "csv"),
        ),
        examples=(
            Example(
                "Orders dropped into a folder",
                "Each new CSV file in the inbox.",
                {"path": "inbox", "pattern": "*.csv", "events": ["created"]},
            ),
            Example(
                "Settings that change",
                "One file, checked every second.",
                {"path": "settings/rules.json", "events": ["modified"], "poll_interval": 1},
            ),
            Example(
                "Everything below a folder",
                "Whatever happens in the archive, folders within it too.",
                {
                    "path": "archive",
                    "events": ["created", "modified", "deleted"],
                    "recursive": True,
                    "poll_interval": 60,
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The file and what happened to it."""
        path = given.text("path")
        known: JsonObject = {
            "event_type": "created",
            "path": path,
            "name": path.rpartition("/")[2],
            "trigger_message": f"Started by hand for {path}",
        }
        return Outcome(started(self.spec, given, known))


node = FileWatch()
