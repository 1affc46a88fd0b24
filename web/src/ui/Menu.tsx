/** A button with a menu of actions, above everything else; arrow keys move, Escape closes. */

import type { KeyboardEvent, MouseEvent, ReactNode } from "react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
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
  const list = useRef<HTMLDivElement>(null);
  const pointer = useRef<Point | null>(null);
  useLayoutEffect(() => {
    if (!isOpen || !list.current || !opener.current) return;
    list.current.showPopover();
    placeMenu(list.current, opener.current.getBoundingClientRect(), pointer.current);
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    list.current?.querySelector<HTMLButtonElement>(".menu__item:not(:disabled)")?.focus();
    const closeOutside = ({ target }: Event) =>
      !(target instanceof Node && box.current?.contains(target)) && setOpen(false);
    const types = ["pointerdown", "wheel", "resize"] as const;
    for (const type of types) window.addEventListener(type, closeOutside, true);
    return () => {
      for (const type of types) window.removeEventListener(type, closeOutside, true);
    };
  }, [isOpen]);
  const toggle = (event: MouseEvent<HTMLButtonElement>) => {
    pointer.current = pointOutside(event);
    setOpen(!isOpen);
  };
  const close = () => {
    setOpen(false);
    opener.current?.focus();
    // The button of a node that is seen from far is hidden.
    if (document.activeElement !== opener.current)
      opener.current?.closest<HTMLElement>("[tabindex]")?.focus();
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
        onClick={toggle}
      >
        {children}
      </button>
      {isOpen && (
        <div ref={list} popover="manual" className="menu__list nowheel" role="menu" aria-label={label}>
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

interface Point {
  x: number;
  y: number;
}

/** Where the pointer was, if something else than the button was clicked: a node with the right button. */
function pointOutside({ clientX: x, clientY: y, detail, currentTarget }: MouseEvent): Point | null {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return detail === 0 || (x >= left && x <= right && y >= top && y <= bottom) ? null : { x, y };
}

const GAP = 4;

/** At the pointer, else below the button or, without room, above it; always inside the window. */
function placeMenu(list: HTMLElement, button: DOMRect, pointer: Point | null): void {
  const { offsetWidth: width, offsetHeight: height } = list;
  const { clientWidth, clientHeight } = document.documentElement;
  const x = pointer ? pointer.x : button.right - width;
  const below = pointer ? pointer.y : button.bottom + GAP;
  const above = (pointer ? pointer.y : button.top - GAP) - height;
  const y = below + height <= clientHeight - GAP || above < GAP ? below : above;
  list.style.left = `${Math.max(GAP, Math.min(x, clientWidth - width - GAP))}px`;
  list.style.top = `${Math.max(GAP, Math.min(y, clientHeight - height - GAP))}px`;
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
