/** Schedules, webhooks and all else that starts workflows by itself. */

import type { ReactNode } from "react";
import { go, pathTo } from "../../state/route";
import { shownText } from "../../model/text/untrusted";
import { useDoing } from "../../queries/action";
import type { Occasion, Trigger } from "../../queries/triggers";
import { disableTriggers, enableTriggers, pauseTrigger, resumeTrigger, runTrigger, TRIGGERS, useTriggers } from "../../queries/triggers";
import type { Tone } from "../../ui/Badge";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { Empty } from "../../ui/EmptyState";
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
  manual: "By hand",
};
const TONES: Record<string, Tone> = { on: "good", paused: "warn", deleted: "bad" };
const PROOFS: Record<string, string> = {
  none: "Nothing: anybody who reaches it starts runs",
  header_token: "A token in a header",
  query_param: "A token in the address",
  signature: "A signature of the body",
  github: "GitHub's signature",
  slack: "Slack's signature",
  email: "A token or a signature",
};
const SWITCHED: ReadonlySet<string> = new Set(["on", "paused", "deleted"]);

export function Triggers() {
  const { data: triggers, error } = useTriggers();
  const slugs = [...new Set(triggers?.map(({ slug }) => slug))];
  return (
    <section className="manage" aria-label="Schedules and webhooks">
      {error && <p role="alert">{error.message}</p>}
      {triggers?.length === 0 && (
        <Empty title="Nothing here yet">
          <p>Give a workflow a trigger, such as a schedule or a webhook, and save it: it appears here, where you switch it on.</p>
        </Empty>
      )}
      {slugs.map((slug) => (
        <OfWorkflow key={slug} triggers={triggers!.filter((one) => one.slug === slug)} />
      ))}
    </section>
  );
}

function OfWorkflow({ triggers }: { triggers: Trigger[] }) {
  const [doing, start] = useDoing(TRIGGERS);
  const name = triggers[0]!.workflow;
  const isOn = triggers.some(({ state }) => SWITCHED.has(state));
  const isGone = triggers.some(({ state }) => state === "deleted");
  const isOld = isOn && triggers.some(({ state, isCurrent }) => SWITCHED.has(state) && !isCurrent);
  const canSwitch = triggers.some(({ state }) => state !== "by hand");
  return (
    <section className="card trigger-group" aria-label={`Triggers of ${name}`}>
      <div className="trigger-group__head">
        <h2>{isGone ? name : <a href={pathTo("w", name)}>{name}</a>}</h2>
        {isOld && !isGone && <Badge tone="warn">edited since it was switched on</Badge>}
        {isGone && <Badge tone="bad">the workflow was deleted</Badge>}
        <span className="trigger-group__space" />
        {canSwitch && !isGone && (!isOn || isOld) && (
          <Button look={isOn ? "plain" : "primary"} disabled={doing} aria-label={isOn ? `Use ${name} as it is now` : `Switch on ${name}`} onClick={() => void start("Not switched on", () => enableTriggers(name))}>
            {isOn ? "Use it as it is now" : "Switch on"}
          </Button>
        )}
        {isOn && (
          <Button disabled={doing} aria-label={`Switch off ${name}`} onClick={() => void start("Not switched off", () => disableTriggers(name))}>
            Switch off
          </Button>
        )}
      </div>
      {triggers.map((one) => (
        <OneTrigger key={one.node} trigger={one} />
      ))}
    </section>
  );
}

function OneTrigger({ trigger }: { trigger: Trigger }) {
  const { title, kind, state, reason, facts, nextTimes, hook, last, recent } = trigger;
  return (
    <article className="trigger" aria-label={`Trigger ${title}`}>
      <div className="trigger__head">
        <strong>{title}</strong>
        <span className="faint">{KINDS[kind] ?? kind}</span>
        <Badge tone={TONES[state] ?? "plain"}>{state}</Badge>
        <span className="trigger-group__space" />
        <Actions trigger={trigger} />
      </div>
      {reason && (
        <p className="field__fault" role="alert">
          <Untrusted {...shownText(reason)} />
        </p>
      )}
      <dl className="trigger__facts">
        {facts.map(({ label, value }) => (
          <Fact key={label} title={label}>
            <Untrusted {...shownText(value)} />
          </Fact>
        ))}
        {nextTimes.length > 0 && (
          <Fact title={state === "on" ? "Next, by your clock" : "Next if it were on, by your clock"}>
            {nextTimes.map((at) => (
              <div key={at}>{new Date(at).toLocaleString()}</div>
            ))}
          </Fact>
        )}
        {hook && <Fact title="Taken">{hook.methods.join(", ")}</Fact>}
        {hook && <Fact title="Callers prove themselves by">{PROOFS[hook.proof] ?? hook.proof}</Fact>}
        <Fact title="Fired last">{last ? <Told one={last} /> : "never"}</Fact>
      </dl>
      {hook?.paths.map((path) => (
        <Address key={path} path={path} />
      ))}
      {recent.length > 0 && <Occasions recent={recent} />}
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

function Occasions({ recent }: { recent: readonly Occasion[] }) {
  return (
    <details>
      <summary>Last occasions ({recent.length})</summary>
      <ul className="trigger__occasions">
        {recent.map((one, at) => (
          <li key={at}>
            <Told one={one} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Told({ one }: { one: Occasion }) {
  const when = new Date(one.at).toLocaleString();
  if (!one.run) {
    return (
      <span>
        {when}: {one.outcome}
        {one.reason && (
          <>
            , <Untrusted {...shownText(one.reason)} />
          </>
        )}
      </span>
    );
  }
  return (
    <span>
      {when}: <a href={pathTo("runs", one.run)}>run {one.run.slice(0, 8)}</a> {one.status && <Badge tone={toneOf(one.status)}>{one.status}</Badge>}
    </span>
  );
}

function toneOf(status: string): Tone {
  if (status === "success") return "good";
  if (status === "failed" || status === "cancelled") return "bad";
  return status === "running" ? "busy" : "warn";
}

function Actions({ trigger }: { trigger: Trigger }) {
  const [doing, start] = useDoing(TRIGGERS);
  const { title, state } = trigger;
  const runNow = () => void start("Not run", async () => go("runs", await runTrigger(trigger)));
  return (
    <div className="row">
      {state === "on" && (
        <Button disabled={doing} aria-label={`Pause ${title}`} onClick={() => void start("Not paused", () => pauseTrigger(trigger))}>
          Pause
        </Button>
      )}
      {state === "paused" && (
        <Button disabled={doing} aria-label={`Resume ${title}`} onClick={() => void start("Not resumed", () => resumeTrigger(trigger))}>
          Resume
        </Button>
      )}
      {state !== "switched off in the workflow" && (
        <Button icon="play" disabled={doing} aria-label={`Run ${title} now`} onClick={runNow}>
          Run now
        </Button>
      )}
    </div>
  );
}
