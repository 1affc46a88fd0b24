/** What a model did in a step: its tool calls, messages and usage; and a button to freeze the calls. */

import { useState } from "react";
import type { Mode } from "../../model/form/modes";
import { modelUsage } from "../../model/run/modelUsage";
import type { ModelPart, ModelActivity, Step, ToolPart } from "../../model/run/runState";
import { formatValue } from "../../model/text/formatValue";
import { safeText } from "../../model/text/untrusted";
import { freezeModelCalls } from "../../queries/freeze";
import { useEditor } from "../../state/editorContext";
import { notify, notifyError } from "../../state/notices";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Untrusted } from "../../ui/Untrusted";

interface Props {
  run: string;
  step: Step;
  mode: Mode | null;
  canFreeze: boolean;
}

export function ModelChoices({ run, step, mode, canFreeze }: Props) {
  const editor = useEditor();
  const [isBusy, setBusy] = useState(false);
  const isInWords = mode === "naturalLanguageParam" || mode === "fullNaturalLanguage";
  const freeze = async () => {
    setBusy(true);
    try {
      const calls = await freezeModelCalls(editor, run, step.node);
      notify(
        `${step.node} now calls ${calls.map(({ tool }) => tool).join(", then ")} with these values; use Undo to revert`,
        { tone: "good" },
      );
    } catch (error) {
      notifyError(error, "Values not locked");
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="chosen">
      <Usage step={step} />
      {isInWords && (
        <div className="row">
          <Button
            look="primary"
            icon="check"
            disabled={isBusy || !canFreeze || step.status !== "success"}
            onClick={() => void freeze()}
          >
            Lock these values
          </Button>
          <span className="faint">
            {canFreeze
              ? "The node then makes these calls without a model."
              : "Open the workflow to lock these values."}
          </span>
        </div>
      )}
      <ol className="chosen__parts" aria-label="Model activity">
        {step.parts.map((part, index) => (
          <li key={index}>
            <Activity part={part} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Usage({ step }: { step: Step }) {
  const { input, output, cost, model } = modelUsage(step);
  if (!model) return null;
  return (
    <p className="faint">
      <Untrusted {...safeText(model)} /> · {input.toLocaleString("en")} tokens in,{" "}
      {output.toLocaleString("en")} out
      {cost !== null && ` · $${cost.toFixed(4)}`}
    </p>
  );
}

function Activity({ part }: { part: ModelActivity }) {
  if (part.kind === "tool") return <ToolCall part={part} />;
  if (part.kind === "model") return <ModelMessage part={part} />;
  return <span className="faint">The provider failed and the request was retried: {part.message}</span>;
}

function ToolCall({ part }: { part: ToolPart }) {
  return (
    <>
      <strong className="mono">
        <Untrusted {...safeText(part.name)} />
      </strong>{" "}
      <Badge tone={part.is_error ? "bad" : "good"}>{part.is_error ? "refused" : "called"}</Badge>{" "}
      <span className="faint">{part.took_ms ?? 0} ms</span>
      <pre className="value value--small" tabIndex={0} role="region" aria-label={`Arguments of ${part.name}`}>
        {formatValue(part.arguments, 4_000).text}
      </pre>
      <div className="chosen__answer faint">
        <Untrusted {...safeText(part.text.slice(0, 600))} />
      </div>
    </>
  );
}

function ModelMessage({ part }: { part: ModelPart }) {
  const { text, wanted } = part.message;
  if (text) return <Untrusted {...safeText(text.slice(0, 2_000))} />;
  return (
    <span className="faint">
      The model asks for {wanted?.length ? wanted.map(({ name }) => name).join(", ") : "nothing"}.
    </span>
  );
}
