/** Import and export: workflow dialects, and files of coding agents. */

import type { Problem } from "../api/client";
import { ApiError, client, unwrap } from "../api/client";
import { completeWorkflow } from "../model/workflow/completeWorkflow";
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

export interface ImportedWorkflow {
  workflow: Workflow;
  /** What the file has in another form than it was read. */
  corrections: readonly Problem[];
}

/** The code of files that are no workflow, or one of another system. */
export const UNKNOWN_DIALECT = "WORKFLOW_UNKNOWN_DIALECT";
const CORRECTIONS: ReadonlySet<string> = new Set([
  "WORKFLOW_TEXT_CORRECTED",
  "WORKFLOW_FORM_FOREIGN",
  "NODE_TYPE_CORRECTED",
]);

/** Imports any supported dialect, or a file that an export wrote. */
export async function importText(text: string): Promise<ImportedWorkflow> {
  const converted = await unwrap(
    client.POST("/api/v1/workflows/convert", { body: { document: text, to: "toolweave" } as never }),
  );
  const problems = converted.problems as readonly Problem[];
  const isForeign = problems.some(({ code }) => code === UNKNOWN_DIALECT);
  if (converted.document && !isForeign) {
    const corrections = problems.filter(({ code }) => CORRECTIONS.has(code));
    return { workflow: completeWorkflow(converted.document), corrections };
  }
  try {
    const exported = await unwrap(client.POST("/api/v1/edit/import", { body: { text } }));
    return { workflow: completeWorkflow(exported.document), corrections: [] };
  } catch (error) {
    const [problem] = problems;
    if (!problem) throw error;
    throw new ApiError(422, problem.code, problem.message, problem.hint);
  }
}
