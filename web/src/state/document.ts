/** One workflow being edited or shown: its history, the selection, and the revision it was read at. */

import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import type { History } from "../model/workflow/history";
import { createHistory, endStep, recordStep, redo, undo } from "../model/workflow/history";
import type { Workflow } from "../model/workflow/workflow";

export interface DocumentState {
  history: History<Workflow>;
  /** The name it is stored under; null for a workflow that was never saved. */
  storedAs: string | null;
  revision: string | null;
  /** Identifies the draft of a workflow that was never saved; there can be several. */
  draftId: string | null;
  /** The value that was last read or saved; any other value has unsaved edits. */
  saved: Workflow | null;
  selection: ReadonlySet<string>;
  /** True for the workflow of a past run, which is shown but not edited. */
  isReadOnly: boolean;
}

export interface OpenOptions {
  workflow: Workflow;
  storedAs?: string | null;
  revision?: string | null;
  isReadOnly?: boolean;
  draftId?: string | null;
  /** Edits that were not saved when the page was left. */
  draft?: Workflow | null;
  /** `workflow` itself is such a draft, and the stored version is unknown. */
  isUnsaved?: boolean;
}

const NO_SELECTION: ReadonlySet<string> = new Set();

/** An undo that changes more nodes than this does not select them. */
const MAX_SELECTED_CHANGES = 20;

export class WorkflowDocument {
  readonly store: StoreApi<DocumentState>;

  constructor(options: OpenOptions) {
    this.store = createStore(() => initialState(options));
  }

  get workflow(): Workflow {
    return this.store.getState().history.present;
  }

  get selection(): ReadonlySet<string> {
    return this.store.getState().selection;
  }

  get storedAs(): string | null {
    return this.store.getState().storedAs;
  }

  get draftId(): string | null {
    return this.store.getState().draftId;
  }

  get isReadOnly(): boolean {
    return this.store.getState().isReadOnly;
  }

  get isDirty(): boolean {
    return isDirty(this.store.getState());
  }

  /** Starts over with another version and an empty history. */
  reset(options: OpenOptions): void {
    this.store.setState(initialState(options));
  }

  /** Changes the workflow; edits with the same `gesture` are one step of the history. */
  edit(change: (workflow: Workflow) => Workflow, gesture: string | null = null): void {
    const { history, isReadOnly } = this.store.getState();
    if (isReadOnly) return;
    const next = recordStep(history, change(history.present), gesture);
    if (next !== history) this.store.setState({ history: next });
  }

  /** Replaces the whole workflow, as one step that can be undone. */
  replace(workflow: Workflow, gesture: string | null = null): void {
    this.edit(() => workflow, gesture);
  }

  endGesture(): void {
    this.store.setState(({ history }) => ({ history: endStep(history) }));
  }

  undo(): void {
    this.restore(undo(this.store.getState().history));
  }

  redo(): void {
    this.restore(redo(this.store.getState().history));
  }

  select(ids: Iterable<string>): void {
    const selection = new Set(ids);
    const old = this.selection;
    if (selection.size === old.size && [...selection].every((id) => old.has(id))) return;
    this.store.setState({ selection });
  }

  /** Records which value is stored; later edits stay unsaved. */
  markSaved(workflow: Workflow, storedAs: string, revision: string): void {
    this.store.setState({ saved: workflow, storedAs, revision });
  }

  /** Keeps the selection; if nothing of it is left, selects what came back or changed. */
  private restore(history: History<Workflow>): void {
    const before = new Set(this.workflow.nodes);
    const { nodes, connections } = history.present;
    const ids = new Set([...nodes, ...connections].map(({ id }) => id));
    const kept = [...this.selection].filter((id) => ids.has(id));
    const changed = nodes.filter((node) => !before.has(node)).map(({ id }) => id);
    const isFew = changed.length <= MAX_SELECTED_CHANGES;
    this.store.setState({ history, selection: new Set(kept.length === 0 && isFew ? changed : kept) });
  }
}

export function isDirty({ history, isReadOnly, saved }: DocumentState): boolean {
  return !isReadOnly && history.present !== saved;
}

function initialState(options: OpenOptions): DocumentState {
  const { workflow, storedAs = null, revision = null, isReadOnly = false } = options;
  const { draft = null, draftId = null, isUnsaved = false } = options;
  const history = draft ? recordStep(createHistory(workflow), draft) : createHistory(workflow);
  const saved = (storedAs === null && !isReadOnly) || isUnsaved ? null : workflow;
  return { history, storedAs, revision, draftId, saved, selection: NO_SELECTION, isReadOnly };
}
