/** Everything that belongs to one open workflow. A new Editor is created for each workflow that is opened. */

import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import type { NodeSizes } from "../model/layout/geometry";
import type { ChangeKind } from "../model/workflow/versionDifference";
import type { Position, Workflow } from "../model/workflow/workflow";
import { BuilderSession } from "./builder";
import type { OpenOptions } from "./document";
import { WorkflowDocument } from "./document";
import { FormAttention } from "./formAttention";
import { InvalidInputs } from "./invalidInputs";
import { WorkflowProblems } from "./problems";
import { FollowedRun } from "./run";
import { StepOutputs } from "./stepOutputs";

/** Somebody else saved the workflow in the meantime: both versions, until the user decides. */
export interface Conflict {
  name: string;
  mine: Workflow;
  theirs: Workflow | null;
  current: string | null;
}

/** What the canvas offers to the rest of the page while it is shown. */
export interface CanvasActions {
  center(): Position;
  /** The position on the canvas under a point of the page. */
  positionAt(x: number, y: number): Position;
  sizes(): NodeSizes;
  /** Shows all nodes if they can be read then, else the first ones. */
  fit(): void;
  /** Shows all nodes, however small they get. */
  showAll(): void;
  /** Shows what is shown when a workflow is opened: all of it, or its first nodes. */
  showInitialView(): void;
  /** Brings a node into view; with `isClose` at a zoom at which it can be read. */
  reveal(nodeId: string, isClose?: boolean): void;
  /** Brings a node that was just added into view as soon as it is on the canvas. */
  revealAdded(nodeId: string): void;
  /** Lets the nodes glide to the places that the next edit gives them. */
  animateNodes(): void;
  /** Moves the focus to a node, or to the canvas itself. */
  focus(nodeId?: string): void;
}

let nextId = 1;
const NO_CHANGES: ReadonlyMap<string, ChangeKind> = new Map();

export class Editor {
  /** Tells instances apart, for React keys. */
  readonly id = nextId++;
  readonly document: WorkflowDocument;
  readonly problems = new WorkflowProblems();
  readonly invalidInputs = new InvalidInputs();
  readonly formAttention = new FormAttention();
  readonly builder = new BuilderSession();
  readonly run: FollowedRun;
  readonly stepOutputs = new StepOutputs();
  /** Inputs that were entered for nodes that run alone, as JSON text. */
  readonly stepInputs = new Map<string, string>();
  readonly conflict: StoreApi<{ conflict: Conflict | null }> = createStore(() => ({ conflict: null }));
  /** The save request in progress, if any. */
  activeSave: Promise<unknown> | null = null;
  /** What differs between the two versions that are shown on one canvas, by node and connection. */
  changes: ReadonlyMap<string, ChangeKind> = NO_CHANGES;
  private shownCanvas: CanvasActions | null = null;

  /** `run` is passed on when the same run stays on screen, for example from a run to its workflow. */
  constructor(options: OpenOptions, run: FollowedRun = new FollowedRun()) {
    this.document = new WorkflowDocument(options);
    this.run = run;
  }

  /** Null while the canvas is not on the page. */
  get canvas(): CanvasActions | null {
    return this.shownCanvas;
  }

  /** The canvas registers itself here when it is mounted. */
  setCanvas(actions: CanvasActions | null): void {
    this.shownCanvas = actions;
  }

  setConflict(conflict: Conflict | null): void {
    this.conflict.setState({ conflict });
  }
}
