import { FamilyIcon } from "./FamilyIcon";
import type { BrandName } from "./brandPaths";
import { BRAND_PATHS } from "./brandPaths";
import type { IconName } from "./Icon";
import { Icon } from "./Icon";

export interface NodeIconProps {
  family: string;
  kind?: { brand: string } | { icon: string } | null;
  /** The first letter and the colour of a server, for its tools. */
  monogram?: { letter: string; hue: number } | null;
  size?: number;
}

/** The icon of a node in the colour of its family: of its service, its kind, its server, or its family. */
export function NodeIcon({ family, kind = null, monogram = null, size = 16 }: NodeIconProps) {
  if (monogram) {
    return (
      <span className={`family monogram monogram--${monogram.hue}`} aria-hidden="true">
        {monogram.letter}
      </span>
    );
  }
  if (!kind) return <FamilyIcon family={family} size={size} />;
  return (
    <span className={`family family--${family}`}>
      {"brand" in kind ? (
        <svg viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
          <path d={BRAND_PATHS[kind.brand as BrandName]} fill="currentColor" />
        </svg>
      ) : (
        <Icon name={kind.icon as IconName} size={size} />
      )}
    </span>
  );
}
