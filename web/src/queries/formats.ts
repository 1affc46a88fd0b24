/** Import and export: workflow dialects, and files of coding agents. */

import { ApiError, client, unwrap } from "../api/client";
import type { Workflow } from "../model/workflow/workflow";

export const DIALECTS = ["toolweave", "ccwf", "flow", "agent-team"] as const;
export const AGENT_FORMATS = [
  "claude-command",
  "claude-skill",
  "codex",
  "cursor",
  "gemini",
  "copilot-prompt",
  "copilot-skill",
  "roo",
  "antigravity",
  "mermaid",
] as const;

export interface TextFile {
  path: string;
  text: string;
}

export async function exportWorkflow(workflow: Workflow, to: string): Promise<TextFile[]> {
  const document = workflow as unknown as Record<string, unknown>;
  if ((DIALECTS as readonly string[]).includes(to)) {
    const converted = await unwrap(
      client.POST("/api/v1/workflows/convert", { body: { document, to } as never }),
    );
    return [
      { path: `${workflow.name}.${to}.json`, text: JSON.stringify(converted.document, null, 2) + "\n" },
    ];
  }
  return (await unwrap(client.POST("/api/v1/edit/export", { body: { document, to } as never }))).files;
}

/** Imports any supported dialect, or a file that an export wrote. */
export async function importText(text: string): Promise<Workflow> {
  const converted = await unwrap(
    client.POST("/api/v1/workflows/convert", { body: { document: text, to: "toolweave" } as never }),
  );
  if (converted.document) return converted.document as Workflow;
  try {
    return (await unwrap(client.POST("/api/v1/edit/import", { body: { text } })))
      .document as unknown as Workflow;
  } catch (error) {
    const reason = (converted.problems[0] as { message?: string } | undefined)?.message;
    throw reason ? new ApiError(422, "WORKFLOW_UNREADABLE", reason) : error;
  }
}

/** A little less than the limit of the service, because the text is sent within JSON. */
const MAX_BYTES = 3_500_000;

export async function importFile(file: File): Promise<Workflow> {
  if (file.size > MAX_BYTES)
    throw new Error(`the file has ${Math.ceil(file.size / 1e6)} MB; the limit is ${MAX_BYTES / 1e6} MB`);
  return importText(await file.text());
}
