/** The workflow that is open: its history, what is selected, and which revision it was read at. */

import { createStore } from "zustand/vanilla";
import type { History } from "../model/workflow/history";
import { createHistory, redo, endStep, recordStep, undo } from "../model/workflow/history";
import type { Workflow } from "../model/workflow/workflow";

export interface DocumentState {
  history: History<Workflow> | null;
  /** The name it is stored under; none for one that was never saved. */
  storedAs: string | null;
  revision: string | null;
  /** The value that was last read or saved; another one has unsaved edits. */
  saved: Workflow | null;
  selection: ReadonlySet<string>;
  /** Shown, not edited: the pinned workflow of a run. */
  isReadOnly: boolean;
}

const NO_SELECTION: ReadonlySet<string> = new Set();

export const documentStore = createStore<DocumentState>(() => ({
  history: null,
  storedAs: null,
  revision: null,
  saved: null,
  selection: NO_SELECTION,
  isReadOnly: false,
}));

const { getState, setState } = documentStore;

export interface Opened {
  workflow: Workflow;
  storedAs?: string | null;
  revision?: string | null;
  isReadOnly?: boolean;
  /** Edits that were not saved when the page was left. */
  draft?: Workflow | null;
  /** It is itself such edits: what is stored is not known. */
  isUnsaved?: boolean;
}

export function openDocument({
  workflow,
  storedAs = null,
  revision = null,
  isReadOnly = false,
  draft = null,
  isUnsaved = false,
}: Opened): void {
  const history = draft ? recordStep(createHistory(workflow), draft) : createHistory(workflow);
  const saved = (storedAs === null && !isReadOnly) || isUnsaved ? null : workflow;
  setState({ history, storedAs, revision, saved, selection: NO_SELECTION, isReadOnly });
}

export function closeDocument(): void {
  setState({
    history: null,
    storedAs: null,
    revision: null,
    saved: null,
    selection: NO_SELECTION,
    isReadOnly: false,
  });
}

export function currentWorkflow(): Workflow | null {
  return getState().history?.present ?? null;
}

/** Changes the workflow; edits of one `gesture` are one step of the history. */
export function edit(change: (workflow: Workflow) => Workflow, gesture: string | null = null): void {
  const { history, isReadOnly } = getState();
  if (!history || isReadOnly) return;
  const next = recordStep(history, change(history.present), gesture);
  if (next !== history) setState({ history: next });
}

export function endGesture(): void {
  const { history } = getState();
  if (history) setState({ history: endStep(history) });
}

export function undoEdit(): void {
  const { history } = getState();
  if (history) restore(undo(history));
}

export function redoEdit(): void {
  const { history } = getState();
  if (history) restore(redo(history));
}

/** More nodes than these are not one thing that somebody did to them. */
const MAX_SELECTED_CHANGES = 20;

/** What was selected stays so; where nothing is left of it, what came back or changed is. */
function restore(history: History<Workflow>): void {
  const before = new Set(currentWorkflow()?.nodes);
  const there = new Set([...history.present.nodes, ...history.present.connections].map(({ id }) => id));
  const kept = [...getState().selection].filter((id) => there.has(id));
  const touched = history.present.nodes.filter((node) => !before.has(node)).map(({ id }) => id);
  const isFew = touched.length <= MAX_SELECTED_CHANGES;
  setState({ history, selection: new Set(kept.length === 0 && isFew ? touched : kept) });
}

export function select(ids: Iterable<string>): void {
  const selection = new Set(ids);
  const old = getState().selection;
  if (selection.size === old.size && [...selection].every((id) => old.has(id))) return;
  setState({ selection });
}

/** Notes that a value is stored; later edits stay unsaved. */
export function markSaved(workflow: Workflow, storedAs: string, revision: string): void {
  setState({ saved: workflow, storedAs, revision });
}

/** Takes another value for the open workflow, as one undoable step. */
export function replaceWorkflow(workflow: Workflow, gesture: string | null = null): void {
  edit(() => workflow, gesture);
}

export function isDirty(state: DocumentState): boolean {
  return state.history !== null && !state.isReadOnly && state.history.present !== state.saved;
}
