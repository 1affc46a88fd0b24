/** The skills of a server: instructions for models, which are used only once a person approved their files. */

import { useState } from "react";
import type { Server } from "../../model/servers/serverStatus";
import { safeText } from "../../model/text/untrusted";
import { useAction } from "../../queries/action";
import type { Skill } from "../../queries/skills";
import { approveSkill, forgetSkill, readSkill, skillsKey, useServerSkills } from "../../queries/skills";
import type { Tone } from "../../ui/Badge";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Untrusted } from "../../ui/Untrusted";

const TONES: Partial<Record<Skill["state"], Tone>> = {
  approved: "good",
  changed: "warn",
  "not listed": "warn",
  invalid: "bad",
};
const NEXT_STEPS: Partial<Record<Skill["state"], string>> = {
  "not approved": "Not available to models until you approve it. Review its files first.",
  changed: "It changed after approval and is blocked. Review its files, then approve it again.",
  "not listed": "You approved it, but the server no longer lists it.",
};

export function Skills({ server, canList }: { server: Server; canList: boolean }) {
  const { data: skills, error, isLoading } = useServerSkills(server.id, canList);
  if (!canList) return <p className="faint">Approve and enable the server to see its skills.</p>;
  if (isLoading) return <p className="faint">Loading…</p>;
  if (error) return <p role="alert">{error.message}</p>;
  if (!skills) return null;
  if (skills.length === 0)
    return (
      <p className="faint">
        The server has no skills. A skill is instructions for a kind of task, which chat and agents read.
      </p>
    );
  return (
    <ul className="tools" aria-label="Skills">
      {skills.map((skill) => (
        <SkillItem key={skill.uri} server={server.id} skill={skill} />
      ))}
    </ul>
  );
}

function SkillItem({ server, skill }: { server: string; skill: Skill }) {
  const [isBusy, runAction] = useAction(skillsKey(server));
  const [content, setContent] = useState<{ uri: string; text: string } | null>(null);
  const name = safeText(skill.name || skill.uri);
  const show = (uri: string) =>
    void runAction("Not read", async () =>
      setContent({ uri, text: await readSkill(server, skill.uri, uri) }),
    );
  const approve = () =>
    void runAction("Not approved", async () => {
      await approveSkill(server, skill.uri, skill.hash!);
      return `Approved the skill ${name.text}`;
    });
  const forget = () =>
    void runAction("Approval not removed", async () => {
      await forgetSkill(server, skill.uri);
      return `Models no longer get the skill ${name.text}`;
    });
  const canForget = ["approved", "changed", "not listed"].includes(skill.state);
  const canApprove = ["not approved", "changed"].includes(skill.state) && skill.hash !== null;
  return (
    <li className="tool">
      <div className="tool__head">
        <strong className="mono">
          <Untrusted {...name} />
        </strong>
        <Badge tone={TONES[skill.state]}>{skill.state}</Badge>
        <span className="tool__actions">
          {canForget && (
            <Button disabled={isBusy} onClick={forget} aria-label={`Remove approval of ${name.text}`}>
              Remove approval
            </Button>
          )}
          {canApprove && (
            <Button
              look="primary"
              icon="check"
              disabled={isBusy}
              onClick={approve}
              aria-label={`Approve for models: ${name.text}`}
            >
              Approve for models
            </Button>
          )}
        </span>
      </div>
      {skill.description && (
        <div className="tool__words">
          <Untrusted {...safeText(skill.description)} />
        </div>
      )}
      {NEXT_STEPS[skill.state] && <p className="faint">{NEXT_STEPS[skill.state]}</p>}
      {skill.problem && <p className="field__fault">{safeText(skill.problem).text}</p>}
      {skill.allowedTools && (
        <p className="faint">
          It asks for the tools {safeText(skill.allowedTools).text}, which has no effect.
        </p>
      )}
      {skill.files.length > 0 && (
        <SkillFiles skill={skill} isBusy={isBusy || skill.state === "not listed"} onRead={show} />
      )}
      {content && (
        <pre className="schema" tabIndex={0} aria-label={`Content of ${safeText(content.uri).text}`}>
          {safeText(content.text).text}
        </pre>
      )}
    </li>
  );
}

const DIGEST_CHARACTERS = 19; // `sha256:` and twelve more

interface FilesProps {
  skill: Skill;
  isBusy: boolean;
  onRead(uri: string): void;
}

/** What an approval covers: each file with its size and digest. */
function SkillFiles({ skill, isBusy, onRead }: FilesProps) {
  const folder = skill.uri.slice(0, skill.uri.lastIndexOf("/") + 1);
  return (
    <table className="table" aria-label={`Files of ${safeText(skill.name).text}`}>
      <thead>
        <tr>
          <th>File</th>
          <th>Size</th>
          <th>Digest</th>
          <th>
            <span className="visually-hidden">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {skill.files.map(({ uri, size, digest }) => {
          const path = safeText(uri.startsWith(folder) ? uri.slice(folder.length) : uri);
          return (
            <tr key={uri}>
              <td className="mono">
                <Untrusted {...path} />
              </td>
              <td>{size} bytes</td>
              <td className="mono" title={digest}>
                {digest.slice(0, DIGEST_CHARACTERS)}…
              </td>
              <td>
                <Button
                  look="quiet"
                  disabled={isBusy}
                  onClick={() => onRead(uri)}
                  aria-label={`Read ${path.text}`}
                >
                  Read
                </Button>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
