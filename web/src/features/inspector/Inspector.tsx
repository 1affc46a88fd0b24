/** What is selected: its name, its data, what is wrong with it. */

import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { Problem } from "../../api/client";
import { edit, endGesture } from "../../model/documentStore";
import { renameNode, setData } from "../../model/edits";
import { problemStore } from "../../model/problemStore";
import type { JsonObject, WorkflowNode } from "../../model/workflow";
import { refOf } from "../../model/workflow";
import { Field } from "../../ui/Field";
import "./inspector.css";

const NONE: readonly Problem[] = [];

export function Inspector({ node, isReadOnly }: { node: WorkflowNode; isReadOnly: boolean }) {
  const problems = useStore(problemStore, (state) => state.byNode[node.id] ?? NONE);
  return (
    <div className="inspector">
      <Field label="Name" note={<span className="mono">{refOf(node)}</span>}>
        {(id) => (
          <input
            id={id}
            className="input"
            value={node.name}
            readOnly={isReadOnly}
            onChange={(event) => edit((workflow) => renameNode(workflow, node.id, event.target.value), `name-${node.id}`)}
            onBlur={endGesture}
          />
        )}
      </Field>
      <DataField key={node.id} node={node} isReadOnly={isReadOnly} />
      {problems.map((problem) => (
        <div key={problem.code + problem.pointer} className={`inspector__problem inspector__problem--${problem.severity}`}>
          {problem.message}
          {problem.hint && <div className="faint">{problem.hint}</div>}
        </div>
      ))}
    </div>
  );
}

/** The node's data as JSON; every kind without a form of its own is edited so. */
function DataField({ node, isReadOnly }: { node: WorkflowNode; isReadOnly: boolean }) {
  const [text, setText] = useState(() => JSON.stringify(node.data, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    setText((now) => (sameJson(now, node.data) ? now : JSON.stringify(node.data, null, 2)));
    setFault(null);
  }, [node.data]);
  const type = (typed: string) => {
    setText(typed);
    try {
      const data = JSON.parse(typed) as JsonObject;
      if (data === null || typeof data !== "object" || Array.isArray(data)) throw new Error("an object is expected");
      setFault(null);
      edit((workflow) => setData(workflow, node.id, data), `data-${node.id}`);
    } catch (error) {
      setFault(`Not kept yet: ${(error as Error).message}`);
    }
  };
  return (
    <Field label="Data" fault={fault}>
      {(id) => <textarea id={id} className="textarea textarea--code" rows={16} spellCheck={false} value={text} readOnly={isReadOnly} onChange={(event) => type(event.target.value)} onBlur={endGesture} />}
    </Field>
  );
}

function sameJson(text: string, data: JsonObject): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(data);
  } catch {
    return false;
  }
}
