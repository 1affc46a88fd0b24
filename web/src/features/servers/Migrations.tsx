/** What adapts workflows to the changed tools of a server: each change with its reason, applied after a yes. */

import { useState } from "react";
import { safeText } from "../../model/text/untrusted";
import { useAction } from "../../queries/action";
import type { Migration, MigrationChoice } from "../../queries/servers";
import { applyMigration, SERVERS, useServerMigrations } from "../../queries/servers";
import { WORKFLOWS } from "../../queries/workflows";
import { hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Untrusted } from "../../ui/Untrusted";

export function Migrations({ server, stamp }: { server: string; stamp: string }) {
  const { data, error, isLoading } = useServerMigrations(server, stamp);
  if (isLoading) return <p className="faint">Preparing changes to the workflows…</p>;
  if (error) return <p role="alert">{error.message}</p>;
  if (!data?.migrations.length) return null;
  return (
    <section aria-label="Proposed changes">
      <strong>Proposed changes</strong>
      <p className="faint">Nothing is changed before you apply it.</p>
      {data.migrations.map((one) => (
        <Proposal key={one.workflow} server={server} migration={one} />
      ))}
    </section>
  );
}

function Proposal({ server, migration }: { server: string; migration: Migration }) {
  const [isAsking, setAsking] = useState(false);
  const name = safeText(migration.workflow).text;
  const canApply = migration.state === "proposed";
  return (
    <article className="migration" aria-label={`Proposal for ${name}`}>
      <div className="row">
        <a href={hrefTo("w", migration.workflow)}>{name}</a>
        <CertaintyBadge migration={migration} />
        {canApply && <span className="faint">{safeText(migration.proof).text}</span>}
        {canApply && (
          <Button aria-label={`Apply the changes to ${name}`} onClick={() => setAsking(true)}>
            Apply…
          </Button>
        )}
      </div>
      <Reasons migration={migration} />
      {isAsking && (
        <ApplyDialog server={server} migration={migration} name={name} onClose={() => setAsking(false)} />
      )}
    </article>
  );
}

function CertaintyBadge({ migration }: { migration: Migration }) {
  if (migration.state !== "proposed") return <Badge tone="bad">needs your input</Badge>;
  const isCertain = migration.certainty === "certain";
  return <Badge tone={isCertain ? "good" : "warn"}>{isCertain ? "certain" : "likely"}</Badge>;
}

function Reasons({ migration }: { migration: Migration }) {
  return (
    <ul className="migration__reasons">
      {migration.changes.map((change, at) => (
        <li key={`change ${at}`}>
          <Badge tone={change.certainty === "certain" ? "good" : "warn"}>
            {change.certainty ?? "likely"}
          </Badge>{" "}
          <span className="mono faint">{safeText(change.pointer).text}</span>{" "}
          <Untrusted {...safeText(change.reason)} />
        </li>
      ))}
      {migration.open.map((point, at) => (
        <li key={`open ${at}`}>
          <Badge tone="bad">unknown</Badge> <span className="mono faint">{safeText(point.pointer).text}</span>{" "}
          <Untrusted {...safeText(point.reason)} />
        </li>
      ))}
      {migration.message && (
        <li>
          <Badge tone="bad">invalid</Badge> <Untrusted {...safeText(migration.message)} />
        </li>
      )}
    </ul>
  );
}

interface DialogProps {
  server: string;
  migration: Migration;
  name: string;
  onClose(): void;
}

function ApplyDialog({ server, migration, name, onClose }: DialogProps) {
  const isCertain = migration.certainty === "certain";
  const [choice, setChoice] = useState<MigrationChoice>({ acceptLikely: false, adaptRecordings: false });
  const [isBusy, runAction] = useAction(SERVERS, WORKFLOWS);
  const apply = async () => {
    if (await runAction("Not changed", () => applyMigration(server, migration, choice))) onClose();
  };
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        look="primary"
        disabled={isBusy || (!isCertain && !choice.acceptLikely)}
        onClick={() => void apply()}
      >
        {isCertain ? "Change the workflow" : "Apply likely changes"}
      </Button>
    </>
  );
  return (
    <Dialog title={`Change ${name}?`} onClose={onClose} foot={foot} wide>
      <p>{safeText(migration.proof).text}</p>
      <Reasons migration={migration} />
      <details>
        <summary>Patch</summary>
        <pre className="schema" tabIndex={0} role="region" aria-label="Patch">
          {safeText(JSON.stringify(migration.patch, null, 2)).text}
        </pre>
      </details>
      {!isCertain && (
        <Choice
          label="I have reviewed the changes that are only likely"
          isChecked={choice.acceptLikely}
          onChange={(acceptLikely) => setChoice({ ...choice, acceptLikely })}
        />
      )}
      {migration.provedBy.length > 0 && (
        <Choice
          label={`Also adapt the recordings: ${migration.provedBy.join(", ")}`}
          isChecked={choice.adaptRecordings}
          onChange={(adaptRecordings) => setChoice({ ...choice, adaptRecordings })}
        />
      )}
    </Dialog>
  );
}

interface ChoiceProps {
  label: string;
  isChecked: boolean;
  onChange(isChecked: boolean): void;
}

function Choice({ label, isChecked, onChange }: ChoiceProps) {
  return (
    <label className="row">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.target.checked)} />
      {safeText(label).text}
    </label>
  );
}
