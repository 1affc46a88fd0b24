/** Settings of this home: theme, diagnostics, and every setting with its source. */

import { useStore } from "zustand";
import { hintParts } from "../../model/text/hints";
import { safeText } from "../../model/text/untrusted";
import type { Finding, Setting } from "../../queries/settings";
import { useFindings, useSettings } from "../../queries/settings";
import type { ThemeChoice } from "../../state/theme";
import { chooseTheme, themeStore } from "../../state/theme";
import type { Tone } from "../../ui/Badge";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Hint } from "../../ui/Hint";
import { Untrusted } from "../../ui/Untrusted";

export function Settings() {
  return (
    <>
      <Appearance />
      <Doctor />
      <Variables />
    </>
  );
}

const CHOICES: { choice: ThemeChoice; title: string }[] = [
  { choice: "system", title: "System" },
  { choice: "light", title: "Light" },
  { choice: "dark", title: "Dark" },
];

function Appearance() {
  const chosen = useStore(themeStore, (state) => state.choice);
  return (
    <section className="card manage__form" aria-label="Appearance">
      <h2>Appearance</h2>
      <fieldset className="manage__choices">
        <legend>Colours</legend>
        {CHOICES.map(({ choice, title }) => (
          <label key={choice}>
            <input
              type="radio"
              name="theme"
              checked={choice === chosen}
              onChange={() => chooseTheme(choice)}
            />
            <span>{title}</span>
          </label>
        ))}
      </fieldset>
    </section>
  );
}

const TONES: Record<Finding["state"], Tone> = { ok: "good", note: "warn", fault: "bad" };
const STATES: Record<Finding["state"], string> = { ok: "OK", note: "note", fault: "problem" };

function Doctor() {
  const { data: findings, error, refetch, isFetching } = useFindings();
  return (
    <section className="card manage__form" aria-label="System check">
      <div className="row manage__head">
        <h2>System check</h2>
        <Button icon="again" disabled={isFetching} onClick={() => void refetch()}>
          {isFetching ? "Checking…" : "Check again"}
        </Button>
      </div>
      {error && <p role="alert">{error.message}</p>}
      {findings && (
        <table className="table table--stacked" aria-label="Findings">
          <thead>
            <tr>
              <th>Status</th>
              <th>Check</th>
              <th>Result</th>
              <th>What to do</th>
            </tr>
          </thead>
          <tbody>
            {findings.map((finding, at) => (
              <tr key={at}>
                <td>
                  <Badge tone={TONES[finding.state]}>{STATES[finding.state]}</Badge>
                </td>
                <td>{finding.what}</td>
                <td className="manage__any">
                  <Untrusted {...safeText(finding.details)} />
                </td>
                <td>{finding.remedy && <Hint parts={hintParts(finding.remedy)} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Variables() {
  const { data: settings, error } = useSettings();
  return (
    <section className="card manage__form" aria-label="Settings">
      <h2>Settings</h2>
      {settings && (
        <p className="faint">
          Toolweave {settings.version}; its files are in <span className="mono">{settings.home}</span>.
          Settings are environment variables: set one where you start <code>toolweave serve</code>, then start
          it again.
        </p>
      )}
      {error && <p role="alert">{error.message}</p>}
      {settings && (
        <table className="table" aria-label="Variables">
          <thead>
            <tr>
              <th>Setting</th>
              <th>Value</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {settings.settings.map((setting) => (
              <tr key={setting.variable}>
                <td>
                  {setting.words.replaceAll("`", "")}
                  <div className="mono faint">{setting.variable}</div>
                </td>
                <td className="mono manage__any">{setting.value ?? "—"}</td>
                <td>
                  <SettingSource of={setting} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function SettingSource({ of: { source, value, default: defaultValue } }: { of: Setting }) {
  if (source === "default") return <span className="faint">default</span>;
  return (
    <>
      <Badge>{source}</Badge>{" "}
      {defaultValue !== null && defaultValue !== value && (
        <span className="faint">instead of {defaultValue}</span>
      )}
    </>
  );
}
