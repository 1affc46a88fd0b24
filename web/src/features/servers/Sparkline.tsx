import { sparkline } from "../../model/servers/sparkline";
import type { ServerHealth } from "../../queries/servers";

const WIDTH = 480;
const HEIGHT = 56;

interface Props {
  checks: ServerHealth["checks"];
  isSmall?: boolean;
}

/** The response times of a server as a line, with marks where a check failed. */
export function Sparkline({ checks, isSmall = false }: Props) {
  if (checks.length === 0) return null;
  const { lines, failures, summary } = sparkline(checks, WIDTH, HEIGHT);
  return (
    <svg
      className={isSmall ? "sparkline sparkline--small" : "sparkline"}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summary}
    >
      {lines.map((points, at) => (
        <polyline key={at} points={points} />
      ))}
      {failures.map((x) => (
        <line key={x} x1={x} x2={x} y1={2} y2={HEIGHT - 2} />
      ))}
    </svg>
  );
}
