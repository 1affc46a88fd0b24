/** Validates the open workflow shortly after each edit. */

import { useEffect } from "react";
import { useStore } from "zustand";
import { ApiError, client, unwrap, type Problem } from "../api/client";
import { isInvalidValue } from "../model/form/problems";
import type { Workflow } from "../model/workflow/workflow";
import { connectionStore } from "../state/connection";
import type { Editor } from "../state/editor";
import { useDocument, useEditor } from "../state/editorContext";

const VALIDATION_DELAY_MS = 350;
/** The duration of the last validation: a large workflow is validated less often than it is edited. */
let lastDurationMs = 0;
let pendingCheck: Promise<void> = Promise.resolve();

export function useValidation(): void {
  const editor = useEditor();
  const workflow = useDocument((state) => state.history.present);
  const link = useStore(connectionStore, (state) => state.link);
  useEffect(() => {
    let isStale = false;
    const timer = setTimeout(
      () => {
        // One at a time, because validating outdated edits would only keep the service busy.
        pendingCheck = pendingCheck.then(() =>
          isStale ? undefined : validate(editor, workflow, () => isStale),
        );
      },
      VALIDATION_DELAY_MS + Math.min(lastDurationMs, 10 * VALIDATION_DELAY_MS),
    );
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [editor, workflow, link]);
}

async function validate(editor: Editor, workflow: Workflow, isStale: () => boolean): Promise<void> {
  editor.problems.store.setState({ isChecking: true });
  const startedAt = performance.now();
  try {
    const body = { document: workflow as unknown as Record<string, unknown> };
    const response = await unwrap(client.POST("/api/v1/edit/validate", { body: body as never }));
    if (!isStale()) editor.problems.set(workflow, response.problems as Problem[]);
  } catch (error) {
    // The last problems stay; that the service does not answer is shown elsewhere.
    const fault = error instanceof ApiError && !error.isUnreachable ? error.message : null;
    if (!isStale()) editor.problems.store.setState({ isChecking: false, fault });
  }
  lastDurationMs = performance.now() - startedAt;
}

/** The invalid values of a workflow according to the service; missing values are work in progress. */
export async function findInvalidValues(workflow: Workflow): Promise<Problem[]> {
  try {
    const body = { document: workflow as unknown as Record<string, unknown> };
    const { problems } = await unwrap(client.POST("/api/v1/edit/validate", { body: body as never }));
    return (problems as Problem[]).filter((problem) => isInvalidValue(workflow, problem));
  } catch {
    return []; // Saving reports why the service does not answer.
  }
}
