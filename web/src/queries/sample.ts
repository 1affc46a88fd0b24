import { client, unwrap } from "../api/client";

/** Creates the sample workflow and its server if they do not exist; returns its name. */
export async function createSample(): Promise<string> {
  return (await unwrap(client.POST("/api/v1/samples"))).workflow;
}
