import type { ButtonHTMLAttributes } from "react";
import type { IconName } from "./Icon";
import { Icon } from "./Icon";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "plain" | "primary" | "quiet" | "danger";
  icon?: IconName;
}

export function Button({ look = "plain", icon, children, className = "", type = "button", ...rest }: Props) {
  return (
    <button type={type} className={`button button--${look} ${className}`} {...rest}>
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
