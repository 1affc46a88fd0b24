/** What every field of a form shares: whose it is, its data, where problems are. */

import type { ComponentType } from "react";
import { createContext, useContext } from "react";
import type { Problem } from "../../api/client";
import { edit, endGesture } from "../../model/documentStore";
import { changeNode } from "../../model/edits";
import type { Parameter } from "../../model/formTree";
import type { Placed } from "../../model/formProblems";
import type { Path } from "../../model/formValues";
import { pointerOf, setAt, valueAt } from "../../model/formValues";
import type { Json, JsonObject } from "../../model/workflow";

export interface Form {
  node: string;
  data: JsonObject;
  placed: Placed;
  isReadOnly: boolean;
  /** The id of the list of expressions to choose from; none where values are only written out. */
  expressions: string | null;
  /** Draws the fields within a field; handed down, as fields hold each other. */
  Inner: ComponentType<FieldProps>;
}

export const FormContext = createContext<Form | null>(null);

/** One field: its parameter, where its value stands, and how deep. */
export interface FieldProps {
  parameter: Parameter;
  path: Path;
  depth: number;
  /** Drawn by somebody who has the tools of this value already. */
  isBare?: boolean;
}

const NONE: readonly Problem[] = [];

export interface Place {
  value: Json | undefined;
  problems: readonly Problem[];
  isReadOnly: boolean;
  expressions: string | null;
  /** Whether it stands in a list, where taking it away moves the others. */
  isItem: boolean;
  /** Writes as it is typed: all until `settle` is one step of the history. */
  type(value: Json | undefined): void;
  /** Writes at once, as a step of its own. */
  set(value: Json | undefined): void;
  settle(): void;
}

export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error("a field outside of a form");
  return form;
}

export function usePlace(path: Path): Place {
  const form = useForm();
  const pointer = pointerOf(path);
  const write = (value: Json | undefined, gesture: string | null) =>
    edit((workflow) => changeNode(workflow, form.node, (node) => written(node, path, value)), gesture);
  return {
    value: valueAt(form.data, path),
    problems: form.placed.byField.get(pointer) ?? NONE,
    isReadOnly: form.isReadOnly,
    expressions: form.expressions,
    isItem: typeof path.at(-1) === "number",
    type: (value) => write(value, `form-${form.node}${pointer}`),
    set(value) {
      endGesture();
      write(value, null);
    },
    settle: endGesture,
  };
}

function written<Node extends { data: JsonObject }>(node: Node, path: Path, value: Json | undefined): Node {
  const data = setAt(node.data, path, value);
  return data === node.data ? node : { ...node, data };
}
