/** The health of a server: its latest checks, errors, calls and log. */

import type { Server } from "../../model/servers/serverStatus";
import { formatMs, sparkline } from "../../model/servers/sparkline";
import { safeText } from "../../model/text/untrusted";
import type { ServerHealth } from "../../queries/servers";
import { useServerHealth } from "../../queries/servers";
import { Badge } from "../../ui/Badge";
import { Untrusted } from "../../ui/Untrusted";
import { Sparkline } from "./Sparkline";

export function Health({ server }: { server: Server }) {
  const { data: health, error } = useServerHealth(server.id);
  if (error) return <p role="alert">{error.message}</p>;
  if (!health) return <p className="faint">Loading health…</p>;
  return (
    <>
      <Latency checks={health.checks} />
      <Failures health={health} />
      <Calls calls={health.calls} />
      <Log lines={health.log} />
    </>
  );
}

function Latency({ checks }: { checks: ServerHealth["checks"] }) {
  return (
    <figure className="latency">
      <Sparkline checks={checks} />
      <figcaption className="faint" aria-hidden={checks.length > 0}>
        {sparkline(checks, 1, 1).summary}
      </figcaption>
    </figure>
  );
}

interface Failure {
  at: string;
  what: string;
  why: string;
}

function Failures({ health: { checks, calls } }: { health: ServerHealth }) {
  const failures: Failure[] = [
    ...checks
      .filter(({ ok }) => !ok)
      .map(({ at, reason }) => ({ at, what: "check", why: reason ?? "no answer" })),
    ...calls
      .filter(({ code }) => code)
      .map(({ at, tool, code, message }) => ({
        at,
        what: tool,
        why: [code, message].filter(Boolean).join(": "),
      })),
  ];
  if (failures.length === 0) return <p className="faint">No recent errors.</p>;
  const newest = failures.sort((a, b) => b.at.localeCompare(a.at)).slice(0, 10);
  return (
    <table className="table" aria-label="Last errors">
      <thead>
        <tr>
          <th>When</th>
          <th>Event</th>
          <th>Reason</th>
        </tr>
      </thead>
      <tbody>
        {newest.map(({ at, what, why }, index) => (
          <tr key={index}>
            <td>{new Date(at).toLocaleString()}</td>
            <td>{safeText(what).text}</td>
            <td>
              <Untrusted {...safeText(why)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Calls({ calls }: { calls: ServerHealth["calls"] }) {
  if (calls.length === 0) return <p className="faint">No calls yet.</p>;
  const newest = calls.slice(-10).reverse();
  return (
    <table className="table" aria-label="Last calls">
      <thead>
        <tr>
          <th>When</th>
          <th>Tool</th>
          <th>Result</th>
          <th>Duration</th>
        </tr>
      </thead>
      <tbody>
        {newest.map((call, at) => (
          <tr key={at}>
            <td>{new Date(call.at).toLocaleString()}</td>
            <td className="mono">{safeText(call.tool).text}</td>
            <td>
              <Badge tone={call.status === "success" ? "good" : call.code ? "bad" : "plain"}>
                {call.status}
              </Badge>
            </td>
            <td>{call.tookMs == null ? "—" : formatMs(call.tookMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Log({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <p className="faint">The log is empty.</p>;
  return (
    <section aria-label="Log">
      <h3>Last log lines</h3>
      <pre className="schema" tabIndex={0}>
        {lines.map((line) => safeText(line).text).join("\n")}
      </pre>
    </section>
  );
}
