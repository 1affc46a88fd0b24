/** What removing a secret stops: the workflows and servers that refer to it. */

import { countOf } from "../../model/text/formatValue";
import { safeText } from "../../model/text/untrusted";
import { useSecretUses } from "../../queries/secrets";
import { hrefTo } from "../../state/route";

const PAGES = { workflow: "w", server: "servers" } as const;

export function SecretUses({ name }: { name: string }) {
  const { data: uses, error } = useSecretUses(name);
  if (error) return <p role="alert">Where it is used is unknown: {error.message}</p>;
  if (!uses) return <p>Searching for what uses it…</p>;
  if (uses.length === 0) return <p>No workflow or server uses it. Its value is deleted.</p>;
  return (
    <>
      <p>Its value is deleted. What uses it fails until you add it again:</p>
      <ul aria-label="Used by">
        {uses.map((use) => (
          <li key={`${use.kind} ${use.name}`}>
            {use.kind} <a href={hrefTo(PAGES[use.kind], use.name)}>{safeText(use.name).text}</a>
            {use.nodes.length > 0 && <span className="faint"> ({countOf(use.nodes.length, "node")})</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
