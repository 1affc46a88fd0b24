interface Props<Name extends string> {
  label: string;
  tabs: readonly { name: Name; title: string }[];
  current: Name;
  onChange(name: Name): void;
}

export function Tabs<Name extends string>({ label, tabs, current, onChange }: Props<Name>) {
  return (
    <div className="tabs" role="tablist" aria-label={label}>
      {tabs.map(({ name, title }) => (
        <button key={name} type="button" role="tab" className="tab" aria-selected={name === current} onClick={() => onChange(name)}>
          {title}
        </button>
      ))}
    </div>
  );
}
