/** A button with a menu of actions; arrow keys move, Escape closes. */

import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import type { IconName } from "./Icon";
import { Icon } from "./Icon";

export interface MenuAction {
  title: string;
  icon?: IconName;
  keys?: string;
  isDisabled?: boolean;
  /** Draws a separator above it. */
  startsGroup?: boolean;
  run(): void;
}

interface Props {
  label: string;
  actions: MenuAction[];
  children: ReactNode;
  className?: string;
}

export function Menu({ label, actions, children, className = "button button--quiet button--icon" }: Props) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLButtonElement>(".menu__item:not(:disabled)")?.focus();
    const closeOnOutsideClick = (event: PointerEvent) =>
      !box.current?.contains(event.target as Node) && setOpen(false);
    document.addEventListener("pointerdown", closeOnOutsideClick);
    return () => document.removeEventListener("pointerdown", closeOnOutsideClick);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  return (
    <div className="menu" ref={box} onKeyDown={(event) => isOpen && onMenuKey(event, box.current, close)}>
      <button
        ref={opener}
        type="button"
        className={className}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div className="menu__list" role="menu" aria-label={label}>
          {actions.map((action) => (
            <div key={action.title} role="none">
              {action.startsGroup && <hr className="menu__line" />}
              <button
                type="button"
                role="menuitem"
                className="menu__item"
                disabled={action.isDisabled}
                onClick={() => {
                  close();
                  action.run();
                }}
              >
                {action.icon && <Icon name={action.icon} />}
                <span style={{ flex: 1 }}>{action.title}</span>
                {action.keys && <span className="kbd">{action.keys}</span>}
              </button>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function onMenuKey(event: KeyboardEvent, box: HTMLElement | null, close: () => void): void {
  const items = [...(box?.querySelectorAll<HTMLButtonElement>(".menu__item:not(:disabled)") ?? [])];
  const index = items.indexOf(document.activeElement as HTMLButtonElement);
  const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
  // Tab continues from the button that opened the menu.
  if (event.key === "Tab") return close();
  if (event.key === "Escape") close();
  else if (target !== undefined) items[(target + items.length) % items.length]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
