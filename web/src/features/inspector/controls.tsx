/** Controls for single values; what is no value stays as it was typed, with the reason, and stops the save. */

import { useEffect, useRef, useState } from "react";
import type { Parameter } from "../../model/form/parameters";
import { isMultiline, labelOf } from "../../model/form/parameters";
import { keptAsText } from "../../model/form/promptText";
import { isExpression, parseJson, parseNumber, formatJson } from "../../model/form/values";
import { safeText } from "../../model/text/untrusted";
import type { Json } from "../../model/workflow/workflow";
import type { FieldAria } from "../../ui/Field";
import { ExpressionBox } from "./ExpressionBox";
import { ExpressionPreview } from "./ExpressionPreview";
import type { FormField } from "./formContext";

interface Props {
  id: string;
  parameter: Parameter;
  field: FormField;
  aria: FieldAria;
}

function placeholderOf({ default: defaultValue }: Parameter): string | undefined {
  if (defaultValue === undefined || defaultValue === null || defaultValue === "") return undefined;
  return typeof defaultValue === "string" ? defaultValue : JSON.stringify(defaultValue);
}

export function TextControl({ id, parameter, field, aria }: Props) {
  const value = typeof field.value === "string" ? field.value : formatJson(field.value);
  const isComputed = isExpression(field.value) || field.language === "own";
  // Clearing a field removes its value, but an empty list item remains an item.
  const keep = (typed: string) => field.type(typed === "" && !field.isItem ? undefined : typed);
  const shared = {
    id,
    placeholder: placeholderOf(parameter),
    ...aria,
    "aria-required": parameter.required,
    onBlur: field.settle,
  };
  const isTall = isMultiline(parameter, field.value);
  if (parameter.isSensitive) {
    // One control for both, because its type changes while the user types.
    const shownCodes = new Set(field.problems.map(({ code }) => code));
    return (
      <>
        <input
          {...shared}
          className="input"
          type={isComputed ? "text" : "password"}
          autoComplete="off"
          value={value}
          readOnly={field.isReadOnly}
          onChange={(event) => keep(event.target.value)}
        />
        {isComputed && (
          <ExpressionPreview
            node={field.node}
            field={field.pointer}
            text={value}
            language={field.language ?? "value"}
            shownCodes={shownCodes}
          />
        )}
      </>
    );
  }
  if (field.language === null) {
    const plain = { ...shared, value, readOnly: field.isReadOnly };
    if (isTall)
      return (
        <textarea {...plain} className="textarea" rows={4} onChange={(event) => keep(event.target.value)} />
      );
    return (
      <input {...plain} className="input" autoComplete="off" onChange={(event) => keep(event.target.value)} />
    );
  }
  return (
    <ExpressionInput
      id={id}
      field={field}
      text={value}
      isTall={isTall}
      isCode={isComputed}
      placeholder={shared.placeholder}
      parameter={parameter}
      aria={aria}
      onType={keep}
    />
  );
}

export function ExpressionControl({ id, parameter, field, aria }: Props) {
  const text = isExpression(field.value) ? field.value : "";
  return (
    <ExpressionInput
      id={id}
      field={field}
      text={text}
      isTall={false}
      isCode
      placeholder="{{ data.name }}"
      parameter={parameter}
      aria={aria}
      onType={(typed) => field.type(typed === "" ? undefined : typed)}
    />
  );
}

interface ExpressionProps extends Props {
  text: string;
  isTall: boolean;
  isCode: boolean;
  placeholder: string | undefined;
  onType(text: string): void;
}

/** A text that may contain expressions, with a preview of its result. */
function ExpressionInput({
  id,
  parameter,
  field,
  aria,
  text,
  isTall,
  isCode,
  placeholder,
  onType,
}: ExpressionProps) {
  const language = field.language ?? "value";
  const shownCodes = new Set(field.problems.map(({ code }) => code));
  const isWhole = language === "own" || language === "words";
  const kept = language === "prompt" ? keptAsText(text) : null;
  const isTried = isWhole ? text.trim() !== "" : text.includes(language === "flow" ? "{" : "{{");
  return (
    <>
      <ExpressionBox
        id={id}
        label={labelOf(parameter)}
        text={text}
        language={language}
        names={field.names}
        isLong={isTall}
        isCode={isCode}
        isReadOnly={field.isReadOnly}
        placeholder={placeholder}
        isRequired={parameter.required}
        said={aria}
        proposals={parameter.proposals}
        onType={onType}
        onLeave={field.settle}
      />
      {isTried && (
        <ExpressionPreview
          node={field.node}
          field={field.pointer}
          text={text}
          language={language}
          shownCodes={shownCodes}
        />
      )}
      {kept !== null && (
        <p className="field__warning" role="status">
          {safeText(kept).text} is kept as text: a prompt inserts values by name, such as {"{{ data.city }}"}.
          Compute it in a Set fields node before.
        </p>
      )}
    </>
  );
}

interface ParsedInput {
  value?: Json;
  fault?: string;
}

