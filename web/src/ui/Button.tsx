import type { ButtonHTMLAttributes } from "react";
import type { IconName } from "./Icon";
import { Icon } from "./Icon";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "plain" | "primary" | "quiet" | "danger";
  icon?: IconName;
  /** Its action is under way: it does nothing, and unlike a disabled one keeps the focus. */
  isBusy?: boolean;
}

export function Button({
  look = "plain",
  icon,
  isBusy = false,
  onClick,
  children,
  className = "",
  type = "button",
  ...rest
}: Props) {
  return (
    <button
      type={type}
      className={`button button--${look} ${className}`}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? undefined : onClick}
      {...rest}
    >
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
}: Omit<Props, "isBusy"> & { label: string; icon: IconName; keys?: string }) {
  return (
    <button
      type="button"
      className={`button button--${look} button--icon ${className}`}
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
