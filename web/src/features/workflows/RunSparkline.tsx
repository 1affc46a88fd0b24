import type { PastRun } from "../../model/run/runHistory";
import { historySummary, runBars } from "../../model/run/runHistory";
import { statusTone } from "../../ui/statusTone";

const [BAR, GAP, HEIGHT, MAX_BARS] = [5, 2, 20, 12];
const WIDTH = MAX_BARS * (BAR + GAP) - GAP;

/** The last runs of a workflow, the newest on the right: the colour is the status, the height the duration. */
export function RunSparkline({ runs }: { runs: readonly PastRun[] }) {
  const bars = runBars(runs.slice(0, MAX_BARS));
  return (
    <svg
      className="run-bars"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={historySummary(runs)}
    >
      {bars.map(({ id, status, share }, at) => (
        <rect
          key={id}
          className={`run-bars__bar run-bars__bar--${statusTone(status)}`}
          x={at * (BAR + GAP)}
          y={HEIGHT * (1 - share)}
          width={BAR}
          height={HEIGHT * share}
          rx="1"
        />
      ))}
    </svg>
  );
}
