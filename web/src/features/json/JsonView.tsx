/** The workflow as JSON in both directions: valid text updates the canvas, edits on the canvas update the text. */

import { useEffect, useRef, useState } from "react";
import { parseWorkflow } from "../../model/workflow/parse";
import { shareUnchanged } from "../../model/workflow/structuralSharing";
import type { Workflow } from "../../model/workflow/workflow";
import { useEditor } from "../../state/editorContext";
import { Button } from "../../ui/Button";
import { JsonEditor } from "../../ui/JsonEditor";
import "./json.css";

/** Longer texts are parsed when the typing pauses, so that keystrokes are not delayed. */
const LONG_TEXT = 100_000;
const PARSE_DELAY_MS = 300;

export function JsonView({ workflow, isReadOnly }: { workflow: Workflow; isReadOnly: boolean }) {
  const { text, fault, at, isBehind, type, finishTyping, takeCanvas } = useJsonText(workflow);
  const [shownPosition, showPosition] = useState<{ at: number } | null>(null);
  return (
    <div className="json">
      <JsonEditor
        id="json-text"
        aria={{ "aria-describedby": "json-state", "aria-invalid": fault ? true : undefined }}
        label="Workflow as JSON"
        value={text}
        isReadOnly={isReadOnly}
        hasLineNumbers
        shownPosition={shownPosition}
        onChange={type}
        onBlur={finishTyping}
      />
      <div className={fault ? "json__state json__state--bad" : "json__state"}>
        <span id="json-state" role="status">
          {fault ?? "In sync with the canvas"}
          {isBehind && " The canvas has changed."}
        </span>
        {fault && at !== null && (
          <Button look="quiet" onClick={() => showPosition({ at })}>
            Show position
          </Button>
        )}
        {isBehind && (
          <Button look="quiet" onClick={takeCanvas}>
            Reload from canvas
          </Button>
        )}
      </div>
    </div>
  );
}

interface JsonText {
  text: string;
  fault: string | null;
  at: number | null;
  /** The canvas changed while the text was invalid: both are kept until the user decides. */
  isBehind: boolean;
}

/** The typed text while it matches the canvas, else the canvas as text. */
function useJsonText(workflow: Workflow) {
  const editor = useEditor();
  const [jsonText, setJsonText] = useState<JsonText>(() => jsonTextOf(workflow));
  const shown = useRef(workflow);
  const unparsed = useRef<string | null>(null);
  const timer = useRef(0);
  useEffect(() => {
    // The typed text is on the canvas already; formatting it again would move the caret.
    if (shown.current === workflow) return;
    shown.current = workflow;
    unparsed.current = null;
    setJsonText((before) => (before.fault ? { ...before, isBehind: true } : jsonTextOf(workflow)));
  }, [workflow]);
  const read = () => {
    window.clearTimeout(timer.current);
    const typed = unparsed.current;
    const before = editor.document.workflow;
    if (typed === null || before.id !== shown.current.id) return;
    unparsed.current = null;
    const parsed = parseWorkflow(typed);
    setJsonText({ text: typed, fault: parsed.fault, at: parsed.at, isBehind: false });
    if (!parsed.workflow) return;
    shown.current = shareUnchanged(before, parsed.workflow);
    editor.document.replace(shown.current, "json");
  };
  const type = (typed: string) => {
    unparsed.current = typed;
    if (typed.length <= LONG_TEXT) return read();
    setJsonText({ ...jsonText, text: typed });
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(read, PARSE_DELAY_MS);
  };
  const finishTyping = () => {
    read();
    editor.document.endGesture();
  };
  // Text that was just typed is not lost when the panel closes.
  // eslint-disable-next-line react-hooks/exhaustive-deps -- `read` uses refs only, and runs once, at the end
  useEffect(() => read, []);
  const takeCanvas = () => setJsonText(jsonTextOf(shown.current));
  return { ...jsonText, type, finishTyping, takeCanvas };
}

function jsonTextOf(workflow: Workflow): JsonText {
  return { text: JSON.stringify(workflow, null, 2), fault: null, at: null, isBehind: false };
}
