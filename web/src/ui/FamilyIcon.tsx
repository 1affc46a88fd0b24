import type { IconName } from "./Icon";
import { Icon } from "./Icon";

const ICONS: Record<string, IconName> = {
  mcp: "plug",
  trigger: "bolt",
  flow: "branch",
  action: "cog",
  ai: "spark",
  external: "globe",
  human: "person",
  memory: "memory",
  prompt: "text",
  ends: "flag",
  note: "note",
  unknown: "help",
};

/** The icon of a node family, in the color of the family. */
export function FamilyIcon({ family, size = 16 }: { family: string; size?: number }) {
  return (
    <span className={`family family--${family}`}>
      <Icon name={ICONS[family] ?? "help"} size={size} />
    </span>
  );
}
