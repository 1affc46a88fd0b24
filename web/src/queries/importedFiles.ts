/** Workflow files that the user chose or dropped: opened, or refused with the reason and a way on. */

import { ApiError } from "../api/client";
import { rebuildRequest } from "../model/chat/rebuildRequest";
import { newWorkflow } from "../model/workflow/workflow";
import { openImported } from "../state/importedWorkflow";
import { notify, notifyError } from "../state/notices";
import { setPanels } from "../state/panels";
import { navigate } from "../state/route";
import { openNewWorkflow } from "../state/workspace";
import type { ImportedWorkflow } from "./formats";
import { importText, UNKNOWN_DIALECT } from "./formats";

/** A little less than the limit of the service, because the text is sent within JSON. */
const MAX_BYTES = 3_500_000;

/** Reads a file; null if it cannot be read, which was reported then. */
export async function importFile(file: File): Promise<ImportedWorkflow | null> {
  if (file.size > MAX_BYTES) {
    notify(`${file.name} cannot be read: the file has ${Math.ceil(file.size / 1e6)} MB`, {
      tone: "bad",
      hint: `the limit is ${MAX_BYTES / 1e6} MB`,
    });
    return null;
  }
  const text = await file.text();
  try {
    const imported = await importText(text);
    notifyCorrections(file.name, imported);
    return imported;
  } catch (error) {
    notifyUnreadable(file.name, text, error);
    return null;
  }
}

/** Opens a file as a new workflow. */
export async function openFile(file: File): Promise<void> {
  const imported = await importFile(file);
  if (imported) navigate("new", openImported(imported.workflow));
}

function notifyCorrections(name: string, { corrections }: ImportedWorkflow): void {
  const [first, ...more] = corrections;
  if (!first) return;
  const others = more.length ? `, and ${more.length} more` : "";
  notify(`${name} was corrected while it was read`, { hint: first.message + others });
}

/** A file of another system can be the request for a workflow that does the same. */
function notifyUnreadable(name: string, text: string, error: unknown): number {
  const request = rebuildRequest(text);
  if (!(error instanceof ApiError && error.code === UNKNOWN_DIALECT) || request === null)
    return notifyError(error, `${name} cannot be read`);
  return notify(`${name} cannot be read: ${error.message}`, {
    tone: "bad",
    hint: "a model can build the same from nodes that are here, and you review it",
    action: { title: "Build with AI", run: () => openBuilder(request) },
  });
}

function openBuilder({ name, text }: { name: string; text: string }): void {
  const { document, builder } = openNewWorkflow(newWorkflow(name));
  builder.write(text);
  setPanels({ side: "builder" });
  navigate("new", document.draftId!);
}
