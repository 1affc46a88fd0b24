import type { ButtonHTMLAttributes, FocusEvent, MouseEvent } from "react";
import { useState } from "react";
import type { IconName } from "./Icon";
import { Icon } from "./Icon";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "plain" | "primary" | "quiet" | "danger";
  icon?: IconName;
}

export function Button({ look = "plain", icon, children, className = "", ...rest }: Props) {
  return (
    <button {...useKeptFocus(rest)} className={`button button--${look} ${className}`}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with only an icon; its label is its accessible name and tooltip. */
export function IconButton({
  label,
  icon,
  look = "quiet",
  keys,
  className = "",
  ...rest
}: Props & { label: string; icon: IconName; keys?: string }) {
  return (
    <button
      {...useKeptFocus(rest)}
      className={`button button--${look} button--icon ${className}`}
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
    >
      <Icon name={icon} />
    </button>
  );
}

/**
 * The browser takes the focus away from a button that is disabled, for example while its action is under way.
 * A button that has the focus keeps it: it says that it is disabled and does nothing, until the focus moves on.
 */
function useKeptFocus({
  type = "button",
  disabled = false,
  onClick,
  onFocus,
  onBlur,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement>): ButtonHTMLAttributes<HTMLButtonElement> {
  const [hasFocus, setFocus] = useState(false);
  const isHeld = disabled && hasFocus;
  return {
    ...rest,
    type,
    disabled: disabled && !isHeld,
    ...(isHeld ? { "aria-disabled": true } : {}),
    // A click on the button of a form would submit it.
    onClick: isHeld ? (event: MouseEvent) => event.preventDefault() : onClick,
    onFocus(event: FocusEvent<HTMLButtonElement>) {
      setFocus(true);
      onFocus?.(event);
    },
    onBlur(event: FocusEvent<HTMLButtonElement>) {
      // A window that goes to the background gives the focus back later.
      setFocus(document.activeElement === event.currentTarget);
      onBlur?.(event);
    },
  };
}
