/** The upper edge of a panel: dragging it or pressing arrow keys changes the height. */

import type { KeyboardEvent, PointerEvent } from "react";

interface Props {
  label: string;
  height: number;
  min: number;
  max: number;
  initial: number;
  onResize(height: number): void;
}

const STEP_PX = 20;
const LARGE_STEP_PX = 100;

export function ResizeHandle({ label, height, min, max, initial, onResize }: Props) {
  const resize = (to: number) => onResize(Math.round(Math.min(max, Math.max(min, to))));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.shiftKey ? LARGE_STEP_PX : STEP_PX;
    const to = { ArrowUp: height + step, ArrowDown: height - step, Home: min, End: max }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    resize(to);
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const handle = event.currentTarget;
    const [startY, startHeight] = [event.clientY, height];
    const move = (moved: globalThis.PointerEvent) => resize(startHeight + startY - moved.clientY);
    const stop = () => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", stop);
      handle.removeEventListener("pointercancel", stop);
    };
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", stop);
    handle.addEventListener("pointercancel", stop);
  };
  return (
    <div
      className="resize-handle"
      role="separator"
      aria-orientation="horizontal"
      aria-label={label}
      aria-valuenow={height}
      aria-valuemin={min}
      aria-valuemax={max}
      title={`${label}: drag, or use the arrow keys; double-click resets it`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onDoubleClick={() => resize(initial)}
    />
  );
}
