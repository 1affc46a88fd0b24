/** Evaluates expressions in the service: what the texts of a node can refer to, and their results. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import { isRunOver } from "../model/run/runState";
import type { Pin } from "../model/workflow/studioData";
import { pinOf, setPin } from "../model/workflow/studioData";
import type { Json, Workflow } from "../model/workflow/workflow";
import type { Editor } from "../state/editor";
import { useDocument, useEditor, useRunState, useStepOutputs } from "../state/editorContext";

export type Preview = Schemas["PreviewResponse"];
export type Names = Schemas["NodeNamesResponse"];

const PAUSE_MS = 300;
let stamps = 0;
const stampByValue = new WeakMap<object, number>();

/** A number for an immutable object, because query keys are compared as text. */
function stampOf(value: object | undefined): number {
  if (!value) return 0;
  const number = stampByValue.get(value) ?? (stamps += 1);
  stampByValue.set(value, number);
  return number;
}

/** The run whose data is used: the one on the canvas, else the latest one. */
function useShownRun(): { run: string | null; stamp: string } {
  const run = useRunState((state) => state.run?.id ?? null);
  const stamp = useRunState((state) =>
    isRunOver(state.run) ? (state.run?.status ?? "") : `at ${state.run?.order.length}`,
  );
  return { run, stamp };
}

/** Changes with the connections, with pinned data and with the outputs of steps that ran alone. */
function useGraphStamp(): string {
  const outputs = useStepOutputs();
  return useDocument(({ history: { present } }) =>
    [present.connections, present.metadata, outputs].map(stampOf).join(" "),
  );
}

/** The workflow with the outputs of other steps that ran alone as pinned data, which is not saved. */
function sampledWorkflow(editor: Editor, node: string): Workflow {
  const { workflow } = editor.document;
  const known = new Set(workflow.nodes.map(({ id }) => id));
  return Object.entries(editor.stepOutputs.of(editor.run.id))
    .filter(([id]) => id !== node && known.has(id) && !pinOf(workflow, id))
    .reduce((sampled, [id, output]) => setPin(sampled, id, output), workflow);
}

function requestBody(editor: Editor, node: string, run: string | null): Record<string, unknown> {
  const { storedAs, draftId } = editor.document.store.getState();
  const workflow = sampledWorkflow(editor, node);
  // Other drafts have the same name: the last run of one of them is not a run of this one.
  const document = storedAs === null && draftId && !run ? { ...workflow, name: draftId } : workflow;
  return { document, node, ...(run ? { run } : {}) };
}

export function useNames(node: string) {
  const editor = useEditor();
  const { run, stamp } = useShownRun();
  const graph = useGraphStamp();
  return useQuery({
    queryKey: ["names", node, graph, run, stamp],
    queryFn: ({ signal }) =>
      unwrap(client.POST("/api/v1/edit/names", { body: requestBody(editor, node, run) as never, signal })),
    placeholderData: (before) => before,
    staleTime: 30_000,
    retry: false,
  });
}

/** What a node can read, with the values of the shown run. */
export function useNodeInput(node: string) {
  const editor = useEditor();
  const { run, stamp } = useShownRun();
  const graph = useGraphStamp();
  return useQuery({
    queryKey: ["input", node, graph, run, stamp],
    queryFn: ({ signal }) =>
      unwrap(client.POST("/api/v1/edit/input", { body: requestBody(editor, node, run) as never, signal })),
    // What was opened in the tree stays open while newer values are loaded.
    placeholderData: (before, query) => (query?.queryKey[1] === node ? before : undefined),
    staleTime: 30_000,
    retry: false,
  });
}

export type StepResult = Schemas["TestNodeResponse"];

/** Runs one node alone, on the data of the shown run or on `input`. */
export async function runStep(
  editor: Editor,
  node: string,
  { input, signal }: { input?: { value: Json } | undefined; signal?: AbortSignal } = {},
): Promise<StepResult> {
  editor.formAttention.add(node);
  const body = {
    ...requestBody(editor, node, editor.run.id),
    ...(input ? { input: input.value } : {}),
  };
  const result = await unwrap(
    client.POST("/api/v1/edit/test", { body: body as never, ...(signal ? { signal } : {}) }),
  );
  const output = completeOutput(result);
  if (output) editor.stepOutputs.add(editor.run.id, node, output);
  return result;
}

/** The output of a step that ran alone, if it succeeded and nothing of it is cut. */
export function completeOutput({ executed, error, status, isCut, output, ports }: StepResult): Pin | null {
  if (!executed || error || (status && status !== "success") || isCut) return null;
  return { output: output as Json, ports };
}

export interface PreviewRequest {
  node: string;
  field: string;
  text: string;
  /** Whether the text can refer to the node's own settings. */
  seesNode: boolean;
  isOn: boolean;
}

/** The result of a text, shortly after it was last changed; outdated requests are cancelled. */
export function usePreview({ node, field, text, seesNode, isOn }: PreviewRequest) {
  const editor = useEditor();
  const { run, stamp } = useShownRun();
  const graph = useGraphStamp();
  const ownSettings = useDocument((state) =>
    seesNode ? stampOf(state.history.present.nodes.find(({ id }) => id === node)?.data) : 0,
  );
  const settled = useDebounced(text);
  const query = useQuery({
    queryKey: ["preview", node, field, settled, graph, ownSettings, run, stamp],
    queryFn: ({ signal }) =>
      unwrap(
        client.POST("/api/v1/edit/preview", {
          body: { ...requestBody(editor, node, run), expression: settled, field } as never,
          signal,
        }),
      ),
    enabled: isOn,
    placeholderData: (before) => before,
    staleTime: 30_000,
    gcTime: 60_000,
    retry: false,
  });
  return { preview: query.data, error: query.error, isOld: settled !== text || query.isPlaceholderData };
}

function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
