/** Import and export: workflow dialects, and files of coding agents. */

import { ApiError, client, unwrap } from "../api/client";
import type { Workflow } from "../model/workflow/workflow";

interface Format {
  name: string;
  title: string;
}

export const DIALECTS: readonly Format[] = [
  { name: "toolweave", title: "Toolweave" },
  { name: "ccwf", title: "cc-wf-studio" },
  { name: "flow", title: "Prompt flow" },
  { name: "agent-team", title: "Agent team" },
];
export const AGENT_FORMATS: readonly Format[] = [
  { name: "claude-skill", title: "Claude Code skill" },
  { name: "claude-command", title: "Claude Code slash command" },
  { name: "claude-workflow", title: "Claude Code workflow script" },
  { name: "codex", title: "Codex skill" },
  { name: "cursor", title: "Cursor skill" },
  { name: "gemini", title: "Gemini CLI skill" },
  { name: "copilot-skill", title: "GitHub Copilot skill" },
  { name: "copilot-prompt", title: "GitHub Copilot prompt" },
  { name: "roo", title: "Roo Code skill" },
  { name: "antigravity", title: "Antigravity skill" },
  { name: "mermaid", title: "Mermaid diagram" },
];

export interface TextFile {
  path: string;
  text: string;
}

export async function exportWorkflow(workflow: Workflow, to: string): Promise<TextFile[]> {
  const document = workflow as unknown as Record<string, unknown>;
  if (DIALECTS.some(({ name }) => name === to)) {
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
