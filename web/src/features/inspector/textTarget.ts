/** The control that a value is inserted into: a text field of the browser, or an editor for expressions. */

export interface Point {
  x: number;
  y: number;
}

type TextControl = HTMLInputElement | HTMLTextAreaElement;

export interface TextTarget {
  /** A text field of the browser. */
  control?: TextControl;
  selection(): [number, number];
  /** Null is the end. */
  focusAt(caret: number | null): void;
  /** Whether a dropped value goes where the pointer is; else it goes to the end. */
  takesDrops?: boolean;
}

const editors = new WeakMap<Element, TextTarget>();

/** Returns a function that ends it. */
export function registerEditor(host: Element, target: TextTarget): () => void {
  editors.set(host, { ...target, takesDrops: true });
  return () => void editors.delete(host);
}

export function textTarget(field: HTMLElement | null): TextTarget | null {
  const host = field?.querySelector(".code-editor");
  if (host && editors.has(host)) return editors.get(host)!;
  const control = field?.querySelector<TextControl>("input, textarea");
  if (!control) return null;
  const end = control.value.length;
  return {
    control,
    selection: () => [control.selectionStart ?? end, control.selectionEnd ?? end],
    focusAt(caret) {
      control.focus();
      control.setSelectionRange(caret ?? control.value.length, caret ?? control.value.length);
    },
  };
}

/** The place in the text that is under the pointer. */
export function caretAt(control: TextControl, { x, y }: Point): [number, number] | null {
  const place = document.caretPositionFromPoint?.(x, y);
  return place?.offsetNode === control ? [place.offset, place.offset] : null;
}

/** Replaces the text as typing does, and puts the caret into it. */
export function writeText(control: TextControl, text: string, caret: number): void {
  control.setRangeText(text, 0, control.value.length, "end");
  control.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(() => {
    control.focus();
    control.setSelectionRange(caret, caret);
  });
}
