/** One server: its state and the reason, its command, its tools, and actions. */

import type { ReactNode } from "react";
import { useState } from "react";
import type { Server } from "../../model/servers/serverStatus";
import { canListTools, kindText, nextStepHint, stateTone } from "../../model/servers/serverStatus";
import { formatMs } from "../../model/servers/sparkline";
import { fieldLabel } from "../../model/text/fieldLabel";
import { safeText } from "../../model/text/untrusted";
import { useAction } from "../../queries/action";
import {
  CATALOG,
  checkServer,
  removeServer,
  SERVERS,
  switchServer,
  useServerHealth,
} from "../../queries/servers";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Tabs } from "../../ui/Tabs";
import { Untrusted } from "../../ui/Untrusted";
import { Health } from "./Health";
import { ServerContent } from "./ServerContent";
import { ServerDefinition } from "./ServerDefinition";
import { SignInButton } from "./SignIn";
import { Skills } from "./Skills";
import { Sparkline } from "./Sparkline";
import { Tools } from "./Tools";

const TABS = [
  { name: "tools", title: "Tools" },
  { name: "content", title: "Resources and prompts" },
  { name: "skills", title: "Skills" },
  { name: "health", title: "Health" },
  { name: "command", title: "Command" },
] as const;

type Tab = (typeof TABS)[number]["name"];

export function ServerCard({ server, onAdded }: { server: Server; onAdded?(): void }) {
  const [tab, setTab] = useState<Tab>("tools");
  const current = server.approved ? tab : "command";
  const why = server.details ? safeText(server.details) : null;
  return (
    <section className="card server" aria-label={`Server ${server.name}`} data-stop="detail">
      <div className="server__head">
        <h2>
          <bdi>{server.displayName}</bdi>
        </h2>
        <Badge tone={stateTone(server.state)}>{server.state}</Badge>
        <Badge>{server.connectionStatus}</Badge>
      </div>
      {server.description && <Untrusted {...safeText(server.description)} />}
      {why && (
        <p role="alert">
          <Untrusted {...why} />
        </p>
      )}
      {nextStepHint(server.state) && <p className="faint">{nextStepHint(server.state)}</p>}
      <dl className="facts">
        <Fact title="Scope" value={fieldLabel(server.scope)} />
        <Fact title="Kind" value={kindText(server)} />
        <Fact title="Source" value={server.foundIn ?? "Added by you"} />
        <Fact title="Tools" value={server.toolCount == null ? "unknown" : String(server.toolCount)} />
        <Fact title="Response time" value={server.latencyMs == null ? "unknown" : formatMs(server.latencyMs)}>
          {server.approved && <Latency server={server} />}
        </Fact>
        <Fact title="Failures" value={String(server.failureCount)} />
      </dl>
      <Actions server={server} />
      {server.approved ? (
        <Tabs<Tab> label="About the server" tabs={TABS} current={tab} onChange={setTab}>
          {current === "command" && <ServerDefinition server={server} onApproved={() => setTab("tools")} />}
          {current === "content" && <ServerContent server={server} canList={canListTools(server)} />}
          {current === "skills" && <Skills server={server} canList={canListTools(server)} />}
          {current === "health" && <Health server={server} />}
          {current === "tools" && <Tools server={server} canList={canListTools(server)} onAdded={onAdded} />}
        </Tabs>
      ) : (
        <ServerDefinition server={server} onApproved={() => setTab("tools")} />
      )}
    </section>
  );
}

function Fact({ title, value, children }: { title: string; value: string; children?: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {value}
        {children}
      </dd>
    </div>
  );
}

function Latency({ server }: { server: Server }) {
  const { data: health } = useServerHealth(server.id);
  return health ? <Sparkline checks={health.checks} isSmall /> : null;
}

function Actions({ server }: { server: Server }) {
  const [isBusy, runAction] = useAction(SERVERS, CATALOG);
  const [isAsked, ask] = useState(false);
  const toggle = () =>
    void runAction(server.enabled ? "Not disabled" : "Not enabled", () =>
      switchServer(server.id, !server.enabled),
    );
  const remove = () => {
    ask(false);
    void runAction("Not removed", () => removeServer(server.id));
  };
  return (
    <div className="row">
      <Button
        icon="again"
        disabled={isBusy || !canListTools(server)}
        onClick={() => void runAction("Not checked", () => checkServer(server.id))}
      >
        Check now
      </Button>
      {server.approved && (
        <Button disabled={isBusy} onClick={toggle}>
          {server.enabled ? "Disable" : "Enable"}
        </Button>
      )}
      {server.approved && server.signIn && <SignInButton server={server} />}
      <Button look="danger" icon="trash" disabled={isBusy} onClick={() => ask(true)}>
        Remove
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={`Remove ${server.name}?`}
          yes="Remove the server"
          onYes={remove}
          onClose={() => ask(false)}
        >
          Its approval and pinned tools are deleted. Workflows that use it stop working until it is added
          again.
        </ConfirmDialog>
      )}
    </div>
  );
}
