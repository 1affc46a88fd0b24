/** The first three steps, until they are done or hidden. */

import { useState } from "react";
import { readStored, writeStored } from "../../api/storage";
import { useRecentRuns } from "../../queries/runs";
import { useServers } from "../../queries/servers";
import { hrefTo } from "../../state/route";
import { IconButton } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import "./templates.css";

const HIDDEN = "toolweave.getting-started-hidden";
/** The server of the sample, which is built in. */
const SAMPLE_SERVER = "demo";

interface FirstStep {
  title: string;
  hint: string;
  href: string;
  isDone: boolean;
}

/** `hasOwn`: a workflow other than the sample is saved. */
export function GettingStarted({ hasOwn }: { hasOwn: boolean }) {
  const [isHidden, setHidden] = useState(() => readStored("localStorage", HIDDEN) === "yes");
  const { data: runs } = useRecentRuns(1);
  const { data: servers } = useServers();
  const steps: FirstStep[] = [
    {
      title: "Run a workflow",
      hint: "The sample and many templates need no account.",
      href: hrefTo("templates"),
      isDone: (runs ?? []).length > 0,
    },
    {
      title: "Connect your MCP servers",
      hint: "Import them from Claude, Cursor and others.",
      href: hrefTo("servers"),
      isDone: (servers ?? []).some(({ name }) => name !== SAMPLE_SERVER),
    },
    {
      title: "Save a workflow of your own",
      hint: "Start from a template or from scratch.",
      href: hrefTo("new"),
      isDone: hasOwn,
    },
  ];
  if (isHidden || !runs || !servers || steps.every(({ isDone }) => isDone)) return null;
  const hide = () => {
    writeStored("localStorage", HIDDEN, "yes");
    setHidden(true);
  };
  return (
    <section className="card checklist" aria-label="Getting started">
      <div className="section-head">
        <h2>Getting started</h2>
        <IconButton label="Hide getting started" icon="close" onClick={hide} />
      </div>
      <ol>
        {steps.map(({ title, hint, href, isDone }, at) => (
          <li key={title} className={isDone ? "checklist__step is-done" : "checklist__step"}>
            <span className="checklist__mark" aria-hidden="true">
              {isDone ? <Icon name="check" size={12} /> : at + 1}
            </span>
            <span>
              <a href={href}>{title}</a>
              {isDone && <span className="visually-hidden">, done</span>}
              <span className="faint template__summary"> {hint}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
