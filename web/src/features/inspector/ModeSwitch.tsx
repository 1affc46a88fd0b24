import { useId } from "react";
import type { Mode } from "../../model/form/modes";
import { MODES } from "../../model/form/modes";

interface Props {
  mode: Mode;
  isFixed: boolean;
  onChoose(mode: Mode): void;
}

/** The configuration mode of a node; each mode keeps its own values. */
export function ModeSwitch({ mode, isFixed, onChoose }: Props) {
  const id = useId();
  return (
    <fieldset className="modes" disabled={isFixed}>
      <legend className="field__label">Configuration mode</legend>
      <div className="modes__row">
        {MODES.map(({ name, title }) => (
          <label key={name} className="modes__one">
            <input type="radio" name={id} checked={name === mode} onChange={() => onChoose(name)} />
            {title}
          </label>
        ))}
      </div>
      {/* All notes take the same place, so that the fields below do not move. */}
      <div className="modes__notes">
        {MODES.map(({ name, about }) => (
          <div key={name} className="field__note" aria-hidden={name !== mode}>
            {about}
          </div>
        ))}
      </div>
    </fieldset>
  );
}
