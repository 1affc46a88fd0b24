/** A list of things to tick: scopes, or published tools. */

export const SCOPE_DESCRIPTIONS: Record<string, string> = {
  "tools:read": "see tools and servers",
  "tools:execute": "call tools and talk to models",
  "health:check": "check the service health",
  "workflows:read": "see workflows and runs",
  "workflows:write": "edit and publish workflows, activate triggers",
  "workflows:run": "start, stop and answer runs",
  "servers:admin": "add, approve and remove servers",
  admin: "everything, keys and secrets too",
};

interface ChoicesProps {
  title: string;
  options: readonly string[];
  words: Record<string, string>;
  selected: readonly string[];
  onChange(selected: string[]): void;
}

export function ScopeChoices({ title, options, words, selected, onChange }: ChoicesProps) {
  const toggle = (option: string) =>
    onChange(
      selected.includes(option) ? selected.filter((other) => other !== option) : [...selected, option],
    );
  return (
    <fieldset className="manage__choices">
      <legend>{title}</legend>
      {options.map((option) => (
        <label key={option}>
          <input type="checkbox" checked={selected.includes(option)} onChange={() => toggle(option)} />
          <span>
            <span className="mono">{option}</span>{" "}
            {words[option] && <span className="faint">{words[option]}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
