/** Schedules, webhooks and other triggers that start workflows. */

import type { ReactNode } from "react";
import { safeText } from "../../model/text/untrusted";
import { shownStatus } from "../../model/run/shownStatus";
import { useAction } from "../../queries/action";
import type { TriggerFiring, Trigger } from "../../queries/triggers";
import {
  disableTriggers,
  enableTriggers,
  pauseTrigger,
  resumeTrigger,
  runTrigger,
  TRIGGERS,
  useTriggers,
} from "../../queries/triggers";
import { navigate, hrefTo } from "../../state/route";
import type { Tone } from "../../ui/Badge";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { EmptyState } from "../../ui/EmptyState";
import { statusTone } from "../../ui/statusTone";
import { Untrusted } from "../../ui/Untrusted";
import "./triggers.css";

const KINDS: Record<string, string> = {
  cron: "Schedule",
  webhook: "Webhook",
  github: "GitHub",
  slack: "Slack",
  email: "Mail",
  file_watch: "Files",
  workflow_failed: "Failed runs",
  manual: "Manual",
};
const STATES: Record<Trigger["state"], { title: string; tone: Tone }> = {
  on: { title: "Active", tone: "good" },
  paused: { title: "Paused", tone: "warn" },
  off: { title: "Inactive", tone: "plain" },
  "switched off in the workflow": { title: "Disabled in the workflow", tone: "plain" },
  deleted: { title: "Workflow deleted", tone: "bad" },
  "by hand": { title: "Run manually", tone: "plain" },
};
const OUTCOMES: Record<TriggerFiring["outcome"], string> = {
  started: "Started",
  ignored: "Ignored",
  refused: "Rejected",
  paused: "Not started: paused",
};
const AUTHENTICATION: Record<string, string> = {
  none: "None: anyone who can reach the address can start runs",
  header_token: "A token in a header",
  query_param: "A token in the URL",
  signature: "A signature of the body",
  github: "GitHub's signature",
  slack: "Slack's signature",
  email: "A token or a signature",
};
const ACTIVE_STATES: ReadonlySet<string> = new Set(["on", "paused", "deleted"]);

export function Triggers() {
  const { data: triggers, error } = useTriggers();
  const slugs = [...new Set(triggers?.map(({ slug }) => slug))];
  return (
    <section className="manage" aria-label="Schedules and webhooks">
      {error && <p role="alert">{error.message}</p>}
      {triggers?.length === 0 && (
        <EmptyState icon="bolt" title="No triggers yet">
          <p>
            Add a trigger, such as a schedule or a webhook, to a workflow and save it. Then you can activate
            it here.
          </p>
          <a className="button button--primary" href={hrefTo("new")}>
            New workflow
          </a>
        </EmptyState>
      )}
      {slugs.map((slug) => (
        <WorkflowTriggers key={slug} triggers={triggers!.filter((trigger) => trigger.slug === slug)} />
      ))}
    </section>
  );
}

function WorkflowTriggers({ triggers }: { triggers: Trigger[] }) {
  const [isBusy, runAction] = useAction(TRIGGERS);
  const name = triggers[0]!.workflow;
  const isOn = triggers.some(({ state }) => ACTIVE_STATES.has(state));
  const isDeleted = triggers.some(({ state }) => state === "deleted");
  const isOutdated = isOn && triggers.some(({ state, isCurrent }) => ACTIVE_STATES.has(state) && !isCurrent);
  const canSwitch = triggers.some(({ state }) => state !== "by hand");
  return (
    <section className="card trigger-group" aria-label={`Triggers of ${name}`}>
      <div className="trigger-group__head">
        <h2>{isDeleted ? safeText(name).text : <a href={hrefTo("w", name)}>{safeText(name).text}</a>}</h2>
        {isOutdated && !isDeleted && <Badge tone="warn">edited since activation</Badge>}
        {isDeleted && <Badge tone="bad">workflow deleted</Badge>}
        <span className="trigger-group__space" />
        {canSwitch && !isDeleted && (!isOn || isOutdated) && (
          <Button
            look={isOn ? "plain" : "primary"}
            disabled={isBusy}
            aria-label={isOn ? `Activate the current version of ${name}` : `Activate ${name}`}
            onClick={() => void runAction("Not activated", () => enableTriggers(name))}
          >
            {isOn ? "Activate current version" : "Activate"}
          </Button>
        )}
        {isOn && (
          <Button
            disabled={isBusy}
            aria-label={`Deactivate ${name}`}
            onClick={() => void runAction("Not deactivated", () => disableTriggers(name))}
          >
            Deactivate
          </Button>
        )}
      </div>
      {triggers.map((one) => (
        <TriggerItem key={one.node} trigger={one} />
      ))}
    </section>
  );
}

