/** The look of the host: its theme, colors and fonts; what it does not say keeps our defaults. */

import type { HostContext } from "./hostBridge";

/** Colors are taken together or not at all: half of them could leave text unreadable. */
const COLORS: readonly (readonly [host: string, own: string])[] = [
  ["--color-background-primary", "--surface"],
  ["--color-text-primary", "--ink"],
];
const MORE_COLORS: readonly (readonly [host: string, own: string])[] = [
  ["--color-background-primary", "--canvas"],
  ["--color-background-primary", "--surface-raised"],
  ["--color-background-secondary", "--surface-sunken"],
  ["--color-background-secondary", "--surface-hover"],
  ["--color-text-secondary", "--ink-soft"],
  ["--color-text-secondary", "--ink-faint"],
  ["--color-border-primary", "--line"],
];
const OTHERS: readonly (readonly [host: string, own: string])[] = [
  ["--font-sans", "--font"],
  ["--font-mono", "--mono"],
  ["--border-radius-md", "--radius-small"],
  ["--border-radius-lg", "--radius-card"],
];
const MAX_CHARS = 300;

export function applyHostContext({ theme, styles }: HostContext): void {
  const root = document.documentElement;
  if (theme === "dark" || theme === "light") root.dataset["theme"] = theme;
  const variables = styles?.variables;
  if (!variables) return;
  const hasColors = COLORS.every(([host]) => isUsable(variables[host]));
  for (const [host, own] of hasColors ? [...COLORS, ...MORE_COLORS, ...OTHERS] : OTHERS) {
    const value = variables[host];
    if (isUsable(value)) root.style.setProperty(own, value);
  }
}

function isUsable(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_CHARS && !/url\s*\(/i.test(value);
}
