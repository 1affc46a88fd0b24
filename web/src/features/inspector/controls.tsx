/** Controls of single values; a value that cannot be is shown with its reason and not kept. */

import { useEffect, useRef, useState } from "react";
import type { Parameter } from "../../model/form/parameters";
import { isLong } from "../../model/form/parameters";
import { isExpression, readJson, readNumber, shownJson } from "../../model/form/values";
import { shownText } from "../../model/text/untrusted";
import type { Json } from "../../model/workflow/workflow";
import type { Said } from "../../ui/Field";
import type { Place } from "./formContext";
import { ExpressionBox } from "./ExpressionBox";
import { Previewed } from "./ExpressionPreview";

interface Props {
  id: string;
  parameter: Parameter;
  place: Place;
  said: Said;
}

function placeholderOf({ default: usual }: Parameter): string | undefined {
  if (usual === undefined || usual === null || usual === "") return undefined;
  return typeof usual === "string" ? usual : JSON.stringify(usual);
}

export function TextControl({ id, parameter, place, said }: Props) {
  const value = typeof place.value === "string" ? place.value : shownJson(place.value);
  const isComputed = isExpression(place.value) || place.language === "own";
  // An emptied field is no value, but an emptied item stays an item.
  const keep = (typed: string) => place.type(typed === "" && !place.isItem ? undefined : typed);
  const shared = { id, placeholder: placeholderOf(parameter), ...said, "aria-required": parameter.required, onBlur: place.settle };
  const isTall = isLong(parameter, place.value);
  if (parameter.isSensitive) {
    // One control for both, as it is typed into while it changes.
    const told = new Set(place.problems.map(({ code }) => code));
    return (
      <>
        <input {...shared} className="input" type={isComputed ? "text" : "password"} autoComplete="off" value={value} readOnly={place.isReadOnly} onChange={(event) => keep(event.target.value)} />
        {isComputed && <Previewed node={place.node} field={place.pointer} text={value} language={place.language ?? "value"} told={told} />}
      </>
    );
  }
  if (place.language === null) {
    const plain = { ...shared, value, readOnly: place.isReadOnly };
    if (isTall) return <textarea {...plain} className="textarea" rows={4} onChange={(event) => keep(event.target.value)} />;
    return <input {...plain} className="input" autoComplete="off" onChange={(event) => keep(event.target.value)} />;
  }
  return <Expression id={id} place={place} text={value} isTall={isTall} isCode={isComputed} placeholder={shared.placeholder} parameter={parameter} said={said} onType={keep} />;
}

export function ExpressionControl({ id, parameter, place, said }: Props) {
  const text = isExpression(place.value) ? place.value : "";
  return <Expression id={id} place={place} text={text} isTall={false} isCode placeholder="{{ data.name }}" parameter={parameter} said={said} onType={(typed) => place.type(typed === "" ? undefined : typed)} />;
}

interface ExpressionProps extends Props {
  text: string;
  isTall: boolean;
  isCode: boolean;
  placeholder: string | undefined;
  onType(text: string): void;
}

/** A text that may name values, and what it gives where it does. */
function Expression({ id, parameter, place, said, text, isTall, isCode, placeholder, onType }: ExpressionProps) {
  const language = place.language ?? "value";
  const told = new Set(place.problems.map(({ code }) => code));
  const isWhole = language === "own" || language === "words";
  const isTried = isWhole ? text.trim() !== "" : text.includes(language === "flow" ? "{" : "{{");
  return (
    <>
      <ExpressionBox
        id={id}
        text={text}
        language={language}
        names={place.names}
        isLong={isTall}
        isCode={isCode}
        isReadOnly={place.isReadOnly}
        placeholder={placeholder}
        isRequired={parameter.required}
        said={said}
        proposals={parameter.proposals}
        onType={onType}
        onLeave={place.settle}
      />
      {isTried && <Previewed node={place.node} field={place.pointer} text={text} language={language} told={told} />}
    </>
  );
}

interface Read {
  value?: Json;
  fault?: string;
}

