import { useId } from "react";
import type { Mode } from "../../model/form/modes";
import { MODES } from "../../model/form/modes";

interface Props {
  mode: Mode;
  isFixed: boolean;
  onChoose(mode: Mode): void;
}

/** How a node is configured; what another mode held comes back with it. */
export function ModeSwitch({ mode, isFixed, onChoose }: Props) {
  const id = useId();
  return (
    <fieldset className="modes" disabled={isFixed}>
      <legend className="field__label">How it is set</legend>
      <div className="modes__row">
        {MODES.map(({ name, title }) => (
          <label key={name} className="modes__one">
            <input type="radio" name={id} checked={name === mode} onChange={() => onChoose(name)} />
            {title}
          </label>
        ))}
      </div>
      <div className="field__note">{MODES.find(({ name }) => name === mode)?.about}</div>
    </fieldset>
  );
}
