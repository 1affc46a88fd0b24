/** What all fields of a form share: the node, its data, and its problems. */

import type { ComponentType } from "react";
import { createContext, useContext } from "react";
import type { Problem } from "../../api/client";
import type { Language, CompletionNames } from "../../model/form/completion";
import type { Parameter } from "../../model/form/parameters";
import type { PlacedProblems } from "../../model/form/problems";
import type { Path } from "../../model/form/values";
import { pointerOf, setAt, valueAt } from "../../model/form/values";
import { changeNode } from "../../model/workflow/edits";
import type { Json, JsonObject } from "../../model/workflow/workflow";
import type { Names } from "../../queries/expressions";
import { useEditor } from "../../state/editorContext";
import type { InvalidInput } from "../../state/invalidInputs";

export interface FormState {
  node: string;
  data: JsonObject;
  placed: PlacedProblems;
  isReadOnly: boolean;
  /** What expressions can refer to; undefined until it is loaded. */
  names: Names | undefined;
  /** The values are literal, except in fields that `names` lists a language for. */
  isPlain: boolean;
  /** Renders nested fields; passed in the context, because field components are mutually recursive. */
  Inner: ComponentType<FieldProps>;
}

export const FormContext = createContext<FormState | null>(null);

/** One field: its parameter, the path of its value, and its depth. */
export interface FieldProps {
  parameter: Parameter;
  path: Path;
  depth: number;
  /** The enclosing field shows the tools of this value already. */
  isBare?: boolean;
}

const NO_PROBLEMS: readonly Problem[] = [];
/** Fields of built-in steps that contain expressions. */
const PROMPT_POINTERS: ReadonlySet<string> = new Set(["/prompt", "/questionText"]);
const NO_NAMES: CompletionNames = { offers: [], functions: [] };

export interface FormField {
  value: Json | undefined;
  problems: readonly Problem[];
  isReadOnly: boolean;
  /** The JSON pointer of the value within the node's data, and the id of the node. */
  pointer: string;
  node: string;
  /** The language of expressions in this text; null if it is plain text. */
  language: Language | null;
  names: CompletionNames;
  /** Whether the value is a list item, so that removing it moves the following ones. */
  isItem: boolean;
  /** Writes while the user types; everything until `settle` is one step of the history. */
  type(value: Json | undefined): void;
  /** Writes at once, as a separate step of the history. */
  set(value: Json | undefined): void;
  settle(): void;
  /** What was typed and is no value, from an earlier visit of the node. */
  invalid: InvalidInput | undefined;
  setInvalid(input: { typed: string; fault: string } | null): void;
}

export function useForm(): FormState {
  const form = useContext(FormContext);
  if (!form) throw new Error("a field outside of a form");
  return form;
}

export function useFormField(path: Path): FormField {
  const editor = useEditor();
  const form = useForm();
  const pointer = pointerOf(path);
  const write = (value: Json | undefined, gesture: string | null) => {
    editor.formAttention.add(form.node);
    editor.document.edit(
      (workflow) => changeNode(workflow, form.node, (node) => withFieldValue(node, path, value)),
      gesture,
    );
  };
  return {
    value: valueAt(form.data, path),
    problems: form.placed.byField.get(pointer) ?? NO_PROBLEMS,
    isReadOnly: form.isReadOnly,
    pointer,
    node: form.node,
    language: languageAt(form, pointer),
    names: form.names ?? NO_NAMES,
    isItem: typeof path.at(-1) === "number",
    type: (value) => write(value, `form-${form.node}${pointer}`),
    set(value) {
      editor.document.endGesture();
      write(value, null);
    },
    settle: () => editor.document.endGesture(),
    invalid: editor.invalidInputs.at(form.node, pointer),
    setInvalid: (input) => editor.invalidInputs.set(form.node, pointer, input),
  };
}

function languageAt({ names, isPlain }: FormState, pointer: string): Language | null {
  const language = names?.languages[pointer];
  if (language) return language;
  // Known before the service answers, because a field must not change its control while the user types.
  if (isPlain) return PROMPT_POINTERS.has(pointer) ? "prompt" : null;
  return pointer.startsWith("/configurations/") ? "config" : "value";
}

function withFieldValue<Node extends { data: JsonObject }>(
  node: Node,
  path: Path,
  value: Json | undefined,
): Node {
  const data = setAt(node.data, path, value);
  return data === node.data ? node : { ...node, data };
}
