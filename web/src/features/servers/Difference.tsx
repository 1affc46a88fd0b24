/** How changed tools differ from the approved ones, parameter by parameter, and what uses them. */

import type { Affected, Drift, ToolDifference } from "../../model/servers/serverStatus";
import { safeText } from "../../model/text/untrusted";
import { useServerDifference } from "../../queries/servers";
import { hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { Untrusted } from "../../ui/Untrusted";
import { Migrations } from "./Migrations";

const VERDICTS = {
  breaks: { tone: "bad", text: "breaks" },
  unknown: { tone: "warn", text: "unknown" },
  fits: { tone: "good", text: "compatible" },
} as const;

export function Difference({ server, changes }: { server: string; changes: Drift[] }) {
  const stamp = changes.map((drift) => `${drift.tool} ${drift.changes.length}`).join();
  const { data: difference, error, isLoading } = useServerDifference(server, stamp);
  return (
    <>
      <ul>
        {difference
          ? difference.tools.map((tool) => <ChangedTool key={tool.tool} tool={tool} />)
          : changes.map((drift) => <li key={drift.tool}>{safeText(drift.tool).text}</li>)}
      </ul>
      {isLoading && <p className="faint">Searching for workflows that use them…</p>}
      {error && <p role="alert">{error.message}</p>}
      {difference && <UsedBy affected={difference.affected} />}
      {difference?.affected.some(needsChange) && <Migrations server={server} stamp={stamp} />}
      {difference?.warnings.map((warning) => (
        <p key={warning} className="faint">
          <Untrusted {...safeText(warning)} />
        </p>
      ))}
    </>
  );
}

const needsChange = ({ kind, verdict }: Affected) => kind === "workflow" && verdict !== "fits";

function ChangedTool({ tool }: { tool: ToolDifference }) {
  return (
    <li>
      <span className="mono">{safeText(tool.tool).text}</span>
      {tool.changes.map((change, at) => (
        <div key={at}>
          <Badge tone="warn">{change.kind.replaceAll("_", " ")}</Badge>{" "}
          <span className="mono">
            {change.side === "output" && "result "}
            {safeText(change.parameter).text}
          </span>{" "}
          <Untrusted {...safeText(change.message)} />
          {change.certainty === "likely" && <span className="faint"> (likely)</span>}
        </div>
      ))}
    </li>
  );
}

function UsedBy({ affected }: { affected: Affected[] }) {
  if (affected.length === 0) return <p>No workflow, document or recording uses them.</p>;
  return (
    <>
      <strong>Used by</strong>
      <ul aria-label="Used by">
        {affected.map((one) => (
          <li key={`${one.kind} ${one.name}`}>
            {one.kind} <AffectedName affected={one} /> <VerdictBadge verdict={one.verdict} />
            <details>
              <summary>{one.places.length === 1 ? "1 place" : `${one.places.length} places`}</summary>
              {one.places.map((place, at) => (
                <div key={at}>
                  <span className="mono">{safeText(place.node).text}</span>{" "}
                  <span className="mono faint">{safeText(place.pointer).text}</span>{" "}
                  <Untrusted {...safeText(place.reason)} />
                  {place.certainty && <span className="faint"> ({place.certainty})</span>}
                </div>
              ))}
            </details>
          </li>
        ))}
      </ul>
    </>
  );
}

function AffectedName({ affected }: { affected: Affected }) {
  const name = safeText(affected.name).text;
  return affected.kind === "workflow" ? <a href={hrefTo("w", affected.name)}>{name}</a> : <bdi>{name}</bdi>;
}

function VerdictBadge({ verdict }: { verdict: string }) {
  const shown = VERDICTS[verdict as keyof typeof VERDICTS] ?? VERDICTS.unknown;
  return <Badge tone={shown.tone}>{shown.text}</Badge>;
}