function TriggerItem({ trigger }: { trigger: Trigger }) {
  const { title, kind, state, reason, facts, nextTimes, hook, last, recent } = trigger;
  return (
    <article className="trigger" aria-label={`Trigger ${title}`}>
      <div className="trigger__head">
        <strong>{safeText(title).text}</strong>
        <span className="faint">{KINDS[kind] ?? kind}</span>
        <Badge tone={STATES[state].tone}>{STATES[state].title}</Badge>
        <span className="trigger-group__space" />
        <Actions trigger={trigger} />
      </div>
      {reason && (
        <p className="field__fault" role="alert">
          <Untrusted {...safeText(reason)} />
        </p>
      )}
      <dl className="trigger__facts">
        {facts.map(({ label, value }) => (
          <Fact key={label} title={label}>
            <Untrusted {...safeText(value)} />
          </Fact>
        ))}
        {nextTimes.length > 0 && (
          <Fact title={state === "on" ? "Next runs (your time)" : "Next runs if active (your time)"}>
            {nextTimes.map((at) => (
              <div key={at}>{new Date(at).toLocaleString()}</div>
            ))}
          </Fact>
        )}
        {hook && <Fact title="Methods">{hook.methods.join(", ")}</Fact>}
        {hook && <Fact title="Authentication">{AUTHENTICATION[hook.proof] ?? hook.proof}</Fact>}
        <Fact title="Last triggered">{last ? <FiringLine one={last} /> : "never"}</Fact>
      </dl>
      {hook?.paths.map((path) => (
        <Address key={path} path={path} />
      ))}
      {recent.length > 0 && <Firings recent={recent} />}
    </article>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Address({ path }: { path: string }) {
  const url = window.location.origin + path;
  return (
    <div className="trigger__address">
      <code>{url}</code>
      <CopyButton text={url} what={`the address ${path}`} />
    </div>
  );
}

function Firings({ recent }: { recent: readonly TriggerFiring[] }) {
  return (
    <details>
      <summary>Recent events ({recent.length})</summary>
      <ul className="trigger__occasions">
        {recent.map((one, at) => (
          <li key={at}>
            <FiringLine one={one} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function FiringLine({ one }: { one: TriggerFiring }) {
  const when = new Date(one.at).toLocaleString();
  if (!one.run) {
    return (
      <span>
        {when}: {OUTCOMES[one.outcome]}
        {one.reason && (
          <>
            , <Untrusted {...safeText(one.reason)} />
          </>
        )}
      </span>
    );
  }
  return (
    <span>
      {when}: <a href={hrefTo("runs", one.run)}>run {one.run.slice(0, 8)}</a>{" "}
      {one.status && <Badge tone={statusTone(one.status)}>{shownStatus(one.status)}</Badge>}
    </span>
  );
}

function Actions({ trigger }: { trigger: Trigger }) {
  const [isBusy, runAction] = useAction(TRIGGERS);
  const { title, state } = trigger;
  const runNow = () => void runAction("Not run", async () => navigate("runs", await runTrigger(trigger)));
  return (
    <div className="row">
      {state === "on" && (
        <Button
          disabled={isBusy}
          aria-label={`Pause ${title}`}
          onClick={() => void runAction("Not paused", () => pauseTrigger(trigger))}
        >
          Pause
        </Button>
      )}
      {state === "paused" && (
        <Button
          disabled={isBusy}
          aria-label={`Resume ${title}`}
          onClick={() => void runAction("Not resumed", () => resumeTrigger(trigger))}
        >
          Resume
        </Button>
      )}
      {state !== "switched off in the workflow" && (
        <Button icon="play" disabled={isBusy} aria-label={`Run ${title} now`} onClick={runNow}>
          Run now
        </Button>
      )}
    </div>
  );
}
