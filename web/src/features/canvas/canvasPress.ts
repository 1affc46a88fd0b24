/** When the canvas was pressed last: what a click opens must not move what a second click is meant for. */

/** The second click of a double click comes within this time. */
export const DOUBLE_CLICK_MS = 500;

/** The last press of a pointer on the canvas. */
export class CanvasPress {
  private at = -Infinity;
  private isDown = false;
  private readonly listeners = new AbortController();

  constructor(canvas: HTMLElement) {
    const options = { capture: true, signal: this.listeners.signal };
    canvas.addEventListener("pointerdown", () => this.note(true), options);
    for (const end of ["pointerup", "pointercancel"])
      window.addEventListener(end, () => this.isDown && this.note(false), options);
  }

  private note(isDown: boolean): void {
    this.at = performance.now();
    this.isDown = isDown;
  }

  isRecent(): boolean {
    return this.isDown || performance.now() - this.at < DOUBLE_CLICK_MS;
  }

  stop(): void {
    this.listeners.abort();
  }
}
