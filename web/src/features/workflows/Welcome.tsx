/** The first start: a sample that runs with one click and needs no account. */

import { useState } from "react";
import { createSample } from "../../queries/sample";
import { notifyError } from "../../state/notices";
import { setPanels } from "../../state/panels";
import { hrefTo, navigate } from "../../state/route";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import "./workflows.css";

export function Welcome() {
  const [isBusy, setBusy] = useState(false);
  const open = async (run: boolean) => {
    setBusy(true);
    try {
      const name = await createSample();
      // All of the sample and of its run can be seen; the palette is for the first workflow of one's own.
      if (run) setPanels({ hasPalette: false });
      window.location.hash = `#/w/${encodeURIComponent(name)}${run ? "?run" : ""}`;
    } catch (error) {
      notifyError(error, "The sample cannot be opened");
      setBusy(false);
    }
  };
  const describe = () => {
    setPanels({ side: "builder" });
    navigate("new");
  };
  return (
    <div className="card welcome">
      <div className="welcome__words">
        <h2>Weave tools into workflows you can see</h2>
        <p>
          The sample calls a built-in MCP server, decides, and writes a line. It needs no account and nothing
          leaves this machine.
        </p>
        <div className="row">
          <Button look="primary" icon="play" disabled={isBusy} onClick={() => void open(true)}>
            {isBusy ? "Starting…" : "Run the sample"}
          </Button>
          <Button disabled={isBusy} onClick={() => void open(false)}>
            Open sample
          </Button>
          <Button look="quiet" icon="plus" onClick={() => navigate("new")}>
            Start from scratch
          </Button>
        </div>
        <div className="row">
          <a className="button" href={`${hrefTo("servers")}?import`}>
            <Icon name="upload" /> Import from Claude, Cursor…
          </a>
          <Button icon="spark" onClick={describe}>
            Describe it to AI…
          </Button>
        </div>
      </div>
      <Illustration />
    </div>
  );
}

/** Three steps and a branch, as the canvas draws them. */
function Illustration() {
  const steps = [
    { x: 4, y: 62, family: "ends" },
    { x: 116, y: 62, family: "mcp" },
    { x: 236, y: 18, family: "prompt" },
    { x: 236, y: 106, family: "prompt" },
  ];
  return (
    <svg className="welcome__picture" viewBox="0 0 340 160" aria-hidden="true">
      <g fill="none" stroke="var(--line-strong)" strokeWidth="2">
        <path d="M94 80h22M206 80c18 0 12-44 30-44M206 80c18 0 12 44 30 44" />
      </g>
      {steps.map(({ x, y, family }) => (
        <g key={`${x} ${y}`} transform={`translate(${x} ${y})`}>
          <rect width="90" height="36" rx="7" fill="var(--surface)" stroke="var(--line-strong)" />
          <rect x="0" y="6" width="3" height="24" rx="1.5" fill={`var(--family-${family})`} />
          <rect x="11" y="10" width="16" height="16" rx="4" fill={`var(--family-${family})`} opacity="0.25" />
          <rect x="34" y="11" width="42" height="5" rx="2.5" fill="var(--ink-soft)" opacity="0.7" />
          <rect x="34" y="20" width="28" height="4" rx="2" fill="var(--ink-faint)" opacity="0.5" />
        </g>
      ))}
    </svg>
  );
}
