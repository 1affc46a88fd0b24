/** A template of the gallery: what it does, what it is made of, and what it still needs here. */

import { Fragment, useState } from "react";
import { entryIcon } from "../../model/workflow/catalog";
import type { Available } from "../../model/workflow/templateNeeds";
import { missingFor, templateNeeds } from "../../model/workflow/templateNeeds";
import { useSpecs } from "../../queries/catalog";
import type { Template } from "../../queries/templates";
import { placeTemplate } from "../../queries/templates";
import { notifyError } from "../../state/notices";
import { hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { NodeIcon } from "../../ui/NodeIcon";
import "./templates.css";

const MAX_ICONS = 5;

export function TemplateCard({ template, available }: { template: Template; available: Available }) {
  const [isBusy, setBusy] = useState(false);
  const missing = missingFor(templateNeeds(template.nodes), available);
  const place = async () => {
    setBusy(true);
    try {
      await placeTemplate(template.name);
    } catch (error) {
      notifyError(error, "The template cannot be opened");
      setBusy(false);
    }
  };
  return (
    <li className="card template">
      <TemplateIcons nodes={template.nodes} />
      <h3>{template.title}</h3>
      <p className="template__summary">{template.summary}</p>
      <div className="template__foot">
        {missing.length === 0 ? (
          <Badge tone="good">Ready to run</Badge>
        ) : (
          <span className="faint">
            Needs{" "}
            {missing.map(({ title, page }, at) => (
              <Fragment key={title}>
                {at > 0 && ", "}
                <a href={hrefTo(...page)}>{title}</a>
              </Fragment>
            ))}
          </span>
        )}
        <Button disabled={isBusy} aria-label={`Use ${template.title}`} onClick={() => void place()}>
          Use
        </Button>
      </div>
    </li>
  );
}

/** The kinds of its nodes, in their order. */
function TemplateIcons({ nodes }: { nodes: readonly string[] }) {
  const specs = useSpecs();
  const entries = nodes.flatMap((ref) => specs.get(ref) ?? []);
  return (
    <div className="template__icons" aria-hidden="true">
      {entries.slice(0, MAX_ICONS).map((entry) => (
        <NodeIcon key={entry.ref} {...entryIcon(entry)} />
      ))}
      {entries.length > MAX_ICONS && <span className="faint">+{entries.length - MAX_ICONS}</span>}
    </div>
  );
}
