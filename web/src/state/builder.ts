/** The conversation of one workflow with the AI builder, and the proposal that waits for a decision. */

import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import type { Problem } from "../api/client";
import type { ChatEvent, Conversation } from "../model/chat/conversation";
import { ask, hear, NEW_CONVERSATION } from "../model/chat/conversation";
import { placeNewNodes } from "../model/layout/proposed";
import type { Difference } from "../model/workflow/diff";
import { diffContents } from "../model/workflow/diff";
import type { VersionDifference } from "../model/workflow/versionDifference";
import { compareVersions } from "../model/workflow/versionDifference";
import type { Workflow } from "../model/workflow/workflow";

export interface Proposal {
  /** The version that the model was given. */
  base: Workflow;
  workflow: Workflow;
  summary: string;
  problems: readonly Problem[];
  comparison: VersionDifference;
  differences: readonly Difference[];
}

export interface BuilderState {
  conversation: Conversation;
  proposal: Proposal | null;
  /** The request as far as it is typed or suggested. */
  request: string;
}

export class BuilderSession {
  readonly store: StoreApi<BuilderState> = createStore(() => ({
    conversation: NEW_CONVERSATION,
    proposal: null,
    request: "",
  }));

  /** Ends the request that is answered now; the panel may be closed and opened meanwhile. */
  stop: () => void = () => undefined;

  write(request: string): void {
    this.store.setState({ request });
  }

  begin(message: string): void {
    this.store.setState(({ conversation }) => ({
      conversation: ask(conversation, message),
      proposal: null,
      request: "",
    }));
  }

  hear(base: Workflow, event: ChatEvent): void {
    if (event.type === "proposal") this.store.setState({ proposal: proposalOf(base, event) });
    else this.store.setState(({ conversation }) => ({ conversation: hear(conversation, event) }));
  }

  /** Forgets the proposal; the conversation stays and says what was decided. */
  decide(note: string): void {
    this.store.setState(({ conversation }) => ({
      conversation: hear(conversation, { type: "decided", note }),
      proposal: null,
    }));
  }

  clear(): void {
    this.store.setState({ conversation: NEW_CONVERSATION, proposal: null });
  }
}

function proposalOf(base: Workflow, event: ChatEvent): Proposal {
  const workflow = placeNewNodes(event["document"] as Workflow);
  return {
    base,
    workflow,
    summary: String(event["summary"] ?? ""),
    problems: (event["problems"] ?? []) as Problem[],
    comparison: compareVersions(workflow, base),
    differences: diffContents(workflow, base),
  };
}
