/** What is visible when a workflow is opened: all of it, or its first nodes if all would be too small to read. */

import type { Position } from "../workflow/workflow";

export interface ViewItem {
  position: Position;
  width?: number | undefined;
  height?: number | undefined;
  initialWidth?: number | undefined;
  initialHeight?: number | undefined;
  parentId?: string | undefined;
}

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A part of a workflow is shown at this zoom, at which all texts of nodes can be read. */
export const READABLE_ZOOM = 0.75;
/** Below this zoom nodes have no other texts than their names, which are enlarged. */
export const NAMES_ONLY_ZOOM = 0.65;
/** Below this zoom enlarged names are hard to read as well. */
const MIN_ZOOM_OF_ALL = 0.48;
const MARGIN = 0.08;
/** Enough for the port of a node at the edge; above a node, for its toolbar. */
const MAX_MARGIN_PX = { beside: 24, above: 48 };

export function initialView(nodes: readonly ViewItem[], width: number, height: number): Viewport {
  const outer = nodes.filter((node) => !node.parentId);
  if (outer.length === 0 || width === 0 || height === 0) return { x: width / 3, y: height / 3, zoom: 1 };
  const box = bounds(outer);
  const free = {
    width: width - 2 * Math.min(MAX_MARGIN_PX.beside, width * MARGIN),
    height: height - 2 * Math.min(MAX_MARGIN_PX.above, height * MARGIN),
  };
  const zoom = Math.min(1, free.width / box.width, free.height / box.height);
  if (zoom >= MIN_ZOOM_OF_ALL) {
    return {
      x: (width - box.width * zoom) / 2 - box.x * zoom,
      y: (height - box.height * zoom) / 2 - box.y * zoom,
      zoom,
    };
  }
  return viewOfStart(outer, box, width, height);
}

function viewOfStart(nodes: readonly ViewItem[], box: Box, width: number, height: number): Viewport {
  const zoom = READABLE_ZOOM;
  const first = nodes.reduce((a, b) => (b.position.x < a.position.x ? b : a));
  const margin = Math.min(width, height) * 0.08;
  const rest = height - box.height * zoom;
  // What is not too high is in the middle; else the first node is, unless nothing is above it.
  const y =
    rest >= 2 * margin
      ? rest / 2 - box.y * zoom
      : Math.min(height / 2 - first.position.y * zoom, margin - box.y * zoom);
  return { x: margin - first.position.x * zoom, y, zoom };
}

function bounds(nodes: readonly ViewItem[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { position, width, height, initialWidth, initialHeight } of nodes) {
    left = Math.min(left, position.x);
    top = Math.min(top, position.y);
    right = Math.max(right, position.x + (width ?? initialWidth ?? 0));
    bottom = Math.max(bottom, position.y + (height ?? initialHeight ?? 0));
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
