/** The pinned output of a node: shown, entered as JSON, removed. */

import { useState } from "react";
import { parseJson } from "../../model/form/values";
import { outputPorts, portLabel } from "../../model/workflow/catalog";
import type { Pin } from "../../model/workflow/studioData";
import type { WorkflowNode } from "../../model/workflow/workflow";
import { useSpecs } from "../../queries/catalog";
import { useEditor } from "../../state/editorContext";
import { pinOutput } from "../../state/pinnedData";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { JsonField } from "../../ui/JsonField";

interface Props {
  node: WorkflowNode;
  /** What the fields show at first. */
  initial: Pin | null;
  onClose(): void;
}

/** The output as JSON and, where the node has several, the port that it leaves by. */
export function PinEditor({ node, initial, onClose }: Props) {
  const editor = useEditor();
  const ports = outputPorts(node, useSpecs());
  const [text, setText] = useState(() => JSON.stringify(initial?.output ?? {}, null, 2));
  const [port, setPort] = useState(() => initial?.ports?.find((name) => ports.includes(name)) ?? ports[0]);
  const { value, fault } = parseJson(text);
  const pin = () => {
    pinOutput(editor, node.id, {
      output: value ?? null,
      ...(ports.length > 1 && port ? { ports: [port] } : {}),
    });
    onClose();
  };
  return (
    <form className="pin-editor" onSubmit={(event) => (event.preventDefault(), fault || pin())}>
      {ports.length > 1 && (
        <Field label="Continues at">
          {(id, _, aria) => (
            <select
              id={id}
              {...aria}
              className="select"
              value={port}
              onChange={(event) => setPort(event.target.value)}
            >
              {ports.map((name) => (
                <option key={name} value={name}>
                  {portLabel(node, name)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <JsonField
        label="Output of this node, as JSON"
        value={text}
        fault={fault ?? null}
        isFocused
        onChange={setText}
      />
      <div className="row">
        <Button look="primary" icon="pin" type="submit" disabled={fault !== undefined}>
          Pin this output
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
