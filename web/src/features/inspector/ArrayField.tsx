import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import { itemParameter, labelOf } from "../../model/form/parameters";
import { initialValue } from "../../model/form/values";
import { Button } from "../../ui/Button";
import { CollapsibleSection } from "./CollapsibleSection";
import { RequiredMark } from "./fieldNotes";
import type { FieldProps } from "./formContext";
import { useForm, useFormField } from "./formContext";

/** A list with its items, and buttons to add, move and remove them. */
export function ArrayField({ parameter, path, depth, tools }: FieldProps & { tools: ReactNode }) {
  const { Inner } = useForm();
  const field = useFormField(path);
  const items = Array.isArray(field.value) ? field.value : [];
  const label = labelOf(parameter);
  const itemLabel = parameter.itemTitle ?? label;
  const isFull = items.length >= (parameter.validation?.maxItems ?? Infinity);
  const lastItem = useFocusOfAdded(items.length);
  const add = () => {
    lastItem.wasAdded();
    field.set([...items, initialValue(itemParameter(parameter, items.length), depth + 1)]);
  };
  const swap = (at: number) =>
    field.set(
      items.map((item, index) => (index === at ? items[at - 1]! : index === at - 1 ? items[at]! : item)),
    );
  const title = (
    <>
      {label}
      {parameter.required && <RequiredMark isSection />} <span className="faint">{items.length}</span>
    </>
  );
  return (
    <CollapsibleSection
      title={title}
      note={parameter.description}
      tools={tools}
      isOpen={Boolean(parameter.required) || items.length > 0}
      problems={field.problems}
    >
      {items.map((_, at) => (
        <div key={at} className="item" ref={at === items.length - 1 ? lastItem.ref : undefined}>
          <Inner
            parameter={{
              ...itemParameter(parameter, at),
              name: `${itemLabel} ${at + 1}`,
              title: undefined,
              required: false,
            }}
            path={[...path, at]}
            depth={depth + 1}
          />
          {!field.isReadOnly && (
            <div className="item__tools">
              {at > 0 && (
                <button
                  type="button"
                  className="param__tool"
                  aria-label={`Move ${itemLabel} ${at + 1} up`}
                  onClick={() => swap(at)}
                >
                  ↑
                </button>
              )}
              <button
                type="button"
                className="param__tool"
                onClick={() => field.set(items.filter((_, index) => index !== at))}
              >
                Remove {itemLabel} {at + 1}
              </button>
            </div>
          )}
        </div>
      ))}
      {!field.isReadOnly && (
        <Button icon="plus" disabled={isFull} onClick={add}>
          {parameter.itemTitle ? `Add ${parameter.itemTitle.toLowerCase()}` : `Add to ${label}`}
        </Button>
      )}
    </CollapsibleSection>
  );
}

const FIELD = "input, select, textarea";

/** Moves the focus to the first field of an item that was added. */
export function useFocusOfAdded(
  count: number,
  selector = FIELD,
): {
  ref: React.RefObject<HTMLDivElement | null>;
  wasAdded(): void;
} {
  const ref = useRef<HTMLDivElement>(null);
  const isPending = useRef(false);
  useEffect(() => {
    if (!isPending.current) return;
    isPending.current = false;
    const item = ref.current;
    (item?.querySelector<HTMLElement>(selector) ?? item?.querySelector<HTMLElement>("button"))?.focus();
  }, [count, selector]);
  return { ref, wasAdded: () => void (isPending.current = true) };
}
