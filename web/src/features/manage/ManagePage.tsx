/** Everything besides workflows and servers, one section each. */

import type { ReactNode } from "react";
import { navigate } from "../../state/route";
import { Tabs } from "../../ui/Tabs";
import { Documents } from "./Documents";
import { Keys } from "./Keys";
import { Libraries } from "./Libraries";
import { Models } from "./Models";
import { Published } from "./Published";
import { Settings } from "./Settings";
import "./manage.css";

const SECTIONS = [
  { name: "models", title: "Models" },
  { name: "published", title: "Published tools" },
  { name: "library", title: "Library" },
  { name: "documents", title: "Documents" },
  { name: "keys", title: "Keys" },
  { name: "settings", title: "Settings" },
] as const;

type Name = (typeof SECTIONS)[number]["name"];

const SECTION_CONTENT: Record<Name, () => ReactNode> = {
  models: () => <Models />,
  published: () => <Published />,
  library: () => <Libraries />,
  documents: () => <Documents />,
  keys: () => <Keys />,
  settings: () => <Settings />,
};

export function ManagePage({ section }: { section: string | null }) {
  const current = SECTIONS.find(({ name }) => name === section)?.name ?? "models";
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Manage</h1>
        </div>
        <Tabs<Name>
          label="Sections"
          tabs={SECTIONS}
          current={current}
          onChange={(name) => navigate("manage", name)}
        >
          {SECTION_CONTENT[current]()}
        </Tabs>
      </div>
    </div>
  );
}
