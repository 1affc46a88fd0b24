/** The template gallery: complete workflows to start from, found by words, tag and what is set up here. */

import { useState } from "react";
import { missingFor, templateNeeds } from "../../model/workflow/templateNeeds";
import type { Template } from "../../queries/templates";
import { useAvailable, useTemplates } from "../../queries/templates";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { TemplateCard } from "./TemplateCard";
import "./templates.css";

/** The tags of several templates, those of most first; a tag of one only is found by the search. */
function sharedTags(templates: readonly Template[]): string[] {
  const counts = new Map<string, number>();
  for (const tag of templates.flatMap((template) => template.tags))
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count > 1);
  return shared.sort(([a, m], [b, n]) => n - m || a.localeCompare(b)).map(([tag]) => tag);
}

export function TemplatesPage() {
  const [search, setSearch] = useState("");
  const [tag, setTag] = useState("");
  const [isReadyOnly, setReadyOnly] = useState(false);
  const { data: all } = useTemplates();
  const { data: templates, error } = useTemplates(search.trim());
  const available = useAvailable();
  const tags = sharedTags(all ?? []);
  const fitting = templates?.filter(
    (template) =>
      (!tag || template.tags.includes(tag)) &&
      (!isReadyOnly || missingFor(templateNeeds(template.nodes), available).length === 0),
  );
  // A search has its own order, the best first.
  const shown = search.trim() ? fitting : fitting?.toSorted((a, b) => a.title.localeCompare(b.title));
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Templates</h1>
          <div className="filters">
            <input
              className="input"
              type="search"
              placeholder="Search templates"
              aria-label="Search templates"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
            <select
              className="select"
              aria-label="Tag"
              value={tag}
              onChange={(event) => setTag(event.target.value)}
            >
              <option value="">All tags</option>
              {tags.map((option) => (
                <option key={option}>{option}</option>
              ))}
            </select>
            <label className="row">
              <input
                type="checkbox"
                checked={isReadyOnly}
                onChange={(event) => setReadyOnly(event.target.checked)}
              />
              Ready to run
            </label>
          </div>
        </div>
        {error && <p role="alert">{error.message}</p>}
        {shown?.length === 0 && (
          <EmptyState icon="search" title="No results">
            <p>Clear the filters to see all templates.</p>
            <Button look="primary" onClick={() => (setSearch(""), setTag(""), setReadyOnly(false))}>
              Clear filters
            </Button>
          </EmptyState>
        )}
        <h2 className="visually-hidden">All templates</h2>
        <ul className="templates" aria-label="Templates">
          {shown?.map((template) => (
            <TemplateCard key={template.name} template={template} available={available} />
          ))}
        </ul>
      </div>
    </div>
  );
}
