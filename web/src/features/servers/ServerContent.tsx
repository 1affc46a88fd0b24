/** What a server offers beside its tools: resources to read, prompts to fill in. */

import { useId, useState } from "react";
import { safeText } from "../../model/text/untrusted";
import type { Server } from "../../model/servers/serverStatus";
import { templateVariables } from "../../model/servers/uriTemplate";
import { completeArgument, fillPrompt, readResource, useServerContent } from "../../queries/servers";
import { Button } from "../../ui/Button";
import { Untrusted } from "../../ui/Untrusted";

type Values = Record<string, string>;

interface Entry {
  kind: "resource" | "template" | "prompt";
  /** A URI, a template of URIs, or the name of a prompt. */
  name: string;
  description: string | null;
  arguments: { name: string; required: boolean }[];
}

export function ServerContent({ server, canList }: { server: Server; canList: boolean }) {
  const { data, error, isLoading } = useServerContent(server.id, canList);
  if (!canList) return <p className="faint">Approve and enable the server to see what it offers.</p>;
  if (isLoading) return <p className="faint">Loading…</p>;
  if (error) return <p role="alert">{error.message}</p>;
  if (!data) return null;
  const entries: Entry[] = [
    ...data.resources.map(({ uri, description }) => entry("resource", uri, description, [])),
    ...data.templates.map(({ uriTemplate, description }) =>
      entry(
        "template",
        uriTemplate,
        description,
        templateVariables(uriTemplate).map((name) => ({ name, required: true })),
      ),
    ),
    ...data.prompts.map((prompt) => entry("prompt", prompt.name, prompt.description, prompt.arguments)),
  ];
  if (entries.length === 0) return <p className="faint">The server has no resources and no prompts.</p>;
  return (
    <ul className="tools" aria-label="Resources and prompts">
      {entries.map((one) => (
        <ContentItem key={`${one.kind} ${one.name}`} server={server.id} entry={one} />
      ))}
    </ul>
  );
}

function entry(
  kind: Entry["kind"],
  name: string,
  description: string | null,
  args: Entry["arguments"],
): Entry {
  return { kind, name, description, arguments: args };
}

function ContentItem({ server, entry }: { server: string; entry: Entry }) {
  const [values, setValues] = useState<Values>({});
  const [shown, setShown] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const name = safeText(entry.name);
  const action = entry.kind === "prompt" ? "Fill in" : "Read";
  const isReady = entry.arguments.every((one) => !one.required || values[one.name]);
  const open = async () => {
    setBusy(true);
    try {
      setShown(await readEntry(server, entry, values));
    } catch (fault) {
      setShown((fault as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="tool">
      <div className="tool__head">
        <strong className="mono">
          <Untrusted {...name} />
        </strong>
        <Button
          disabled={isBusy || !isReady}
          onClick={() => void open()}
          aria-label={`${action} ${name.text}`}
        >
          {action}
        </Button>
      </div>
      {entry.description && (
        <div className="tool__words">
          <Untrusted {...safeText(entry.description)} />
        </div>
      )}
      {entry.arguments.map((one) => (
        <Argument
          key={one.name}
          server={server}
          entry={entry}
          name={one.name}
          isRequired={one.required}
          values={values}
          onChange={(value) => setValues({ ...values, [one.name]: value })}
        />
      ))}
      {shown !== null && (
        <pre className="schema" tabIndex={0} aria-label={`Content of ${name.text}`}>
          {safeText(shown).text}
        </pre>
      )}
    </li>
  );
}

interface ArgumentProps {
  server: string;
  entry: Entry;
  name: string;
  isRequired: boolean;
  values: Values;
  onChange(value: string): void;
}

function Argument({ server, entry, name, isRequired, values, onChange }: ArgumentProps) {
  const id = useId();
  const [options, setOptions] = useState<string[]>([]);
  const complete = async (value: string) => {
    const of = entry.kind === "prompt" ? { prompt: entry.name } : { template: entry.name };
    try {
      setOptions(await completeArgument(server, { ...of, argument: name, value, known: values }));
    } catch {
      setOptions([]); // suggestions are only a help
    }
  };
  const label = safeText(name).text;
  return (
    <div className="row">
      <label htmlFor={id}>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </label>
      <input
        id={id}
        className="input"
        list={`${id}-options`}
        value={values[name] ?? ""}
        onFocus={() => void complete(values[name] ?? "")}
        onChange={(event) => {
          onChange(event.target.value);
          void complete(event.target.value);
        }}
      />
      <datalist id={`${id}-options`}>
        {options.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </div>
  );
}

async function readEntry(server: string, entry: Entry, values: Values): Promise<string> {
  if (entry.kind === "prompt") {
    const { messages } = await fillPrompt(server, entry.name, values);
    return messages.map((one) => `${String(one.role)}: ${String(one.text ?? "(no text)")}`).join("\n\n");
  }
  const { contents } = await readResource(server, entry.name, values);
  return contents
    .map((one) => one.text ?? `(${one.mimeType ?? "binary"}, ${one.data?.length ?? 0} characters of base64)`)
    .join("\n");
}