/** Text that stands for a value: stored if it can be parsed, else kept with its error beside the document. */
function useDraftText(
  field: FormField,
  show: (value: Json | undefined) => string,
  read: (typed: string) => ParsedInput,
) {
  const [typed, setTyped] = useState(() => field.invalid?.typed ?? show(field.value));
  const [fault, setFault] = useState<string | null>(() => field.invalid?.fault ?? null);
  const mine = useRef(field.value);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- `show` is a new function on each render
  useEffect(() => {
    if (field.value === mine.current) return;
    mine.current = field.value;
    setTyped(show(field.value));
    setFault(null);
    field.setInvalid(null);
  });
  const type = (text: string) => {
    setTyped(text);
    const parsed = read(text);
    setFault(parsed.fault ?? null);
    field.setInvalid(parsed.fault === undefined ? null : { typed: text, fault: parsed.fault });
    if (parsed.fault !== undefined) return;
    mine.current = parsed.value;
    field.type(parsed.value);
  };
  return { typed, fault, type };
}

export function NumberControl({ id, parameter, field, aria }: Props) {
  const { typed, fault, type } = useDraftText(
    field,
    (value) => (value === undefined ? "" : typeof value === "number" ? String(value) : formatJson(value)),
    (text) => parseNumber(parameter, text),
  );
  return (
    <>
      <input
        id={id}
        {...withFault(aria, id, fault)}
        className="input"
        inputMode="decimal"
        value={typed}
        placeholder={placeholderOf(parameter)}
        readOnly={field.isReadOnly}
        autoComplete="off"
        aria-required={parameter.required}
        onChange={(event) => type(event.target.value)}
        onBlur={field.settle}
      />
      <InvalidInput id={id} fault={fault} />
    </>
  );
}

export function JsonControl({ id, parameter, field, aria }: Props) {
  const { typed, fault, type } = useDraftText(field, formatJson, parseJson);
  return (
    <>
      <textarea
        id={id}
        {...withFault(aria, id, fault)}
        className="textarea textarea--code"
        rows={3}
        spellCheck={false}
        value={typed}
        placeholder={placeholderOf(parameter) ?? "JSON"}
        readOnly={field.isReadOnly}
        onChange={(event) => type(event.target.value)}
        onBlur={field.settle}
      />
      <InvalidInput id={id} fault={fault} />
    </>
  );
}

function withFault(aria: FieldAria, id: string, fault: string | null): FieldAria {
  if (fault === null) return aria;
  return {
    "aria-describedby": [`${id}-fault`, aria["aria-describedby"]].filter(Boolean).join(" "),
    "aria-invalid": true,
  };
}

function InvalidInput({ id, fault }: { id: string; fault: string | null }) {
  return fault === null ? null : (
    <div id={`${id}-fault`} className="field__fault" role="status">
      Not valid: {fault}
    </div>
  );
}

export function BooleanControl(props: Props) {
  return <Choice {...props} options={[true, false]} show={(option) => (option === true ? "Yes" : "No")} />;
}

export function EnumControl(props: Props) {
  const titles = props.parameter.optionTitles;
  const titleOf = (option: string) => (titles && Object.hasOwn(titles, option) ? titles[option]! : option);
  return (
    <Choice
      {...props}
      options={props.parameter.validation?.enum ?? []}
      show={(option) => safeText(typeof option === "string" ? titleOf(option) : JSON.stringify(option)).text}
    />
  );
}

interface ChoiceProps extends Props {
  options: readonly Json[];
  show(option: Json): string;
}

/** Options by index; a value that is not among them is listed too, so that it can be changed. */
function Choice({ id, parameter, field, aria, options, show }: ChoiceProps) {
  const at = options.findIndex((option) => JSON.stringify(option) === JSON.stringify(field.value));
  const current = field.value === undefined ? "" : at >= 0 ? String(at) : "other";
  const defaultValue = parameter.default;
  return (
    <select
      id={id}
      {...aria}
      className="select"
      value={current}
      disabled={field.isReadOnly}
      aria-required={parameter.required}
      onChange={(event) =>
        field.set(event.target.value === "" ? undefined : options[Number(event.target.value)])
      }
    >
      {!(field.isItem && current !== "") && (
        <option value="">
          {defaultValue === undefined || defaultValue === null
            ? "Not set"
            : `Default: ${Array.isArray(defaultValue) ? defaultValue.map(show).join(", ") : show(defaultValue)}`}
        </option>
      )}
      {current === "other" && (
        <option value="other" disabled>
          {formatJson(field.value)}
        </option>
      )}
      {options.map((option, index) => (
        <option key={index} value={index}>
          {show(option)}
        </option>
      ))}
    </select>
  );
}

/** The only value that is allowed. */
export function ConstantControl({ id, parameter, field, aria }: Props) {
  const only = parameter.validation?.enum?.[0] ?? null;
  const isSet = JSON.stringify(field.value) === JSON.stringify(only);
  return (
    <output id={id} aria-describedby={aria["aria-describedby"]} className="param__fixed">
      {typeof only === "string" ? only : JSON.stringify(only)}
      {!isSet && !field.isReadOnly && (
        <button type="button" className="param__tool" onClick={() => field.set(only)}>
          set
        </button>
      )}
    </output>
  );
}
