/** Settings of the service, and diagnostics. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";

const SETTINGS = ["settings"] as const;

const DOCTOR = ["doctor"] as const;

export type Setting = Schemas["SettingLine"];

export type Finding = Schemas["FindingRecord"];

export const useSettings = () =>
  useQuery({ queryKey: SETTINGS, queryFn: () => unwrap(client.GET("/api/v1/settings")) });

export const useFindings = () =>
  useQuery({ queryKey: DOCTOR, queryFn: async () => (await unwrap(client.GET("/api/v1/doctor"))).findings });
