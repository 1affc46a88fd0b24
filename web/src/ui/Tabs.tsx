import type { KeyboardEvent, ReactNode } from "react";
import { useId, useRef } from "react";

interface Props<Name extends string> {
  label: string;
  tabs: readonly { name: Name; title: string }[];
  current: Name;
  onChange(name: Name): void;
  /** The content of the current tab. */
  children?: ReactNode;
}

/** Tabs are one tab stop; arrow keys move between them. */
export function Tabs<Name extends string>({ label, tabs, current, onChange, children }: Props<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKey = (event: KeyboardEvent) => {
    const index = tabs.findIndex(({ name }) => name === current);
    const target = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    if (target === undefined || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[target % tabs.length]!;
    onChange(next.name);
    list.current?.querySelectorAll("button")[target % tabs.length]?.focus();
  };
  return (
    <>
      <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={onKey}>
        {tabs.map(({ name, title }) => {
          const isCurrent = name === current;
          return (
            <button
              key={name}
              id={`${id}-${name}`}
              type="button"
              role="tab"
              className="tab"
              tabIndex={isCurrent ? 0 : -1}
              aria-selected={isCurrent}
              aria-controls={isCurrent && children != null ? `${id}-panel` : undefined}
              onClick={() => onChange(name)}
            >
              {title}
            </button>
          );
        })}
      </div>
      {children != null && (
        <div id={`${id}-panel`} className="tabs__panel" role="tabpanel" aria-labelledby={`${id}-${current}`}>
          {children}
        </div>
      )}
    </>
  );
}
