/** The template gallery, and what is set up here to run a template with. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import type { Available } from "../model/workflow/templateNeeds";
import type { JsonObject } from "../model/workflow/workflow";
import { openImported } from "../state/importedWorkflow";
import { rememberInputs } from "../state/lastInputs";
import { setPanels } from "../state/panels";
import { navigate } from "../state/route";
import { useEntries } from "./catalog";
import { useServices } from "./credentials";
import { importText } from "./formats";
import { useModels } from "./models";
import { useSecrets } from "./secrets";

export type Template = Schemas["GalleryTemplateSummary"];

/** All templates, or those that fit a search, the best match first. */
export function useTemplates(query = "") {
  return useQuery({
    queryKey: ["templates", query],
    queryFn: async () =>
      (await unwrap(client.GET("/api/v1/catalog/templates", { params: { query: { query } } }))).templates,
    staleTime: Infinity,
    placeholderData: (previous) => previous,
  });
}

/** Opens a template as a new, unsaved workflow, with the inputs to try it with. */
export async function placeTemplate(name: string): Promise<void> {
  const template = await unwrap(client.GET("/api/v1/catalog/template", { params: { query: { name } } }));
  const { workflow } = await importText(JSON.stringify(template.workflow));
  const inputs = template.inputs as JsonObject;
  const draftId = openImported(workflow);
  if (Object.keys(inputs).length > 0) rememberInputs({ storedAs: null, draftId }, inputs);
  // It is looked at before nodes are added to it.
  setPanels({ hasPalette: false });
  navigate("new", draftId);
}

export function useAvailable(): Available {
  const { data: models } = useModels();
  const { data: services } = useServices();
  const { data: secrets } = useSecrets();
  const { entries } = useEntries();
  const names = [...(services?.services ?? []).flatMap(({ name, kind }) => [name, kind]), ...(secrets ?? [])];
  return {
    hasModel: (models ?? []).length > 0,
    credentials: names.map((name) => name.toLowerCase()),
    servers: new Set(entries.flatMap(({ server }) => server ?? [])),
  };
}
