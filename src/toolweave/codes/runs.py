"""Codes of runs, their triggers, models and questions."""

RUNS: dict[str, str] = {
    "AGENT_LIMIT_REACHED": "An agent did not finish within its limits.",
    "ANSWER_INVALID": "The answer is not one of the offered options.",
    "JOURNAL_UNREADABLE": "The journal of a run contains entries this version cannot read.",
    "MODEL_ANSWER_INVALID": "A model's answer is invalid, even after a retry.",
    "MODEL_NEEDED": "A request in natural language needs a model, and none is configured.",
    "NODE_INPUT_INVALID": "A node's input is invalid.",
    "NODE_INPUT_MISSING": "No incoming value matches a required input of a node.",
    "NODE_NOT_RUNNABLE": "A node of this type cannot run.",
    "NODE_OUTPUT_INVALID": "A node's output is not JSON.",
    "PICTURE_INVALID": "An image for a model cannot be read or has an unsupported type.",
    "PICTURE_UNKNOWN": "The step's output has no image at this path.",
    "RESOURCE_MISSING": "A node needs a service that is not available in this process.",
    "RUN_HELD": "Another process is executing the run.",
    "RUN_STEP_UNFINISHED": "The service stopped twice while it computed the same step of a run.",
    "RUN_INPUT_INVALID": "A run's input does not match its workflow's `inputSchema`.",
    "RUN_TAKEN": "Another process has taken over the run.",
    "RUN_UNKNOWN": "There is no run with this id.",
    "STEP_NOT_REACHED": "The run never reached the node to repeat from.",
    "STEP_NOT_WAITING": "The step is not waiting for an answer or a decision.",
    "STEP_TIMEOUT": "A step exceeded its node's time limit.",
    "STEP_UNCERTAIN": "It is unknown whether the step took effect, so it fails.",
    "TURNS_EXCEEDED": "An answer led back to an earlier step too often in one run.",
    "STEP_UNKNOWN": "The run has no step with this key.",
    "TOOL_FAILED": "A tool reported an error.",
}

RECORDINGS: dict[str, str] = {
    "RECORDING_CUT_OFF": "A recording has no `end` line; it was cut off while it was written.",
    "RECORDING_EDITED": "The lines of a recording differ from the hash in its `end` line.",
    "RECORDING_EXISTS": "There is a recording with this name already.",
    "RECORDING_INVALID": "A recording is damaged, too large, or has lines of a wrong form.",
    "RECORDING_NAME_INVALID": "The name of a recording contains characters that are not allowed.",
    "RECORDING_NO_SERVER": "A recording does not have the server that is to be served.",
    "RECORDING_NO_MATCH": "A replayed step asked for something that is not recorded.",
    "RECORDING_UNKNOWN": "There is no recording with this name.",
    "RECORDING_USED_UP": "A replayed step asked for something more often than it is recorded.",
    "RECORDING_VALUE_MISSING": "A large value of a recording is not beside its file, or changed.",
    "RECORDING_VERSION": "The file is not a recording, or has a format of another version.",
    "RUN_NOT_FINISHED": "Only a finished run can be recorded.",
}

MODELS: dict[str, str] = {
    "CHAT_BUSY": "A model is still answering in the chat.",
    "CHAT_UNKNOWN": "There is no chat with this id, or it belongs to another key.",
    "FREEZE_IMPOSSIBLE": "A model's choices cannot be stored as fixed values.",
    "MODEL_ARGUMENTS_INVALID": "A model did not produce valid arguments for the tool.",
    "MODEL_CONFIG_INVALID": "The model configuration is invalid.",
    "MODEL_LIMITED": "The model's provider is rate-limiting requests.",
    "MODEL_NAME_TAKEN": "Another model has this name.",
    "MODEL_REFUSED": "The model's provider rejected the request or its key.",
    "MODEL_TIMEOUT": "A model did not answer before the deadline.",
    "MODEL_UNAVAILABLE": "The model's provider does not respond or its response is malformed.",
    "MODEL_UNKNOWN": "No model with this name is configured.",
    "TOOL_NOT_OFFERED": "A model called a tool that its conversation does not have.",
}

QUESTIONS: dict[str, str] = {
    "FORM_SCHEMA_INVALID": "The schema of a form is invalid or does not describe an object.",
    "QUESTION_CLOSED": "The question was answered or has expired, or its run has ended.",
    "QUESTION_UNKNOWN": "There is no question with this id.",
    "REPLY_PATTERN_INVALID": "The pattern for replies is not a valid RE2 expression.",
    "REVIEW_INVALID": "The scale of a review has no bounds, or no score on it can pass.",
}

TRIGGERS: dict[str, str] = {
    "CRON_INVALID": "A schedule is invalid or never occurs.",
    "EMAIL_CONFIG_INVALID": "A mail trigger lacks its host, username or path.",
    "EMAIL_DENIED": "Workflows may not connect to the mail server's address.",
    "EMAIL_UNREACHABLE": "A mailbox cannot be read.",
    "FILE_WATCH_LIMIT": "A watched folder has too many files.",
    "HOOK_DENIED": "A delivery's signature or secret is missing or wrong.",
    "HOOK_NOT_FOUND": "No trigger listens at this path.",
    "HOOK_PATH_TAKEN": "Another trigger already uses this path.",
    "HOOK_PAUSED": "The trigger at this path is paused.",
    "HOOK_SECRET_MISSING": "A trigger has no secret to authenticate its callers.",
    "HOOK_UNSIGNED": "A webhook accepts calls without proof.",
    "TIMEZONE_UNKNOWN": "There is no time zone with this name.",
    "TRIGGER_NOT_FOUND": "The workflow has no such trigger, or none is active.",
}