/** Text that stands for a value: written when it can be read, else kept here with what is wrong. */
function useTyped(place: Place, show: (value: Json | undefined) => string, read: (typed: string) => Read) {
  const [typed, setTyped] = useState(() => show(place.value));
  const [fault, setFault] = useState<string | null>(null);
  const mine = useRef(place.value);
  useEffect(() => {
    if (place.value === mine.current) return;
    mine.current = place.value;
    setTyped(show(place.value));
    setFault(null);
  });
  const type = (text: string) => {
    setTyped(text);
    const said = read(text);
    setFault(said.fault ?? null);
    if (said.fault !== undefined) return;
    mine.current = said.value;
    place.type(said.value);
  };
  return { typed, fault, type };
}

export function NumberControl({ id, parameter, place, said }: Props) {
  const { typed, fault, type } = useTyped(place, (value) => (value === undefined ? "" : typeof value === "number" ? String(value) : shownJson(value)), (text) => readNumber(parameter, text));
  return (
    <>
      <input id={id} {...withFault(said, id, fault)} className="input" inputMode="decimal" value={typed} placeholder={placeholderOf(parameter)} readOnly={place.isReadOnly} autoComplete="off" aria-required={parameter.required} onChange={(event) => type(event.target.value)} onBlur={place.settle} />
      <NotKept id={id} fault={fault} />
    </>
  );
}

export function JsonControl({ id, parameter, place, said }: Props) {
  const { typed, fault, type } = useTyped(place, shownJson, readJson);
  return (
    <>
      <textarea id={id} {...withFault(said, id, fault)} className="textarea textarea--code" rows={3} spellCheck={false} value={typed} placeholder={placeholderOf(parameter) ?? "JSON"} readOnly={place.isReadOnly} onChange={(event) => type(event.target.value)} onBlur={place.settle} />
      <NotKept id={id} fault={fault} />
    </>
  );
}

function withFault(said: Said, id: string, fault: string | null): Said {
  if (fault === null) return said;
  return { "aria-describedby": [`${id}-fault`, said["aria-describedby"]].filter(Boolean).join(" "), "aria-invalid": true };
}

function NotKept({ id, fault }: { id: string; fault: string | null }) {
  return fault === null ? null : (
    <div id={`${id}-fault`} className="field__fault" role="status">
      Not kept: {fault}
    </div>
  );
}

export function BooleanControl(props: Props) {
  return <Choice {...props} options={[true, false]} show={(option) => (option === true ? "Yes" : "No")} />;
}

export function EnumControl(props: Props) {
  return <Choice {...props} options={props.parameter.validation?.enum ?? []} show={(option) => shownText(typeof option === "string" ? option : JSON.stringify(option)).text} />;
}

interface ChoiceProps extends Props {
  options: readonly Json[];
  show(option: Json): string;
}

/** Options by their place in the list; what is none of them is shown, so that it can be changed. */
function Choice({ id, parameter, place, said, options, show }: ChoiceProps) {
  const at = options.findIndex((one) => JSON.stringify(one) === JSON.stringify(place.value));
  const current = place.value === undefined ? "" : at >= 0 ? String(at) : "other";
  const usual = parameter.default;
  return (
    <select id={id} {...said} className="select" value={current} disabled={place.isReadOnly} aria-required={parameter.required} onChange={(event) => place.set(event.target.value === "" ? undefined : options[Number(event.target.value)])}>
      {!(place.isItem && current !== "") && <option value="">{usual === undefined || usual === null ? "Not set" : `Not set (${show(usual)})`}</option>}
      {current === "other" && (
        <option value="other" disabled>
          {shownJson(place.value)}
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

/** The only value that fits. */
export function ConstantControl({ id, parameter, place, said }: Props) {
  const only = parameter.validation?.enum?.[0] ?? null;
  const isSet = JSON.stringify(place.value) === JSON.stringify(only);
  return (
    <output id={id} aria-describedby={said["aria-describedby"]} className="param__fixed">
      {typeof only === "string" ? only : JSON.stringify(only)}
      {!isSet && !place.isReadOnly && (
        <button type="button" className="param__tool" onClick={() => place.set(only)}>
          set
        </button>
      )}
    </output>
  );
}
