/** The control that a value is inserted into: a text field of the browser, or an editor for expressions. */

export interface TextTarget {
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
  const control = field?.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea");
  if (!control) return null;
  const end = control.value.length;
  return {
    selection: () => [control.selectionStart ?? end, control.selectionEnd ?? end],
    focusAt(caret) {
      control.focus();
      control.setSelectionRange(caret ?? control.value.length, caret ?? control.value.length);
    },
  };
}
