/** What a question says and how it is answered, for the inbox and for the app of a published workflow. */

import type { ReactNode } from "react";
import { useEffect, useMemo, useRef, useState } from "react";
import { tableOf } from "../../model/data/table";
import { valueItem } from "../../model/data/tree";
import type { AnswerValues, Decision } from "../../model/form/answerForm";
import { answerFields, decisionField, decisionsOf, parseAnswer } from "../../model/form/answerForm";
import { fieldValues } from "../../model/form/schemaForm";
import { formatValue } from "../../model/text/formatValue";
import { safeText } from "../../model/text/untrusted";
import type { Json, JsonObject } from "../../model/workflow/workflow";
import { Button } from "../../ui/Button";
import type { DataLook } from "../../ui/DataView";
import { DataView } from "../../ui/DataView";
import { Untrusted } from "../../ui/Untrusted";
import { AnswerControl } from "./AnswerControl";
import { Markdown } from "./Markdown";
import "./question.css";

const DECLINED: JsonObject = { declined: true };
const ROOT = "value";
const OPEN: ReadonlySet<string> = new Set([ROOT]);
const NO_FAULTS: Readonly<Record<string, string>> = {};

interface TextProps {
  question: { title?: string | null; text: string; content?: unknown };
  /** Shown below the text. */
  children?: ReactNode;
}

export function QuestionText({ question: { title, text, content }, children }: TextProps) {
  return (
    <>
      {title && title !== text && (
        <h2>
          <Untrusted {...safeText(title)} />
        </h2>
      )}
      <div className="question__text">
        <Markdown text={text} />
      </div>
      {children}
      {typeof content === "string" ? (
        <div className="question__content" tabIndex={0} role="region" aria-label="To review">
          <Markdown text={content} />
        </div>
      ) : (
        content != null && <ContentToReview value={content as Json} />
      )}
    </>
  );
}

/** Data is folded, so that the question and its answers are in view together. */
function ContentToReview({ value }: { value: Json }) {
  const [look, setLook] = useState<DataLook>("tree");
  const items = useMemo(() => [valueItem(ROOT, "value", value)], [value]);
  return (
    <details>
      <summary>To review</summary>
      <DataView
        label="To review"
        look={look}
        onLook={setLook}
        items={items}
        open={OPEN}
        table={() => tableOf(value)}
        json={() => formatValue(value)}
      />
    </details>
  );
}

interface FormProps {
  question: { kind: string; schema: JsonObject };
  isDisabled: boolean;
  /** Faults that the service found, by field; those of no field under "". */
  refused?: Readonly<Record<string, string>>;
  /** Shown above the buttons. */
  children?: ReactNode;
  /** Makes the keys of decisions work, where there are keys. */
  keys?: ((decisions: readonly Decision[], decide: (at: number) => void) => ReactNode) | undefined;
  onSend(reply: Json): void;
}

export function AnswerForm({ question, isDisabled, refused = NO_FAULTS, children, keys, onSend }: FormProps) {
  const fields = answerFields(question.schema);
  const deciding = decisionField(fields);
  const decisions = deciding ? decisionsOf(deciding, question.kind) : [];
  const [filled, fill] = useState<AnswerValues>(() => fieldValues(fields, question.schema, {}));
  const [invalid, setInvalid] = useState(NO_FAULTS);
  const faults = { ...refused, ...invalid };
  const form = useRef<HTMLDivElement>(null);
  useEffect(
    () => form.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(),
    [invalid, refused],
  );
  const submit = (extra: AnswerValues = {}) => {
    const read = parseAnswer(fields, { ...filled, ...extra });
    setInvalid(read.faults);
    if (Object.keys(read.faults).length === 0) onSend(read.reply);
  };
  const decide = (at: number) => submit({ [deciding!.name]: String(at) });
  return (
    <div ref={form} className="question__form">
      {fields
        .filter((field) => field !== deciding)
        .map((field) => (
          <AnswerControl
            key={field.name}
            field={field}
            value={filled[field.name]}
            fault={faults[field.name] ?? null}
            onChange={(value) => fill({ ...filled, [field.name]: value })}
          />
        ))}
      {children}
      {faults[""] && (
        <p role="alert" className="field__fault">
          {faults[""]}
        </p>
      )}
      <div className="row">
        {deciding ? (
          <DecisionButtons
            decisions={decisions}
            hasKeys={keys !== undefined}
            isDisabled={isDisabled}
            onDecide={decide}
          />
        ) : (
          <Button look="primary" icon="check" disabled={isDisabled} onClick={() => submit()}>
            Send answer
          </Button>
        )}
        {question.kind !== "approval" && (
          <Button look="quiet" disabled={isDisabled} onClick={() => onSend(DECLINED)}>
            Decline
          </Button>
        )}
      </div>
      {deciding && keys?.(decisions, decide)}
    </div>
  );
}

interface DecisionProps {
  decisions: readonly Decision[];
  hasKeys: boolean;
  isDisabled: boolean;
  onDecide(at: number): void;
}

function DecisionButtons({ decisions, hasKeys, isDisabled, onDecide }: DecisionProps) {
  return decisions.map(({ at, label, key }, index) => (
    <Button
      key={at}
      look={index === 0 ? "primary" : "plain"}
      disabled={isDisabled}
      aria-keyshortcuts={hasKeys ? key?.toUpperCase() : undefined}
      onClick={() => onDecide(at)}
    >
      {safeText(label).text}
      {hasKeys && key && (
        <kbd className="question__key" aria-hidden="true">
          {key.toUpperCase()}
        </kbd>
      )}
    </Button>
  ));
}
