/** The workflow as JSON, both ways: the canvas follows valid text, the text follows the canvas. */

import { useEffect, useRef, useState } from "react";
import { endGesture, replaceWorkflow } from "../../model/documentStore";
import { readWorkflow } from "../../model/reading";
import type { Workflow } from "../../model/workflow";
import "./json.css";

export function JsonView({ workflow, isReadOnly }: { workflow: Workflow; isReadOnly: boolean }) {
  const [text, setText] = useState(() => JSON.stringify(workflow, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  const own = useRef(workflow);
  useEffect(() => {
    // What was typed here is on the canvas already; spelling it again would move the caret.
    if (own.current === workflow) return;
    own.current = workflow;
    setText(JSON.stringify(workflow, null, 2));
    setFault(null);
  }, [workflow]);
  const type = (typed: string) => {
    setText(typed);
    const read = readWorkflow(typed);
    setFault(read.fault);
    if (!read.workflow) return;
    own.current = read.workflow;
    replaceWorkflow(read.workflow, "json");
  };
  return (
    <div className="json">
      <textarea
        className="json__text"
        aria-label="Workflow as JSON"
        aria-invalid={fault !== null}
        aria-describedby="json-state"
        spellCheck={false}
        wrap="off"
        value={text}
        readOnly={isReadOnly}
        onChange={(event) => type(event.target.value)}
        onBlur={endGesture}
      />
      <div id="json-state" className={fault ? "json__state json__state--bad" : "json__state"} role="status">
        {fault ?? "In step with the canvas"}
      </div>
    </div>
  );
}
