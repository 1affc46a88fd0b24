/** What every field of a form shares: whose it is, its data, where problems are. */

import type { ComponentType } from "react";
import { createContext, useContext } from "react";
import type { Problem } from "../../api/client";
import { changeNode } from "../../model/workflow/edits";
import type { Language, CompletionNames } from "../../model/form/completion";
import type { Parameter } from "../../model/form/parameters";
import type { PlacedProblems } from "../../model/form/problems";
import type { Path } from "../../model/form/values";
import { pointerOf, setAt, valueAt } from "../../model/form/values";
import type { Json, JsonObject } from "../../model/workflow/workflow";
import type { Names } from "../../queries/expressions";
import { useEditor } from "../../state/editorContext";

export interface FormState {
  node: string;
  data: JsonObject;
  placed: PlacedProblems;
  isReadOnly: boolean;
  /** What expressions can name, as far as it is known yet. */
  names: Names | undefined;
  /** Its values are written out, but for the fields that `names` tells a language of. */
  isPlain: boolean;
  /** Draws the fields within a field; handed down, as fields hold each other. */
  Inner: ComponentType<FieldProps>;
}

export const FormContext = createContext<FormState | null>(null);

/** One field: its parameter, where its value stands, and how deep. */
export interface FieldProps {
  parameter: Parameter;
  path: Path;
  depth: number;
  /** Drawn by somebody who has the tools of this value already. */
  isBare?: boolean;
}

const NO_PROBLEMS: readonly Problem[] = [];
/** Texts of drawn steps that have names in them. */
const PROMPT_POINTERS: ReadonlySet<string> = new Set(["/prompt", "/questionText"]);
const NO_NAMES: CompletionNames = { offers: [], functions: [] };

export interface FormField {
  value: Json | undefined;
  problems: readonly Problem[];
  isReadOnly: boolean;
  /** Where it stands in the node's data, and whose that is. */
  pointer: string;
  node: string;
  /** How a text there is read; none where it is only text. */
  language: Language | null;
  names: CompletionNames;
  /** Whether it stands in a list, where taking it away moves the others. */
  isItem: boolean;
  /** Writes as it is typed: all until `settle` is one step of the history. */
  type(value: Json | undefined): void;
  /** Writes at once, as a step of its own. */
  set(value: Json | undefined): void;
  settle(): void;
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
  const write = (value: Json | undefined, gesture: string | null) =>
    editor.document.edit(
      (workflow) => changeNode(workflow, form.node, (node) => withFieldValue(node, path, value)),
      gesture,
    );
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
  };
}

function languageAt({ names, isPlain }: FormState, pointer: string): Language | null {
  const language = names?.languages[pointer];
  if (language) return language;
  // What is certain before the service says so: a field must not become another one under the keys.
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
